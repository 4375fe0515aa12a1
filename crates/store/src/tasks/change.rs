//! Ending a task from outside or from inside: one transaction, after which nothing of it comes due any more.

use super::{TaskRow, find, found};
use crate::{
    Durability, Result, Store,
    feed::Feed,
    signals,
    sqlite::Unit,
    turns::{self, TurnRef},
};
use protocol::{Fact, TurnId};
use rusqlite::params;
use uuid::Uuid;

/// What became of the wish to end a task.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskAnswer {
    /// It is ended.
    Ended(TaskRow),
    /// It was over before; nothing was changed.
    AlreadyOver(TaskRow),
    /// There is no such task.
    Unknown,
}

impl Store {
    /// Stops a task for good: what of it waits never starts, and what is under way is stopped.
    pub async fn cancel_task(&self, id: Uuid, reason: Option<String>) -> Result<TaskAnswer> {
        let feed = self.feed.clone();
        self.write("cancel task", Durability::Synced, move |unit| {
            end(unit, &feed, id, "cancelled", reason, &["queued", "running", "parked"])
        })
        .await
    }

    /// Ends a task whose purpose is fulfilled: what of it waits never starts, and what is under way has its say.
    pub async fn complete_task(&self, id: Uuid, reason: Option<String>) -> Result<TaskAnswer> {
        let feed = self.feed.clone();
        self.write("complete task", Durability::Synced, move |unit| {
            end(unit, &feed, id, "completed", reason, &["queued"])
        })
        .await
    }
}

fn end(
    unit: &mut Unit<'_>,
    feed: &Feed,
    id: Uuid,
    state: &'static str,
    reason: Option<String>,
    stopped: &[&str],
) -> Result<TaskAnswer> {
    let Some(row) = find(unit.connection, id)? else { return Ok(TaskAnswer::Unknown) };
    let sql = "UPDATE tasks SET state = ?2, reason = ?3, ended_at = ?4 WHERE id = ?1 AND state = 'active'";
    let parameters = params![id.to_string(), state, reason, unit.now.as_millisecond()];
    if unit.connection.prepare_cached(sql)?.execute(parameters)? == 0 {
        return Ok(TaskAnswer::AlreadyOver(row));
    }
    let sql = "UPDATE jobs SET enabled = 0, next_slot = NULL WHERE task = ?1";
    unit.connection.prepare_cached(sql)?.execute([id.to_string()])?;
    let nobody = TurnRef { session: row.session.clone(), turn: TurnId::from(Uuid::nil()) };
    turns::append(unit, &nobody, &[Fact::TaskChanged { status: state.into(), reason }])?;
    let sql = "SELECT turn, state FROM inbox INDEXED BY inbox_open
               WHERE session = ?1 AND state != 'done' AND source IN ('task', 'job', 'hook') ORDER BY position";
    let open: Vec<(String, String)> = unit
        .connection
        .prepare_cached(sql)?
        .query_map([row.session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (turn, _) in open.iter().filter(|(_, state)| stopped.contains(&state.as_str())) {
        let turn = turns::parse_turn(turn)?;
        signals::abort(unit, turn, feed.text_so_far(turn))?;
    }
    unit.news.jobs = true;
    Ok(TaskAnswer::Ended(found(unit.connection, id)?))
}
