//! Programs: TypeScript the model wrote. Here they are checked against the declarations made of the tools' schemas,
//! and run inside hard limits. What a tool does is left to others: this room asks for calls and is given results.
//!
//! Reading order: `declarations` says what a program may call, `checker` whether it fits. `runner` is a run as the house
//! sees it, `journal` what is to be kept of it and `foresight` what may come of it; `process` is where it runs, `frame` what is said to it, `host` who
//! answers there, `engine` what runs the program, with `alloc` counting its memory. `limits` bounds all of it.

mod declarations;
mod checker;
mod licenses;
mod runner;
mod journal;
mod foresight;
mod limits;
mod process;
mod frame;
mod host;
mod engine;
mod alloc;
mod text;
mod bytecode;

pub use checker::{Checked, Checker, Diagnostic};
pub use declarations::{Declarations, Hit, ToolSpec};
pub use engine::engine_version;
pub use foresight::{foresee, stub};
pub use frame::{Cause, Failure};
pub use host::host_main;
pub use journal::{Beginning, Call, Delivery, Divergence, ErrorName, Next, Outcome, Recorded, Replay};
pub use licenses::licenses;
pub use limits::{Limits, MAX_DEPTH, MAX_MESSAGE_BYTES, MAX_PATH_BYTES, MAX_PATHS, MAX_PROGRAM_BYTES};
pub use process::Host;
pub use runner::{Program, RunError, Runner, Step};
