//! Standing orders as rows: what is to come due, when, and for whom. What a schedule means is for `tasks` to know; here
//! it is text, and the next slot a number that is found by an index. Firing is for `firings`.

mod rows;

pub(crate) use rows::{find, parse_id, slot};

use crate::{Durability, Result, Store, StoreError, View, sqlite::Unit, view};
use jiff::Timestamp;
use protocol::SessionKey;
use rows::{COLUMNS, found, rows};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

/// How many firings of one job may be under way or wait. The index of what is due says the same.
pub const MAX_OPEN_FIRINGS: u32 = 20;

/// What kind of standing order a job belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Ordered in a conversation, known by its name.
    Reminder,
    /// The schedule of a task that comes again.
    Task,
    /// The regular look at what there is to do.
    Heartbeat,
}

/// What is ordered.
#[derive(Debug, Clone, PartialEq)]
pub struct JobOrder {
    /// What people call it. Among reminders it is unique, whatever the case.
    pub name: String,
    /// What it belongs to.
    pub kind: JobKind,
    /// When it comes due, as JSON.
    pub schedule: String,
    /// What it is about.
    pub message: String,
    /// The conversation its turns take place in.
    pub session: SessionKey,
    /// Where the owner is told what came of it: `last`, a session key, or a place; nowhere if absent.
    pub deliver: Option<String>,
    /// What becomes of slots that passed unseen: `skip`, `once` or `all`.
    pub missed: String,
    /// Whether it goes once it has run.
    pub delete_after_run: bool,
    /// The model to use, `provider/model`.
    pub model: Option<String>,
    /// The task it belongs to.
    pub task: Option<Uuid>,
    /// The conversation it was ordered in.
    pub origin: Option<SessionKey>,
    /// Whether words of strangers were in the conversation it was ordered in.
    pub tainted: bool,
}

/// A job to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Its id.
    pub id: Uuid,
    /// What is ordered.
    pub order: JobOrder,
    /// Whether it comes due at all.
    pub enabled: bool,
    /// When it first comes due.
    pub next_slot: Option<Timestamp>,
    /// What made it, such as the id of a call: the same one twice is one job.
    pub origin_key: Option<String>,
}

/// One job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Its id.
    pub id: Uuid,
    /// What was ordered.
    pub order: JobOrder,
    /// Whether it comes due at all.
    pub enabled: bool,
    /// When it comes due next; never again if absent.
    pub next_slot: Option<Timestamp>,
    /// It is left alone until then, after failures.
    pub not_before: Option<Timestamp>,
    /// How many of its firings are not over.
    pub open: u32,
    /// How often in a row it failed.
    pub failures: u32,
    /// When it last failed, if it did since it last succeeded.
    pub failed_at: Option<Timestamp>,
    /// When it was ordered.
    pub created_at: Timestamp,
    /// When its order was last changed.
    pub updated_at: Timestamp,
}

/// What is to be different about a job; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobChange {
    /// Another name.
    pub name: Option<String>,
    /// Another schedule, as JSON. It comes with its next slot.
    pub schedule: Option<String>,
    /// Another next slot. Failures before are forgotten.
    pub next_slot: Option<Option<Timestamp>>,
    /// Something else it is about.
    pub message: Option<String>,
    /// Another conversation.
    pub session: Option<SessionKey>,
    /// Another place to tell the owner.
    pub deliver: Option<Option<String>>,
    /// Another policy for missed slots.
    pub missed: Option<String>,
    /// On or off.
    pub enabled: Option<bool>,
    /// Whether it goes once it has run.
    pub delete_after_run: Option<bool>,
    /// Another model.
    pub model: Option<Option<String>>,
}

/// Which jobs are wanted.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only those of this kind.
    pub kind: Option<JobKind>,
    /// Only that of this task.
    pub task: Option<Uuid>,
    /// Those that are switched off, too.
    pub include_disabled: bool,
}

/// A next slot that is to be another, because the clock is.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotChange {
    /// Which job.
    pub job: Uuid,
    /// Its next slot as it was seen; if it is another by now, nothing is changed.
    pub seen: Option<Timestamp>,
    /// What it is to be.
    pub next: Option<Timestamp>,
}

impl Store {
    /// Adds a job; durable when it returns. The same `origin_key` twice is one job.
    pub async fn add_job(&self, job: NewJob) -> Result<JobRow> {
        self.write("add job", Durability::Synced, move |unit| add(unit, &job)).await
    }

