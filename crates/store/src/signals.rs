//! What addresses a turn already under way. A signal never queues behind the turn it must unblock: it is
//! one transaction that checks the addressee is open, writes the fact and wakes the driver, and the door
//! answers from that transaction's result.

use crate::{
    Durability, Result, Store, blobs,
    sqlite::Unit,
    turns::{self, TurnRef},
};
use protocol::{Block, Fact, Outcome, Trigger, TurnId, TurnLimits};
use rusqlite::OptionalExtension;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Notify;

/// What an abort found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbortAnswer {
    /// The turn stops.
    Stopping,
    /// It was over before.
    AlreadyOver,
    /// There is no such turn.
    Unknown,
}

impl Store {
    /// Stops a turn, whether it runs, waits for its owner or is still queued. What the model had said is
    /// kept. Asking twice is asking once.
    pub async fn abort(&self, turn: TurnId) -> Result<AbortAnswer> {
        let partial = self.feed.text_so_far(turn);
        self.write("abort", Durability::Synced, move |unit| abort(unit, turn, partial)).await
    }

    /// Registers a driver to be woken when its turn is signalled.
    pub fn signals(&self, turn: TurnId) -> Signals {
        let notify = Arc::new(Notify::new());
        self.wakes.lock().insert(turn, notify.clone());
        Signals { turn, notify, wakes: self.wakes.clone() }
    }
}

pub(crate) fn abort(unit: &mut Unit<'_>, turn: TurnId, partial: String) -> Result<AbortAnswer> {
    let sql = "SELECT session, state, trigger FROM inbox WHERE turn = ?1";
    let row: Option<(String, String, String)> = unit
        .connection
        .prepare_cached(sql)?
        .query_row([turn.to_string()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((session, state, trigger)) = row else { return Ok(AbortAnswer::Unknown) };
    if matches!(state.as_str(), "done" | "joined") {
        return Ok(AbortAnswer::AlreadyOver);
    }
    let turn = TurnRef { session: turns::parse_session(&session)?, turn };
    let events = turns::events_after(unit.connection, turn.turn, 0)?;
    if events.iter().any(|event| matches!(event.fact, Fact::TurnAborted { .. })) {
        return Ok(AbortAnswer::Stopping);
    }
    let partial = if partial.is_empty() { Vec::new() } else { vec![Block::Text { text: partial }] };
    let aborted = Fact::TurnAborted { partial };
    if events.is_empty() {
        // It never started: no driver knows of it, so it is closed here.
        let trigger: Trigger = blobs::decode(unit.connection, &trigger)?;
        let started = Fact::TurnStarted { trigger, limits: TurnLimits { max_iterations: 0 } };
        turns::append(unit, &turn, &[started, aborted])?;
        turns::finish(unit, &turn, Outcome::Aborted, &[])?;
        return Ok(AbortAnswer::Stopping);
    }
    turns::append(unit, &turn, &[aborted])?;
    unpark(unit, turn.turn)?;
    Ok(AbortAnswer::Stopping)
}

/// Wakes the driver of a signalled turn, or lets one claim it if it was parked.
pub(crate) fn unpark(unit: &mut Unit<'_>, turn: TurnId) -> Result<()> {
    let sql = "UPDATE inbox SET state = 'queued' WHERE turn = ?1 AND state = 'parked'";
    unit.connection.prepare_cached(sql)?.execute([turn.to_string()])?;
    unit.news.signalled.push(turn);
    unit.news.inbox = true;
    Ok(())
}

/// The drivers that want to be woken.
#[derive(Clone, Default)]
pub(crate) struct Wakes(Arc<Mutex<HashMap<TurnId, Arc<Notify>>>>);

impl Wakes {
    pub fn wake(&self, turns: &[TurnId]) {
        let wakes = self.lock();
        for notify in turns.iter().filter_map(|turn| wakes.get(turn)) {
            notify.notify_one();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<TurnId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A driver's ear for signals; deregisters when dropped.
pub struct Signals {
    turn: TurnId,
    notify: Arc<Notify>,
    wakes: Wakes,
}

impl Signals {
    /// Waits for a signal. One that came since the last wait is not missed.
    pub async fn next(&self) {
        self.notify.notified().await;
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.wakes.lock().remove(&self.turn);
    }
}
