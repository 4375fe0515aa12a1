//! The durable queue of triggers: taken once each, leased to drivers in order, one open turn per session.

use crate::{
    Durability, Result, Store, StoreError, View, blobs, joining,
    sqlite::Unit,
    turns::{self, TurnRef},
};
use protocol::{Event, Fact, SessionKey, Trigger, TurnId, TurnLimits};
use rusqlite::{Connection, OptionalExtension, params};
use std::time::Duration;
use uuid::Uuid;

/// How long a session's title may be, in characters: one line of a list.
const MAX_TITLE_CHARS: usize = 80;

/// What became of a trigger that was handed in. Once this is returned, the trigger is not lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The turn it starts, or has started.
    pub turn: TurnId,
    /// Whether the same trigger was accepted before; nothing was added then.
    pub repeated: bool,
    /// The running turn it joined instead of waiting.
    pub joined: Option<TurnId>,
}

/// A turn leased to a driver.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Which turn.
    pub turn: TurnRef,
    /// All its facts so far; at least `TurnStarted`.
    pub events: Vec<Event>,
}

/// Which turns a driver takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// All of them, those the owner waits for first.
    Any,
    /// Only those the owner waits for.
    OwnerOnly,
}

/// Where the owner cannot be told anything: conversations of standing orders and of the house itself, and those of
/// programs that bring all that was said along and see nothing but the answer.
const PLACES_WITHOUT_OWNER: [&str; 5] = ["task", "cron", "heartbeat", "gateway", "chat"];

impl Store {
    /// Takes a trigger. Idempotent on (source, external id); durable when it returns.
    pub async fn accept(&self, trigger: Trigger) -> Result<Accepted> {
        self.write("accept", Durability::Synced, move |unit| {
            accept(unit, &trigger, trigger.kind.is_background())
        })
        .await
    }

    /// Like `accept`, unless so many messages wait in the conversation already: then it is `QueueFull`. A repeat is
    /// recognised first, and a message that joins a running turn does not wait.
    pub async fn accept_message(&self, trigger: Trigger, max_queued: usize) -> Result<Accepted> {
        self.write("accept", Durability::Synced, move |unit| {
            let known = accepted_before(unit.connection, &trigger)?;
            let joins = trigger.steer && open_turn(unit.connection, &trigger.session)?.is_some();
            if known.is_none() && !joins && waiting(unit.connection, &trigger.session)? >= max_queued {
                return Err(StoreError::QueueFull { limit: max_queued });
            }
            accept(unit, &trigger, trigger.kind.is_background())
        })
        .await
    }

    /// Leases the turn that is to go on next, starting it if it is new: what the owner waits for before what merely
    /// happened, and the oldest first. At most one turn of a session is open to drivers at a time.
    pub async fn claim(
        &self,
        worker: &str,
        lease: Duration,
        limits: TurnLimits,
        lane: Lane,
    ) -> Result<Option<Claim>> {
        let worker = worker.to_owned();
        self.write("claim", Durability::Flushed, move |unit| claim(unit, &worker, lease, limits, lane)).await
    }

    /// Prolongs the leases of this worker.
    pub async fn renew(&self, worker: &str, lease: Duration) -> Result<()> {
        let worker = worker.to_owned();
        self.write("renew", Durability::Flushed, move |unit| {
            let sql = "UPDATE inbox SET lease_until = ?1 WHERE worker = ?2 AND state = 'running'";
            unit.connection.prepare_cached(sql)?.execute(params![lease_end(unit, lease), worker])?;
            Ok(())
        })
        .await
    }

    /// Gives back what workers of an earlier process held. The caller holds the home's lock, so none of
    /// them lives. Returns how many turns go on.
    pub async fn recover(&self) -> Result<usize> {
        self.write("recover", Durability::Flushed, |unit| {
            let sql = "UPDATE inbox SET state = 'queued', worker = NULL WHERE state = 'running'";
            let recovered = unit.connection.execute(sql, [])?;
            unit.news.inbox = true;
            Ok(recovered)
        })
        .await
    }
}

impl View {
    /// Whether something waits that the owner did not say.
    pub async fn background_waits(&self) -> Result<bool> {
        self.read(|connection| {
            let sql = "SELECT 1 FROM inbox INDEXED BY inbox_open_by_lane
                       WHERE state != 'done' AND background = 1 AND state = 'queued' LIMIT 1";
            Ok(connection.prepare_cached(sql)?.exists([])?)
        })
        .await
    }

    /// Where the owner last spoke; at one place, such as `telegram`, if it is named.
    pub async fn last_owner_session(&self, place: Option<&str>) -> Result<Option<SessionKey>> {
        let place = place.map(str::to_owned);
        self.read(move |connection| {
            let sql = "SELECT session FROM inbox INDEXED BY inbox_of_owner
                       WHERE background = 0 ORDER BY position DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let session = turns::parse_session(&row.get::<_, String>(0)?)?;
                let here = match &place {
                    Some(place) => session.place() == place,
                    None => !PLACES_WITHOUT_OWNER.contains(&session.place()),
                };
                if here {
                    return Ok(Some(session));
                }
            }
            Ok(None)
        })
        .await
    }
}

/// How many messages wait in a session.
pub(crate) fn waiting(connection: &Connection, session: &SessionKey) -> Result<usize> {
    let sql = "SELECT count(*) FROM inbox INDEXED BY inbox_open
               WHERE session = ?1 AND state != 'done' AND state = 'queued' AND json_extract(trigger, '$.kind') IN ('message', 'hook')";
    let waiting: i64 = connection.prepare_cached(sql)?.query_row([session.as_str()], |row| row.get(0))?;
    Ok(usize::try_from(waiting).unwrap_or_default())
}