    /// Changes a job; none if there is no such job.
    pub async fn update_job(&self, id: Uuid, change: JobChange) -> Result<Option<JobRow>> {
        self.write("update job", Durability::Synced, move |unit| update(unit, id, change)).await
    }

    /// Removes a job and its history. Returns whether there was one. What it has started goes on.
    pub async fn remove_job(&self, id: Uuid) -> Result<bool> {
        self.write("remove job", Durability::Synced, move |unit| {
            unit.news.jobs = true;
            delete(unit.connection, &id.to_string())
        })
        .await
    }

    /// Sets next slots anew after the clock was set.
    pub async fn reset_slots(&self, changes: Vec<SlotChange>) -> Result<()> {
        self.write("reset slots", Durability::Synced, move |unit| {
            let sql = "UPDATE jobs SET next_slot = ?1, not_before = NULL WHERE id = ?2 AND next_slot IS ?3";
            for change in &changes {
                let parameters = params![slot(change.next), change.job.to_string(), slot(change.seen)];
                unit.connection.prepare_cached(sql)?.execute(parameters)?;
            }
            unit.news.jobs = true;
            Ok(())
        })
        .await
    }
}

impl View {
    /// Jobs in the order they were made, after `after`.
    pub async fn jobs(&self, filter: JobFilter, after: Option<Uuid>, limit: usize) -> Result<Vec<JobRow>> {
        self.read(move |connection| {
            // Written so that the index of the tasks is used.
            let task = if filter.task.is_some() { "task = ?3" } else { "?3 IS NULL" };
            let sql = format!(
                "SELECT {COLUMNS} FROM jobs WHERE id > ?1 AND (?2 IS NULL OR kind = ?2) AND {task}
                 AND (?4 OR enabled = 1) ORDER BY id LIMIT ?5"
            );
            let parameters = params![
                after.map(|id| id.to_string()).unwrap_or_default(),
                filter.kind.map(JobKind::as_str),
                filter.task.map(|task| task.to_string()),
                filter.include_disabled,
                view::count(limit),
            ];
            rows(connection, &sql, parameters)
        })
        .await
    }

    /// One job, by its id or, for a reminder, by its name.
    pub async fn job(&self, id_or_name: &str) -> Result<Option<JobRow>> {
        let wanted = id_or_name.to_owned();
        self.read(move |connection| {
            if let Some(row) = find(connection, &wanted)? {
                return Ok(Some(row));
            }
            let sql =
                format!("SELECT {COLUMNS} FROM jobs WHERE name = ?1 COLLATE NOCASE AND kind = 'reminder'");
            Ok(rows(connection, &sql, [&wanted])?.pop())
        })
        .await
    }

    /// The job a call made, if it has.
    pub async fn job_of_origin(&self, origin_key: &str) -> Result<Option<JobRow>> {
        let key = origin_key.to_owned();
        self.read(move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM jobs WHERE origin_key = ?1");
            Ok(rows(connection, &sql, [&key])?.pop())
        })
        .await
    }

    /// How many jobs there are.
    pub async fn job_count(&self) -> Result<u64> {
        self.read(|connection| {
            let jobs: i64 = connection.query_row("SELECT count(*) FROM jobs", [], |row| row.get(0))?;
            Ok(u64::try_from(jobs).unwrap_or_default())
        })
        .await
    }

    /// When the next job comes due, or came.
    pub async fn next_slot(&self) -> Result<Option<Timestamp>> {
        self.read(|connection| {
            let sql = "SELECT min(due_at) FROM jobs INDEXED BY jobs_due
                       WHERE enabled = 1 AND due_at IS NOT NULL AND open < 20";
            let next: Option<i64> = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(next.map(view::timestamp))
        })
        .await
    }

    /// Jobs that are due, the longest overdue first.
    pub async fn due_jobs(&self, now: Timestamp, limit: usize) -> Result<Vec<JobRow>> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM jobs INDEXED BY jobs_due
                 WHERE enabled = 1 AND due_at IS NOT NULL AND open < 20 AND due_at <= ?1
                 ORDER BY due_at LIMIT ?2"
            );
            rows(connection, &sql, params![now.as_millisecond(), view::count(limit)])
        })
        .await
    }

    /// The latest time at which a job was fired, made or changed: the clock has been there.
    pub async fn latest_order(&self) -> Result<Option<Timestamp>> {
        self.read(|connection| {
            let sql = "SELECT max(ifnull((SELECT max(fired_at) FROM firings), 0),
                                  ifnull((SELECT max(updated_at) FROM jobs), 0))";
            let latest: i64 = connection.query_row(sql, [], |row| row.get(0))?;
            Ok((latest > 0).then(|| view::timestamp(latest)))
        })
        .await
    }
}

