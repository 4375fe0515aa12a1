//! The home folder: where everything of this owner's is kept, made on first use, used by one process that
//! writes at a time.

use crate::environment::Environment;
use anyhow::Context;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Seek, Write},
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
        let home = Self::locate(environment)?;
        make_private_folder(&home.root)?;
        make_private_folder(&home.data())?;
        Ok(home)
    }

    /// The same, whether it is there or not.
    pub fn locate(environment: &Environment) -> anyhow::Result<Self> {
        let root = match (environment.get("STEWARD_HOME"), environment.get("HOME")) {
            (Some(root), _) => PathBuf::from(root),
            (None, Some(home)) => Path::new(home).join(".steward"),
            (None, None) => {
                anyhow::bail!("neither STEWARD_HOME nor HOME is set: set STEWARD_HOME to a folder")
            }
        };
        let root = std::path::absolute(&root).with_context(|| format!("bad home {}", root.display()))?;
        Ok(Self { root })
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

    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    pub fn database(&self) -> PathBuf {
        self.data().join("steward.db")
    }

    pub fn token_file(&self) -> PathBuf {
        self.data().join("token")
    }

    pub fn daemon_file(&self) -> PathBuf {
        self.data().join("daemon.json")
    }

    pub fn logs(&self) -> PathBuf {
        self.data().join("logs")
    }

    /// Keeps others out until dropped, unless another process writes to this home.
    pub fn try_lock(&self) -> anyhow::Result<Option<HomeLock>> {
        let file = self.open_lock()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(HomeLock::noted(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", self.root.display()))
            }
        }
    }

    /// Who uses this home, in words.
    pub fn in_use(&self) -> String {
        let holder = fs::read_to_string(self.lock_file()).unwrap_or_default();
        let holder = if holder.is_empty() { "another process" } else { holder.trim() };
        format!("steward: {} is in use by {holder}", self.root.display())
    }

    fn lock_file(&self) -> PathBuf {
        self.data().join("lock")
    }

    fn open_lock(&self) -> anyhow::Result<File> {
        let path = self.lock_file();
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        open.with_context(|| format!("cannot open {}", path.display()))
    }
}

/// Holds the home; the lock ends with the process, however it ends.
pub(crate) struct HomeLock {
    _file: File,
}

impl HomeLock {
    /// Notes who holds it, only as a courtesy to those who wait.
    fn noted(mut file: File) -> Self {
        let emptied = file.set_len(0).and_then(|()| file.rewind());
        emptied.and_then(|()| write!(file, "process {}", std::process::id())).ok();
        Self { _file: file }
    }
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
    match put(path, text, false) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.with_context(|| format!("cannot write {}", path.display())),
    }
}

/// Writes a file, or replaces it.
pub(crate) fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    put(path, text, true).with_context(|| format!("cannot write {}", path.display()))
}

/// Puts a whole file in its place at once: nobody ever reads half of it.
fn put(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    let beside = path.with_added_extension(format!("{}.new", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    let how = if replace { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
    let written =
        file.write_all(text.as_bytes()).and_then(|()| if replace { file.sync_all() } else { Ok(()) });
    let put = written.and_then(|()| Ok(renameat_with(CWD, &beside, CWD, path, how)?));
    if put.is_err() {
        // What is reported is why it was not put there; that the rest stays is the lesser evil.
        fs::remove_file(&beside).ok();
    }
    put
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
