//! Clients that have tools of their own: their conversations, what they declared there, and the calls they were
//! handed. A client's result is a signal: one transaction that checks the call is open, writes the result, and
//! wakes the turn. The first result wins, and none counts after the turn was stopped.

use crate::{
    Durability, Finish, Result, Store, StoreError, View,
    signals::unpark,
    sqlite::Unit,
    turns::{self, TurnRef},
};
use protocol::{CallId, CallResult, ClientCall, ClientTool, Event, Fact, SessionKey, TurnId};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

/// The conversation a client is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSession {
    /// Its key.
    pub session: SessionKey,
    /// Whether it is new.
    pub created: bool,
}

/// What became of a client's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientAnswer {
    /// It counts.
    Accepted {
        /// The turn it moves on.
        turn: TurnId,
        /// Its place in the log.
        seq: u64,
    },
    /// The call had its result before, or its turn was stopped; nothing was changed.
    AlreadySettled,
    /// No such call was handed over in this conversation.
    Unknown,
}

impl Store {
    /// Finds a client its conversation: the preferred one if it is a client's, else the one the client is known
    /// to be in, else a new one. `tools` replaces what was declared there; without it that stays. Asking twice
    /// with one client id gives one conversation.
    pub async fn client_session(
        &self,
        client_id: Option<String>,
        preferred: Option<SessionKey>,
        tools: Option<Vec<ClientTool>>,
    ) -> Result<ClientSession> {
        self.write("client.session", Durability::Synced, move |unit| {
            client_session(unit, client_id.as_deref(), preferred, tools)
        })
        .await
    }

    /// Hands calls to their client, unless something happened to the turn that the driver has not seen: what was
    /// stopped is not handed over.
    pub async fn hand_over(&self, turn: &TurnRef, seen: u64, calls: Vec<ClientCall>) -> Result<Finish> {
        let turn = turn.clone();
        self.write("client.asked", Durability::Synced, move |unit| {
            let news = turns::events_after(unit.connection, turn.turn, seen)?;
            if !news.is_empty() {
                return Ok(Finish::Stale(news));
            }
            Ok(Finish::Done(turns::append(unit, &turn, &[Fact::ClientAsked { calls }])?))
        })
        .await
    }

    /// A client tells what came of a call it was handed in this conversation.
    pub async fn client_result(&self, session: &SessionKey, result: CallResult) -> Result<ClientAnswer> {
        let session = session.clone();
        self.write("client.result", Durability::Synced, move |unit| client_result(unit, session, result))
            .await
    }
}

impl View {
    /// The tools declared in a client's conversation; none if it is not a client's.
    pub async fn client_tools(&self, session: &SessionKey) -> Result<Option<Vec<ClientTool>>> {
        let session = session.clone();
        self.read(move |connection| {
            let sql = "SELECT tools FROM client_sessions WHERE session = ?1";
            let tools: Option<String> =
                connection.prepare_cached(sql)?.query_row([session.as_str()], |row| row.get(0)).optional()?;
            let read = |tools: String| serde_json::from_str(&tools);
            tools.map(read).transpose().map_err(|error| corrupt(format!("tools of {session}"), error))
        })
        .await
    }

    /// The calls of a conversation that its client was handed and has not answered, the oldest first.
    pub async fn open_client_calls(&self, session: &SessionKey) -> Result<Vec<CallId>> {
        let session = session.clone();
        self.read(move |connection| {
            let sql = "SELECT call FROM client_calls WHERE session = ?1 AND state = 'open' ORDER BY rowid";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([session.as_str()], |row| row.get::<_, String>(0))?;
            rows.map(|row| {
                let call = row?;
                call.parse().map_err(|error| corrupt(format!("call {call:?}"), error))
            })
            .collect()
        })
        .await
    }
}

