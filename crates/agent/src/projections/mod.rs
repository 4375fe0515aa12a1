//! The log as files people can read: a transcript for each session, a daily log of all turns. They follow
//! from the log alone; deleting them loses nothing.
//!
//! A file is only as true as its cursor. What stands beyond the recorded length (a torn or uncounted line)
//! is cut off and written again; a file shorter than recorded is written anew from the whole log. So no
//! line is lost, torn or doubled, whenever the process dies.

mod file_name;
mod lines;

use jiff::tz::TimeZone;
use policy::Redactor;
use protocol::{Event, TurnId};
use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};
use store::{Cursor, Store, StoreError, failpoint};

/// How many events are written between two cursors.
const PAGE: usize = 256;

/// The cursor of the log itself, beside one for each file.
const LOG: &str = "log";

/// Writes the projections below one folder.
pub struct Projections {
    store: Store,
    data: PathBuf,
    zone: TimeZone,
    redactor: Arc<Redactor>,
}

/// Why a projection could not be written. The log has everything; it can be written later.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    /// The log could not be read or the cursor not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file could not be written.
    #[error("cannot write {path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Lines by the file they go to, relative to the data folder.
type Lines = BTreeMap<String, String>;

impl Projections {
    /// Below `data`: `sessions/<key>.jsonl` and `daily/YYYY-MM-DD.jsonl`.
    pub fn new(store: Store, data: PathBuf, redactor: Arc<Redactor>) -> Self {
        Self { store, data, zone: TimeZone::system(), redactor }
    }

    /// Brings all files up to the newest event.
    pub async fn catch_up(&self) -> Result<(), ProjectionError> {
        let mut seen = self.store.view().cursor(LOG).await?.map_or(0, |cursor| cursor.seq);
        loop {
            let events = self.store.view().events_after(seen, PAGE).await?;
            let Some(newest) = events.last().map(|event| event.seq) else { return Ok(()) };
            let mut cursors = Vec::new();
            for (name, lines) in self.lines(&events).await? {
                let bytes = self.append(&name, &lines, seen).await?;
                cursors.push(Cursor { name, seq: newest, bytes });
            }
            cursors.push(Cursor { name: LOG.into(), seq: newest, bytes: 0 });
            self.store.set_cursors(cursors).await?;
            seen = newest;
        }
    }

    /// Writes every file anew from the whole log. Returns how many there are.
    pub async fn rebuild(&self) -> Result<usize, ProjectionError> {
        self.store.clear_cursors().await?;
        for folder in ["sessions", "daily"] {
            let path = self.data.join(folder);
            match fs::remove_dir_all(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(ProjectionError::Io { path, source });
                }
                _ => {}
            }
        }
        self.catch_up().await?;
        let count = |folder: &str| fs::read_dir(self.data.join(folder)).map_or(0, Iterator::count);
        Ok(count("sessions") + count("daily"))
    }

    /// The lines these events add.
    async fn lines(&self, events: &[Event]) -> Result<Lines, StoreError> {
        let mut all = Lines::new();
        // A turn may have thousands of calls: its events are read once for all of them.
        let mut stories: HashMap<TurnId, Vec<Event>> = HashMap::new();
        for event in events {
            if lines::needs_story(&event.fact) && !stories.contains_key(&event.turn) {
                stories.insert(event.turn, self.store.view().turn_events(event.turn, 0).await?);
            }
            let story = stories.get(&event.turn).map_or(&[][..], Vec::as_slice);
            for (name, mut line) in lines::of(event, story, &self.zone) {
                // People share these files.
                self.redactor.redact_value(&mut line);
                let text = all.entry(name).or_default();
                text.push_str(&line.to_string());
                text.push('\n');
            }
        }
        Ok(all)
    }

    /// Adds lines to a file and returns its new length. `seen` is where the log stood before them.
    async fn append(&self, name: &str, lines: &str, seen: u64) -> Result<u64, ProjectionError> {
        let path = self.data.join(name);
        let recorded = self.store.view().cursor(name).await?.map_or(0, |cursor| cursor.bytes);
        let actual = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        let earlier = if actual < recorded { Some(self.rewrite(name, seen).await?) } else { None };
        write_at(&path, recorded, earlier.as_deref(), lines)
            .map_err(|source| ProjectionError::Io { path, source })
    }

    /// All lines of one file up to `seen`, from the whole log: it was deleted or cut.
    async fn rewrite(&self, name: &str, seen: u64) -> Result<String, StoreError> {
        tracing::warn!(name, "a projection is shorter than it was; writing it anew");
        let (mut text, mut at) = (String::new(), 0);
        while at < seen {
            let mut events = self.store.view().events_after(at, PAGE).await?;
            events.retain(|event| event.seq <= seen);
            let Some(newest) = events.last().map(|event| event.seq) else { break };
            at = newest;
            if let Some(lines) = self.lines(&events).await?.remove(name) {
                text.push_str(&lines);
            }
        }
        Ok(text)
    }
}

/// Cuts the file to its recorded length (or replaces all of it by `earlier`) and adds `lines`.
fn write_at(path: &Path, recorded: u64, earlier: Option<&str>, lines: &str) -> io::Result<u64> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    match earlier {
        Some(earlier) => {
            file.set_len(0)?;
            file.write_all(earlier.as_bytes())?;
        }
        None => file.set_len(recorded)?,
    }
    let (first, rest) = lines.split_at(lines.floor_char_boundary(lines.len() / 2));
    if cfg!(feature = "failpoints") {
        // In two pieces, so that a test can die with half a line on disk.
        file.write_all(first.as_bytes())?;
        failpoint::hit("projection.half-line");
        file.write_all(rest.as_bytes())?;
    } else {
        file.write_all(lines.as_bytes())?;
    }
    failpoint::hit("projection.line");
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests;
