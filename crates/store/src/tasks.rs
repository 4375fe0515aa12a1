//! Orders with a conversation of their own. A task's row says what was ordered; how far it has come is read
//! off its turn.

use crate::{Durability, Result, Store, View, inbox, sqlite::Unit, turns, view::timestamp};
use jiff::Timestamp;
use protocol::{Block, Event, Fact, Outcome, SessionKey, Trigger, TriggerKind, TurnId};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

/// The source of triggers that come of tasks.
const SOURCE: &str = "task";

/// What is ordered.
#[derive(Debug, Clone, Default)]
pub struct NewTask {
    /// What to do.
    pub prompt: String,
    /// The client's own name for the order; the same one twice is one task.
    pub client_id: Option<String>,
    /// Who ordered it, as the client tells.
    pub requester_id: Option<String>,
    /// Where it was ordered, as the client tells.
    pub channel_id: Option<String>,
    /// The model to use, `provider/model`.
    pub model: Option<String>,
}

/// How far a task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
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

/// One task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRow {
    /// Its id.
    pub id: Uuid,
    /// Its conversation.
    pub session: SessionKey,
    /// Its turn.
    pub turn: TurnId,
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
}

impl Store {
    /// Takes an order; durable when it returns.
    pub async fn create_task(&self, task: NewTask) -> Result<TaskRow> {
        self.write("accept", Durability::Synced, move |unit| create(unit, task)).await
    }
}

impl View {
    /// Tasks, the latest first, from before a time on.
    pub async fn tasks(&self, limit: usize) -> Result<Vec<TaskRow>> {
        self.read(move |connection| {
            let sql = format!("{SELECT} ORDER BY tasks.created_at DESC, tasks.id DESC LIMIT ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], RawTask::read)?;
            rows.map(|row| row?.decode()).collect()
        })
        .await
    }

    /// One task.
    pub async fn task(&self, id: Uuid) -> Result<Option<TaskRow>> {
        self.read(move |connection| find(connection, id)).await
    }
}

fn create(unit: &mut Unit<'_>, task: NewTask) -> Result<TaskRow> {
    let mut id = Uuid::now_v7();
    let session = turns::parse_session(&format!("task--{id}"))?;
    let trigger = Trigger {
        source: SOURCE.into(),
        external_id: task.client_id.clone().unwrap_or_else(|| id.to_string()),
        session: session.clone(),
        kind: TriggerKind::Message,
        content: vec![Block::text(task.prompt.clone())],
        history: Vec::new(),
        model: task.model,
        steer: false,
    };
    let accepted = inbox::accept(unit, &trigger)?;
    if accepted.repeated {
        let sql = "SELECT id FROM tasks WHERE turn = ?1";
        let known: String = unit.connection.query_row(sql, [accepted.turn.to_string()], |row| row.get(0))?;
        id = parse_id(&known)?;
    } else {
        let sql = "INSERT INTO tasks (id, session, turn, prompt, requester_id, channel_id, created_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        unit.connection.prepare_cached(sql)?.execute(params![
            id.to_string(),
            session.as_str(),
            accepted.turn.to_string(),
            task.prompt,
            task.requester_id,
            task.channel_id,
            unit.now.as_millisecond(),
        ])?;
    }
    find(unit.connection, id)?.ok_or(rusqlite::Error::QueryReturnedNoRows.into())
}

/// Keeps the table in step with the log.
pub(crate) fn record(unit: &Unit<'_>, event: &Event) -> Result<()> {
    let Fact::TurnFinished { outcome } = &event.fact else { return Ok(()) };
    let outcome = match outcome {
        Outcome::Completed => "completed",
        Outcome::Aborted => "cancelled",
        Outcome::LimitReached { .. } | Outcome::Failed { .. } => "failed",
    };
    let sql = "UPDATE tasks SET outcome = ?1, ended_at = ?2 WHERE turn = ?3";
    let parameters = params![outcome, event.at.as_millisecond(), event.turn.to_string()];
    unit.connection.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

const SELECT: &str = "
    SELECT tasks.id, tasks.session, tasks.turn, tasks.prompt, tasks.requester_id, tasks.channel_id,
           tasks.created_at, tasks.ended_at, tasks.outcome, inbox.state
    FROM tasks JOIN inbox ON inbox.turn = tasks.turn";

fn find(connection: &Connection, id: Uuid) -> Result<Option<TaskRow>> {
    let sql = format!("{SELECT} WHERE tasks.id = ?1");
    let row = connection.prepare_cached(&sql)?.query_row([id.to_string()], RawTask::read).optional()?;
    row.map(RawTask::decode).transpose()
}

/// A task as it stands in its row and its turn's.
struct RawTask {
    id: String,
    session: String,
    turn: String,
    prompt: String,
    requester_id: Option<String>,
    channel_id: Option<String>,
    created_at: i64,
    ended_at: Option<i64>,
    outcome: Option<String>,
    state: String,
}

impl RawTask {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            session: row.get(1)?,
            turn: row.get(2)?,
            prompt: row.get(3)?,
            requester_id: row.get(4)?,
            channel_id: row.get(5)?,
            created_at: row.get(6)?,
            ended_at: row.get(7)?,
            outcome: row.get(8)?,
            state: row.get(9)?,
        })
    }

    fn decode(self) -> Result<TaskRow> {
        let status = match (self.outcome.as_deref(), self.state.as_str()) {
            (Some("completed"), _) => TaskStatus::Completed,
            (Some("cancelled"), _) => TaskStatus::Cancelled,
            (Some(_), _) => TaskStatus::Failed,
            (None, "queued") => TaskStatus::Queued,
            (None, "parked") => TaskStatus::Waiting,
            (None, _) => TaskStatus::Running,
        };
        Ok(TaskRow {
            id: parse_id(&self.id)?,
            session: turns::parse_session(&self.session)?,
            turn: turns::parse_turn(&self.turn)?,
            prompt: self.prompt,
            requester_id: self.requester_id,
            channel_id: self.channel_id,
            status,
            created_at: timestamp(self.created_at),
            ended_at: self.ended_at.map(timestamp),
        })
    }
}

fn parse_id(text: &str) -> Result<Uuid> {
    text.parse().map_err(|error| crate::StoreError::Corrupt {
        what: format!("task {text:?}"),
        source: Box::<dyn std::error::Error + Send + Sync>::from(format!("{error}")),
    })
}
