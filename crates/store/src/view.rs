//! The handle that only reads. Works with and without a daemon on the same file.

use crate::{
    Result,
    sqlite::Readers,
    turns::{self, RawEvent},
};
use jiff::Timestamp;
use protocol::{Event, SessionKey, TurnId, Usage};
use rusqlite::{Connection, OptionalExtension, Params, params};
use std::path::Path;

/// Reads the file. Cheap to clone.
#[derive(Clone)]
pub struct View {
    readers: Readers,
}

/// One conversation in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Its key.
    pub key: SessionKey,
    /// The title it was opened with, or the first line of its first message.
    pub title: String,
    /// How many turns it has.
    pub turns: u64,
    /// When it was opened or its first message was accepted.
    pub created_at: Timestamp,
    /// When its latest message was accepted.
    pub updated_at: Timestamp,
}

/// One turn in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRow {
    /// Its id.
    pub turn: TurnId,
    /// Whether it is over.
    pub over: bool,
}

/// What a model has cost in all.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageRow {
    /// `provider/model`.
    pub model: String,
    /// How many calls it answered.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
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

    /// Conversations, the latest first.
    pub async fn sessions(&self, limit: usize) -> Result<Vec<SessionRow>> {
        self.read(move |connection| {
            let sql = "SELECT key, title, turns, created_at, updated_at FROM sessions
                       ORDER BY updated_at DESC, key LIMIT ?1";
            session_rows(connection, sql, params![count(limit)])
        })
        .await
    }

    /// One conversation; none if nothing was said in it and nobody opened it.
    pub async fn session(&self, session: &SessionKey) -> Result<Option<SessionRow>> {
        let session = session.clone();
        self.read(move |connection| {
            let sql = "SELECT key, title, turns, created_at, updated_at FROM sessions WHERE key = ?1";
            Ok(session_rows(connection, sql, params![session.as_str()])?.pop())
        })
        .await
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
            let sql = "SELECT turn, state = 'done' FROM inbox
                       WHERE session = ?1 AND position < ?2 AND joined IS NULL ORDER BY position DESC LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![session.as_str(), before, count(limit)], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?))
            })?;
            rows.map(|row| row.map_err(Into::into).and_then(|(turn, over)| {
                Ok(TurnRow { turn: turns::parse_turn(&turn)?, over })
            }))
            .collect()
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

    /// The events up to `seq` of the turn that was under way in a session then; none if none was.
    pub async fn turn_under_way(&self, session: &SessionKey, seq: u64) -> Result<Vec<Event>> {
        let session = session.clone();
        self.read(move |connection| {
            let sql = "SELECT turn, kind FROM events WHERE session = ?1 AND seq <= ?2 ORDER BY seq DESC";
            let parameters = params![session.as_str(), i64::try_from(seq).unwrap_or(i64::MAX)];
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

    /// What each model has cost since a time, the dearest first.
    pub async fn usage_since(&self, since: Timestamp) -> Result<Vec<UsageRow>> {
        self.read(move |connection| {
            let sql = "SELECT model, count(*), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
                              sum(cache_write_tokens)
                       FROM usage WHERE at >= ?1 GROUP BY model ORDER BY sum(output_tokens) DESC, model";
            let mut statement = connection.prepare_cached(sql)?;
            let number = |value: i64| u64::try_from(value).unwrap_or_default();
            let rows = statement.query_map([since.as_millisecond()], |row| {
                Ok(UsageRow {
                    model: row.get(0)?,
                    calls: number(row.get(1)?),
                    usage: Usage {
                        input_tokens: number(row.get(2)?),
                        output_tokens: number(row.get(3)?),
                        cache_read_tokens: number(row.get(4)?),
                        cache_write_tokens: number(row.get(5)?),
                    },
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }
}

fn session_rows(connection: &Connection, sql: &str, parameters: impl Params) -> Result<Vec<SessionRow>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(parameters, |row| {
        Ok((row.get::<_, String>(0)?, row.get(1)?, row.get::<_, i64>(2)?, row.get(3)?, row.get(4)?))
    })?;
    rows.map(|row| {
        let (key, title, turns, created_at, updated_at) = row?;
        Ok(SessionRow {
            key: turns::parse_session(&key)?,
            title,
            turns: u64::try_from(turns).unwrap_or_default(),
            created_at: timestamp(created_at),
            updated_at: timestamp(updated_at),
        })
    })
    .collect()
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

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(crate) fn timestamp(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}
