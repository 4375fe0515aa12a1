//! Tools that touch files, and the one way they come to them: `place`.
//!
//! Running commands and fetching from the web are left to `commands` and `web`.

mod place;
mod picture;
mod walk;
mod read;
mod write;
mod edit;
mod glob;
mod grep;

pub(crate) use edit::Edit;
pub(crate) use glob::Glob;
pub(crate) use grep::Grep;
pub(crate) use picture::Picture;
pub(crate) use read::Read;
pub(crate) use write::Write;

use crate::tool::ToolOutput;

/// Runs file work where it may block. Work that was begun is finished even when nobody waits any more; what may
/// take long looks at a flag itself.
async fn blocking(work: impl FnOnce() -> Result<ToolOutput, String> + Send + 'static) -> ToolOutput {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.into(),
        Err(error) => ToolOutput::failed(format!("The tool stopped unexpectedly: {error}.")),
    }
}

#[cfg(test)]
mod tests;
