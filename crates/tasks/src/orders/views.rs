//! Standing orders as they are shown: the same on every door, to every tool and every command.

use super::{OrdersError, refused};
use jiff::{Timestamp, tz::TimeZone};
use protocol::{SessionKey, TurnId};
use schedule::{Schedule, from_now};
use serde::{Deserialize, Serialize};
use store::{FiringRow, JobRow, TaskKind, TaskRow, TaskRunRow, TaskStatus};
use uuid::Uuid;

/// How much of what a run said is shown in a list.
const MAX_SAID_CHARS: usize = 500;

/// A job as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobView {
    /// Its id.
    pub id: Uuid,
    /// What people call it.
    pub name: String,
    /// What it belongs to: `reminder`, `task` or `heartbeat`.
    pub kind: String,
    /// What it is about.
    pub message: String,
    /// When it comes due.
    pub schedule: Schedule,
    /// The same in a few words.
    pub description: String,
    /// Whether it comes due at all.
    pub enabled: bool,
    /// When it comes due next.
    pub next_run: Option<Timestamp>,
    /// The same in a few words, such as `in 20 minutes`.
    pub next_run_in: Option<String>,
    /// Its latest firing.
    pub last_run: Option<FiringView>,
    /// How it stands.
    #[serde(flatten)]
    pub state: JobStateView,
    /// What was said when it was given.
    #[serde(flatten)]
    pub terms: JobTermsView,
}

/// How a job stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobStateView {
    /// How many of its firings are not over.
    pub running: u32,
    /// How often in a row it failed.
    pub failures: u32,
    /// When it was given.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What was said of a job when it was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobTermsView {
    /// The conversation its turns take place in.
    pub session_key: SessionKey,
    /// Where the owner is told what came of it: `none`, `last`, a place or a session key.
    pub deliver: String,
    /// What becomes of slots that passed unseen: `skip`, `once` or `all`.
    pub missed: String,
    /// Whether it goes once it has run.
    pub delete_after_run: bool,
    /// The model it uses, if another than the configured one.
    pub model: Option<String>,
    /// The task it belongs to.
    pub task_id: Option<Uuid>,
    /// The conversation it was given in.
    pub origin: Option<SessionKey>,
}

/// One firing of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FiringView {
    /// When it was to be.
    pub slot: Timestamp,
    /// When it was.
    pub fired_at: Timestamp,
    /// The turn that tells of it.
    pub run_id: Option<TurnId>,
    /// `running`, `completed`, `failed`, `aborted`, `limit` or `skipped`.
    pub outcome: String,
    /// What there is to say about that.
    pub note: Option<String>,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
}

/// A page of jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobPage {
    /// The jobs.
    pub jobs: Vec<JobView>,
    /// What to ask for the next page by, if there is one.
    pub next: Option<Uuid>,
}

/// How the standing orders stand as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusView {
    /// How many jobs there are, those that are off included.
    pub jobs: u64,
    /// When the next comes due.
    pub next_run: Option<Timestamp>,
    /// The owner's zone.
    pub time_zone: Option<String>,
}

/// A task as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// Its id.
    pub id: Uuid,
    /// `one_shot`, `recurring` or `event`.
    pub kind: String,
    /// `active`, `queued`, `running`, `waiting`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// What was ordered.
    pub prompt: String,
    /// Its conversation.
    pub session_key: SessionKey,
    /// Its latest run.
    pub run_id: Option<TurnId>,
    /// Its runs.
    #[serde(flatten)]
    pub runs: TaskRunsView,
    /// What was said when it was given, or ended.
    #[serde(flatten)]
    pub terms: TaskTermsView,
    /// When it was given.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// The runs of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskRunsView {
    /// When it comes again, if it does.
    pub schedule: Option<Schedule>,
    /// The same in a few words.
    pub description: Option<String>,
    /// When next.
    pub next_run: Option<Timestamp>,
    /// How many runs are over.
    pub runs: u64,
    /// How often in a row it failed.
    pub failures: u32,
}

