//! What a command may touch: files, hosts, resources, environment, and how much isolation is demanded.
//!
//! Holds values only. `helper` turns them into mounts, rules and filters; whoever builds a profile decides it.

use crate::net::HostRule;
use serde::{Deserialize, Serialize};
use std::{
    fmt::Write as _,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

/// The limits of one command. Where two paths disagree, the more specific one wins; at the same path, hiding wins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The agent's own folder: writable, even where it lies below a hidden or private place.
    pub workspace: PathBuf,
    /// Further directories the command may change.
    pub writable: Vec<PathBuf>,
    /// Directories shown read-only although they lie below a hidden, private or writable place.
    pub readable_extra: Vec<PathBuf>,
    /// Files and directories that cannot be read, listed or looked into; see [`secret_paths`].
    pub hidden: Vec<PathBuf>,
    /// Where it may connect.
    pub network: Network,
    /// How much it may use.
    pub limits: Limits,
    /// The whole environment besides `PATH`, `TMPDIR` and the proxy's address; naming one of those replaces it.
    pub env: Vec<(String, String)>,
    /// How much isolation the caller insists on.
    pub isolation: Isolation,
}

/// Where a command may connect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// Nowhere: no socket can be made.
    None,
    /// To these hosts only, through the gateway's proxy.
    Hosts(Vec<HostRule>),
}

/// How much a command may use. Time, memory, open files and file size count per process; the rest per command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// Private writable memory. Address space is left alone: V8 and Go reserve far more than they use.
    pub memory_bytes: u64,
    /// Processes and threads at once.
    pub processes: u64,
    /// Open files.
    pub open_files: u64,
    /// The largest file it may write.
    pub file_bytes: u64,
    /// What `/tmp` and `/dev/shm` may each hold; they live in memory.
    pub tmp_bytes: u64,
}

impl Default for Limits {
    /// Enough for a build or a test run, too little to take the machine down.
    fn default() -> Self {
        Self {
            cpu_seconds: 3600,
            memory_bytes: 8 << 30,
            processes: 1024,
            open_files: 4096,
            file_bytes: 8 << 30,
            tmp_bytes: 1 << 30,
        }
    }
}

/// How much isolation the caller insists on when the kernel cannot give all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Isolation {
    /// Everything, or the command does not run.
    Full,
    /// Whatever this machine has; the caller has read [`crate::Degraded`] and accepts what is missing.
    Available,
    /// None: limits and environment only. Always an explicit choice.
    Off,
}

impl Profile {
    /// A profile that may change `workspace` only, hides nothing beyond the system's own secrets, and has no network.
    pub fn new(workspace: impl Into<PathBuf>) -> Self {
        Self {
            workspace: workspace.into(),
            writable: Vec::new(),
            readable_extra: Vec::new(),
            hidden: Vec::new(),
            network: Network::None,
            limits: Limits::default(),
            env: Vec::new(),
            isolation: Isolation::Full,
        }
    }

    /// The profile as text that is equal exactly when the profile means the same, for fingerprints.
    pub fn canonical(&self) -> String {
        let mut text = String::from("sandbox-profile 1\n");
        let mut line = |key: &str, value: &[u8]| {
            // Writing to a String cannot fail.
            writeln!(text, "{key}={}", value.escape_ascii()).unwrap_or_default();
        };
        line("workspace", self.workspace.as_os_str().as_bytes());
        for (key, paths) in
            [("writable", &self.writable), ("readable", &self.readable_extra), ("hidden", &self.hidden)]
        {
            let mut paths: Vec<&[u8]> = paths.iter().map(|path| path.as_os_str().as_bytes()).collect();
            paths.sort_unstable();
            paths.dedup();
            paths.into_iter().for_each(|path| line(key, path));
        }
        match &self.network {
            Network::None => line("network", b"none"),
            Network::Hosts(rules) => {
                line("network", b"hosts");
                let mut rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
                rules.sort_unstable();
                rules.dedup();
                rules.iter().for_each(|rule| line("host", rule.as_bytes()));
            }
        }
        let limits = &self.limits;
        for (key, value) in [
            ("cpu_seconds", limits.cpu_seconds),
            ("memory_bytes", limits.memory_bytes),
            ("processes", limits.processes),
            ("open_files", limits.open_files),
            ("file_bytes", limits.file_bytes),
            ("tmp_bytes", limits.tmp_bytes),
        ] {
            line(key, value.to_string().as_bytes());
        }
        // Order matters here: a later entry of the same name wins.
        for (name, value) in &self.env {
            line("env", name.as_bytes());
            line("is", value.as_bytes());
        }
        line("isolation", format!("{:?}", self.isolation).as_bytes());
        text
    }

    /// Every directory the command may change.
    pub fn writable_roots(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.workspace).chain(&self.writable)
    }

    /// The `PATH` commands are looked up on.
    pub fn search_path(&self) -> &str {
        let own = self.env.iter().rev().find(|(name, _)| name == "PATH");
        own.map_or(crate::FIXED_PATH, |(_, value)| value)
    }
}

/// Where an owner's credentials usually lie below `home`. Callers add Steward's own home.
pub fn secret_paths(home: &Path) -> Vec<PathBuf> {
    const BELOW_HOME: &[&str] = &[
        ".ssh",
        ".aws",
        ".azure",
        ".gnupg",
        ".kube",
        ".docker/config.json",
        ".config/gh",
        ".config/gcloud",
        ".config/hub",
        ".config/rclone",
        ".config/google-chrome",
        ".config/chromium",
        ".mozilla",
        ".netrc",
        ".git-credentials",
        ".config/git/credentials",
        ".cargo/credentials",
        ".cargo/credentials.toml",
        ".npmrc",
        ".yarnrc.yml",
        ".pypirc",
        ".config/pypoetry/auth.toml",
        ".pgpass",
        ".password-store",
        ".local/share/keyrings",
        ".claude",
        ".codex",
    ];
    BELOW_HOME.iter().map(|path| home.join(path)).collect()
}
