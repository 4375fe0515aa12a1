//! Orders as programs are given them: what a line of text says, cut like it, with times that can be read by machines.

use super::SHOWN_CHARS;
use crate::text;
use ::tasks::{JobView, TaskView};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// A task.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Task {
    pub id: String,
    /// one_shot, recurring or event
    pub kind: String,
    /// active, queued, running, waiting, completed, failed or cancelled
    pub status: String,
    /// Its beginning.
    pub prompt: String,
    /// In words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// ISO 8601
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run: Option<String>,
    pub runs: u64,
    /// In a row.
    pub failures: u32,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl From<&TaskView> for Task {
    fn from(task: &TaskView) -> Self {
        Self {
            id: task.id.to_string(),
            kind: task.kind.clone(),
            status: task.status.clone(),
            prompt: text::line(&task.prompt, SHOWN_CHARS),
            schedule: task.runs.description.clone(),
            next_run: time(task.runs.next_run),
            runs: task.runs.runs,
            failures: task.runs.failures,
            reason: task.terms.reason.as_deref().map(|reason| text::line(reason, SHOWN_CHARS)),
        }
    }
}

/// A job.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Job {
    pub id: String,
    pub name: String,
    /// reminder, task or heartbeat
    pub kind: String,
    /// Its beginning.
    pub message: String,
    /// In words.
    pub schedule: String,
    pub enabled: bool,
    /// ISO 8601
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run: Option<String>,
    /// ISO 8601
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
    /// running, completed, failed, aborted, limit or skipped
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_outcome: Option<String>,
}

impl From<&JobView> for Job {
    fn from(job: &JobView) -> Self {
        Self {
            id: job.id.to_string(),
            name: job.name.clone(),
            kind: job.kind.clone(),
            message: text::line(&job.message, SHOWN_CHARS),
            schedule: job.description.clone(),
            enabled: job.enabled,
            next_run: time(job.next_run),
            last_run: time(job.last_run.as_ref().map(|last| last.slot)),
            last_outcome: job.last_run.as_ref().map(|last| last.outcome.clone()),
        }
    }
}

/// A time as programs read it.
pub(super) fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
