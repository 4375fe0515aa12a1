//! `bash`: runs a command to its end and gives back what it wrote.
//!
//! Commands that go on after their call are `exec`'s.

use super::run;
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, text};
use sandbox::{Running, Sandbox, Stdin};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::{Instant, interval_at};

/// The longest a call may ask for; what takes longer is `exec`'s.
const MAX_TIMEOUT_MS: u64 = 600_000;
/// How often a running command is told of. The first time is late enough that most commands never are.
const PROGRESS_EVERY: Duration = Duration::from_secs(3);

/// The tool.
pub(crate) struct Bash {
    pub(crate) sandbox: Sandbox,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    command: String,
    /// Default 120000.
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
}

impl TypedTool for Bash {
    const NAME: &'static str = "bash";
    const DESCRIPTION: &'static str =
        "Run a shell command in the workspace, sandboxed, to its end. For longer work use exec.";
    const LABELS: Labels = Labels { reads_private: true, acts_outside: true, ..Labels::NONE };
    type Input = Input;

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new("Run a command", &input.command)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let timeout_ms = input.timeout_ms.unwrap_or(context.limits.timeout_ms).min(MAX_TIMEOUT_MS);
        let timeout = Duration::from_millis(timeout_ms);
        match run::start(&self.sandbox, context, &input.command, Stdin::Null, timeout).await {
            Ok(running) => run::told(&follow(running, context).await.finish().await),
            Err(why) => ToolOutput::failed(why),
        }
    }
}

/// Waits for the end, telling now and then how it goes.
async fn follow(mut running: Running, context: &ToolContext) -> Running {
    let begun = Instant::now();
    let mut due = interval_at(begun + PROGRESS_EVERY, PROGRESS_EVERY);
    let (mut bytes, mut last) = (0, Vec::new());
    loop {
        tokio::select! {
            piece = running.next() => match piece {
                Some(piece) => {
                    bytes += piece.len() as u64;
                    last = piece;
                }
                None => return running,
            },
            _ = due.tick() => {
                let seconds = begun.elapsed().as_secs();
                let last = String::from_utf8_lossy(&last);
                let line = text::line(last.trim_end().lines().last().unwrap_or_default(), 200);
                context.outside.progress(&format!("{seconds} s, {} so far: {line}", text::size(bytes)));
            }
        }
    }
}
