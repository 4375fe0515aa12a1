//! `memory.write`: something to be remembered, added to the notes.

use super::at_the_disk;
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool};
use memory::{Memory, Target};
use schemars::JsonSchema;
use serde::Deserialize;

/// The tool.
pub(crate) struct MemoryWrite {
    pub memory: Memory,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    target: Where,
    /// In Markdown, understandable by itself.
    content: String,
}

// Which part of memory; the model reads that in the description.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Where {
    LongTerm,
    Daily,
}

impl TypedTool for MemoryWrite {
    const NAME: &'static str = "memory.write";
    const DESCRIPTION: &'static str =
        "Remember something: `long_term` what stays true (MEMORY.md), `daily` what happened today.";
    const LABELS: Labels = Labels { keeps: true, ..Labels::NONE };
    type Input = Input;

    fn show(&self, input: &Input) -> Presentation {
        let place = match input.target {
            Where::LongTerm => "Write into MEMORY.md",
            Where::Daily => "Write into today's notes",
        };
        Presentation::new(place, input.content.clone())
    }

    async fn run(&self, input: Input, _context: &ToolContext) -> ToolOutput {
        let target = match input.target {
            Where::LongTerm => Target::LongTerm,
            Where::Daily => Target::Daily,
        };
        let today = jiff::Zoned::now().date();
        at_the_disk(&self.memory, move |memory| {
            let path = memory.write(target, &input.content, today)?;
            Ok(ToolOutput::text(format!("Written to {path}.")))
        })
        .await
    }
}
