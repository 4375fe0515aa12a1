//! `write`: puts a whole file in place, with the directories it lies in.
//!
//! Changing a part of a file is `edit`'s.

use super::place::Grounds;
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, text};
use schemars::JsonSchema;
use serde::Deserialize;

/// The tool.
pub(crate) struct Write;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    path: String,
    content: String,
}

impl TypedTool for Write {
    const NAME: &'static str = "write";
    const DESCRIPTION: &'static str =
        "Write or replace a whole file, making directories. To change a part, use edit.";
    const LABELS: Labels = Labels { acts_outside: true, idempotent: true, ..Labels::NONE };
    type Input = Input;

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new(format!("Write {}", input.path), &input.content)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let grounds = Grounds::of(context);
        super::blocking(move || {
            let grounds = grounds?;
            let place = grounds.writable(&input.path)?;
            let existed = place.kind.is_some();
            grounds.replace(&place, input.content.as_bytes())?;
            let done = if existed { "Replaced" } else { "Wrote" };
            let size = text::size(input.content.len() as u64);
            Ok(ToolOutput::text(format!("{done} `{}` ({size}).", place.shown)))
        })
        .await
    }
}
