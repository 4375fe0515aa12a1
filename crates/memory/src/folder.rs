//! A folder by directory handle: opening, making and listing what lies in it, following no symlink.

use crate::error::MemoryError;
use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat},
    io::Errno,
};
use std::{fs::File, io::Write as _, path::Path};

/// Entries looked at in one listing: far more than anybody writes, and still listed in well under a second.
const MAX_ENTRIES: usize = 20_000;

/// The workspace, or another folder of the owner's. The path to it may cross symlinks, which are the owner's; what lies in it may not.
pub(crate) struct Folder {
    fd: OwnedFd,
}

/// A file that was found.
pub(crate) struct Found {
    /// Relative to the folder.
    pub path: String,
    pub stamp: Stamp,
}

/// What changes when a file does, as far as can be told without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// When anything about it last changed, its name included; nobody can set it back.
    pub changed: i64,
}

impl Folder {
    pub fn open(path: &Path) -> Result<Self, MemoryError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(CWD, path, flags, Mode::empty());
        Ok(Self { fd: fd.map_err(|error| MemoryError::io(path, error))? })
    }

    /// Opens an ordinary file.
    pub fn file(&self, path: &str, flags: OFlags) -> Result<File, MemoryError> {
        // Without NONBLOCK, opening a pipe would wait for its other end.
        let fd = self.beneath(path, flags | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        let stat = rustix::fs::fstat(&fd).map_err(|error| MemoryError::io(path, error))?;
        if !FileType::from_raw_mode(stat.st_mode).is_file() {
            return Err(MemoryError::NotAFile(path.into()));
        }
        Ok(fd.into())
    }

    /// Makes a directory if it is missing. What else may stand there shows when something in it is opened.
    pub fn make_directory(&self, path: &str) -> Result<(), MemoryError> {
        match rustix::fs::mkdirat(&self.fd, path, Mode::from_raw_mode(0o755)) {
            Ok(()) => self.sync("."),
            Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(MemoryError::io(path, error)),
        }
    }

    /// Makes new names in a directory outlast a power cut.
    pub fn sync(&self, path: &str) -> Result<(), MemoryError> {
        let directory = self.beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        rustix::fs::fsync(&directory).map_err(|error| MemoryError::io(path, error))
    }

    /// Puts a file in the place of one that is there, whole and on the disk, or leaves everything as it was.
    pub fn replace(&self, path: &str, bytes: &[u8], mode: Mode) -> Result<(), MemoryError> {
        let failed = |error: std::io::Error| MemoryError::io(path, error);
        let (directory, name) = path.rsplit_once('/').unwrap_or((".", path));
        let beside = format!(".{name}.{}.new", std::process::id());
        let directory = self.beneath(directory, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let new = rustix::fs::openat(&directory, &beside, flags, Mode::from_raw_mode(0o600));
        let mut new = File::from(new.map_err(|error| failed(error.into()))?);
        let put = (|| {
            new.write_all(bytes)?;
            rustix::fs::fchmod(&new, mode)?;
            new.sync_all()?;
            rustix::fs::renameat(&directory, &beside, &directory, name)?;
            Ok(())
        })();
        if put.is_err() {
            // What is reported is why it was not put there; that the rest stays is the lesser evil.
            rustix::fs::unlinkat(&directory, &beside, AtFlags::empty()).ok();
        }
        put.map_err(failed)?;
        rustix::fs::fsync(&directory).map_err(|error| failed(error.into()))
    }

    /// The ordinary file of this name, if there is one.
    pub fn find(&self, path: &str) -> Option<Found> {
        let stat = rustix::fs::statat(&self.fd, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        found(path.to_owned(), &stat)
    }

    /// The files below a directory whose names end so, in no order. Symlinks, hidden names and names that are not UTF-8 are
    /// passed over; so is, with a line in the log, what cannot be read.
    pub fn list(&self, directory: &str, ending: &str) -> Vec<Found> {
        let (mut files, mut directories) = (Vec::new(), vec![directory.to_owned()]);
        let mut entries_left = MAX_ENTRIES;
        while let Some(directory) = directories.pop() {
            let read = self.read_directory(&directory, &mut entries_left, &mut files, &mut directories);
            if let Err(error) = read.or_else(|error| if error.is_missing() { Ok(()) } else { Err(error) }) {
                tracing::warn!(%error, directory, "a folder of the memory is left out");
            }
        }
        files.retain(|file| file.path.ends_with(ending));
        files
    }

    fn read_directory(
        &self,
        directory: &str,
        entries_left: &mut usize,
        files: &mut Vec<Found>,
        directories: &mut Vec<String>,
    ) -> Result<(), MemoryError> {
        let failed = |error: Errno| MemoryError::io(directory, error);
        let fd = self.beneath(directory, OFlags::RDONLY | OFlags::DIRECTORY)?;
        for entry in Dir::read_from(&fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Some(left) = entries_left.checked_sub(1) else { break };
            *entries_left = left;
            let Some(name) = entry.file_name().to_str().ok().filter(|name| !name.starts_with('.')) else {
                continue;
            };
            let Ok(stat) = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let path = if directory == "." { name.to_owned() } else { format!("{directory}/{name}") };
            if FileType::from_raw_mode(stat.st_mode).is_dir() {
                directories.push(path);
            } else {
                files.extend(found(path, &stat));
            }
        }
        Ok(())
    }

    fn beneath(&self, path: &str, flags: OFlags) -> Result<OwnedFd, MemoryError> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let mode = if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(0o644) } else { Mode::empty() };
        loop {
            match rustix::fs::openat2(&self.fd, path, flags | OFlags::CLOEXEC, mode, resolve) {
                // The kernel saw a rename meanwhile and could not be sure.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::LOOP | Errno::XDEV) => return Err(MemoryError::Symlink(path.into())),
                Err(Errno::ISDIR | Errno::NXIO | Errno::NODEV) => {
                    return Err(MemoryError::NotAFile(path.into()));
                }
                other => return other.map_err(|error| MemoryError::io(path, error)),
            }
        }
    }
}

fn found(path: String, stat: &Stat) -> Option<Found> {
    FileType::from_raw_mode(stat.st_mode).is_file().then(|| Found { path, stamp: Stamp::of(stat) })
}

impl Stamp {
    /// Of a file so young that it may change again without another date.
    pub fn unsure(self) -> Self {
        Self { changed: 0, ..self }
    }

    /// Whether this is what was kept of such a file.
    pub fn is_unsure_of(self, other: Self) -> bool {
        self == other.unsure()
    }

    pub fn of(stat: &Stat) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
            modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec as i64),
            changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec as i64),
        }
    }
}
