//! What policy is asked about and what it answers: the call, what must be looked up for it, what was found,
//! and the judgement. Looking things up is for the driver.

use protocol::{Labels, Risk, Verdict};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// One call to be judged.
#[derive(Debug, Clone, Copy)]
pub struct CallInfo<'a> {
    /// The tool's dotted name.
    pub tool: &'a str,
    /// Its arguments, parsed.
    pub input: &'a serde_json::Value,
    /// What the tool says of itself.
    pub labels: Labels,
    /// Where it would run; absolute and real.
    pub cwd: &'a Path,
}

/// What the turn's context already holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taint {
    /// Text somebody else wrote.
    pub untrusted: bool,
    /// The owner's private data.
    pub private: bool,
}

/// What the driver must look up before `judge`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Paths to resolve, each once.
    pub paths: Vec<PathNeed>,
    /// Program names to find, each once.
    pub executables: Vec<String>,
}

/// One path to resolve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathNeed {
    /// Absolute but not resolved: it may hold `..` and symbolic links.
    pub path: PathBuf,
    /// What would be done there.
    pub access: Access,
}

/// What a call does with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// It is named, and nothing is known of what happens to it.
    Mention,
    /// Its content or listing is read.
    Read,
    /// It is created or changed.
    Write,
    /// It and all below it is changed or removed.
    Sweep,
}

/// What the driver found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// By the path of the need.
    pub paths: BTreeMap<PathBuf, PathFact>,
    /// By the name in the needs.
    pub executables: BTreeMap<String, ExecutableFact>,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFact {
    /// It leads here.
    Resolved(Resolved),
    /// It cannot be told, for this reason.
    Unresolvable(String),
}

/// A path with every symbolic link followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The real path; where the last parts do not exist, the real path of what does, plus those parts.
    pub path: PathBuf,
    /// Whether it exists.
    pub exists: bool,
    /// Whether the last part of the asked path is itself a symbolic link.
    pub is_symlink: bool,
    /// Whether it is a folder.
    pub is_dir: bool,
}

/// Which program a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecutableFact {
    /// This file.
    Found {
        /// Its real path.
        path: PathBuf,
        /// Whether it belongs to the system: owned by root and writable by nobody else.
        system: bool,
    },
    /// None.
    NotFound,
}

/// Policy's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// May it run?
    pub verdict: Verdict,
    /// How dangerous it is, whatever the verdict.
    pub risk: Risk,
    /// What it would do, in one line, not yet escaped for a screen.
    pub summary: String,
    /// All that was noticed, in plain words.
    pub notes: Vec<String>,
    /// Whether every part of it was understood.
    pub understood: bool,
}
