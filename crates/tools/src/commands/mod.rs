//! Tools that run commands, each inside the sandbox: `bash` to the end, `exec` beyond its call, `process` to look
//! after what `exec` left running.
//!
//! What a command may touch is the context's say, confining it is the sandbox's.

mod run;
mod bash;
mod ring;
mod table;
mod exec;
mod process;

pub(crate) use bash::Bash;
pub(crate) use exec::Exec;
pub(crate) use process::Process;
pub use run::shell_argv;
pub use table::{ProcessLimits, Processes};

#[cfg(test)]
mod tests;
