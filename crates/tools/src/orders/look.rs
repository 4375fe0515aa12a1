//! `tasks.list` and `tasks.history`: which tasks there are, and what came of their runs.

use super::{LOOKS, SHOWN_CHARS, data::Task, task_id, task_line, why};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of, text};
use ::tasks::{Orders, TaskListing, TaskRunView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many tasks that stand, tasks that are over, and runs are shown.
const MAX_STANDING: usize = 100;
const MAX_OVER: usize = 10;
const MAX_RUNS: usize = 20;

/// `tasks.list`.
pub(crate) struct TasksList {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    ended: Option<bool>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tasks {
    tasks: Vec<Task>,
}

impl TypedTool for TasksList {
    const NAME: &'static str = "tasks.list";
    const DESCRIPTION: &'static str = "List tasks.";
    const LABELS: Labels = LOOKS;
    type Input = Which;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Tasks>);

    fn show(&self, _: &Which) -> Presentation {
        Presentation::new("List tasks", "")
    }

    async fn run(&self, input: Which, _: &ToolContext) -> ToolOutput {
        let listing = async {
            let page = |active, limit| {
                let listing =
                    TaskListing { active: Some(active), limit: Some(limit), ..TaskListing::default() };
                self.orders.tasks(listing)
            };
            let mut tasks = page(true, MAX_STANDING).await.map_err(why)?.tasks;
            if input.ended.unwrap_or_default() {
                tasks.extend(page(false, MAX_OVER).await.map_err(why)?.tasks);
            }
            let lines: Vec<String> = tasks.iter().map(|task| task_line(&self.orders, task)).collect();
            let told = ToolOutput::text(if lines.is_empty() { "No tasks.".into() } else { lines.join("\n") });
            Ok(told.with(&Tasks { tasks: tasks.iter().map(Task::from).collect() }))
        };
        listing.await.into()
    }
}

/// `tasks.history`.
pub(crate) struct TasksHistory {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct One {
    task_id: String,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Runs {
    /// Latest first.
    runs: Vec<Run>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Run {
    /// ISO 8601
    at: String,
    /// running, completed, aborted, limit_reached or failed
    outcome: String,
    /// The beginning of the last it said.
    text: String,
}

impl From<&TaskRunView> for Run {
    fn from(run: &TaskRunView) -> Self {
        let (at, text) = (run.at.to_string(), text::line(&run.text, SHOWN_CHARS));
        Self { at, outcome: run.outcome.clone(), text }
    }
}

impl TypedTool for TasksHistory {
    const NAME: &'static str = "tasks.history";
    const DESCRIPTION: &'static str = "A task's latest runs.";
    const LABELS: Labels = LOOKS;
    type Input = One;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Runs>);

    fn show(&self, input: &One) -> Presentation {
        Presentation::new("Look at a task's runs", input.task_id.clone())
    }

    async fn run(&self, input: One, _: &ToolContext) -> ToolOutput {
        let looking = async {
            let runs = self.orders.task_history(task_id(&input.task_id)?, MAX_RUNS).await.map_err(why)?;
            let line = |run: &TaskRunView| {
                let said = text::line(&run.text, SHOWN_CHARS);
                format!("{} {}: {said}", self.orders.shown(run.at), run.outcome)
            };
            let lines: Vec<String> = runs.iter().map(line).collect();
            let told = if lines.is_empty() { "It has not run yet.".into() } else { lines.join("\n") };
            // A run that took in words of strangers may repeat them.
            let told = ToolOutput::text(told).with(&Runs { runs: runs.iter().map(Run::from).collect() });
            Ok(ToolOutput { untrusted: !lines.is_empty(), ..told })
        };
        looking.await.into()
    }
}
