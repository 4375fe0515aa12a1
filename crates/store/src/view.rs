//! The handle that only reads. Works with and without a daemon on the same file.

use crate::{
    Result, blobs,
    sqlite::Readers,
    turns::{self, RawEvent},
};
use jiff::Timestamp;
use protocol::{Event, SessionKey, Trigger, TurnId};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;

/// Reads the file. Cheap to clone.
#[derive(Clone)]
pub struct View {
    readers: Readers,
}

/// One turn in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRow {
    /// Its id.
    pub turn: TurnId,
    /// Whether it is over.
    pub over: bool,
    /// What it is to begin with, or to go on from, while it waits for its turn to come.
    pub queued: Option<Trigger>,
}

/// Which events are wanted.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Only those before this one.
    pub before: Option<u64>,
    /// Only those of this kind, such as `call.done`.
    pub kind: Option<String>,
    /// Only those of this conversation.
    pub session: Option<SessionKey>,
}

impl View {
    /// Looks at an existing file without changing it.
    pub fn open(path: &Path) -> Self {
        Self::new(Readers::new(path.to_path_buf()))
    }

    pub(crate) fn new(readers: Readers) -> Self {
        Self { readers }
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.readers.read(work).await
    }

    /// The turns of a session before `before` (or the latest ones), the newest first. Turns that joined
    /// another are not listed.
    pub async fn turns(
        &self,
        session: &SessionKey,
        before: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<TurnRow>> {
        let session = session.clone();
        self.read(move |connection| {
            let before = match before {
                Some(turn) => position(connection, turn)?,
                None => i64::MAX,
            };
            let sql = "SELECT turn, state = 'done', CASE state WHEN 'queued' THEN trigger END FROM inbox
                       WHERE session = ?1 AND position < ?2 AND joined IS NULL ORDER BY position DESC LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_and_then(params![session.as_str(), before, count(limit)], |row| {
                let queued: Option<String> = row.get(2)?;
                Ok(TurnRow {
                    turn: turns::parse_turn(&row.get::<_, String>(0)?)?,
                    over: row.get(1)?,
                    queued: queued.map(|trigger| blobs::decode(connection, &trigger)).transpose()?,
                })
            })?;
            rows.collect()
        })
        .await
    }

    /// The events of the latest turns of a session, the oldest turn first.
    pub async fn recent_turns(&self, session: &SessionKey, limit: usize) -> Result<Vec<Vec<Event>>> {
        let mut turns = Vec::new();
        for row in self.turns(session, None, limit).await?.into_iter().rev() {
            turns.push(self.turn_events(row.turn, 0).await?);
        }
        Ok(turns)
    }

    /// The events of one turn after `seen`, in order.
    pub async fn turn_events(&self, turn: TurnId, seen: u64) -> Result<Vec<Event>> {
        self.read(move |connection| turns::events_after(connection, turn, seen)).await
    }

    /// Up to `limit` events after `seq`, in order.
    pub async fn events_after(&self, seq: u64, limit: usize) -> Result<Vec<Event>> {
        self.read(move |connection| {
            let sql = "SELECT seq, session, turn, at, version, body FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let parameters = params![i64::try_from(seq).unwrap_or(i64::MAX), count(limit)];
            let rows = statement.query_map(parameters, RawEvent::read)?;
            rows.map(|row| row?.decode(connection)).collect()
        })
        .await
    }

    /// Up to `limit` events of one session after `seq`, in order.
    pub async fn session_events_after(
        &self,
        session: &SessionKey,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Event>> {
        let session = session.clone();
        self.read(move |connection| {
            let sql = "SELECT seq, session, turn, at, version, body FROM events
                       WHERE session = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let parameters = params![session.as_str(), i64::try_from(seq).unwrap_or(i64::MAX), count(limit)];
            let rows = statement.query_map(parameters, RawEvent::read)?;
            rows.map(|row| row?.decode(connection)).collect()
        })
        .await
    }

    /// Up to `limit` of the events that are wanted, the newest first.
    pub async fn latest_events(&self, filter: EventFilter, limit: usize) -> Result<Vec<Event>> {
        self.read(move |connection| {
            // Written so that the index of the conversations is used.
            let session = if filter.session.is_some() { "session = ?3" } else { "?3 IS NULL" };
            let sql = format!(
                "SELECT seq, session, turn, at, version, body FROM events
                 WHERE seq < ?1 AND (?2 IS NULL OR kind = ?2) AND {session} ORDER BY seq DESC LIMIT ?4"
            );
            let before = filter.before.and_then(|seq| i64::try_from(seq).ok()).unwrap_or(i64::MAX);
            let session = filter.session.as_ref().map(SessionKey::as_str);
            let mut statement = connection.prepare_cached(&sql)?;
            let rows =
                statement.query_map(params![before, filter.kind, session, count(limit)], RawEvent::read)?;
            rows.map(|row| row?.decode(connection)).collect()
        })
        .await
    }

    /// The events up to `seq` of the turn that was under way in a session then; none if none was.
    pub async fn turn_under_way(&self, session: &SessionKey, seq: u64) -> Result<Vec<Event>> {
        let session = session.clone();
        self.read(move |connection| {
            // What belongs to no turn stands under the nil id.
            let sql = "SELECT turn, kind FROM events WHERE session = ?1 AND seq <= ?2 AND turn != ?3
                       ORDER BY seq DESC";
            let nobody = uuid::Uuid::nil().to_string();
            let parameters = params![session.as_str(), i64::try_from(seq).unwrap_or(i64::MAX), nobody];
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(parameters)?;
            let mut over: Vec<String> = Vec::new();
            while let Some(row) = rows.next()? {
                let (turn, kind): (String, String) = (row.get(0)?, row.get(1)?);
                if kind == "turn.finished" {
                    // It may be a queued one that was stopped while another was under way.
                    over.push(turn);
                } else if !over.contains(&turn) {
                    let mut events = turns::events_after(connection, turns::parse_turn(&turn)?, 0)?;
                    events.retain(|event| event.seq <= seq);
                    return Ok(events);
                } else if kind == "model.asked" {
                    break;
                }
            }
            Ok(Vec::new())
        })
        .await
    }

    /// The newest sequence number; zero in an empty log.
    pub async fn newest(&self) -> Result<u64> {
        self.read(newest).await
    }
}

pub(crate) fn newest(connection: &Connection) -> Result<u64> {
    let sql = "SELECT coalesce(max(seq), 0) FROM events";
    let newest: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(u64::try_from(newest).unwrap_or_default())
}

fn position(connection: &Connection, turn: TurnId) -> Result<i64> {
    let sql = "SELECT position FROM inbox WHERE turn = ?1";
    let position =
        connection.prepare_cached(sql)?.query_row([turn.to_string()], |row| row.get(0)).optional()?;
    Ok(position.unwrap_or_default())
}

pub(crate) fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(crate) fn timestamp(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}
