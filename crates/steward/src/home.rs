//! The home folder: where everything of this owner's is kept, made on first use, used by one process that
//! writes at a time.

use crate::environment::Environment;
use anyhow::Context;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// The convention files a new workspace begins with.
const WORKSPACE: [(&str, &str); 7] = [
    ("AGENTS.md", include_str!("../templates/workspace/AGENTS.md")),
    ("SOUL.md", include_str!("../templates/workspace/SOUL.md")),
    ("IDENTITY.md", include_str!("../templates/workspace/IDENTITY.md")),
    ("USER.md", include_str!("../templates/workspace/USER.md")),
    ("TOOLS.md", include_str!("../templates/workspace/TOOLS.md")),
    ("MEMORY.md", include_str!("../templates/workspace/MEMORY.md")),
    ("HEARTBEAT.md", include_str!("../templates/workspace/HEARTBEAT.md")),
];

/// Paths below the home.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    root: PathBuf,
}

impl Home {
    /// `STEWARD_HOME`, or `~/.steward`; made if it is not there.
    pub fn open(environment: &Environment) -> anyhow::Result<Self> {
        let root = match (environment.get("STEWARD_HOME"), environment.get("HOME")) {
            (Some(root), _) => PathBuf::from(root),
            (None, Some(home)) => Path::new(home).join(".steward"),
            (None, None) => {
                anyhow::bail!("neither STEWARD_HOME nor HOME is set: set STEWARD_HOME to a folder")
            }
        };
        let root = std::path::absolute(&root).with_context(|| format!("bad home {}", root.display()))?;
        let home = Self { root };
        make_private_folder(&home.root)?;
        make_private_folder(&home.data())?;
        Ok(home)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    pub fn env_file(&self) -> PathBuf {
        self.root.join(".env")
    }

    pub fn auth_file(&self) -> PathBuf {
        self.root.join("auth.json")
    }

    pub fn default_workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    pub fn database(&self) -> PathBuf {
        self.data().join("steward.db")
    }

    pub fn logs(&self) -> PathBuf {
        self.data().join("logs")
    }

    /// Waits until no other process writes to this home, and keeps others out until dropped.
    pub async fn lock(&self) -> anyhow::Result<HomeLock> {
        let path = self.data().join("lock");
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = open.with_context(|| format!("cannot open {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).ok();
                let holder = if holder.is_empty() { "another process" } else { holder.trim() };
                eprintln!(
                    "steward: {} is in use by {holder}; waiting for it to finish (Ctrl-C gives up)",
                    self.root.display()
                );
                let waiting = file.try_clone().context("cannot wait for the lock")?;
                tokio::task::spawn_blocking(move || waiting.lock())
                    .await?
                    .context("cannot wait for the lock")?;
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        // Who holds it is only a courtesy to those who wait.
        let noted = file.set_len(0).and_then(|()| file.rewind());
        noted.and_then(|()| write!(file, "process {}", std::process::id())).ok();
        Ok(HomeLock { _file: file })
    }
}

/// Holds the home; the lock ends with the process, however it ends.
pub(crate) struct HomeLock {
    _file: File,
}

/// Fills a workspace with the convention files it lacks. What is there is never touched.
pub(crate) fn seed_workspace(workspace: &Path) -> anyhow::Result<()> {
    make_private_folder(workspace)?;
    for (name, text) in WORKSPACE {
        create_once(&workspace.join(name), text)?;
    }
    Ok(())
}

/// Writes a file unless there is one.
pub(crate) fn create_once(path: &Path, text: &str) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made.and_then(|mut file| file.write_all(text.as_bytes())) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other.with_context(|| format!("cannot write {}", path.display())),
    }
}

fn make_private_folder(path: &Path) -> anyhow::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("cannot make the folder {}", path.display()))?;
    let metadata = fs::metadata(path).with_context(|| format!("cannot look at {}", path.display()))?;
    if metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))
            .with_context(|| format!("cannot make {} private", path.display()))?;
    }
    Ok(())
}