/// Keeps the table in step with the log.
pub(crate) fn record(unit: &Unit<'_>, event: &Event) -> Result<()> {
    let (turn, session) = (event.turn.to_string(), event.session.as_str());
    match &event.fact {
        Fact::ClientAsked { calls } => {
            let sql = "INSERT INTO client_calls (call, turn, session, state) VALUES (?1, ?2, ?3, 'open')";
            for handed in calls {
                let parameters = params![handed.call.id.to_string(), turn, session];
                unit.connection.prepare_cached(sql)?.execute(parameters)?;
            }
        }
        Fact::CallDone { result } => {
            let sql = "UPDATE client_calls SET state = 'settled' WHERE call = ?1";
            unit.connection.prepare_cached(sql)?.execute([result.call.to_string()])?;
        }
        // Its driver answers them from here on; a result from outside would be a second one.
        Fact::TurnAborted { .. } => {
            let sql = "UPDATE client_calls SET state = 'settled'
                       WHERE session = ?1 AND turn = ?2 AND state = 'open'";
            unit.connection.prepare_cached(sql)?.execute(params![session, turn])?;
        }
        _ => {}
    }
    Ok(())
}

fn client_session(
    unit: &Unit<'_>,
    client_id: Option<&str>,
    preferred: Option<SessionKey>,
    tools: Option<Vec<ClientTool>>,
) -> Result<ClientSession> {
    let by_key = "SELECT session FROM client_sessions WHERE session = ?1";
    let by_client = "SELECT session FROM client_sessions WHERE client_id = ?1";
    let mut found = match &preferred {
        Some(preferred) => find(unit.connection, by_key, preferred.as_str())?,
        None => None,
    };
    if let (None, Some(client_id)) = (&found, client_id) {
        found = find(unit.connection, by_client, client_id)?;
    }
    let created = found.is_none();
    let session = match found {
        Some(session) => session,
        None => turns::parse_session(&format!("desktop--{}", Uuid::now_v7()))?,
    };
    if created {
        let sql = "INSERT INTO client_sessions (session, tools, created_at) VALUES (?1, '[]', ?2)";
        let parameters = params![session.as_str(), unit.now.as_millisecond()];
        unit.connection.prepare_cached(sql)?.execute(parameters)?;
    }
    if let Some(client_id) = client_id {
        let left = "UPDATE client_sessions SET client_id = NULL WHERE client_id = ?1 AND session != ?2";
        unit.connection.prepare_cached(left)?.execute(params![client_id, session.as_str()])?;
        let joined = "UPDATE client_sessions SET client_id = ?1 WHERE session = ?2";
        unit.connection.prepare_cached(joined)?.execute(params![client_id, session.as_str()])?;
    }
    if let Some(tools) = tools {
        let sql = "UPDATE client_sessions SET tools = ?1 WHERE session = ?2";
        let tools = serde_json::to_string(&tools).map_err(|error| StoreError::Database(Box::new(error)))?;
        unit.connection.prepare_cached(sql)?.execute(params![tools, session.as_str()])?;
    }
    Ok(ClientSession { session, created })
}

fn find(connection: &Connection, sql: &str, by: &str) -> Result<Option<SessionKey>> {
    let found: Option<String> =
        connection.prepare_cached(sql)?.query_row([by], |row| row.get(0)).optional()?;
    found.map(|session| turns::parse_session(&session)).transpose()
}

fn client_result(unit: &mut Unit<'_>, session: SessionKey, result: CallResult) -> Result<ClientAnswer> {
    let sql = "SELECT turn, state FROM client_calls WHERE call = ?1 AND session = ?2";
    let row: Option<(String, String)> = unit
        .connection
        .prepare_cached(sql)?
        .query_row(params![result.call.to_string(), session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((turn, state)) = row else { return Ok(ClientAnswer::Unknown) };
    if state != "open" {
        return Ok(ClientAnswer::AlreadySettled);
    }
    let at = TurnRef { session, turn: turns::parse_turn(&turn)? };
    let events = turns::append(unit, &at, &[Fact::CallDone { result }])?;
    unpark(unit, at.turn)?;
    let seq = events.last().map(|event| event.seq).unwrap_or_default();
    Ok(ClientAnswer::Accepted { turn: at.turn, seq })
}

fn corrupt(what: String, error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Corrupt { what, source: Box::new(error) }
}
