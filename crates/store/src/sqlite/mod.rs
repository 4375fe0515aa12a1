//! The one place with a connection: opening, migrating, writing on one thread, reading from a small pool.

mod migrate;
mod reader;
mod writer;

pub(crate) use reader::Readers;
pub(crate) use writer::{Unit, Writer};

use crate::{Result, StoreError};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Opens the file for writing, creating and migrating it as needed.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    let opened = |source: rusqlite::Error| StoreError::Open { path: path.into(), source: Box::new(source) };
    let mut connection = Connection::open(path).map_err(opened)?;
    configure(&connection).map_err(opened)?;
    let mode: String =
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(opened)?;
    if mode != "wal" {
        tracing::warn!(mode, "the file system does not allow a write-ahead log");
    }
    migrate::migrate(&mut connection)?;
    Ok(connection)
}

/// Opens the file for reading only.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection> {
    let opened = |source: rusqlite::Error| StoreError::Open { path: path.into(), source: Box::new(source) };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(opened)?;
    configure(&connection).map_err(opened)?;
    migrate::check(&connection)?;
    Ok(connection)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    // A reader of another process may hold the file for a moment.
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    // One mebibyte of page cache each: rows are small and read once.
    connection.execute_batch("PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY;")
}
