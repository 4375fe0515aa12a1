//! Which part of memory a file belongs to, told by its name alone.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

pub(crate) const LONG_TERM_FILE: &str = "MEMORY.md";
pub(crate) const DIRECTORY: &str = "memory";

/// Which part of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What stays true: `MEMORY.md`.
    LongTerm,
    /// What happened on a day: `memory/YYYY-MM-DD.md`.
    Daily,
    /// Whatever else lies below `memory/`.
    Note,
    /// A file of a folder the owner added.
    Extra,
    /// What was said in a session.
    Transcript,
}

/// Where a note goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// `MEMORY.md`.
    LongTerm,
    /// The file of the day.
    Daily,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::LongTerm, Self::Daily, Self::Note, Self::Extra, Self::Transcript];

    /// The word for it in the index and over the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::LongTerm => "long_term",
            Self::Daily => "daily",
            Self::Note => "note",
            Self::Extra => "extra",
            Self::Transcript => "transcript",
        }
    }

    /// The kind a word stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Of a file of the workspace.
    pub(crate) fn of(path: &str) -> Self {
        match day(path) {
            _ if path == LONG_TERM_FILE => Self::LongTerm,
            Some(_) => Self::Daily,
            None => Self::Note,
        }
    }
}

/// The day a file is named after.
pub(crate) fn day(path: &str) -> Option<Date> {
    let stem = path.rsplit('/').next()?.strip_suffix(".md")?;
    stem.parse().ok().filter(|day: &Date| day.to_string() == stem)
}