/// What was said of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskTermsView {
    /// Where the owner is told what came of it: `none`, `last`, a place or a session key.
    pub deliver: String,
    /// Who ordered it.
    pub requester_id: Option<String>,
    /// Where it was ordered, as the client told.
    pub channel_id: Option<String>,
    /// The conversation it was ordered in.
    pub origin: Option<String>,
    /// The model it uses, if another than the configured one.
    pub model: Option<String>,
    /// Whether what is handed in must be signed.
    pub signed: bool,
    /// Why it ended, if somebody said so.
    pub reason: Option<String>,
}

/// One run of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskRunView {
    /// Its turn.
    pub run_id: TurnId,
    /// When it was ordered.
    pub at: Timestamp,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
    /// `running`, `completed`, `aborted`, `limit_reached` or `failed`.
    pub outcome: String,
    /// The beginning of the last it said.
    pub text: String,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskPage {
    /// The tasks.
    pub tasks: Vec<TaskView>,
    /// What to ask for the next page by, if there is one.
    pub next: Option<Uuid>,
}

impl JobView {
    pub(super) fn new(
        row: JobRow,
        last: Option<FiringRow>,
        now: Timestamp,
        zone: &TimeZone,
    ) -> Result<Self, OrdersError> {
        let order = row.order;
        let schedule: Schedule = serde_json::from_str(&order.schedule)
            .map_err(|error| refused(format!("the schedule of {:?} cannot be read: {error}", order.name)))?;
        let next_run =
            row.next_slot.filter(|_| row.enabled).map(|slot| slot.max(row.not_before.unwrap_or(slot)));
        Ok(Self {
            id: row.id,
            name: order.name,
            kind: order.kind.as_str().into(),
            message: order.message,
            description: schedule.describe(zone),
            schedule,
            enabled: row.enabled,
            next_run,
            next_run_in: next_run.map(|at| from_now(at, now)),
            last_run: last.map(FiringView::from),
            state: JobStateView {
                running: row.open,
                failures: row.failures,
                created_at: row.created_at,
                updated_at: row.updated_at,
            },
            terms: JobTermsView {
                session_key: order.session,
                deliver: order.deliver.unwrap_or_else(|| "none".into()),
                missed: order.missed,
                delete_after_run: order.delete_after_run,
                model: order.model,
                task_id: order.task,
                origin: order.origin,
            },
        })
    }
}

impl From<FiringRow> for FiringView {
    fn from(row: FiringRow) -> Self {
        Self {
            slot: row.slot,
            fired_at: row.fired_at,
            run_id: row.turn,
            outcome: row.outcome.unwrap_or_else(|| "running".into()),
            note: row.note,
            ended_at: row.ended_at,
        }
    }
}

impl TaskView {
    pub(super) fn new(row: TaskRow, schedule: Option<Schedule>, zone: &TimeZone) -> Self {
        let kind = match row.kind {
            TaskKind::OneShot => "one_shot",
            TaskKind::Recurring => "recurring",
            TaskKind::Event => "event",
        };
        let status = match row.status {
            TaskStatus::Active => "active",
            TaskStatus::Queued => "queued",
            TaskStatus::Running => "running",
            TaskStatus::Waiting => "waiting",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Cancelled => "cancelled",
        };
        Self {
            id: row.id,
            kind: kind.into(),
            status: status.into(),
            prompt: row.prompt,
            session_key: row.session,
            run_id: row.turn,
            runs: TaskRunsView {
                description: schedule.as_ref().map(|schedule| schedule.describe(zone)),
                schedule,
                next_run: row.runs.next_slot,
                runs: row.runs.count,
                failures: row.runs.failures,
            },
            terms: TaskTermsView {
                deliver: row.terms.deliver.unwrap_or_else(|| "none".into()),
                requester_id: row.requester_id,
                channel_id: row.channel_id,
                origin: row.terms.origin,
                model: row.terms.model,
                signed: row.terms.signed,
                reason: row.terms.reason,
            },
            created_at: row.created_at,
            ended_at: row.ended_at,
        }
    }
}

impl From<TaskRunRow> for TaskRunView {
    fn from(row: TaskRunRow) -> Self {
        Self {
            run_id: row.turn,
            at: row.accepted_at,
            ended_at: row.ended_at,
            outcome: row.outcome.unwrap_or_else(|| "running".into()),
            text: row.text.chars().take(MAX_SAID_CHARS).collect(),
        }
    }
}
