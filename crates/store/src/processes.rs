//! Processes that went on after their call. A row that still runs when the store is opened belongs to a
//! process that is gone: its end is told as lost.

use crate::{Durability, Result, Store, StoreError, turns};
use protocol::{CallId, SessionKey};
use rusqlite::params;

/// A process with a life of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessRow {
    /// The call that started it.
    pub call: CallId,
    /// The short name the model knows it by.
    pub name: String,
    /// The conversation that hears of its end.
    pub session: SessionKey,
    /// What runs.
    pub command: String,
}

impl Store {
    /// Writes down that a process goes on. Durable when it returns.
    pub async fn process_started(&self, process: ProcessRow) -> Result<()> {
        self.write("process started", Durability::Synced, move |unit| {
            let sql = "INSERT INTO processes (call, name, session, command, started_at) VALUES (?1, ?2, ?3, ?4, ?5)";
            unit.connection.prepare_cached(sql)?.execute(params![
                process.call.to_string(),
                process.name,
                process.session.as_str(),
                process.command,
                unit.now.as_millisecond(),
            ])?;
            Ok(())
        })
        .await
    }

    /// Writes down that a process has ended.
    pub async fn process_ended(&self, call: CallId) -> Result<()> {
        self.write("process ended", Durability::Flushed, move |unit| {
            let sql = "UPDATE processes SET ended_at = ?1 WHERE call = ?2 AND ended_at IS NULL";
            unit.connection
                .prepare_cached(sql)?
                .execute(params![unit.now.as_millisecond(), call.to_string()])?;
            Ok(())
        })
        .await
    }

    /// Processes that never were seen to end.
    pub async fn running_processes(&self) -> Result<Vec<ProcessRow>> {
        self.view()
            .read(|connection| {
                let sql = "SELECT call, name, session, command FROM processes WHERE ended_at IS NULL ORDER BY rowid";
                let mut statement = connection.prepare_cached(sql)?;
                let mut rows = statement.query([])?;
                let mut processes = Vec::new();
                while let Some(row) = rows.next()? {
                    let call = row.get::<_, String>(0)?.parse().map_err(|error| StoreError::Corrupt {
                        what: "process".into(),
                        source: Box::new(error),
                    })?;
                    let session = turns::parse_session(&row.get::<_, String>(2)?)?;
                    processes.push(ProcessRow { call, name: row.get(1)?, session, command: row.get(3)? });
                }
                Ok(processes)
            })
            .await
    }
}
