//! What the owner configured, already read and checked for shape. Where it came from is for `steward`.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Everything policy is told before the first call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySettings {
    /// What happens where no rule speaks.
    pub preset: Preset,
    /// The owner's rules.
    pub rules: RuleSettings,
    /// Commands that may run unasked under `sandboxed`.
    pub allowed_commands: Vec<String>,
    /// Commands that, even when allowed, ask once they are recursive or reach outside.
    pub extra_validation: Vec<String>,
    /// The folders that matter.
    pub places: Places,
    /// Whether the kernel sandbox works here. Without it `sandboxed` behaves as `guarded`.
    pub sandbox_available: bool,
}

/// The owner's rules, as written. Deny beats ask beats allow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSettings {
    /// Calls that run unasked while the turn holds nothing untrusted.
    pub allow: Vec<String>,
    /// Calls that always ask.
    pub ask: Vec<String>,
    /// Calls that never run.
    pub deny: Vec<String>,
    /// Standing grants: like `allow`, and they hold even after untrusted content came in.
    pub grants: Vec<String>,
}

/// The folders that matter. Each is absolute and real (symbolic links already resolved).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The agent's own folder: it may read and write here.
    pub workspace: PathBuf,
    /// The owner's home, for `~`.
    pub home: PathBuf,
    /// Steward's own home; everything in it but the workspace is out of reach.
    pub steward_home: PathBuf,
    /// Further folders that may be read.
    pub read_dirs: Vec<PathBuf>,
    /// Further folders that may be read and written.
    pub write_dirs: Vec<PathBuf>,
}

/// What happens where no rule speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Every shell command, every change and every outside effect asks.
    #[default]
    Guarded,
    /// Commands that are understood, allow-listed and path-checked run in the kernel sandbox unasked.
    Sandboxed,
    /// Everything that acts is denied.
    Readonly,
}

impl Preset {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Guarded => "guarded",
            Preset::Sandboxed => "sandboxed",
            Preset::Readonly => "readonly",
        }
    }
}

/// The commands `sandboxed` lets run when the owner names none: they read, or change files named on the line.
pub const DEFAULT_ALLOWED_COMMANDS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "grep",
    "rg",
    "sort",
    "uniq",
    "cut",
    "tr",
    "diff",
    "cmp",
    "file",
    "stat",
    "du",
    "df",
    "pwd",
    "cd",
    "echo",
    "printf",
    "date",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "find",
    "tree",
    "git",
    "mkdir",
    "rmdir",
    "touch",
    "cp",
    "mv",
    "rm",
    "tee",
    "sed",
    "awk",
    "jq",
    "test",
    "true",
    "false",
    ":",
    "which",
    "type",
    "sleep",
    "seq",
    "md5sum",
    "sha256sum",
    "uname",
    "whoami",
    "id",
    "tar",
    "unzip",
    "gzip",
    "gunzip",
];

/// The commands that get a second look when the owner names none.
pub const DEFAULT_EXTRA_VALIDATION: &[&str] = &["rm", "rmdir", "kill", "pkill", "chmod", "curl"];
