//! What the assistant can do: tools, the registry that offers them, and the built-in ones.
//!
//! Tools do, never decide: whether a call may run is policy's business, recording it is the store's, and driving
//! it is the agent's. A tool reaches the rest of the house only through its [`ToolContext`].
//!
//! Reading order: `tool` is the contract, `typed` makes a tool out of one struct and one async function, `context`
//! is what a running tool is given, `registry` offers and checks (`told` keeps what is offered short), `builtin` registers what comes with the house;
//! `files`, `commands`, `web`, `memory` and `orders` hold those tools, one file each; `text` cuts what is too long.

mod tool;
mod typed;
mod context;
mod registry;
mod told;
mod builtin;
mod text;
mod files;
mod commands;
mod web;
mod memory;
mod orders;

pub use builtin::{Builtin, builtin};
pub use commands::{ProcessLimits, Processes, shell_argv};
pub use context::{CommandTerms, Outside, ProcessEnd, ProcessStart, ToolContext, ToolLimits};
pub use protocol::Labels;
pub use registry::{InputSchema, RegisterError, Registry};
pub use tool::{Presentation, Tool, ToolOutput};
pub use typed::{TypedTool, output_of};
pub use web::{FetchLimits, Fetcher, Lookup, SearchEndpoint, SearchKind};

#[cfg(test)]
mod tests;
