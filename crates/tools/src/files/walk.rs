//! Walking a directory tree for `glob` and `grep`: what is ignored or hidden is passed over, no symlink is followed.
//!
//! What is done with a file found is the caller's; opening one goes through `place` again.

use super::place::Grounds;
use ignore::WalkBuilder;
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Entries looked at before giving up: a home directory's worth.
const MAX_ENTRIES: usize = 1_000_000;

/// Tells long work to stop: when its call was dropped, or its time is over.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    dropped: Arc<AtomicBool>,
    deadline: Instant,
}

/// Held by the call; dropping it stops the work.
pub(super) struct StopOnDrop(Arc<AtomicBool>);

impl Stop {
    pub(super) fn after(timeout_ms: u64) -> (Self, StopOnDrop) {
        let dropped = Arc::new(AtomicBool::new(false));
        let deadline = Instant::now() + Duration::from_millis(timeout_ms);
        (Self { dropped: dropped.clone(), deadline }, StopOnDrop(dropped))
    }

    pub(super) fn now(&self) -> bool {
        self.dropped.load(Ordering::Relaxed) || Instant::now() > self.deadline
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Hands every file below `top` to `found`, sorted by name, until it says stop. Returns whether all were seen.
pub(super) fn walk(
    grounds: &Arc<Grounds>,
    top: &Path,
    stop: &Stop,
    mut found: impl FnMut(&Path) -> bool,
) -> bool {
    let judge = grounds.clone();
    let walker = WalkBuilder::new(top)
        .hidden(false)
        // Ignore files above the tree are not this tree's, and reading them would leave it.
        .parents(false)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| entry.file_name() != ".git" && judge.passable(entry.path()))
        .build();
    for (seen, entry) in walker.enumerate() {
        if seen >= MAX_ENTRIES || stop.now() {
            return false;
        }
        // What cannot be read is passed over, as a person looking through would.
        let Ok(entry) = entry else { continue };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && !found(entry.path()) {
            return false;
        }
    }
    true
}

/// The directory or file a search starts at.
pub(super) fn top(grounds: &Grounds, path: Option<&str>) -> Result<PathBuf, String> {
    let place = grounds.readable(path.unwrap_or("."))?;
    match place.kind {
        Some(_) => Ok(place.real),
        None => Err(format!("There is no `{}`.", place.shown)),
    }
}
