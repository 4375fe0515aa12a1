//! `Memory`: appending to the files and searching them.

use crate::{
    error::MemoryError,
    folder::{Folder, Found},
    passages::{passages, score, words},
};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    fs::File,
    io::{Read as _, Write as _},
    os::unix::fs::FileExt as _,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bytes of one note: a long article, and no more than a person would read.
pub const MAX_CONTENT_BYTES: usize = 256 * 1024;

/// Answers to one search; more would not be read.
pub const MAX_HITS: usize = 100;

/// Files read in one search, the newest first: five years of days, and some.
const MAX_FILES: usize = 2_000;

/// Bytes read of one file: no note of a person is longer.
pub(crate) const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// Bytes read in one search, so that it ends within about a second.
const MAX_SEARCH_BYTES: usize = 64 * 1024 * 1024;

pub(crate) const LONG_TERM_FILE: &str = "MEMORY.md";
pub(crate) const DIRECTORY: &str = "memory";

/// The memory in one workspace. A clone is the same memory.
#[derive(Debug, Clone)]
pub struct Memory {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    workspace: PathBuf,
    /// Held while a file is changed: what stands there decides what is written, and whether it is.
    writing: Mutex<()>,
}

/// Which part of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What stays true: `MEMORY.md`, and whatever lies below `memory/` without a day for a name.
    LongTerm,
    /// What happened on a day: `memory/YYYY-MM-DD.md`.
    Daily,
}

/// Where a note goes, which is one of the kinds.
pub type Target = Kind;

/// A passage that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The file, relative to the workspace.
    pub path: String,
    /// The passage as it stands there.
    pub excerpt: String,
    /// Its first line, counted from 1.
    pub line_start: usize,
    /// Its last line.
    pub line_end: usize,
}

impl Memory {
    /// The memory in a workspace, which need not exist yet. Touches nothing.
    pub fn new(workspace: PathBuf) -> Self {
        Self { shared: Arc::new(Shared { workspace, writing: Mutex::new(()) }) }
    }

    pub(crate) fn folder(&self) -> Result<Folder, MemoryError> {
        Folder::open(&self.shared.workspace)
    }

    /// Keeps other writers out until dropped.
    pub(crate) fn writing(&self) -> MutexGuard<'_, ()> {
        self.shared.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a paragraph and gives the file it went to, relative to the workspace. Whole and on the disk when this
    /// returns; if it fails for want of room, nothing of it stays. Blocks.
    pub fn write(&self, target: Target, content: &str, today: Date) -> Result<String, MemoryError> {
        if content.len() > MAX_CONTENT_BYTES {
            return Err(MemoryError::ContentTooLong(content.len()));
        }
        if content.contains('\0') {
            return Err(MemoryError::NulInContent);
        }
        // Blanks in front of the first word are kept: they may be meant, as in a list.
        let content = content.trim_end().trim_start_matches(['\n', '\r']);
        if content.is_empty() {
            return Err(MemoryError::EmptyContent);
        }
        let (path, heading) = match target {
            Kind::LongTerm => (LONG_TERM_FILE.to_owned(), String::new()),
            Kind::Daily => (format!("{DIRECTORY}/{today}.md"), format!("# {today}\n\n")),
        };
        let _writing = self.writing();
        let folder = self.folder()?;
        if target == Kind::Daily {
            folder.make_directory(DIRECTORY)?;
        }
        let file = folder.file(&path, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)?;
        let was_empty = append(file, &heading, content).map_err(|error| MemoryError::io(&path, error))?;
        if was_empty {
            folder.sync(if target == Kind::Daily { DIRECTORY } else { "." })?;
        }
        Ok(path)
    }

    /// The passages that hold the most different words of the query, then those that hold them most often, then
    /// those of newer files. Symlinks are not followed. Blocks.
    pub fn search(&self, query: &str, kind: Option<Kind>, limit: usize) -> Result<Vec<Hit>, MemoryError> {
        let words = words(query);
        if words.is_empty() {
            return Err(MemoryError::EmptyQuery);
        }
        let folder = self.folder()?;
        let mut files = newest_files(&folder);
        files.retain(|file| kind.is_none_or(|kind| kind == Kind::of(&file.path)));
        files.truncate(MAX_FILES);

        let limit = limit.min(MAX_HITS);
        let mut best = Vec::new();
        let mut bytes_left = MAX_SEARCH_BYTES;
        for (age, file) in files.into_iter().enumerate() {
            let text = match read(&folder, &file.path) {
                Ok(text) => text,
                Err(error) => {
                    tracing::warn!(%error, "a file of the memory is left out");
                    continue;
                }
            };
            let Some(left) = bytes_left.checked_sub(text.len()) else { break };
            bytes_left = left;
            best.extend(passages(&text).into_iter().filter_map(|passage| {
                let score = score(&words, passage.text)?;
                // In one file what stands further down was mostly written later.
                let rank = Reverse((score, Reverse(age), passage.line_start));
                let (line_start, line_end) = (passage.line_start, passage.line_end);
                let excerpt = passage.text.to_owned();
                Some((rank, Hit { path: file.path.clone(), excerpt, line_start, line_end }))
            }));
            best.sort_by_key(|(rank, _)| *rank);
            best.truncate(limit);
        }
        Ok(best.into_iter().map(|(_, hit)| hit).collect())
    }
}

impl Kind {
    fn of(path: &str) -> Self {
        if day(path).is_some() { Self::Daily } else { Self::LongTerm }
    }
}

impl Found {
    /// A day's file is as old as its day, however late it was touched; any other as its last change.
    fn date(&self) -> Date {
        let changed =
            || Timestamp::from_second(self.modified).map(|time| time.to_zoned(TimeZone::UTC).date());
        day(&self.path).or_else(|| changed().ok()).unwrap_or_default()
    }
}

/// All files of the memory, the newest first.
pub(crate) fn newest_files(folder: &Folder) -> Vec<Found> {
    let mut files: Vec<Found> = folder.list(DIRECTORY);
    files.extend(folder.find(LONG_TERM_FILE));
    files.sort_by_cached_key(|file| Reverse((file.date(), file.path.clone())));
    files
}

/// The day a file is named after.
fn day(path: &str) -> Option<Date> {
    let stem = path.rsplit('/').next()?.strip_suffix(".md")?;
    stem.parse().ok().filter(|day: &Date| day.to_string() == stem)
}

/// Appends in one write; tells whether the file was empty. The heading is for an empty one.
fn append(mut file: File, heading: &str, content: &str) -> std::io::Result<bool> {
    let length = file.metadata()?.len();
    let mut tail = [0; 4];
    let read = file.read_at(&mut tail, length.saturating_sub(4))?;
    let tail: Vec<u8> = tail[..read].iter().copied().filter(|byte| *byte != b'\r').collect();
    let before = match tail.as_slice() {
        [] => heading,
        [.., b'\n', b'\n'] => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    };
    if let Err(error) = file.write_all(format!("{before}{content}\n").as_bytes()) {
        // A part of a note would be worse than none; the first error is the one worth telling.
        file.set_len(length).unwrap_or_default();
        return Err(error);
    }
    file.sync_all()?;
    Ok(length == 0)
}

fn read(folder: &Folder, path: &str) -> Result<String, MemoryError> {
    let mut bytes = Vec::new();
    let file = folder.file(path, OFlags::RDONLY)?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| MemoryError::io(path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
