//! Orders with a conversation of their own: for now, to come again, or whenever something outside happens. A task's row
//! says what was ordered and whether it still stands; how far a run has come is read off its turn. When one comes again
//! is its job's concern; what is handed in from outside comes by `hooks`.

mod change;
mod hooks;
mod runs;

pub use change::TaskAnswer;
pub use hooks::{HookDelivery, HookTaken, HookTask};
pub use runs::TaskRunRow;

use crate::{
    Durability, JobKind, JobOrder, NewJob, Result, Store, View, inbox,
    jobs::{self, parse_id},
    sqlite::Unit,
    turns,
    view::{self, timestamp},
};
use jiff::Timestamp;
use protocol::{Block, Event, Fact, Outcome, SessionKey, Trigger, TriggerKind, TurnId};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

/// The source of triggers that come of tasks for now.
const SOURCE: &str = "task";

/// When a new task runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum NewTaskKind {
    /// Once, at once.
    #[default]
    OneShot,
    /// Again and again.
    Recurring {
        /// When, as JSON.
        schedule: String,
        /// When first.
        next_slot: Option<Timestamp>,
        /// What becomes of slots that passed unseen: `skip`, `once` or `all`.
        missed: String,
    },
    /// Whenever somebody who knows its token hands something in.
    Event {
        /// The hash of the token.
        hook_hash: String,
        /// What deliveries must be signed with.
        secret: Option<String>,
    },
}

/// What is ordered.
#[derive(Debug, Clone, Default)]
pub struct NewTask {
    /// What to do.
    pub prompt: String,
    /// When.
    pub kind: NewTaskKind,
    /// Where the owner is told what came of it: `last`, a session key, or a place; nowhere if absent.
    pub deliver: Option<String>,
    /// The conversation it was ordered in.
    pub origin: Option<SessionKey>,
    /// What made it, such as the id of a call: the same one twice is one task.
    pub origin_key: Option<String>,
    /// The client's own name for the order; the same one twice is one task.
    pub client_id: Option<String>,
    /// Who ordered it, as the client tells.
    pub requester_id: Option<String>,
    /// Where it was ordered, as the client tells.
    pub channel_id: Option<String>,
    /// The model to use, `provider/model`.
    pub model: Option<String>,
    /// Whether words of strangers were in the conversation it was ordered in.
    pub tainted: bool,
}

/// How far a task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    /// It stands, and nothing of it is to be done right now.
    Active,
    /// Not begun.
    Queued,
    /// Under way.
    Running,
    /// Waits for the owner.
    Waiting,
    /// Done.
    Completed,
    /// Could not be done.
    Failed,
    /// Stopped by the owner.
    Cancelled,
}

/// When a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskKind {
    /// Once, at once.
    OneShot,
    /// Again and again.
    Recurring,
    /// Whenever something outside happens.
    Event,
}

/// One task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRow {
    /// Its id.
    pub id: Uuid,
    /// When it runs.
    pub kind: TaskKind,
    /// Its conversation.
    pub session: SessionKey,
    /// Its latest run; none before the first.
    pub turn: Option<TurnId>,
    /// What was ordered.
    pub prompt: String,
    /// Who ordered it.
    pub requester_id: Option<String>,
    /// Where it was ordered.
    pub channel_id: Option<String>,
    /// How far it has come.
    pub status: TaskStatus,
    /// When it was ordered.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What else was said when it was ordered, or ended.
    pub terms: TaskTerms,
    /// Its runs.
    pub runs: TaskRuns,
}

/// What was said of a task besides what to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskTerms {
    /// Where the owner is told what came of it.
    pub deliver: Option<String>,
    /// The conversation it was ordered in.
    pub origin: Option<String>,
    /// The model it uses.
    pub model: Option<String>,
    /// Why it ended, if somebody said so.
    pub reason: Option<String>,
    /// Whether what is handed in must be signed.
    pub signed: bool,
}

/// The runs of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskRuns {
    /// How many are over.
    pub count: u64,
    /// The job that says when it comes again.
    pub job: Option<Uuid>,
    /// When it comes again.
    pub next_slot: Option<Timestamp>,
    /// How often in a row it failed.
    pub failures: u32,
}

/// Which tasks are wanted.
#[derive(Debug, Clone, Default)]
pub struct TaskFilter {
    /// Only those that still stand, or only the others.
    pub active: Option<bool>,
    /// Only those of this requester.
    pub requester_id: Option<String>,
}

