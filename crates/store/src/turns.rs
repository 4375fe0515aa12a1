//! The facts of a turn: written in order, read back in order. A driver always learns what others wrote to
//! its turn in between, so that its state is the fold of the log and of nothing else.

use crate::{
    Result, Store, StoreError, approvals, blobs,
    chain::{self, Link},
    clients, firings, outbox,
    sqlite::Unit,
    tasks,
};
use jiff::Timestamp;
use protocol::{Event, Fact, Outcome, SessionKey, TurnId};
use rusqlite::{Connection, Row, params};

/// How sure a commit must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Survives the death of the process.
    Flushed,
    /// Survives the loss of power, too. For what was promised to somebody, and before any effect.
    Synced,
}

/// A turn and the session it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TurnRef {
    /// The conversation.
    pub session: SessionKey,
    /// The turn.
    pub turn: TurnId,
}

/// What became of the wish to end or to park a turn, or to hand over its calls.
#[derive(Debug, Clone, PartialEq)]
pub enum Finish {
    /// It is so; these are the events since.
    Done(Vec<Event>),
    /// Something happened that the driver had not seen; nothing was changed.
    Stale(Vec<Event>),
}

impl Store {
    /// Writes facts to a turn and returns all its events after `seen`: these, and what others wrote before.
    pub async fn append(
        &self,
        turn: &TurnRef,
        seen: u64,
        durability: Durability,
        facts: Vec<Fact>,
    ) -> Result<Vec<Event>> {
        let turn = turn.clone();
        let label = facts.first().map_or("nothing", Fact::kind);
        self.write(label, durability, move |unit| {
            append(unit, &turn, &facts)?;
            events_after(unit.connection, turn.turn, seen)
        })
        .await
    }

    /// The events of a turn after `seen`.
    pub async fn news(&self, turn: TurnId, seen: u64) -> Result<Vec<Event>> {
        self.view().turn_events(turn, seen).await
    }

    /// Ends a turn, unless something happened to it that the driver has not seen. Messages that joined it
    /// and were never put to the model go back into the queue.
    pub async fn finish(
        &self,
        turn: &TurnRef,
        seen: u64,
        outcome: Outcome,
        requeue: Vec<TurnId>,
    ) -> Result<Finish> {
        let turn = turn.clone();
        self.write("finish", Durability::Synced, move |unit| {
            let news = events_after(unit.connection, turn.turn, seen)?;
            if !news.is_empty() {
                return Ok(Finish::Stale(news));
            }
            Ok(Finish::Done(finish(unit, &turn, outcome, &requeue)?))
        })
        .await
    }

    /// Sets a turn aside until a signal reaches it, unless one already has.
    pub async fn park(&self, turn: &TurnRef, seen: u64) -> Result<Finish> {
        let turn = turn.clone();
        self.write("park", Durability::Flushed, move |unit| {
            let news = events_after(unit.connection, turn.turn, seen)?;
            if !news.is_empty() {
                return Ok(Finish::Stale(news));
            }
            let sql = "UPDATE inbox SET state = 'parked', worker = NULL WHERE turn = ?1";
            unit.connection.prepare_cached(sql)?.execute([turn.turn.to_string()])?;
            Ok(Finish::Done(Vec::new()))
        })
        .await
    }
}

pub(crate) fn finish(
    unit: &mut Unit<'_>,
    turn: &TurnRef,
    outcome: Outcome,
    requeue: &[TurnId],
) -> Result<Vec<Event>> {
    let events = append(unit, turn, &[Fact::TurnFinished { outcome }])?;
    let requeued = "UPDATE inbox SET state = 'queued', joined = NULL WHERE turn = ?1 AND joined = ?2";
    for message in requeue {
        let parameters = params![message.to_string(), turn.turn.to_string()];
        unit.connection.prepare_cached(requeued)?.execute(parameters)?;
    }
    let done = "UPDATE inbox SET state = 'done', worker = NULL WHERE turn = ?1 OR (joined = ?1 AND state = 'joined')";
    unit.connection.prepare_cached(done)?.execute([turn.turn.to_string()])?;
    unit.news.inbox = true;
    Ok(events)
}

