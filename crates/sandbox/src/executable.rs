//! Finds programs on a fixed path, and keeps the approved bytes of a script or program so that exactly those run.
//!
//! Which files need approval is policy's business; where a copy appears inside the sandbox is fixed here, and
//! `helper::mounts` puts it there.

use crate::{
    control,
    resolve::{FileKind, Identity, resolve},
};
use rustix::{
    fd::{AsFd, BorrowedFd},
    fs::{Access, CWD, Mode, OFlags},
};
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

/// Where programs are looked for unless a profile says otherwise. Nothing of the owner's own `PATH` is taken over.
pub const FIXED_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Where approved copies lie inside the sandbox: in a directory only this command has, sealed before it starts.
pub(crate) const COPIES: &str = "/dev/approved";
/// The largest file that is copied. Larger programs are installed ones, which are named and not copied.
const MAX_COPY_BYTES: u64 = 256 << 20;
/// Where a distribution puts programs; only root writes there.
const SYSTEM_PLACES: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store", "/snap", "/opt"];

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// Its real path.
    pub path: PathBuf,
    /// Which file it is.
    pub identity: Identity,
    /// Whether the system installed it and only root can change it.
    pub system: bool,
}

/// The approved bytes of one file, in memory, unchangeable.
#[derive(Debug)]
pub struct ApprovedCopy {
    /// The path as it is written in the command.
    pub path: PathBuf,
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// The permission bits of the original.
    pub mode: u32,
    file: File,
}

/// Why a file could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It is not an ordinary file.
    #[error("`{0}` is not an ordinary file")]
    NotAFile(PathBuf),
    /// It is too large to keep in memory.
    #[error("`{0}` is larger than 256 MiB")]
    TooLarge(PathBuf),
    /// The kernel refused.
    #[error("cannot copy `{path}`")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

/// Finds `program` as the command would: by path if it has a slash, from `cwd`; else on `search_path`.
pub fn lookup(program: &str, search_path: &str, cwd: &Path) -> Option<Executable> {
    if program.contains('/') {
        return inspect(Path::new(program), cwd);
    }
    let places = search_path.split(':').filter(|place| place.starts_with('/'));
    places.map(|place| Path::new(place).join(program)).find_map(|path| inspect(&path, cwd))
}

fn inspect(path: &Path, cwd: &Path) -> Option<Executable> {
    let found = resolve(path, cwd).ok()?;
    let identity = found.identity.filter(|_| found.kind == Some(FileKind::File))?;
    rustix::fs::accessat(CWD, &found.real, Access::EXEC_OK, rustix::fs::AtFlags::EACCESS).ok()?;
    let stat = rustix::fs::stat(&found.real).ok()?;
    let placed = SYSTEM_PLACES.iter().any(|place| found.real.starts_with(place));
    let system = placed && stat.st_uid == 0 && stat.st_mode & 0o022 == 0;
    Some(Executable { path: found.real, identity, system })
}

impl ApprovedCopy {
    /// Copies the file now. `path` is kept as written; it is read from `cwd` if it is relative.
    pub fn take(path: &Path, cwd: &Path) -> Result<Self, CopyError> {
        let failed = |error: io::Error| CopyError::Io { path: path.to_owned(), source: error };
        // Without NONBLOCK, opening a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let source = rustix::fs::openat(CWD, cwd.join(path), flags, Mode::empty());
        let source = source.map_err(|error| failed(error.into()))?;
        let stat = rustix::fs::fstat(&source).map_err(|error| failed(error.into()))?;
        if FileKind::of(&stat) != FileKind::File {
            return Err(CopyError::NotAFile(path.to_owned()));
        }
        let mut file = control::memory_file("approved").map_err(failed)?;
        let (sha256, bytes) = copy_and_hash(source.into(), &mut file).map_err(failed)?;
        if bytes > MAX_COPY_BYTES {
            return Err(CopyError::TooLarge(path.to_owned()));
        }
        control::seal(&file).map_err(failed)?;
        Ok(Self { path: path.to_owned(), sha256, mode: stat.st_mode & 0o777, file })
    }

    /// The same bytes for another run; they are not copied again.
    pub fn try_clone(&self) -> io::Result<Self> {
        let file = self.file.try_clone()?;
        Ok(Self { path: self.path.clone(), sha256: self.sha256, mode: self.mode, file })
    }

    /// Where the copy with this place in [`crate::CommandSpec::approved`] lies inside the sandbox. The name is kept.
    /// A shell command that names the file by this path is safe even from someone renaming the original meanwhile.
    pub fn place(&self, number: usize) -> PathBuf {
        place_of_copy(number, &self.path)
    }
}

impl AsFd for ApprovedCopy {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

pub(crate) fn place_of_copy(number: usize, path: &Path) -> PathBuf {
    Path::new(COPIES).join(number.to_string()).join(path.file_name().unwrap_or("file".as_ref()))
}

fn copy_and_hash(source: File, copy: &mut File) -> io::Result<([u8; 32], u64)> {
    let mut source = source.take(MAX_COPY_BYTES + 1);
    let mut hash = Sha256::new();
    let mut total = 0;
    let mut part = vec![0; 64 * 1024];
    loop {
        let count = source.read(&mut part)?;
        if count == 0 {
            break;
        }
        hash.update(&part[..count]);
        copy.write_all(&part[..count])?;
        total += count as u64;
    }
    copy.rewind()?;
    Ok((hash.finalize().into(), total))
}
