//! `process`: looks after what `exec` left running: lists, reads on, writes, kills.
//!
//! Only a session's own processes are seen; following them is `table`'s.

use super::{
    run,
    table::{Entry, Processes},
};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// How long a process may take to read what is written to it.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// How long a killed process may take to end before the call stops waiting.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// Characters of a command shown.
const MAX_COMMAND_CHARS: usize = 120;

/// The tool.
pub(crate) struct Process {
    pub(crate) processes: Processes,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    action: Action,
    /// For all but list.
    id: Option<String>,
    /// For output: where to go on.
    since: Option<u64>,
    /// For write: to standard input.
    input: Option<String>,
    /// For write: then close it.
    close: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    List,
    Output,
    Write,
    Kill,
}

/// What it gives.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// Those listed, or the one named.
    processes: Vec<Shown>,
    /// For output.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// For output: since, to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// For output: bytes before text that are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shown {
    id: String,
    /// Its beginning.
    command: String,
    running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// Written so far.
    output_bytes: u64,
}

impl Shown {
    fn of(entry: &Entry) -> Self {
        let ended = entry.ended();
        Self {
            id: entry.id.clone(),
            command: text::line(&entry.command, MAX_COMMAND_CHARS),
            running: ended.is_none(),
            exit_code: ended.and_then(|ended| ended.finished.exit),
            output_bytes: entry.output_bytes(),
        }
    }
}

/// What was done, of one process.
fn done(told: String, entry: &Entry) -> ToolOutput {
    ToolOutput::text(told).with(&Output { processes: vec![Shown::of(entry)], ..Output::default() })
}

impl TypedTool for Process {
    const NAME: &'static str = "process";
    const DESCRIPTION: &'static str = "Look after processes of exec, until 30 minutes after their end.";
    const LABELS: Labels = Labels { reads_private: true, acts_outside: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn labels_of(&self, input: &Input) -> Labels {
        let looks = matches!(input.action, Action::List | Action::Output);
        Labels { acts_outside: !looks, idempotent: looks, ..Self::LABELS }
    }

    fn show(&self, input: &Input) -> Presentation {
        let id = input.id.as_deref().unwrap_or_default();
        match input.action {
            Action::List => Presentation::new("List processes", ""),
            Action::Output => Presentation::new("Read a process's output", id),
            Action::Write => {
                let written = input.input.as_deref().unwrap_or_default();
                Presentation::new(format!("Write to process {id}"), written)
            }
            Action::Kill => Presentation::new("Kill a process", id),
        }
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        self.act(input, context).await.into()
    }
}

impl Process {
    async fn act(&self, input: Input, context: &ToolContext) -> Result<ToolOutput, String> {
        if matches!(input.action, Action::List) {
            return Ok(self.list(context));
        }
        let id = input.id.as_deref().ok_or("Say which process: `id` is missing.")?;
        let entry = self.processes.get(&context.session, id);
        let entry = entry.ok_or_else(|| format!("There is no process `{id}`; see the list."))?;
        match input.action {
            Action::List | Action::Output => {
                Ok(output(&entry, input.since.unwrap_or(0), context.limits.max_output_bytes))
            }
            Action::Write => {
                write(&entry, input.input.as_deref().unwrap_or_default(), input.close.unwrap_or(false)).await
            }
            Action::Kill => kill(&entry).await,
        }
    }

    fn list(&self, context: &ToolContext) -> ToolOutput {
        let entries = self.processes.of(&context.session);
        let lines: Vec<String> = entries.iter().map(|entry| line(entry)).collect();
        let told = if lines.is_empty() { "No processes.".into() } else { lines.join("\n") };
        let processes = entries.iter().map(|entry| Shown::of(entry)).collect();
        ToolOutput::text(told).with(&Output { processes, ..Output::default() })
    }
}

fn line(entry: &Entry) -> String {
    let command = text::line(&entry.command, MAX_COMMAND_CHARS);
    let written = text::size(entry.output_bytes());
    format!("{}: {}, {written} of output: {command}", entry.id, state(entry))
}

fn state(entry: &Entry) -> String {
    match entry.ended() {
        None => format!("running for {} s", entry.started.elapsed().as_secs()),
        Some(ended) => {
            let how = run::ending(&ended.finished).unwrap_or_else(|| "exit code 0".into());
            format!("{how}, {} s ago", ended.at.elapsed().as_secs())
        }
    }
}

fn output(entry: &Entry, since: u64, max_bytes: usize) -> ToolOutput {
    // Read the state first: what is written between the two is then told next time, never lost.
    let (state, process) = (state(entry), Shown::of(entry));
    let exit_code = entry.ended().and_then(|ended| ended.finished.exit);
    let piece = entry.output_since(since, max_bytes);
    let mut output = String::new();
    if piece.lost > 0 {
        output.push_str(&format!("[{} bytes before this are gone]\n", piece.lost));
    }
    output.push_str(&piece.text);
    if !output.is_empty() && !output.ends_with('\n') {
        output.push('\n');
    }
    let more = if piece.more { "; more is there" } else { "" };
    output.push_str(&format!("[{state}{more}; go on with since {}]", piece.next));
    let truncated = piece.lost > 0 || piece.more;
    let value = Output {
        processes: vec![process],
        text: Some(piece.text),
        next: Some(piece.next),
        lost: (piece.lost > 0).then_some(piece.lost),
    };
    ToolOutput { exit_code, ..ToolOutput::text(output).with(&value) }.truncated(truncated)
}

async fn write(entry: &Entry, input: &str, close: bool) -> Result<ToolOutput, String> {
    let gone = || format!("Process `{}` reads nothing any more.", entry.id);
    let writing = async {
        let mut stdin = entry.input.lock().await;
        let written = stdin.as_mut().ok_or_else(gone)?.write_all(input.as_bytes()).await;
        if close || written.is_err() {
            *stdin = None;
        }
        written.map_err(|_| gone())
    };
    match timeout(WRITE_PATIENCE, writing).await {
        Ok(written) => written?,
        Err(_) => return Err(format!("Process `{}` did not read all of it within 5 s.", entry.id)),
    }
    Ok(done(format!("Wrote {} bytes.", input.len()), entry))
}

async fn kill(entry: &Arc<Entry>) -> Result<ToolOutput, String> {
    if entry.ended().is_some() {
        let told = format!("Process `{}` had ended already: {}.", entry.id, state(entry));
        return Ok(done(told, entry));
    }
    entry.kill();
    match timeout(KILL_PATIENCE, entry.until_ended()).await {
        Ok(_) => Ok(done(format!("Killed process `{}`.", entry.id), entry)),
        Err(_) => Err(format!("Process `{}` was killed but has not ended yet.", entry.id)),
    }
}
