//! `memory.get`: the lines around a passage that a search found.

use super::at_the_disk;
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of};
use memory::{Excerpt, Memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The tool.
pub(crate) struct MemoryGet {
    pub memory: Memory,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    path: String,
    from: Option<usize>,
    lines: Option<usize>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    path: String,
    line_start: usize,
    line_end: usize,
    text: String,
    /// Whether there is more below.
    more: bool,
}

impl TypedTool for MemoryGet {
    const NAME: &'static str = "memory.get";
    const DESCRIPTION: &'static str = "Read a file that memory_search found.";
    const LABELS: Labels = Labels { reads_private: true, idempotent: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new("Read from memory", input.path.clone())
    }

    async fn run(&self, input: Input, _context: &ToolContext) -> ToolOutput {
        at_the_disk(&self.memory, move |memory| {
            let found = memory.get(&input.path, input.from, input.lines)?;
            let more = if found.more { "\n[there is more below]" } else { "" };
            let Excerpt { path, line_start, line_end, text, more: truncated, untrusted } = found;
            let told = ToolOutput::text(format!("{path}:{line_start}-{line_end}\n{text}{more}"));
            let value = Output { path, line_start, line_end, text, more: truncated };
            Ok(ToolOutput { untrusted, ..told.with(&value) }.truncated(truncated))
        })
        .await
    }
}
