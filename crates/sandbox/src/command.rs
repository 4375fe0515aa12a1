//! What runs, and what came of it.
//!
//! Holds values only; `spawn` starts a command and `running` follows it.

use crate::{capture::Captured, executable::ApprovedCopy, resolve::Identity};
use std::{path::PathBuf, time::Duration};

/// One command to run.
#[derive(Debug)]
pub struct CommandSpec {
    /// The program and its arguments. A program without a slash is looked up on the profile's `PATH`.
    pub argv: Vec<String>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// When given, the command runs only if `cwd` is still this very directory.
    pub cwd_identity: Option<Identity>,
    /// What it reads.
    pub stdin: Stdin,
    /// Where it writes.
    pub output: Output,
    /// After this long everything it started is killed; `None` lets it run until it ends or is killed.
    pub timeout: Option<Duration>,
    /// How much of its output is kept.
    pub caps: OutputCaps,
    /// Files whose approved bytes the command gets, whatever has become of the originals. An argument spelled exactly
    /// as a copy's path is replaced by the copy's place; the copy also covers the original's path.
    pub approved: Vec<ApprovedCopy>,
    /// No program is started: what the helper's binary was told to do itself ([`crate::helper::main`]) is given these
    /// words. It finds no file at all, which also makes it cheaper.
    pub own: bool,
}

/// What a command reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    Null,
    /// What is written to [`crate::Running::stdin`].
    Piped,
}

/// Where a command writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Both streams into one pipe, in the order written.
    Merged,
    /// Standard output is followed, standard error is dropped: for programs that speak frames.
    StdoutOnly,
    /// A terminal of its own; input goes there too.
    Terminal {
        /// Lines.
        rows: u16,
        /// Characters in a line.
        columns: u16,
    },
}

/// How much output is kept: the first bytes and the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputCaps {
    /// Bytes kept from the start.
    pub head_bytes: usize,
    /// Bytes kept from the end.
    pub tail_bytes: usize,
}

impl Default for OutputCaps {
    /// 100 kB in all: what a model can still read with profit.
    fn default() -> Self {
        Self { head_bytes: 50_000, tail_bytes: 50_000 }
    }
}

impl CommandSpec {
    /// A command with no input, merged output, the usual caps and two minutes.
    pub fn new(argv: impl IntoIterator<Item = impl Into<String>>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            cwd_identity: None,
            stdin: Stdin::Null,
            output: Output::Merged,
            timeout: Some(Duration::from_secs(120)),
            caps: OutputCaps::default(),
            approved: Vec::new(),
            own: false,
        }
    }
}

/// A command that has ended, with everything it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its exit code, unless a signal ended it.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote.
    pub output: Captured,
    /// It was killed because its time was over.
    pub timed_out: bool,
    /// It was killed because the caller asked.
    pub killed: bool,
    /// Hosts it tried to reach and was refused, as `host:port` with the reason.
    pub refused: Vec<String>,
}
