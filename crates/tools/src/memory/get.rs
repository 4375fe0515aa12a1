//! `memory.get`: the lines around a passage that a search found.

use super::at_the_disk;
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool};
use memory::Memory;
use schemars::JsonSchema;
use serde::Deserialize;

/// The tool.
pub(crate) struct MemoryGet {
    pub memory: Memory,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// As a search gave it.
    path: String,
    /// First line, from 1.
    from: Option<usize>,
    lines: Option<usize>,
}

impl TypedTool for MemoryGet {
    const NAME: &'static str = "memory.get";
    const DESCRIPTION: &'static str = "Read a file that memory_search found.";
    const LABELS: Labels = Labels {
        brings_untrusted: false,
        reads_private: true,
        acts_outside: false,
        keeps: false,
        idempotent: true,
    };
    type Input = Input;

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new("Read from memory", input.path.clone())
    }

    async fn run(&self, input: Input, _context: &ToolContext) -> ToolOutput {
        at_the_disk(&self.memory, move |memory| {
            let found = memory.get(&input.path, input.from, input.lines)?;
            let more = if found.more { "\n[there is more below]" } else { "" };
            let text =
                format!("{}:{}-{}\n{}{more}", found.path, found.line_start, found.line_end, found.text);
            Ok(ToolOutput { untrusted: found.untrusted, ..ToolOutput::text(text) }.truncated(found.more))
        })
        .await
    }
}
