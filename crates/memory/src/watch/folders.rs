//! Which folders the kernel is asked to look at, and whether what it tells matters to memory.

use crate::{
    kind::{DIRECTORY, LONG_TERM_FILE},
    settings::MemorySettings,
};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init},
    io::Errno,
};
use std::{
    collections::HashSet,
    fs,
    mem::MaybeUninit,
    path::{Path, PathBuf},
};

/// Folders looked at: as many as the kernel allows one user on a small machine. With more, each search looks itself.
const MAX_FOLDERS: usize = 8_192;

/// Room for what the kernel tells at once: some hundred changes. What does not fit comes with the next read.
const BUFFER_BYTES: usize = 16 * 1024;

/// What counts as a change of a folder or a file.
const CHANGES: WatchFlags = WatchFlags::CLOSE_WRITE
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ATTRIB);

/// The folders of one memory.
pub(super) struct Folders {
    workspace: PathBuf,
    /// With all that lies below them.
    roots: Vec<PathBuf>,
    /// How the kernel calls the workspace, where much happens that is none of memory's.
    workspace_watch: Option<i32>,
}

/// What was told.
pub(super) struct Told {
    /// Whether any of it matters to memory.
    pub matters: bool,
    /// Whether there may be other folders now.
    pub folders: bool,
}

/// What the kernel tells by.
pub(super) fn open() -> Result<OwnedFd, Errno> {
    init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
}

impl Folders {
    pub fn new(settings: &MemorySettings) -> Self {
        let mut roots = vec![settings.workspace.join(DIRECTORY)];
        roots.extend(settings.extra_paths.iter().cloned());
        roots.extend(settings.transcripts.clone());
        Self { workspace: settings.workspace.clone(), roots, workspace_watch: None }
    }

    /// Asks the kernel to look at all folders there are by now; asking twice does no harm. Tells whether it looks at
    /// all of them. What is missing is no gap if what it would appear in is looked at.
    pub fn watch(&mut self, events: &OwnedFd) -> bool {
        self.workspace_watch = add_watch(events, &self.workspace, CHANGES).ok();
        let mut complete = self.workspace_watch.is_some();
        let mut seen = HashSet::new();
        let mut folders: Vec<(PathBuf, bool)> = self.roots.iter().map(|root| (root.clone(), true)).collect();
        while let Some((path, is_root)) = folders.pop() {
            if seen.len() == MAX_FOLDERS {
                tracing::warn!(
                    "the memory has more folders than can be watched; each search looks at them instead"
                );
                return false;
            }
            // `memory` is no root the owner named: a link there leads nowhere.
            let named = is_root && path != self.workspace.join(DIRECTORY);
            let flags = if named { CHANGES } else { CHANGES | WatchFlags::DONT_FOLLOW };
            match add_watch(events, &path, flags) {
                Ok(_) if seen.insert(path.clone()) => folders.extend(below(&path).map(|path| (path, false))),
                Ok(_) => {}
                Err(Errno::NOENT) if !named => {}
                Err(error) => {
                    tracing::debug!(%error, path = %path.display(), "a folder of the memory is not watched");
                    complete = false;
                }
            }
        }
        complete
    }

    /// Takes in what the kernel tells.
    pub fn take_in(&self, events: &OwnedFd) -> Told {
        let mut buffer = [const { MaybeUninit::uninit() }; BUFFER_BYTES];
        let mut reader = Reader::new(events.as_fd(), &mut buffer);
        let mut told = Told { matters: false, folders: false };
        // Ends when nothing is left to read, or what is left cannot be read.
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
            if self.matters(event.wd(), event.events(), name.as_deref()) {
                told.matters = true;
                told.folders |= name.is_none() || event.events().contains(ReadFlags::ISDIR);
            }
        }
        told
    }

    fn matters(&self, watch: i32, events: ReadFlags, name: Option<&str>) -> bool {
        let Some(name) = name else {
            // A folder or file itself changed, or more happened than could be told.
            return !events.contains(ReadFlags::IGNORED);
        };
        if name.starts_with('.') {
            return false;
        }
        if Some(watch) == self.workspace_watch {
            return name == LONG_TERM_FILE || name == DIRECTORY;
        }
        events.contains(ReadFlags::ISDIR) || name.ends_with(".md") || name.ends_with(".jsonl")
    }
}

fn below(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let is_shown = |entry: &fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    entries
        .filter(move |entry| is_shown(entry) && entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
}
