//! Somebody who looks at the folders so that no search has to: waits for the kernel to tell of a change, lets the dust
//! settle, and brings the index up to date behind the scenes. At rest the thread sleeps and nothing ticks.

mod folders;

use crate::{error::MemoryError, memory::Memory};
use folders::Folders;
use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    fd::{AsFd, OwnedFd},
    io::Errno,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// How long nothing must happen before the files are read: whoever saves a file, or many, is then done.
const SETTLES_AFTER: Duration = Duration::from_millis(1_500);

/// How long to wait at most, for a file that is written to all the time.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// How long nothing must happen before vectors are made: a conversation under way has better use for the processor, and
/// the model is loaded once for all of it.
const EMBEDS_AFTER: Duration = Duration::from_secs(10);

/// How little this work matters beside everything else the machine does.
const NICENESS: i32 = 10;

/// The one who looks. Dropped, it stops looking.
pub struct Watcher {
    attendance: Arc<Attendance>,
    thread: Option<JoinHandle<()>>,
}

/// What the one who looks and those who search share.
pub(crate) struct Attendance {
    /// Rung to say that something is in use by now, or that it is over.
    bell: OwnedFd,
    /// Readable as soon as a file has changed, before anybody was told.
    events: OwnedFd,
    /// Whether all folders are looked at, and all that was told is known. The kernel may refuse to look at some.
    complete: AtomicBool,
    over: AtomicBool,
}

impl Memory {
    /// Begins to look at the folders, and to index behind the scenes what changed: the first time soon after this.
    pub fn watch(&self) -> Result<Watcher, MemoryError> {
        let failed = |error: std::io::Error| MemoryError::io(&self.settings().workspace, error);
        // What is not there cannot be looked at, and sessions come later than this.
        if let Some(transcripts) = &self.settings().transcripts {
            std::fs::create_dir_all(transcripts).map_err(failed)?;
        }
        let attendance = Arc::new(Attendance {
            bell: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
                .map_err(|it| failed(it.into()))?,
            events: folders::open().map_err(|error| failed(error.into()))?,
            complete: AtomicBool::new(true),
            over: AtomicBool::new(false),
        });
        let mut looking = Looking {
            folders: Folders::new(self.settings()),
            attendance: attendance.clone(),
            memory: self.clone(),
            changed: Some((Instant::now(), Instant::now())),
            read: None,
        };
        // Before anybody relies on it.
        looking.watch_folders();
        self.attend(attendance.clone());
        let thread = std::thread::Builder::new().name("memory".into()).spawn(move || looking.run());
        Ok(Watcher { attendance, thread: Some(thread.map_err(failed)?) })
    }
}

impl Watcher {
    /// Stops looking, and waits until what is under way is done: a file, or a batch of vectors.
    pub fn stop(mut self) {
        self.attendance.end();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that watches the memory had crashed");
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.attendance.end();
    }
}

impl Attendance {
    /// Wakes the one who looks.
    pub fn ring(&self) {
        // It can only be full, which wakes as well.
        rustix::io::write(&self.bell, &1_u64.to_ne_bytes()).ok();
    }

    /// Whether nothing has changed that was not yet told.
    pub fn is_quiet(&self) -> bool {
        self.complete.load(Ordering::SeqCst) && !self.is_over() && !self.has_news()
    }

    /// Whether the kernel has something to tell.
    fn has_news(&self) -> bool {
        let mut waiting = [PollFd::new(&self.events, PollFlags::IN)];
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut waiting, Some(&none)) != Ok(0)
    }

    fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
        self.ring();
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

/// The thread's own.
struct Looking {
    folders: Folders,
    attendance: Arc<Attendance>,
    memory: Memory,
    /// When the first and the last change came that are not yet in the index.
    changed: Option<(Instant, Instant)>,
    /// When files were last read for which vectors are still to be made.
    read: Option<Instant>,
}

impl Looking {
    fn run(mut self) {
        // Of this thread alone; if it is refused, the work is done all the same.
        rustix::process::setpriority_process(None, NICENESS).ok();
        while !self.attendance.is_over() {
            let due = match self.changed {
                Some((first, last)) => Some((last + SETTLES_AFTER).min(first + MAX_WAIT)),
                None => self.read.map(|read| read + EMBEDS_AFTER),
            };
            let wait =
                due.map(|due| due.saturating_duration_since(Instant::now())).or_else(|| self.memory.idle());
            if wait.is_some_and(|wait| wait.is_zero()) {
                self.work();
            } else {
                self.wait(wait);
            }
        }
        self.memory.leave(&self.attendance);
    }

    /// Until something happens, or for so long.
    fn wait(&mut self, most: Option<Duration>) {
        let most = most.map(|most| Timespec {
            tv_sec: i64::try_from(most.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: most.subsec_nanos().into(),
        });
        let Attendance { bell, events, .. } = &*self.attendance;
        let mut waiting =
            [PollFd::from_borrowed_fd(bell.as_fd(), PollFlags::IN), PollFd::new(events, PollFlags::IN)];
        match poll(&mut waiting, most.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                tracing::error!(%error, "the folders of the memory are no longer watched; each search looks instead");
                self.attendance.end();
            }
        }
        let (rung, told) = (!waiting[0].revents().is_empty(), !waiting[1].revents().is_empty());
        if rung {
            rustix::io::read(bell, &mut [0_u8; 8]).ok();
        }
        if told {
            self.take_in();
        }
    }

    fn take_in(&mut self) {
        // What is read here no longer shows, and a folder that is new is not yet looked at: whoever searches meanwhile
        // looks for itself.
        let complete = self.attendance.complete.swap(false, Ordering::SeqCst);
        let told = self.folders.take_in(&self.attendance.events);
        if told.matters {
            let now = Instant::now();
            self.changed = Some((self.changed.map_or(now, |(first, _)| first), now));
        }
        if told.folders {
            self.watch_folders();
        } else {
            if told.matters {
                self.memory.mark_dirty();
            }
            self.attendance.complete.store(complete, Ordering::SeqCst);
        }
    }

    /// Reads what changed; if nothing did, makes vectors of what was read.
    fn work(&mut self) {
        let outcome = match self.changed.take() {
            Some(_) => {
                self.watch_folders();
                self.read = Some(Instant::now());
                let attendance = self.attendance.clone();
                let mut go_on = |_| !attendance.is_over();
                self.memory.retrying(|| self.memory.sync_text(u64::MAX, &mut go_on)).map(|_| None)
            }
            None => {
                self.read = None;
                let attendance = self.attendance.clone();
                // What changes meanwhile is read first, and the rest is made after that.
                let mut go_on = |_| !attendance.is_over() && !attendance.has_news();
                self.memory.embed_pending(usize::MAX, &mut go_on).map(|embedded| embedded.failed)
            }
        };
        match outcome {
            Ok(None) => {}
            Ok(Some(why)) => tracing::debug!(why, "the memory is indexed by words only"),
            Err(error) => {
                tracing::warn!(%error, "the memory could not be indexed; the next change tries again")
            }
        }
        self.memory.close_writer();
    }

    fn watch_folders(&mut self) {
        let complete = self.folders.watch(&self.attendance.events);
        // What happened in a folder before it was looked at.
        self.memory.mark_dirty();
        self.attendance.complete.store(complete, Ordering::SeqCst);
    }
}
