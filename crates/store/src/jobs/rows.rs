//! Jobs as they stand in their rows.

use super::{JobKind, JobOrder, JobRow};
use crate::{Result, StoreError, turns, view};
use jiff::Timestamp;
use rusqlite::{Connection, Row};
use uuid::Uuid;

pub(crate) fn find(connection: &Connection, id: &str) -> Result<Option<JobRow>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = ?1");
    Ok(rows(connection, &sql, [id])?.pop())
}

pub(super) fn found(connection: &Connection, id: &str) -> Result<JobRow> {
    find(connection, id)?.ok_or(rusqlite::Error::QueryReturnedNoRows.into())
}

pub(super) fn rows(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> Result<Vec<JobRow>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then(parameters, job_row)?.collect()
}

pub(crate) fn slot(slot: Option<Timestamp>) -> Option<i64> {
    slot.map(Timestamp::as_millisecond)
}

pub(super) const COLUMNS: &str =
    "id, name, kind, schedule, message, session, deliver, missed, delete_after_run, model, task,
    origin, tainted, enabled, next_slot, not_before, open, failures, failed_at, created_at, updated_at";

fn job_row(row: &Row<'_>) -> Result<JobRow> {
    let time = |at: Option<i64>| at.map(view::timestamp);
    let (task, origin): (Option<String>, Option<String>) = (row.get(10)?, row.get(11)?);
    let order = JobOrder {
        name: row.get(1)?,
        kind: match row.get::<_, String>(2)?.as_str() {
            "task" => JobKind::Task,
            "heartbeat" => JobKind::Heartbeat,
            _ => JobKind::Reminder,
        },
        schedule: row.get(3)?,
        message: row.get(4)?,
        session: turns::parse_session(&row.get::<_, String>(5)?)?,
        deliver: row.get(6)?,
        missed: row.get(7)?,
        delete_after_run: row.get(8)?,
        model: row.get(9)?,
        task: task.map(|task| parse_id(&task)).transpose()?,
        origin: origin.map(|origin| turns::parse_session(&origin)).transpose()?,
        tainted: row.get(12)?,
    };
    Ok(JobRow {
        id: parse_id(&row.get::<_, String>(0)?)?,
        order,
        enabled: row.get(13)?,
        next_slot: time(row.get(14)?),
        not_before: time(row.get(15)?),
        open: row.get(16)?,
        failures: row.get(17)?,
        failed_at: time(row.get(18)?),
        created_at: view::timestamp(row.get(19)?),
        updated_at: view::timestamp(row.get(20)?),
    })
}

pub(crate) fn parse_id(text: &str) -> Result<Uuid> {
    text.parse()
        .map_err(|error| StoreError::Corrupt { what: format!("id {text:?}"), source: Box::new(error) })
}
