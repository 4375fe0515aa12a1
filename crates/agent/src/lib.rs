//! The driver: takes turns from the inbox, performs the effects the turn machine asks for, and writes down
//! what happened. It decides nothing about a turn; it knows neither HTTP frames nor channels.
//!
//! Reading order: `agent` runs lanes of turns side by side, `driver` takes one turn to its end, `thinking`
//! asks the model, `journal` is what the log says of programs and `programs` runs them on, `hands` is where tools come in
//! and `workbench` what they are made of: policy, tools, sandbox. `prompt`, `history` and `recall` say what the model is shown.
//! `projections` writes the log as files people can read.

mod agent;
mod driver;
mod thinking;
mod journal;
mod programs;
mod hands;
mod workbench;
mod prompt;
mod history;
mod recall;
mod spending;
mod projections;

pub use agent::{Agent, AgentSettings};
pub use hands::{Hands, Judged, Scene};
pub use projections::{ProjectionError, Projections};
pub use prompt::CONVENTION_FILES;
pub use spending::{Cost, Spending};
pub use workbench::{BenchDescription, CodeMode, ToolDescription, Workbench, WorkbenchSettings};