impl JobKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reminder => "reminder",
            Self::Task => "task",
            Self::Heartbeat => "heartbeat",
        }
    }
}

pub(crate) fn add(unit: &mut Unit<'_>, job: &NewJob) -> Result<JobRow> {
    if let Some(key) = &job.origin_key {
        let sql = "SELECT id FROM jobs WHERE origin_key = ?1";
        let known: Option<String> =
            unit.connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?;
        if let Some(known) = known {
            return found(unit.connection, &known);
        }
    }
    let id = job.id.to_string();
    let order = &job.order;
    refuse_taken_name(unit.connection, &id, order.kind, &order.name)?;
    let sql = "INSERT INTO jobs (id, name, kind, schedule, message, session, deliver, missed, enabled,
                                 delete_after_run, next_slot, model, task, origin, origin_key, tainted,
                                 created_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17)";
    unit.connection.prepare_cached(sql)?.execute(params![
        id,
        order.name,
        order.kind.as_str(),
        order.schedule,
        order.message,
        order.session.as_str(),
        order.deliver,
        order.missed,
        job.enabled,
        order.delete_after_run,
        slot(job.next_slot),
        order.model,
        order.task.map(|task| task.to_string()),
        order.origin.as_ref().map(SessionKey::as_str),
        job.origin_key,
        order.tainted,
        unit.now.as_millisecond(),
    ])?;
    unit.news.jobs = true;
    found(unit.connection, &id)
}

fn update(unit: &mut Unit<'_>, id: Uuid, change: JobChange) -> Result<Option<JobRow>> {
    let id = id.to_string();
    let Some(row) = find(unit.connection, &id)? else { return Ok(None) };
    if let Some(name) = &change.name {
        refuse_taken_name(unit.connection, &id, row.order.kind, name)?;
    }
    let (order, moved) = (row.order, change.next_slot.is_some());
    let sql =
        "UPDATE jobs SET name = ?2, schedule = ?3, message = ?4, session = ?5, deliver = ?6, missed = ?7,
                   enabled = ?8, delete_after_run = ?9, model = ?10, next_slot = ?11, updated_at = ?12,
                   failures = CASE WHEN ?13 THEN 0 ELSE failures END,
                   failed_at = CASE WHEN ?13 THEN NULL ELSE failed_at END,
                   not_before = CASE WHEN ?13 THEN NULL ELSE not_before END
               WHERE id = ?1";
    unit.connection.prepare_cached(sql)?.execute(params![
        id,
        change.name.unwrap_or(order.name),
        change.schedule.unwrap_or(order.schedule),
        change.message.unwrap_or(order.message),
        change.session.unwrap_or(order.session).as_str(),
        change.deliver.unwrap_or(order.deliver),
        change.missed.unwrap_or(order.missed),
        change.enabled.unwrap_or(row.enabled),
        change.delete_after_run.unwrap_or(order.delete_after_run),
        change.model.unwrap_or(order.model),
        slot(change.next_slot.unwrap_or(row.next_slot)),
        unit.now.as_millisecond(),
        moved,
    ])?;
    unit.news.jobs = true;
    find(unit.connection, &id)
}

fn refuse_taken_name(connection: &Connection, id: &str, kind: JobKind, name: &str) -> Result<()> {
    let sql = "SELECT 1 FROM jobs WHERE name = ?1 COLLATE NOCASE AND kind = 'reminder' AND id != ?2";
    match kind == JobKind::Reminder && connection.prepare_cached(sql)?.exists(params![name, id])? {
        true => Err(StoreError::NameTaken { name: name.to_owned() }),
        false => Ok(()),
    }
}

pub(crate) fn delete(connection: &Connection, id: &str) -> Result<bool> {
    connection.prepare_cached("DELETE FROM firings WHERE job = ?1")?.execute([id])?;
    Ok(connection.prepare_cached("DELETE FROM jobs WHERE id = ?1")?.execute([id])? > 0)
}
