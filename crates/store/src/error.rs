//! How the store fails, in words an owner can act on.

use std::path::PathBuf;

/// Why the store could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full; nothing was changed, reading goes on, and writing resumes by itself.
    #[error("the disk is full: nothing was accepted or changed; free some space and try again")]
    DiskFull,
    /// The file cannot be opened or read.
    #[error("cannot open the database {path}: {source}")]
    Open {
        /// Which file.
        path: PathBuf,
        /// What the database says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file was written by a newer version of this program.
    #[error(
        "the database was written by a newer Steward (schema {found}, this one knows {known}): use that version"
    )]
    Newer {
        /// The schema version in the file.
        found: u32,
        /// The newest this program knows.
        known: u32,
    },
    /// The file was written by an older version of this program and is only to be read.
    #[error(
        "the database was last used by an older Steward (schema {found}, this one wants {known}): run `steward \
         serve` or `steward chat` once, which brings it up to date"
    )]
    Older {
        /// The schema version in the file.
        found: u32,
        /// The newest this program knows.
        known: u32,
    },
    /// A row that does not make sense: the file was damaged or changed by hand.
    #[error("the database holds a row that cannot be read ({what}): {source}")]
    Corrupt {
        /// Which row.
        what: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// So much waits in a conversation that no more is taken.
    #[error("Messages limit reached: {limit} wait in this conversation already; wait until one is answered")]
    QueueFull {
        /// How many may wait.
        limit: usize,
    },
    /// Another reminder has this name.
    #[error("there is a reminder named {name:?} already: choose another name, or change that one")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The database failed.
    #[error("the database failed: {0}")]
    Database(Box<dyn std::error::Error + Send + Sync>),
    /// Another write of the same commit failed first.
    #[error("the database did not write this: nothing was changed, try again")]
    NotWritten,
    /// The store was closed, or its thread ended.
    #[error("the database is closed")]
    Closed,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => StoreError::DiskFull,
            _ => StoreError::Database(Box::new(error)),
        }
    }
}
