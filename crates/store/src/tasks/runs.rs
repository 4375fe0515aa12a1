//! The runs of a task, as its history shows them.

use crate::{Result, View, blobs, turns, view};
use jiff::Timestamp;
use protocol::{Block, Fact, TurnId};
use rusqlite::{OptionalExtension, params};
use uuid::Uuid;

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRunRow {
    /// Its turn.
    pub turn: TurnId,
    /// When it was ordered.
    pub accepted_at: Timestamp,
    /// When it was over, if it is.
    pub ended_at: Option<Timestamp>,
    /// What came of it: `completed`, `aborted`, `limit_reached` or `failed`; nothing yet if absent.
    pub outcome: Option<String>,
    /// The last it said; empty if nothing.
    pub text: String,
}

impl View {
    /// The latest runs of a task, the newest first.
    pub async fn task_runs(&self, task: Uuid, limit: usize) -> Result<Vec<TaskRunRow>> {
        self.read(move |connection| {
            let sql = "SELECT inbox.turn, inbox.accepted_at, ended.at, json_extract(ended.body, '$.outcome.status')
                       FROM tasks JOIN inbox ON inbox.session = tasks.session
                       LEFT JOIN events AS ended ON ended.turn = inbox.turn AND ended.kind = 'turn.finished'
                       WHERE tasks.id = ?1 AND inbox.source IN ('task', 'job', 'hook') AND inbox.joined IS NULL
                       ORDER BY inbox.position DESC LIMIT ?2";
            let said = "SELECT body FROM events WHERE turn = ?1 AND kind = 'model.done' ORDER BY seq DESC LIMIT 1";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_and_then(params![task.to_string(), view::count(limit)], |row| {
                let turn: String = row.get(0)?;
                let body: Option<String> =
                    connection.prepare_cached(said)?.query_row([&turn], |row| row.get(0)).optional()?;
                let text = match body.map(|body| blobs::decode(connection, &body)).transpose()? {
                    Some(Fact::ModelDone { blocks, .. }) => Block::text_of(&blocks),
                    _ => String::new(),
                };
                Ok(TaskRunRow {
                    turn: turns::parse_turn(&turn)?,
                    accepted_at: view::timestamp(row.get(1)?),
                    ended_at: row.get::<_, Option<i64>>(2)?.map(view::timestamp),
                    outcome: row.get(3)?,
                    text,
                })
            })?;
            rows.collect()
        })
        .await
    }
}
