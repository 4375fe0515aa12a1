//! How far each projection of the log has come. A projection's file is only as true as its cursor: what
//! stands beyond the recorded length is cut off and written again.

use crate::{Durability, Result, Store, View};
use rusqlite::{OptionalExtension, params};

/// A projection's place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Which projection, or which file of one.
    pub name: String,
    /// The last event it holds.
    pub seq: u64,
    /// How long its file is with that event in it.
    pub bytes: u64,
}

impl Store {
    /// Records that files have grown.
    pub async fn set_cursors(&self, cursors: Vec<Cursor>) -> Result<()> {
        self.write("cursors", Durability::Flushed, move |unit| {
            let sql = "INSERT INTO cursors (name, seq, bytes) VALUES (?1, ?2, ?3)
                       ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, bytes = excluded.bytes";
            let mut statement = unit.connection.prepare_cached(sql)?;
            for cursor in &cursors {
                let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
                statement.execute(params![cursor.name, number(cursor.seq), number(cursor.bytes)])?;
            }
            Ok(())
        })
        .await
    }

    /// Forgets all cursors, so that every projection is written anew.
    pub async fn clear_cursors(&self) -> Result<()> {
        self.write("clear cursors", Durability::Flushed, |unit| {
            unit.connection.execute("DELETE FROM cursors", [])?;
            Ok(())
        })
        .await
    }
}

impl View {
    /// A projection's cursor, if it has one.
    pub async fn cursor(&self, name: &str) -> Result<Option<Cursor>> {
        let name = name.to_owned();
        self.read(move |connection| {
            let sql = "SELECT seq, bytes FROM cursors WHERE name = ?1";
            let number = |value: i64| u64::try_from(value).unwrap_or_default();
            let cursor = connection.prepare_cached(sql)?.query_row([&name], |row| {
                Ok(Cursor { name: name.clone(), seq: number(row.get(0)?), bytes: number(row.get(1)?) })
            });
            Ok(cursor.optional()?)
        })
        .await
    }
}
