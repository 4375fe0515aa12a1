//! What comes due, fires: one transaction checks that the slot is still the next one, notes the firing, puts its trigger
//! into the inbox and sets the next slot. What comes of it is written in the transaction that ends the turn. A slot
//! fires once, whatever the clock does and whoever asks.

use crate::{
    Durability, Result, Store, View, inbox,
    jobs::{self, MAX_OPEN_FIRINGS},
    sqlite::Unit,
    turns, view,
};
use jiff::Timestamp;
use protocol::{Event, Fact, Outcome, Trigger, TurnId};
use rusqlite::{Connection, params};
use uuid::Uuid;

/// The source of triggers that come of jobs.
pub(crate) const SOURCE: &str = "job";

/// How many firings of a job are remembered: months of a daily one, and the last quarter of an hour of the most
/// frequent.
const MAX_HISTORY: i64 = 1_000;

/// What is to be fired.
#[derive(Debug, Clone)]
pub struct Fire {
    /// Which job.
    pub job: Uuid,
    /// Its next slot as it was seen; if it is another by now, nothing is done.
    pub slot: Timestamp,
    /// The slots to fire, the oldest first, each with what it says. Source and external id are set here.
    pub fire: Vec<(Timestamp, Trigger)>,
    /// A slot that is passed over, and why.
    pub pass: Option<(Timestamp, String)>,
    /// What is noted with the first firing, such as how many slots were missed before it.
    pub note: Option<String>,
    /// Whether slots may wait behind one that is not over, up to the limit. If not, they are passed over.
    pub may_wait: bool,
    /// The slot after these.
    pub next: Option<Timestamp>,
    /// When to look at the job again at the earliest.
    pub not_before: Option<Timestamp>,
    /// What time it is.
    pub now: Timestamp,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fired {
    /// These turns wait in the inbox now.
    Fired(Vec<TurnId>),
    /// Somebody else was here first, or the job is off; nothing was done.
    Stale,
}

/// One firing of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiringRow {
    /// When it was to be.
    pub slot: Timestamp,
    /// The turn that tells of it.
    pub turn: Option<TurnId>,
    /// When it was.
    pub fired_at: Timestamp,
    /// What came of it: `completed`, `failed`, `aborted`, `limit` or `skipped`; nothing yet if absent.
    pub outcome: Option<String>,
    /// What there is to say about that.
    pub note: Option<String>,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
}

impl Store {
    /// Fires slots of a job and sets its next one.
    pub async fn fire(&self, fire: Fire) -> Result<Fired> {
        self.write("fire", Durability::Synced, move |unit| run(unit, fire)).await
    }

    /// Fires a job now, beside its slots and whether it is on or off. None if there is no such job, or if as many of
    /// its firings as may be are not over.
    pub async fn run_job_now(&self, job: Uuid, now: Timestamp, trigger: Trigger) -> Result<Option<TurnId>> {
        self.write("run job", Durability::Synced, move |unit| {
            let id = job.to_string();
            let Some(row) = jobs::find(unit.connection, &id)? else { return Ok(None) };
            if row.open >= MAX_OPEN_FIRINGS {
                return Ok(None);
            }
            let sql = "SELECT 1 FROM firings WHERE job = ?1 AND slot = ?2";
            let mut slot = now;
            while unit.connection.prepare_cached(sql)?.exists(params![id, slot.as_millisecond()])? {
                slot += jiff::SignedDuration::from_millis(1);
            }
            let turn = fire_slot(unit, &id, slot, now, trigger, Some("asked for"))?;
            unit.news.jobs = true;
            Ok(turn)
        })
        .await
    }
}

