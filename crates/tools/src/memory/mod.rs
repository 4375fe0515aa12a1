//! The assistant's memory as tools: searching notes and earlier conversations, reading on where a passage was found,
//! writing something down. How passages are found is `memory`'s.

mod get;
mod search;
mod write;

pub(crate) use get::MemoryGet;
pub(crate) use search::MemorySearch;
pub(crate) use write::MemoryWrite;

use crate::ToolOutput;
use memory::{Memory, MemoryError};

/// Memory blocks on the disk, so it is used where that holds nobody up.
async fn at_the_disk(
    memory: &Memory,
    work: impl FnOnce(Memory) -> Result<ToolOutput, MemoryError> + Send + 'static,
) -> ToolOutput {
    let memory = memory.clone();
    match tokio::task::spawn_blocking(move || work(memory)).await {
        Ok(done) => done.map_err(|error| capitalised(&error.to_string())).into(),
        Err(_) => ToolOutput::failed("Memory could not be used: looking at it crashed."),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect::<String>() + ".")
}