impl Store {
    /// Takes an order; durable when it returns.
    pub async fn create_task(&self, task: NewTask) -> Result<TaskRow> {
        self.write("accept", Durability::Synced, move |unit| create(unit, task)).await
    }
}

impl View {
    /// Tasks, the latest first, older than `before`.
    pub async fn tasks(
        &self,
        filter: TaskFilter,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<TaskRow>> {
        self.read(move |connection| {
            let sql = format!(
                "{SELECT} WHERE (?1 IS NULL OR (tasks.created_at, tasks.id) <
                                    (SELECT created_at, id FROM tasks WHERE id = ?1))
                   AND (?2 IS NULL OR (tasks.state = 'active') = ?2)
                   AND (?3 IS NULL OR tasks.requester_id = ?3)
                 ORDER BY tasks.created_at DESC, tasks.id DESC LIMIT ?4"
            );
            let before = before.map(|id| id.to_string());
            let parameters = params![before, filter.active, filter.requester_id, view::count(limit)];
            let mut statement = connection.prepare_cached(&sql)?;
            statement.query_and_then(parameters, task_row)?.collect()
        })
        .await
    }

    /// One task.
    pub async fn task(&self, id: Uuid) -> Result<Option<TaskRow>> {
        self.read(move |connection| find(connection, id)).await
    }
}

fn create(unit: &mut Unit<'_>, task: NewTask) -> Result<TaskRow> {
    let key = task.origin_key.clone().or_else(|| task.client_id.as_ref().map(|id| format!("client:{id}")));
    if let Some(key) = &key {
        let sql = "SELECT id FROM tasks WHERE origin_key = ?1";
        let known: Option<String> =
            unit.connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?;
        if let Some(known) = known {
            return found(unit.connection, parse_id(&known)?);
        }
    }
    let id = Uuid::now_v7();
    let session = turns::parse_session(&format!("task--{id}"))?;
    let turn = match &task.kind {
        NewTaskKind::OneShot => {
            let accepted = inbox::accept(unit, &first_run(id, &session, &task), task.deliver.is_some())?;
            if accepted.repeated {
                let sql = "SELECT id FROM tasks WHERE turn = ?1";
                let turn = accepted.turn.to_string();
                let known: String = unit.connection.query_row(sql, [turn], |row| row.get(0))?;
                return found(unit.connection, parse_id(&known)?);
            }
            Some(accepted.turn)
        }
        NewTaskKind::Recurring { .. } | NewTaskKind::Event { .. } => None,
    };
    let (kind, hook_hash, secret) = match &task.kind {
        NewTaskKind::OneShot => ("one_shot", None, None),
        NewTaskKind::Recurring { .. } => ("recurring", None, None),
        NewTaskKind::Event { hook_hash, secret } => ("event", Some(hook_hash), secret.as_ref()),
    };
    let sql = "INSERT INTO tasks (id, kind, session, turn, prompt, state, deliver, origin, origin_key, requester_id,
                                  channel_id, model, hook_hash, hook_secret, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, 'active', ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    unit.connection.prepare_cached(sql)?.execute(params![
        id.to_string(),
        kind,
        session.as_str(),
        turn.map(|turn| turn.to_string()),
        task.prompt,
        task.deliver,
        task.origin.as_ref().map(SessionKey::as_str),
        key,
        task.requester_id,
        task.channel_id,
        task.model,
        hook_hash,
        secret,
        unit.now.as_millisecond(),
    ])?;
    unit.news.jobs = true;
    if let NewTaskKind::Recurring { schedule, next_slot, missed } = task.kind.clone() {
        jobs::add(unit, &job_of(id, session, task, schedule, next_slot, missed))?;
    }
    found(unit.connection, id)
}

fn first_run(id: Uuid, session: &SessionKey, task: &NewTask) -> Trigger {
    Trigger {
        source: SOURCE.into(),
        external_id: task.client_id.clone().unwrap_or_else(|| id.to_string()),
        session: session.clone(),
        kind: TriggerKind::Message,
        content: vec![Block::text(task.prompt.clone())],
        history: Vec::new(),
        model: task.model.clone(),
        steer: false,
    }
}

fn job_of(
    id: Uuid,
    session: SessionKey,
    task: NewTask,
    schedule: String,
    next_slot: Option<Timestamp>,
    missed: String,
) -> NewJob {
    let order = JobOrder {
        name: inbox::title_of(&task.prompt),
        kind: JobKind::Task,
        schedule,
        message: task.prompt,
        session,
        deliver: task.deliver,
        missed,
        delete_after_run: false,
        model: task.model,
        task: Some(id),
        origin: task.origin,
        tainted: task.tainted,
    };
    NewJob { id: Uuid::now_v7(), order, enabled: true, next_slot, origin_key: None }
}