impl View {
    /// The latest firings of a job, the newest first.
    pub async fn job_history(&self, job: Uuid, limit: usize) -> Result<Vec<FiringRow>> {
        self.read(move |connection| {
            let sql = "SELECT slot, turn, fired_at, outcome, note, ended_at FROM firings
                       WHERE job = ?1 ORDER BY slot DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_and_then(params![job.to_string(), view::count(limit)], |row| {
                let turn: Option<String> = row.get(1)?;
                Ok(FiringRow {
                    slot: view::timestamp(row.get(0)?),
                    turn: turn.map(|turn| turns::parse_turn(&turn)).transpose()?,
                    fired_at: view::timestamp(row.get(2)?),
                    outcome: row.get(3)?,
                    note: row.get(4)?,
                    ended_at: row.get::<_, Option<i64>>(5)?.map(view::timestamp),
                })
            })?;
            rows.collect()
        })
        .await
    }
}

fn run(unit: &mut Unit<'_>, fire: Fire) -> Result<Fired> {
    let id = fire.job.to_string();
    let row = jobs::find(unit.connection, &id)?;
    let Some(row) = row.filter(|row| row.enabled && row.next_slot == Some(fire.slot)) else {
        return Ok(Fired::Stale);
    };
    let (mut open, mut next, mut turns) = (row.open, fire.next, Vec::new());
    let mut note = fire.note;
    for (slot, trigger) in fire.fire {
        if open > 0 && !fire.may_wait {
            pass(unit, &id, slot, fire.now, "the one before is still under way")?;
            continue;
        }
        if open >= MAX_OPEN_FIRINGS {
            // It stays due until one of them is over.
            next = Some(slot);
            break;
        }
        if let Some(turn) = fire_slot(unit, &id, slot, fire.now, trigger, note.take().as_deref())? {
            turns.push(turn);
            open += 1;
        }
    }
    if let Some((slot, reason)) = fire.pass {
        pass(unit, &id, slot, fire.now, &reason)?;
    }
    // What goes once it has run has no second slot; what has no slot and nothing under way is over.
    let next = if row.order.delete_after_run && !turns.is_empty() { None } else { next };
    let sql =
        "UPDATE jobs SET next_slot = ?2, not_before = ?3, enabled = CASE WHEN ?2 IS NULL AND open = 0 THEN 0
                   ELSE enabled END WHERE id = ?1";
    let parameters = params![id, jobs::slot(next), jobs::slot(fire.not_before)];
    unit.connection.prepare_cached(sql)?.execute(parameters)?;
    prune(unit.connection, &id)?;
    Ok(Fired::Fired(turns))
}

/// Fires one slot, unless it has fired before.
fn fire_slot(
    unit: &mut Unit<'_>,
    job: &str,
    slot: Timestamp,
    now: Timestamp,
    mut trigger: Trigger,
    note: Option<&str>,
) -> Result<Option<TurnId>> {
    trigger.source = SOURCE.into();
    trigger.external_id = format!("{job}@{}", slot.as_millisecond());
    let sql =
        "INSERT OR IGNORE INTO firings (job, slot, fired_at, late_ms, note) VALUES (?1, ?2, ?3, ?4, ?5)";
    let late_ms = now.as_millisecond().saturating_sub(slot.as_millisecond());
    let parameters = params![job, slot.as_millisecond(), now.as_millisecond(), late_ms, note];
    if unit.connection.prepare_cached(sql)?.execute(parameters)? == 0 {
        return Ok(None);
    }
    let accepted = inbox::accept(unit, &trigger, true)?;
    if accepted.repeated {
        // The history of it is forgotten, the inbox is not.
        let sql = "UPDATE firings SET outcome = 'skipped', ended_at = fired_at, note = 'it had fired before'
                   WHERE job = ?1 AND slot = ?2";
        unit.connection.prepare_cached(sql)?.execute(params![job, slot.as_millisecond()])?;
        return Ok(None);
    }
    let turn = accepted.turn.to_string();
    let sql = "UPDATE firings SET turn = ?1 WHERE job = ?2 AND slot = ?3";
    unit.connection.prepare_cached(sql)?.execute(params![turn, job, slot.as_millisecond()])?;
    let sql = "UPDATE tasks SET turn = ?1 WHERE id = (SELECT task FROM jobs WHERE id = ?2)";
    unit.connection.prepare_cached(sql)?.execute(params![turn, job])?;
    unit.connection.prepare_cached("UPDATE jobs SET open = open + 1 WHERE id = ?1")?.execute([job])?;
    Ok(Some(accepted.turn))
}