/// Adds facts to the log and notes them for the feed.
pub(crate) fn append(unit: &mut Unit<'_>, turn: &TurnRef, facts: &[Fact]) -> Result<Vec<Event>> {
    let sql = "INSERT INTO events (seq, session, turn, at, kind, version, body, hash)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let connection = unit.connection;
    let mut statement = connection.prepare_cached(sql)?;
    let (mut seq, mut hash) = chain::end_of_chain(connection)?;
    let mut events = Vec::with_capacity(facts.len());
    for fact in facts {
        seq += 1;
        let (id, at, body) =
            (turn.turn.to_string(), unit.now.as_millisecond(), blobs::encode(connection, fact)?);
        let (session, version) = (turn.session.as_str(), Fact::VERSION);
        let link = Link { seq, session, turn: &id, at, kind: fact.kind(), version, body: &body };
        hash = link.hash(&hash).to_vec();
        statement.execute(params![seq, session, id, at, link.kind, version, body, hash])?;
        let event = Event {
            seq: u64::try_from(seq).unwrap_or_default(),
            session: turn.session.clone(),
            turn: turn.turn,
            at: unit.now,
            fact: fact.clone(),
        };
        record_usage(unit, &event)?;
        approvals::record(unit, &event)?;
        clients::record(unit, &event)?;
        // What is told is read off the rows as they stand before the turn's end changes them.
        outbox::record(unit, &event)?;
        firings::record(unit, &event)?;
        tasks::record(unit, &event)?;
        events.push(event);
    }
    unit.news.events.extend(events.iter().cloned());
    Ok(events)
}

fn record_usage(unit: &Unit<'_>, event: &Event) -> Result<()> {
    let Fact::ModelDone { model, usage, .. } = &event.fact else { return Ok(()) };
    let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    let sql = "INSERT INTO usage (seq, at, session, turn, model, input_tokens, output_tokens,
                                  cache_read_tokens, cache_write_tokens)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    unit.connection.prepare_cached(sql)?.execute(params![
        count(event.seq),
        event.at.as_millisecond(),
        event.session.as_str(),
        event.turn.to_string(),
        model,
        count(usage.input_tokens),
        count(usage.output_tokens),
        count(usage.cache_read_tokens),
        count(usage.cache_write_tokens),
    ])?;
    Ok(())
}

pub(crate) fn events_after(connection: &Connection, turn: TurnId, seen: u64) -> Result<Vec<Event>> {
    let sql =
        "SELECT seq, session, turn, at, version, body FROM events WHERE turn = ?1 AND seq > ?2 ORDER BY seq";
    let parameters = params![turn.to_string(), i64::try_from(seen).unwrap_or(i64::MAX)];
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(parameters, RawEvent::read)?;
    rows.map(|row| row?.decode(connection)).collect()
}

/// An event as it stands in its row: `seq, session, turn, at, version, body`.
pub(crate) struct RawEvent {
    seq: i64,
    session: String,
    turn: String,
    at: i64,
    version: u32,
    body: String,
}

impl RawEvent {
    pub fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get(0)?,
            session: row.get(1)?,
            turn: row.get(2)?,
            at: row.get(3)?,
            version: row.get(4)?,
            body: row.get(5)?,
        })
    }

    pub fn decode(self, connection: &Connection) -> Result<Event> {
        let corrupt = |source: Box<dyn std::error::Error + Send + Sync>| StoreError::Corrupt {
            what: format!("event {}", self.seq),
            source,
        };
        if self.version > Fact::VERSION {
            return Err(StoreError::Newer { found: self.version, known: Fact::VERSION });
        }
        Ok(Event {
            seq: u64::try_from(self.seq).map_err(|error| corrupt(error.into()))?,
            session: parse_session(&self.session)?,
            turn: parse_turn(&self.turn)?,
            at: Timestamp::from_millisecond(self.at).map_err(|error| corrupt(error.into()))?,
            fact: blobs::decode(connection, &self.body).map_err(|error| corrupt(error.into()))?,
        })
    }
}

pub(crate) fn parse_turn(text: &str) -> Result<TurnId> {
    text.parse()
        .map_err(|error| StoreError::Corrupt { what: format!("turn {text:?}"), source: Box::new(error) })
}

pub(crate) fn parse_session(text: &str) -> Result<SessionKey> {
    let corrupt = |error| StoreError::Corrupt { what: format!("session {text:?}"), source: Box::new(error) };
    SessionKey::new(text).map_err(corrupt)
}
