//! `data/daemon.json`: where the running daemon is. Whether one runs, only the home's lock can tell.

use crate::home::{self, Home};
use anyhow::Context;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::{fs, io};

/// What a daemon says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Daemon {
    pub pid: u32,
    /// Such as `http://127.0.0.1:18789`.
    pub address: String,
    pub started_at: Timestamp,
}

impl Daemon {
    /// Whether its process is there. One that is not has left its address to anybody.
    pub fn lives(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
        pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
    }

    /// Host and port, as sockets take them.
    pub fn host(&self) -> &str {
        self.address.strip_prefix("http://").unwrap_or(&self.address)
    }
}

/// Tells others where this process is reached.
pub(crate) fn announce(home: &Home, address: &str) -> anyhow::Result<()> {
    let daemon =
        Daemon { pid: std::process::id(), address: address.to_owned(), started_at: Timestamp::now() };
    home::replace(&home.daemon_file(), &format!("{}\n", serde_json::to_string(&daemon)?))
}

/// Takes back what this daemon, or one that did not end well, has told.
pub(crate) fn withdraw(home: &Home) -> anyhow::Result<()> {
    match fs::remove_file(home.daemon_file()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", home.daemon_file().display()))
        }
        _ => Ok(()),
    }
}

/// The daemon that runs, or the last one that did not end well. Callers found the home locked.
pub(crate) fn find(home: &Home) -> Option<Daemon> {
    let text = fs::read_to_string(home.daemon_file()).ok()?;
    serde_json::from_str(&text).inspect_err(|error| tracing::warn!(%error, "daemon.json makes no sense")).ok()
}