pub(crate) fn accept(unit: &mut Unit<'_>, trigger: &Trigger, background: bool) -> Result<Accepted> {
    if let Some(accepted) = accepted_before(unit.connection, trigger)? {
        return Ok(accepted);
    }
    let turn = TurnId::from(Uuid::now_v7());
    let joined = match trigger.steer {
        true => open_turn(unit.connection, &trigger.session)?,
        false => None,
    };
    let state = if joined.is_some() { "joined" } else { "queued" };
    let sql = "INSERT INTO inbox (turn, session, source, external_id, trigger, state, joined, accepted_at, background)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    unit.connection.prepare_cached(sql)?.execute(params![
        turn.to_string(),
        trigger.session.as_str(),
        trigger.source,
        trigger.external_id,
        blobs::encode(unit.connection, trigger)?,
        state,
        joined.map(|turn| turn.to_string()),
        unit.now.as_millisecond(),
        background,
    ])?;
    touch_session(unit, trigger)?;
    if let Some(running) = joined {
        let running = TurnRef { session: trigger.session.clone(), turn: running };
        turns::append(unit, &running, &[Fact::TurnSteered { message: turn, trigger: trigger.clone() }])?;
        unit.news.signalled.push(running.turn);
    }
    unit.news.inbox = true;
    Ok(Accepted { turn, repeated: false, joined })
}

fn accepted_before(connection: &Connection, trigger: &Trigger) -> Result<Option<Accepted>> {
    let sql = "SELECT turn, joined FROM inbox WHERE source = ?1 AND external_id = ?2";
    let row = connection
        .prepare_cached(sql)?
        .query_row(params![trigger.source, trigger.external_id], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?))
        })
        .optional()?;
    let Some((turn, joined)) = row else { return Ok(None) };
    let joined = joined.map(|joined| turns::parse_turn(&joined)).transpose()?;
    Ok(Some(Accepted { turn: turns::parse_turn(&turn)?, repeated: true, joined }))
}

/// The session's turn that has started and is not over.
fn open_turn(connection: &Connection, session: &SessionKey) -> Result<Option<TurnId>> {
    let sql = "SELECT turn FROM inbox INDEXED BY inbox_open
               WHERE session = ?1 AND state != 'done' AND state IN ('running', 'parked')";
    let turn: Option<String> =
        connection.prepare_cached(sql)?.query_row([session.as_str()], |row| row.get(0)).optional()?;
    turn.map(|turn| turns::parse_turn(&turn)).transpose()
}

fn touch_session(unit: &Unit<'_>, trigger: &Trigger) -> Result<()> {
    let title = title_of(&protocol::Block::text_of(&trigger.content));
    let sql = "INSERT INTO sessions (key, title, turns, created_at, updated_at) VALUES (?1, ?2, 1, ?3, ?3)
               ON CONFLICT (key) DO UPDATE SET turns = turns + 1, updated_at = excluded.updated_at, archived = 0,
                   title = CASE title WHEN '' THEN excluded.title ELSE title END";
    let now = unit.now.as_millisecond();
    unit.connection.prepare_cached(sql)?.execute(params![trigger.session.as_str(), title, now])?;
    Ok(())
}

pub(crate) fn title_of(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().chars().take(MAX_TITLE_CHARS).collect()
}

/// The row that is next: what the owner waits for before the rest, then by age. It waits while another turn of its
/// session is open, and behind those of its session that came before it; only what the owner says passes what merely
/// happened and has not begun. A worker never takes over from itself: after a long sleep of the machine its own lease
/// may look expired while the turn still runs. The indexes hold only what is not done, so a long past costs nothing.
const NEXT: &str = "
    SELECT turn, session, trigger FROM inbox AS row INDEXED BY inbox_open_by_lane
    WHERE state != 'done' AND background <= ?3
      AND (state = 'queued' OR (state = 'running' AND lease_until < ?1 AND worker != ?2))
      AND NOT EXISTS (SELECT 1 FROM inbox AS other INDEXED BY inbox_open
                      WHERE other.session = row.session AND other.position != row.position
                        AND other.state != 'done' AND other.state IN ('queued', 'running', 'parked')
                        AND ((other.position < row.position AND other.background <= row.background)
                             OR EXISTS (SELECT 1 FROM events WHERE events.turn = other.turn)))
    ORDER BY background, position LIMIT 1";

fn claim(
    unit: &mut Unit<'_>,
    worker: &str,
    lease: Duration,
    limits: TurnLimits,
    lane: Lane,
) -> Result<Option<Claim>> {
    let (now, lane) = (unit.now.as_millisecond(), i64::from(lane == Lane::Any));
    let next: Option<(String, String, String)> = unit
        .connection
        .prepare_cached(NEXT)?
        .query_row(params![now, worker, lane], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((turn, session, trigger)) = next else { return Ok(None) };
    let sql = "UPDATE inbox SET state = 'running', worker = ?1, lease_until = ?2 WHERE turn = ?3";
    unit.connection.prepare_cached(sql)?.execute(params![worker, lease_end(unit, lease), turn])?;
    let turn = TurnRef { session: turns::parse_session(&session)?, turn: turns::parse_turn(&turn)? };
    let mut events = turns::events_after(unit.connection, turn.turn, 0)?;
    if events.is_empty() {
        let trigger = joining::join_waiting(unit, &turn, blobs::decode(unit.connection, &trigger)?)?;
        events = turns::append(unit, &turn, &[Fact::TurnStarted { trigger, limits }])?;
    }
    // There may be more for other drivers.
    unit.news.inbox = true;
    Ok(Some(Claim { turn, events }))
}

fn lease_end(unit: &Unit<'_>, lease: Duration) -> i64 {
    unit.now.as_millisecond().saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
}
