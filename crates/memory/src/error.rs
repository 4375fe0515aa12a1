//! Why something could not be remembered or looked for, in words for the one who asked.

use crate::memory::MAX_CONTENT_BYTES;
use rusqlite::ErrorCode;
use std::{io, path::PathBuf};

/// Why a note was not written, or a search not made.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Nothing but blanks.
    #[error("there is nothing to remember: the content is empty; write at least one word")]
    EmptyContent,
    /// More than one note may hold.
    #[error("the content has {0} bytes, but one note holds at most {MAX_CONTENT_BYTES}: write it in parts")]
    ContentTooLong(usize),
    /// Text files hold no such byte.
    #[error("the content holds a NUL character: take it out and try again")]
    NulInContent,
    /// No letter and no digit.
    #[error("there is nothing to look for: the query has no words; name at least one")]
    EmptyQuery,
    /// It could lead anywhere, so it is not followed.
    #[error("`{0}` is a symlink or lies behind one: put the file itself there")]
    Symlink(PathBuf),
    /// It is a device, pipe, socket or directory.
    #[error("`{0}` is not an ordinary file: move it away")]
    NotAFile(PathBuf),
    /// Only what is part of memory is read and saved.
    #[error("`{0}` is no file of the memory: name `MEMORY.md`, or a `.md` file below `memory/`")]
    NotMemory(String),
    /// No such file.
    #[error("there is no file `{0}` in the memory")]
    Missing(String),
    /// Reading it would cut it off, and saving it would lose the rest.
    #[error("`{0}` is too long to be edited here: use an editor, or split it")]
    FileTooLong(String),
    /// Reading it would change it.
    #[error("`{0}` is not text in UTF-8: use an editor")]
    NotText(String),
    /// What was edited is not what stands there now.
    #[error("the file was changed meanwhile")]
    Changed,
    /// Only what is searched can be looked at.
    #[error("`{0}` is not searched: use the path that a search gave")]
    NotSearched(String),
    /// The index is a cache; the files are not touched by this.
    #[error("the search index cannot be used: {0}; the notes themselves are safe")]
    Index(String),
    /// It holds what is no index, and is made anew.
    #[error("the search index is broken: {0}")]
    BrokenIndex(String),
    /// No room to index what is new.
    #[error("the disk is full, so the search index cannot take in what is new: make room")]
    IndexFull,
    /// The system refused.
    #[error("cannot use `{path}`: {source}")]
    Io {
        /// Which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl MemoryError {
    pub(crate) fn io(path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        Self::Io { path: path.into(), source: source.into() }
    }

    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl From<rusqlite::Error> for MemoryError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::BrokenIndex(error.to_string())
            }
            Some(ErrorCode::DiskFull) => Self::IndexFull,
            _ => Self::Index(error.to_string()),
        }
    }
}
