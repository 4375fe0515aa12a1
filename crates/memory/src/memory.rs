//! `Memory`: the handle, what it holds open, and appending to the files.

use crate::{
    error::MemoryError,
    folder::Folder,
    index::Index,
    kind::{DIRECTORY, LONG_TERM_FILE, Target},
    matrix::Matrix,
    settings::MemorySettings,
    vectors::Vectors,
    watch::Attendance,
};
use jiff::civil::Date;
use rustix::fs::OFlags;
use std::{
    fs::File,
    io::Write as _,
    os::unix::fs::FileExt as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Bytes of one note: a long article, and no more than a person would read.
pub const MAX_CONTENT_BYTES: usize = 256 * 1024;

/// How long what a search left in memory is kept for the next: a conversation's pause, not a night.
pub const IDLE_AFTER: Duration = Duration::from_secs(5 * 60);

/// The memory in one workspace. A clone is the same memory.
#[derive(Clone)]
pub struct Memory {
    shared: Arc<Shared>,
}

struct Shared {
    settings: MemorySettings,
    vectors: Arc<dyn Vectors>,
    /// Held while a file is changed: what stands there decides what is written, and whether it is.
    writing: Mutex<()>,
    /// What changes the index. Held for one file or one batch of vectors at a time.
    writer: Mutex<Option<Index>>,
    /// What searches it, so that no search waits for a file that is being indexed.
    reader: Mutex<Option<Reader>>,
    /// Whether the files may hold what the index does not.
    dirty: AtomicBool,
    /// Who tells when a file changes, and lets go of what is not used. Without one, each search looks.
    attendance: Mutex<Option<Arc<Attendance>>>,
}

/// What a search holds open.
pub(crate) struct Reader {
    pub index: Index,
    pub matrix: Option<Matrix>,
    used: Instant,
}

impl Memory {
    /// The memory of these settings, of which nothing need exist yet. Touches nothing.
    pub fn new(settings: MemorySettings, vectors: Arc<dyn Vectors>) -> Self {
        Self {
            shared: Arc::new(Shared {
                settings,
                vectors,
                writing: Mutex::new(()),
                writer: Mutex::new(None),
                reader: Mutex::new(None),
                dirty: AtomicBool::new(true),
                attendance: Mutex::new(None),
            }),
        }
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
            Target::LongTerm => (LONG_TERM_FILE.to_owned(), String::new()),
            Target::Daily => (format!("{DIRECTORY}/{today}.md"), format!("# {today}\n\n")),
        };
        let _writing = self.writing();
        let folder = self.folder()?;
        if target == Target::Daily {
            folder.make_directory(DIRECTORY)?;
        }
        let file = folder.file(&path, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)?;
        let was_empty = append(file, &heading, content).map_err(|error| MemoryError::io(&path, error))?;
        self.mark_dirty();
        if was_empty {
            folder.sync(if target == Target::Daily { DIRECTORY } else { "." })?;
        }
        Ok(path)
    }

    /// Lets go of what searches left in memory if the last is long enough ago. Otherwise tells how long to wait before
    /// asking again; nothing if there is nothing to let go of.
    pub fn idle(&self) -> Option<Duration> {
        let mut reader = lock(&self.shared.reader);
        let unused = reader.as_ref()?.used.elapsed();
        if unused < IDLE_AFTER {
            return Some(IDLE_AFTER - unused);
        }
        *reader = None;
        self.close_writer();
        None
    }

    pub(crate) fn settings(&self) -> &MemorySettings {
        &self.shared.settings
    }

    pub(crate) fn vectors(&self) -> &dyn Vectors {
        self.shared.vectors.as_ref()
    }

    pub(crate) fn folder(&self) -> Result<Folder, MemoryError> {
        Folder::open(&self.shared.settings.workspace)
    }

    /// Keeps other writers out until dropped.
    pub(crate) fn writing(&self) -> MutexGuard<'_, ()> {
        lock(&self.shared.writing)
    }

    /// The files may hold what the index does not.
    pub(crate) fn mark_dirty(&self) {
        self.shared.dirty.store(true, Ordering::SeqCst);
    }

    /// From here on the index is taken to hold what the files hold.
    pub(crate) fn mark_clean(&self) {
        self.shared.dirty.store(false, Ordering::SeqCst);
    }

    pub(crate) fn is_dirty(&self) -> bool {
        self.shared.dirty.load(Ordering::SeqCst)
    }

    /// Whether the files may hold what the index does not, as far as is known without looking at them.
    pub(crate) fn needs_sync(&self) -> bool {
        let quiet = lock(&self.shared.attendance).as_ref().is_some_and(|attendance| attendance.is_quiet());
        self.is_dirty() || !quiet
    }

    /// Whether somebody works behind the scenes.
    pub(crate) fn is_attended(&self) -> bool {
        lock(&self.shared.attendance).is_some()
    }

    /// From here on somebody looks at the files and works behind the scenes.
    pub(crate) fn attend(&self, attendance: Arc<Attendance>) {
        *lock(&self.shared.attendance) = Some(attendance);
    }

    /// This one no longer does; another may have come meanwhile.
    pub(crate) fn leave(&self, attendance: &Arc<Attendance>) {
        lock(&self.shared.attendance).take_if(|present| Arc::ptr_eq(present, attendance));
    }

    /// Lets go of what changes the index. It is opened again when needed.
    pub(crate) fn close_writer(&self) {
        *lock(&self.shared.writer) = None;
    }

    /// Changes the index. One found broken is deleted; the error says so, and the caller begins again.
    pub(crate) fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Index) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let mut writer = lock(&self.shared.writer);
        let mut index = match writer.take().filter(Index::is_current) {
            Some(index) => index,
            None => self.open()?,
        };
        let done = work(&mut index);
        match &done {
            Err(error @ MemoryError::BrokenIndex(_)) => self.discard(index, error)?,
            _ => *writer = Some(index),
        }
        done
    }

    /// Asks the index, in the same way.
    pub(crate) fn with_reader<T>(
        &self,
        work: impl FnOnce(&mut Reader) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let mut held = lock(&self.shared.reader);
        let mut reader = match held.take().filter(|reader| reader.index.is_current()) {
            Some(reader) => reader,
            None => {
                let reader = Reader { index: self.open()?, matrix: None, used: Instant::now() };
                if let Some(attendance) = lock(&self.shared.attendance).as_ref() {
                    attendance.ring();
                }
                reader
            }
        };
        reader.used = Instant::now();
        let done = work(&mut reader);
        match &done {
            Err(error @ MemoryError::BrokenIndex(_)) => self.discard(reader.index, error)?,
            _ => *held = Some(reader),
        }
        done
    }

    /// Does something once more if the index was found broken and deleted.
    pub(crate) fn retrying<T>(
        &self,
        mut work: impl FnMut() -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        match work() {
            Err(MemoryError::BrokenIndex(_)) => work(),
            other => other,
        }
    }

    fn open(&self) -> Result<Index, MemoryError> {
        // Nobody saw what happened to the files while it was closed, and it may be empty.
        self.mark_dirty();
        Index::open(&self.shared.settings.index)
    }

    fn discard(&self, index: Index, error: &MemoryError) -> Result<(), MemoryError> {
        self.mark_dirty();
        index.discard(error)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Memory").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