fn pass(unit: &Unit<'_>, job: &str, slot: Timestamp, now: Timestamp, reason: &str) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO firings (job, slot, fired_at, late_ms, outcome, note, ended_at)
               VALUES (?1, ?2, ?3, ?4, 'skipped', ?5, ?3)";
    let (slot, now) = (slot.as_millisecond(), now.as_millisecond());
    unit.connection.prepare_cached(sql)?.execute(params![
        job,
        slot,
        now,
        now.saturating_sub(slot),
        reason
    ])?;
    Ok(())
}

fn prune(connection: &Connection, job: &str) -> Result<()> {
    let sql = "DELETE FROM firings WHERE job = ?1 AND outcome IS NOT NULL AND slot <=
                   (SELECT slot FROM firings WHERE job = ?1 ORDER BY slot DESC LIMIT 1 OFFSET ?2)";
    connection.prepare_cached(sql)?.execute(params![job, MAX_HISTORY])?;
    Ok(())
}

/// Keeps the tables in step with the log: a turn that is over is the end of its firings.
pub(crate) fn record(unit: &mut Unit<'_>, event: &Event) -> Result<()> {
    let Fact::TurnFinished { outcome } = &event.fact else { return Ok(()) };
    let turn = event.turn.to_string();
    let sql = "SELECT job, count(*) FROM firings WHERE turn = ?1 AND outcome IS NULL GROUP BY job";
    let fired: Vec<(String, u32)> = unit
        .connection
        .prepare_cached(sql)?
        .query_map([&turn], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if fired.is_empty() {
        return Ok(());
    }
    let (word, note) = match outcome {
        Outcome::Completed => ("completed", None),
        Outcome::Aborted => ("aborted", None),
        Outcome::LimitReached { reason } => ("limit", Some(reason.as_str())),
        Outcome::Failed { error } => ("failed", Some(error.message.as_str())),
    };
    let sql = "UPDATE firings SET outcome = ?2, ended_at = ?3, note = coalesce(?4, note)
               WHERE turn = ?1 AND outcome IS NULL";
    let parameters = params![turn, word, event.at.as_millisecond(), note];
    unit.connection.prepare_cached(sql)?.execute(parameters)?;
    for (job, count) in fired {
        close(unit, &job, count, word)?;
    }
    unit.news.jobs = true;
    Ok(())
}

/// So many firings less are open. A job without a further slot is over with its last one.
fn close(unit: &Unit<'_>, job: &str, count: u32, word: &str) -> Result<()> {
    let sql = "UPDATE jobs SET open = max(open - ?4, 0),
                   failures = CASE ?2 WHEN 'completed' THEN 0 WHEN 'aborted' THEN failures ELSE failures + 1 END,
                   failed_at = CASE ?2 WHEN 'completed' THEN NULL WHEN 'aborted' THEN failed_at ELSE ?3 END,
                   not_before = CASE ?2 WHEN 'completed' THEN NULL ELSE not_before END,
                   enabled = CASE WHEN next_slot IS NULL AND open <= ?4 THEN 0 ELSE enabled END
               WHERE id = ?1";
    unit.connection.prepare_cached(sql)?.execute(params![job, word, unit.now.as_millisecond(), count])?;
    let ended =
        "SELECT 1 FROM jobs WHERE id = ?1 AND delete_after_run = 1 AND next_slot IS NULL AND open = 0";
    // One that failed stays, switched off, so that the owner can see it.
    if word == "completed" && unit.connection.prepare_cached(ended)?.exists([job])? {
        jobs::delete(unit.connection, job)?;
    }
    Ok(())
}
