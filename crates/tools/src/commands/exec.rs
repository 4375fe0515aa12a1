//! `exec`: runs a command that may go on after its call; its end then becomes a trigger.
//!
//! Following it is `table`'s, looking after it `process`'s.

use super::{
    run,
    table::{Entry, Processes},
};
use crate::{Labels, Presentation, ProcessStart, ToolContext, ToolOutput, TypedTool};
use sandbox::{Sandbox, Stdin};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// How long a call waits for the end unless it says otherwise.
const DEFAULT_YIELD_MS: u64 = 10_000;
/// The longest a process may live: forgotten ones must not pile up.
const MAX_LIFE: Duration = Duration::from_secs(24 * 3600);

/// The tool.
pub(crate) struct Exec {
    pub(crate) sandbox: Sandbox,
    pub(crate) processes: Processes,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    command: String,
    /// How long to wait; default 10000.
    #[schemars(range(max = 120_000))]
    yield_ms: Option<u64>,
    background: Option<bool>,
}

impl TypedTool for Exec {
    const NAME: &'static str = "exec";
    const DESCRIPTION: &'static str = "Run a long shell command. After yieldMs it goes on in the background; \
        process looks after it, and you are told when it ends.";
    const LABELS: Labels = Labels { reads_private: true, acts_outside: true, ..Labels::NONE };
    type Input = Input;

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new("Run a long command", &input.command)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        self.start(input, context).await.into()
    }
}

impl Exec {
    async fn start(&self, input: Input, context: &ToolContext) -> Result<ToolOutput, String> {
        let slot = self.processes.slot()?;
        let running = run::start(&self.sandbox, context, &input.command, Stdin::Piped, MAX_LIFE).await?;
        let entry = self.processes.adopt(running, slot, context, &input.command);
        let mut held = Held { processes: &self.processes, entry: Some(entry.clone()) };
        let background = input.background.unwrap_or(false);
        let wait_ms = if background { 0 } else { input.yield_ms.unwrap_or(DEFAULT_YIELD_MS) };
        if wait_ms > 0
            && let Ok(Some(ended)) = timeout(Duration::from_millis(wait_ms), entry.until_ended()).await
        {
            return Ok(run::told(&ended.finished));
        }
        let row = ProcessStart {
            call: context.call,
            id: entry.id.clone(),
            session: entry.session.clone(),
            command: entry.command.clone(),
        };
        let written = context.outside.process_started(row).await;
        written.map_err(|error| {
            format!("The process was ended, because it could not be written down: {error}.")
        })?;
        held.entry = None;
        entry.clone().announce(context.outside.clone());
        Ok(still_running(&entry, context.limits.max_output_bytes))
    }
}

fn still_running(entry: &Entry, max_bytes: usize) -> ToolOutput {
    let piece = entry.output_since(0, max_bytes);
    let mut output = format!("Still running as process `{}`. You will be told when it ends.", entry.id);
    if !piece.text.is_empty() {
        output.push_str(&format!(" Output so far (go on with since {}):\n{}", piece.next, piece.text));
    }
    ToolOutput::text(output).truncated(piece.lost > 0 || piece.more)
}

/// A process that belongs to its call: it ends with it, whether that was stopped or is done.
struct Held<'a> {
    processes: &'a Processes,
    entry: Option<Arc<Entry>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            entry.kill();
            self.processes.forget(&entry.id);
        }
    }
}