/// Keeps the table in step with the log. A task for now ends with its turn; others just have one run more.
pub(crate) fn record(unit: &Unit<'_>, event: &Event) -> Result<()> {
    let Fact::TurnFinished { outcome } = &event.fact else { return Ok(()) };
    let state = match outcome {
        Outcome::Completed => "completed",
        Outcome::Aborted => "cancelled",
        Outcome::LimitReached { .. } | Outcome::Failed { .. } => "failed",
    };
    let turn = event.turn.to_string();
    let sql = "UPDATE tasks SET runs = runs + 1 WHERE session = ?1 AND EXISTS
                   (SELECT 1 FROM inbox WHERE turn = ?2 AND source IN ('task', 'job', 'hook'))";
    unit.connection.prepare_cached(sql)?.execute(params![event.session.as_str(), turn])?;
    let sql = "UPDATE tasks SET state = ?1, ended_at = ?2
               WHERE turn = ?3 AND kind = 'one_shot' AND state = 'active'";
    unit.connection.prepare_cached(sql)?.execute(params![state, event.at.as_millisecond(), turn])?;
    Ok(())
}

const SELECT: &str = "
    SELECT tasks.id, tasks.kind, tasks.session, tasks.turn, tasks.prompt, tasks.requester_id, tasks.channel_id,
           tasks.state, inbox.state, tasks.created_at, tasks.ended_at, tasks.deliver, tasks.origin, tasks.model,
           tasks.reason, tasks.hook_secret IS NOT NULL, tasks.runs, jobs.id,
           CASE WHEN jobs.enabled THEN jobs.next_slot END, coalesce(jobs.failures, 0)
    FROM tasks LEFT JOIN inbox ON inbox.turn = tasks.turn LEFT JOIN jobs ON jobs.task = tasks.id";

fn find(connection: &Connection, id: Uuid) -> Result<Option<TaskRow>> {
    let sql = format!("{SELECT} WHERE tasks.id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_and_then([id.to_string()], task_row)?.next().transpose()
}

fn found(connection: &Connection, id: Uuid) -> Result<TaskRow> {
    find(connection, id)?.ok_or(rusqlite::Error::QueryReturnedNoRows.into())
}

fn task_row(row: &Row<'_>) -> Result<TaskRow> {
    let (state, run): (String, Option<String>) = (row.get(7)?, row.get(8)?);
    let status = match (state.as_str(), run.as_deref()) {
        ("completed", _) => TaskStatus::Completed,
        ("cancelled", _) => TaskStatus::Cancelled,
        ("failed", _) => TaskStatus::Failed,
        (_, Some("queued")) => TaskStatus::Queued,
        (_, Some("parked")) => TaskStatus::Waiting,
        (_, Some("running" | "joined")) => TaskStatus::Running,
        _ => TaskStatus::Active,
    };
    let (turn, job): (Option<String>, Option<String>) = (row.get(3)?, row.get(17)?);
    Ok(TaskRow {
        id: parse_id(&row.get::<_, String>(0)?)?,
        kind: match row.get::<_, String>(1)?.as_str() {
            "recurring" => TaskKind::Recurring,
            "event" => TaskKind::Event,
            _ => TaskKind::OneShot,
        },
        session: turns::parse_session(&row.get::<_, String>(2)?)?,
        turn: turn.map(|turn| turns::parse_turn(&turn)).transpose()?,
        prompt: row.get(4)?,
        requester_id: row.get(5)?,
        channel_id: row.get(6)?,
        status,
        created_at: timestamp(row.get(9)?),
        ended_at: row.get::<_, Option<i64>>(10)?.map(timestamp),
        terms: TaskTerms {
            deliver: row.get(11)?,
            origin: row.get(12)?,
            model: row.get(13)?,
            reason: row.get(14)?,
            signed: row.get(15)?,
        },
        runs: TaskRuns {
            count: u64::try_from(row.get::<_, i64>(16)?).unwrap_or_default(),
            job: job.map(|job| parse_id(&job)).transpose()?,
            next_slot: row.get::<_, Option<i64>>(18)?.map(timestamp),
            failures: row.get(19)?,
        },
    })
}
