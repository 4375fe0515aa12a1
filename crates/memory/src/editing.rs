//! For the owner who looks through the files and changes one. Whoever saves says which text was changed: a text
//! that is no longer there is never written over.

use crate::{
    error::MemoryError,
    folder::Found,
    kind::{DIRECTORY, LONG_TERM_FILE, day},
    memory::Memory,
};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};
use std::{cmp::Reverse, fs::File, io::Read as _, os::unix::fs::PermissionsExt as _};

/// Bytes of a file that is edited whole: no note of a person is longer.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// A file of the memory in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInfo {
    /// Relative to the workspace.
    pub path: String,
    /// How long it is.
    pub bytes: u64,
    /// When it was last changed.
    pub modified_at: Timestamp,
}

/// A file of the memory, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// What stands in it.
    pub text: String,
    /// What its bytes are known by; `save` wants it back.
    pub hash: String,
}

impl Memory {
    /// All files of the memory, the newest first: a day's file is as old as its day. Blocks.
    pub fn list(&self) -> Result<Vec<FileInfo>, MemoryError> {
        let folder = self.folder()?;
        let mut files: Vec<Found> = folder.list(DIRECTORY, ".md");
        files.extend(folder.find(LONG_TERM_FILE));
        files.sort_by_cached_key(|file| Reverse((date(file), file.path.clone())));
        let info = |file: Found| FileInfo {
            modified_at: modified_at(&file),
            bytes: file.stamp.bytes,
            path: file.path,
        };
        Ok(files.into_iter().map(info).collect())
    }

    /// Reads a whole file. Blocks.
    pub fn read(&self, path: &str) -> Result<FileText, MemoryError> {
        check(path)?;
        open(self, path).map(|(_, text)| text)
    }

    /// Puts a text in the place of the one with this hash and gives the new hash; if another stands there by now,
    /// nothing is written. Whole and on the disk when this returns. Blocks.
    pub fn save(&self, path: &str, text: &str, hash: &str) -> Result<String, MemoryError> {
        check(path)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(MemoryError::FileTooLong(path.into()));
        }
        if text.contains('\0') {
            return Err(MemoryError::NulInContent);
        }
        let _writing = self.writing();
        let (file, present) = match open(self, path) {
            // It was there when it was read.
            Err(MemoryError::Missing(_)) => return Err(MemoryError::Changed),
            other => other?,
        };
        if present.hash != hash {
            return Err(MemoryError::Changed);
        }
        let mode = file.metadata().map_err(|error| MemoryError::io(path, error))?.permissions().mode();
        self.folder()?.replace(path, text.as_bytes(), Mode::from_raw_mode(mode & 0o777))?;
        self.mark_dirty();
        Ok(hash_of(text.as_bytes()))
    }
}

fn modified_at(file: &Found) -> Timestamp {
    Timestamp::from_nanosecond(file.stamp.modified.into()).unwrap_or_default()
}

/// A day's file is as old as its day, however late it was touched; any other as its last change.
fn date(file: &Found) -> Date {
    day(&file.path).unwrap_or_else(|| modified_at(file).to_zoned(TimeZone::UTC).date())
}

/// Whether a path is one of those `list` may give.
pub(crate) fn check(path: &str) -> Result<(), MemoryError> {
    let below = path.strip_prefix(DIRECTORY).and_then(|rest| rest.strip_prefix('/'));
    let is_note = |rest: &str| {
        rest.ends_with(".md")
            && !rest.contains('\0')
            && rest.split('/').all(|part| !part.is_empty() && !part.starts_with('.'))
    };
    match path == LONG_TERM_FILE || below.is_some_and(is_note) {
        true => Ok(()),
        false => Err(MemoryError::NotMemory(path.into())),
    }
}

fn open(memory: &Memory, path: &str) -> Result<(File, FileText), MemoryError> {
    let opened = memory.folder()?.file(path, OFlags::RDONLY);
    let file =
        opened.map_err(|error| if error.is_missing() { MemoryError::Missing(path.into()) } else { error })?;
    let mut bytes = Vec::new();
    (&file).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| MemoryError::io(path, error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(MemoryError::FileTooLong(path.into()));
    }
    let hash = hash_of(&bytes);
    let text = String::from_utf8(bytes).map_err(|_| MemoryError::NotText(path.into()))?;
    Ok((file, FileText { text, hash }))
}

fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
