//! Opening and writing files below a directory, so that nothing leads out of it, however it is renamed meanwhile.
//!
//! Which directories these are is the caller's business.

use crate::resolve::{FileKind, stat_name};
use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags},
    io::Errno,
};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write as _},
    path::{Component, Path, PathBuf},
};

/// Names tried for a new file before giving up; each is random.
const NAME_ATTEMPTS: usize = 8;

/// A directory that everything stays in.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    fd: OwnedFd,
}

/// Why a file below a root could not be used.
#[derive(Debug, thiserror::Error)]
pub enum BeneathError {
    /// The path, or a symlink on it, leads out.
    #[error("`{0}` leads out of the directory")]
    Outside(PathBuf),
    /// It is a symlink where a file is to be written; resolve it first and name what it leads to.
    #[error("`{0}` is a symlink")]
    Symlink(PathBuf),
    /// It is a device, pipe, socket or directory.
    #[error("`{0}` is not an ordinary file")]
    NotAFile(PathBuf),
    /// The kernel refused.
    #[error("cannot use `{path}`")]
    Io {
        /// Which path.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

impl Root {
    /// Opens the directory that everything is to stay in.
    pub fn open(path: &Path) -> Result<Self, BeneathError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_owned(), fd })
    }

    /// Opens an ordinary file below the root for reading. `path` is relative, or absolute and below the root.
    pub fn open_file(&self, path: &Path) -> Result<File, BeneathError> {
        self.open_beneath(path, OFlags::RDONLY)
    }

    /// Opens an ordinary file below the root with the given flags; symlinks are followed as long as they stay inside.
    pub fn open_beneath(&self, path: &Path, flags: OFlags) -> Result<File, BeneathError> {
        let inner = self.inner(path)?;
        // Without NONBLOCK, opening a pipe would wait for its other end.
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
        let mode = if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(0o644) } else { Mode::empty() };
        let fd = self.openat2(&self.fd, inner, flags, mode, path)?;
        let stat = rustix::fs::fstat(&fd).map_err(|error| failed(path, error))?;
        if FileKind::of(&stat) != FileKind::File {
            return Err(BeneathError::NotAFile(path.to_owned()));
        }
        Ok(fd.into())
    }

    /// Opens a directory below the root, or the root itself for an empty path.
    pub fn open_directory(&self, path: &Path) -> Result<OwnedFd, BeneathError> {
        let inner = self.inner(path)?;
        let inner = if inner.as_os_str().is_empty() { Path::new(".") } else { inner };
        self.openat2(&self.fd, inner, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty(), path)
    }

    /// Makes a directory and those it lies in.
    pub fn create_directories(&self, path: &Path) -> Result<OwnedFd, BeneathError> {
        let mut here = self.open_directory(Path::new(""))?;
        for component in self.inner(path)?.components() {
            let Component::Normal(name) = component else {
                return Err(BeneathError::Outside(path.to_owned()));
            };
            match rustix::fs::mkdirat(&here, name, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(failed(path, error)),
            }
            // A symlink is refused here: beneath one step up it could lead sideways out of the root.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            here = rustix::fs::openat(&here, name, flags, Mode::empty()).map_err(|error| match error {
                Errno::LOOP | Errno::NOTDIR => BeneathError::Symlink(path.to_owned()),
                error => failed(path, error),
            })?;
        }
        Ok(here)
    }

    /// Writes a whole file so that readers find the old or the new content, never a part, and a crash keeps one of
    /// them. An existing file keeps its mode. Directories on the way must exist.
    pub fn write_atomic(&self, path: &Path, content: &[u8]) -> Result<(), BeneathError> {
        let inner = self.inner(path)?;
        let name = inner.file_name().ok_or_else(|| BeneathError::NotAFile(path.to_owned()))?;
        let parent = self.open_directory(inner.parent().unwrap_or(Path::new("")))?;
        let old = stat_name(&parent, name).map_err(|error| failed(path, error))?;
        let mode = match &old {
            None => Mode::from_raw_mode(0o644),
            Some(stat) if FileKind::of(stat) == FileKind::File => Mode::from_raw_mode(stat.st_mode & 0o777),
            Some(stat) if rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink() => {
                return Err(BeneathError::Symlink(path.to_owned()));
            }
            Some(_) => return Err(BeneathError::NotAFile(path.to_owned())),
        };
        let (temporary, file) = new_file(&parent, name).map_err(|error| failed(path, error))?;
        let written = fill(file, mode, content)
            .and_then(|()| Ok(rustix::fs::renameat(&parent, &temporary, &parent, name)?))
            .and_then(|()| Ok(rustix::fs::fsync(&parent)?));
        written.map_err(|error| {
            // The first error is the one worth telling; the temporary file may be gone already.
            rustix::fs::unlinkat(&parent, &temporary, AtFlags::empty()).unwrap_or_default();
            failed(path, error)
        })
    }

    /// The part of `path` below the root.
    fn inner<'a>(&self, path: &'a Path) -> Result<&'a Path, BeneathError> {
        if path.is_relative() {
            return Ok(path);
        }
        path.strip_prefix(&self.path).map_err(|_| BeneathError::Outside(path.to_owned()))
    }

    fn openat2(
        &self,
        from: &OwnedFd,
        inner: &Path,
        flags: OFlags,
        mode: Mode,
        path: &Path,
    ) -> Result<OwnedFd, BeneathError> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        loop {
            match rustix::fs::openat2(from, inner, flags | OFlags::CLOEXEC, mode, resolve) {
                // The kernel saw a rename meanwhile and could not be sure.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::XDEV) => return Err(BeneathError::Outside(path.to_owned())),
                Err(Errno::NXIO | Errno::NODEV) => return Err(BeneathError::NotAFile(path.to_owned())),
                other => return other.map_err(|error| failed(path, error)),
            }
        }
    }
}

fn new_file(parent: &OwnedFd, name: &OsStr) -> io::Result<(PathBuf, File)> {
    // A name may already be as long as names can be.
    let shown: String = name.to_string_lossy().chars().take(40).collect();
    for _ in 0..NAME_ATTEMPTS {
        let temporary = PathBuf::from(format!(".{shown}.{:016x}.tmp", rand::random::<u64>()));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(parent, &temporary, flags, Mode::from_raw_mode(0o600)) {
            Ok(fd) => return Ok((temporary, fd.into())),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EXIST.into())
}

fn fill(mut file: File, mode: Mode, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    rustix::fs::fchmod(&file, mode)?;
    file.sync_all()
}

fn failed(path: &Path, error: impl Into<io::Error>) -> BeneathError {
    BeneathError::Io { path: path.to_owned(), source: error.into() }
}
