//! A task as every door shows it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tasks::TaskView;

/// One task.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Task {
    id: String,
    /// `active`, `queued`, `running`, `waiting`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// `one_shot`, `recurring` or `event`.
    pub kind: String,
    prompt: String,
    session_key: String,
    /// Its latest run.
    run_id: Option<String>,
    requester_id: Option<String>,
    channel_id: Option<String>,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "Option<String>")]
    ended_at: Option<Timestamp>,
    /// What is said of it as a standing order.
    #[serde(flatten)]
    standing: Standing,
}

/// What is said of a task as a standing order.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Standing {
    /// When it comes again.
    schedule: Option<Value>,
    /// The same in a few words.
    describe: Option<String>,
    /// When it comes next.
    #[schemars(with = "Option<String>")]
    next_run: Option<Timestamp>,
    /// How many of its runs are over.
    runs: u64,
    /// How many of the latest failed in a row.
    failures: u32,
    /// Where the owner is told what came of it.
    deliver: String,
    /// Whether what is handed in must be signed.
    signed: bool,
    /// Why it ended, if somebody said so.
    reason: Option<String>,
}

impl From<TaskView> for Task {
    fn from(task: TaskView) -> Self {
        Self {
            id: task.id.to_string(),
            status: task.status,
            kind: task.kind,
            prompt: task.prompt,
            session_key: task.session_key.into(),
            run_id: task.run_id.map(|turn| turn.to_string()),
            requester_id: task.terms.requester_id,
            channel_id: task.terms.channel_id,
            created_at: task.created_at,
            ended_at: task.ended_at,
            standing: Standing {
                schedule: task.runs.schedule.map(|schedule| serde_json::json!(schedule)),
                describe: task.runs.description,
                next_run: task.runs.next_run,
                runs: task.runs.runs,
                failures: task.runs.failures,
                deliver: task.terms.deliver,
                signed: task.terms.signed,
                reason: task.terms.reason,
            },
        }
    }
}
