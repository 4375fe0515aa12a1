//! The index: a cache over the files in SQLite. Whatever is wrong with it, it is deleted and made anew; the files are
//! the truth. This file opens it; `writing` and `reading` hold what is asked of it.

mod reading;
mod writing;

pub(crate) use reading::{Counts, KnownFile, Passage, VectorRow};
pub(crate) use writing::{FileState, IndexedFile, Made, Pending};

use crate::error::MemoryError;
use rusqlite::{Connection, ErrorCode};
use std::{
    fs,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

/// Goes up with every change to the tables, to how files are cut, and to what is indexed of them.
const VERSION: i64 = 2;

/// How long to wait for another process that writes; one file is written in well under this.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait before trying again to open what others are opening.
const MOMENT: Duration = Duration::from_millis(10);

/// Pages kept in memory, in KiB: the upper parts of all trees at 100,000 passages.
const CACHE_KIB: i64 = 4 * 1024;

/// An open index.
pub(crate) struct Index {
    pub(super) connection: Connection,
    path: PathBuf,
    /// Which file this is: another process may have put another in its place.
    file: Option<(u64, u64)>,
}

impl Index {
    /// Opens the index; one that cannot be used is deleted first.
    pub fn open(path: &Path) -> Result<Self, MemoryError> {
        let (mut deleted, until) = (false, Instant::now() + BUSY_TIMEOUT);
        loop {
            match Self::try_open(path) {
                Ok(index) => return Ok(index),
                // Several who make it at once are in each other's way for a moment; SQLite does not wait for that.
                Err(Unusable::Busy(error)) if !is_full(&error) && Instant::now() < until => sleep(MOMENT),
                Err(Unusable::Busy(error)) => return Err(error.into()),
                Err(Unusable::Broken(reason)) if deleted => return Err(MemoryError::Index(reason)),
                Err(Unusable::Broken(reason)) => {
                    tracing::warn!(reason, "the index of the memory cannot be used and is made anew");
                    delete(path)?;
                    deleted = true;
                }
            }
        }
    }

    /// Deletes the index after it was found broken, unless that was done already.
    pub fn discard(self, error: &MemoryError) -> Result<(), MemoryError> {
        let (path, file) = (self.path.clone(), self.file);
        drop(self);
        if identity(&path) == file {
            tracing::warn!(%error, "the index of the memory is broken and is made anew");
            delete(&path)?;
        }
        Ok(())
    }

    /// Whether this is still the file that stands there.
    pub fn is_current(&self) -> bool {
        self.file.is_some() && identity(&self.path) == self.file
    }

    fn try_open(path: &Path) -> Result<Self, Unusable> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Unusable::Broken(error.to_string()))?;
        }
        // It holds what the files hold, so it is as private; what SQLite puts beside it takes after it.
        let create = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        create.map_err(|error| Unusable::Broken(error.to_string()))?;
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // A power cut may cost the last files their rows, never the index its order.
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "temp_store", "memory")?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        make_tables(&mut connection)?;
        connection.execute_batch(include_str!("session.sql"))?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Self { connection, path: path.into(), file: identity(path) })
    }
}

/// Bytes of the index on disk.
pub(crate) fn bytes_on_disk(path: &Path) -> u64 {
    files_of(path).iter().filter_map(|path| fs::metadata(path).ok()).map(|data| data.len()).sum()
}

/// Deletes the index.
pub(crate) fn delete(path: &Path) -> Result<(), MemoryError> {
    for path in files_of(path) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(MemoryError::io(path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Why an index was not opened.
enum Unusable {
    /// Somebody else is at it, or the disk is full: deleting it would not help.
    Busy(rusqlite::Error),
    Broken(String),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull) => {
                Self::Busy(error)
            }
            _ => Self::Broken(error.to_string()),
        }
    }
}

fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}

fn make_tables(connection: &mut Connection) -> Result<(), Unusable> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if (version, tables) == (0, 0) {
        transaction.execute_batch(include_str!("schema.sql"))?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
    } else if version != VERSION {
        return Err(Unusable::Broken(format!("it has version {version}, not {VERSION}")));
    }
    Ok(())
}

fn files_of(path: &Path) -> [PathBuf; 3] {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    [path.into(), beside("-wal"), beside("-shm")]
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}
