//! Finds out where a path really leads, one directory handle at a time.
//!
//! Answers a question about now; policy judges the answer. What must still hold later is checked again by whoever
//! acts, by [`Identity`] or by opening beneath a [`crate::Root`].

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Component, Path, PathBuf},
};

/// Symlinks followed before giving up, as the kernel does.
const MAX_SYMLINKS: usize = 40;
/// What `fstatfs` calls a `/proc`.
const PROC_MAGIC: i64 = 0x9fa0;

/// Where a path really leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The absolute path without symlinks, `.` or `..`. Where nothing exists, the rest is taken as written.
    pub real: PathBuf,
    /// Whether something is there.
    pub exists: bool,
    /// Whether a symlink was followed on the way.
    pub crossed_symlink: bool,
    /// What is there.
    pub kind: Option<FileKind>,
    /// Which file it is, by any name.
    pub identity: Option<Identity>,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// An ordinary file.
    File,
    /// A directory.
    Directory,
    /// A device, pipe or socket.
    Special,
}

/// A file or directory by number, which a rename does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
}

/// Why a path could not be resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The path is relative and so is the base.
    #[error("`{0}` is not an absolute path")]
    NotAbsolute(PathBuf),
    /// It goes round in circles.
    #[error("`{0}` crosses too many symlinks")]
    TooManySymlinks(PathBuf),
    /// A link in `/proc` leads somewhere its text does not say.
    #[error("`{0}` leads through a link in /proc")]
    MagicLink(PathBuf),
    /// The kernel refused a step.
    #[error("cannot look at `{path}`")]
    Io {
        /// How far it got.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

impl Identity {
    /// Which file this is.
    pub fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::from(&rustix::fs::fstat(file)?))
    }
}

impl From<&Stat> for Identity {
    fn from(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

impl FileKind {
    pub(crate) fn of(stat: &Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            _ => Self::Special,
        }
    }
}

/// Resolves `path`, from `base` if it is relative. The last component is followed too.
pub fn resolve(path: &Path, base: &Path) -> Result<Resolved, ResolveError> {
    let whole = base.join(path);
    if !whole.is_absolute() {
        return Err(ResolveError::NotAbsolute(whole));
    }
    let mut walk = Walk { whole: whole.clone(), ..Walk::at_root()? };
    walk.push(&whole);
    walk.run()
}

/// A walk under way: the directories passed, the names still to go.
struct Walk {
    whole: PathBuf,
    passed: Vec<(OsString, OwnedFd)>,
    root: OwnedFd,
    ahead: VecDeque<OsString>,
    symlinks: usize,
}

impl Walk {
    fn at_root() -> Result<Self, ResolveError> {
        let root = rustix::fs::openat(CWD, "/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        let root = root.map_err(|error| ResolveError::Io { path: "/".into(), source: error.into() })?;
        Ok(Self { whole: PathBuf::new(), passed: Vec::new(), root, ahead: VecDeque::new(), symlinks: 0 })
    }

    /// Puts the components of `path` ahead of everything else.
    fn push(&mut self, path: &Path) {
        for component in path.components().rev() {
            match component {
                Component::Normal(name) => self.ahead.push_front(name.to_owned()),
                Component::ParentDir => self.ahead.push_front("..".into()),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        if path.is_absolute() {
            self.passed.clear();
        }
    }

    fn here(&self) -> &OwnedFd {
        self.passed.last().map_or(&self.root, |(_, fd)| fd)
    }

    fn real(&self) -> PathBuf {
        std::iter::once(OsStr::new("/")).chain(self.passed.iter().map(|(name, _)| name.as_os_str())).collect()
    }

    fn failed(&self, error: impl Into<io::Error>) -> ResolveError {
        ResolveError::Io { path: self.real(), source: error.into() }
    }

    fn run(mut self) -> Result<Resolved, ResolveError> {
        while let Some(name) = self.ahead.pop_front() {
            if name == ".." {
                self.passed.pop();
                continue;
            }
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let next = match rustix::fs::openat(self.here(), &name, flags, Mode::empty()) {
                Ok(next) => next,
                Err(Errno::NOENT | Errno::NOTDIR) => return Ok(self.missing(name)),
                Err(error) => return Err(self.failed(error)),
            };
            let stat = rustix::fs::fstat(&next).map_err(|error| self.failed(error))?;
            if !FileType::from_raw_mode(stat.st_mode).is_symlink() {
                self.passed.push((name, next));
                continue;
            }
            self.follow(&next)?;
        }
        let stat = rustix::fs::fstat(self.here()).map_err(|error| self.failed(error))?;
        Ok(Resolved {
            real: self.real(),
            exists: true,
            crossed_symlink: self.symlinks > 0,
            kind: Some(FileKind::of(&stat)),
            identity: Some(Identity::from(&stat)),
        })
    }

    fn follow(&mut self, link: &OwnedFd) -> Result<(), ResolveError> {
        self.symlinks += 1;
        if self.symlinks > MAX_SYMLINKS {
            return Err(ResolveError::TooManySymlinks(self.whole.clone()));
        }
        let system = rustix::fs::fstatfs(link).map_err(|error| self.failed(error))?;
        if system.f_type as i64 == PROC_MAGIC {
            return Err(ResolveError::MagicLink(self.whole.clone()));
        }
        let target = rustix::fs::readlinkat(link, c"", Vec::new()).map_err(|error| self.failed(error))?;
        self.push(Path::new(OsStr::from_bytes(target.as_bytes())));
        Ok(())
    }

    /// What is not there yet: the rest as written, `..` taken back by name.
    fn missing(self, name: OsString) -> Resolved {
        let mut real = self.real();
        for name in std::iter::once(name).chain(self.ahead) {
            if name == ".." {
                real.pop()
            } else {
                real.push(&name);
                true
            };
        }
        Resolved { real, exists: false, crossed_symlink: self.symlinks > 0, kind: None, identity: None }
    }
}

/// The metadata of a name in a directory, without following it.
pub(crate) fn stat_name(directory: impl AsFd, name: &OsStr) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
