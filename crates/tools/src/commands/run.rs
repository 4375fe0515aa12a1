//! How a shell command becomes a sandboxed one, and how its end is told.
//!
//! Shared by `bash` and `exec`; following a command is theirs.

use crate::{ToolContext, ToolOutput, text};
use protocol::CallStatus;
use sandbox::{CommandSpec, Finished, OutputCaps, Running, Sandbox, SpawnError, Stdin};
use std::time::Duration;

/// The words a shell command runs as; a fingerprint over them holds for what will run.
pub fn shell_argv(command: &str) -> Vec<String> {
    ["bash", "-c", command].map(str::to_owned).into()
}

/// Starts a shell command in the workspace under the context's terms.
pub(super) async fn start(
    sandbox: &Sandbox,
    context: &ToolContext,
    command: &str,
    stdin: Stdin,
    timeout: Duration,
) -> Result<Running, String> {
    let approved = context.command.approved.iter().map(|copy| copy.try_clone()).collect::<Result<_, _>>();
    let approved = approved.map_err(|error| format!("The approved copies cannot be used: {error}."))?;
    let half = context.limits.max_output_bytes / 2;
    let spec = CommandSpec {
        stdin,
        cwd_identity: context.command.cwd_identity,
        timeout: Some(timeout),
        caps: OutputCaps { head_bytes: half, tail_bytes: half },
        approved,
        ..CommandSpec::new(shell_argv(command), &context.workspace)
    };
    sandbox.spawn(&context.profile(), spec).await.map_err(|error| not_started(&error))
}

/// What came of a command, as the model reads it.
pub(super) fn told(finished: &Finished) -> ToolOutput {
    let mut output = output_of(finished);
    let fine = finished.exit == Some(0) && !finished.timed_out && !finished.killed;
    let ending = ending(finished);
    if output.is_empty() && fine {
        output = "(no output)".into();
    }
    if let Some(ending) = ending {
        if !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        output.push_str(&format!("[{ending}]"));
    }
    ToolOutput {
        exit_code: finished.exit,
        truncated: finished.output.truncated(),
        status: if fine { CallStatus::Succeeded } else { CallStatus::Failed },
        ..ToolOutput::text(output)
    }
}

/// How a command ended, unless it simply went well.
pub(super) fn ending(finished: &Finished) -> Option<String> {
    match (finished.exit, finished.signal) {
        _ if finished.timed_out => Some("killed: its time was over".into()),
        _ if finished.killed => Some("killed".into()),
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit code {code}")),
        (None, Some(signal)) => Some(format!("ended by signal {signal}")),
        (None, None) => Some("ended".into()),
    }
}

fn output_of(finished: &Finished) -> String {
    let mut output = finished.output.text();
    for refused in &finished.refused {
        output.push_str(&format!("\n[not connected: {}]", text::line(refused, 200)));
    }
    output
}

fn not_started(error: &SpawnError) -> String {
    let detail = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    format!("The command was not run: {error}{detail}.")
}
