//! Which files are searched, what they are called in answers, and how one is opened by that name. What stands in them
//! is none of its business.

use crate::{
    chunks::{Chunk, Cut, markdown, transcript},
    editing,
    error::MemoryError,
    folder::{Folder, Found, Stamp},
    kind::{DIRECTORY, Kind, LONG_TERM_FILE},
    settings::MemorySettings,
};
use rustix::fs::OFlags;
use std::{
    fs,
    io::{Read as _, Seek as _},
    path::Path,
};

/// Bytes indexed of one file, from its beginning: a book of 1,500 pages, indexed in about a second.
pub(crate) const MAX_INDEXED_BYTES: u64 = 8 * 1024 * 1024;

/// Bytes in which a file that is not text shows itself by a NUL.
const PROBED_BYTES: usize = 8 * 1024;

/// How often a file is read that somebody writes to meanwhile, before what was got is taken for the time being.
const MAX_TRIES: usize = 3;

/// The tick of the coarsest clock a file system dates files by: what changed within it may change again unseen.
const COARSEST_CLOCK_NANOSECONDS: i64 = 2_000_000_000;

/// What the transcripts are called in answers: the name of their folder.
const TRANSCRIPTS: &str = "sessions";

/// A file that is searched.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// What it is called in answers.
    pub path: String,
    pub stamp: Stamp,
}

/// What was read of a file.
pub(crate) struct Content {
    /// Nothing if it is not text.
    pub text: Option<String>,
    /// Whether there is more than was read.
    pub cut: bool,
    /// Of the file as it was read; one that may change without the dates telling has none that equals another.
    pub stamp: Stamp,
    /// Whether nobody wrote to it meanwhile.
    pub settled: bool,
}

/// All files that are searched. Folders that are not there are passed over: they may come.
pub(crate) fn list(settings: &MemorySettings) -> Vec<Source> {
    let mut sources = Vec::new();
    if let Some(folder) = open(&settings.workspace) {
        let found = folder.list(DIRECTORY, ".md").into_iter().chain(folder.find(LONG_TERM_FILE));
        sources.extend(found.map(|Found { path, stamp }| Source { path, stamp }));
    }
    for extra in &settings.extra_paths {
        let Some((folder, name)) = open_extra(extra) else { continue };
        let found = match &name {
            Some(name) => folder.find(name).into_iter().collect(),
            None => folder.list(".", ".md"),
        };
        sources.extend(found.into_iter().map(|found| {
            let path = if name.is_some() { extra.clone() } else { extra.join(&found.path) };
            Source { path: path.to_string_lossy().into_owned(), stamp: found.stamp }
        }));
    }
    if let Some(folder) = settings.transcripts.as_deref().and_then(open) {
        sources.extend(
            folder
                .list(".", ".jsonl")
                .into_iter()
                .map(|found| Source { path: format!("{TRANSCRIPTS}/{}", found.path), stamp: found.stamp }),
        );
    }
    // A file may lie in two of the folders; it is searched once.
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    sources.dedup_by(|one, other| one.path == other.path);
    sources
}

/// Reads a file by the name it has in answers, and tells its kind. Nothing that `list` could not give is read.
pub(crate) fn read(settings: &MemorySettings, path: &str) -> Result<(Kind, Content), MemoryError> {
    let (kind, folder, name) = find(settings, path)?;
    let missing = |error: MemoryError| match error.is_missing() {
        true => MemoryError::Missing(path.into()),
        false => error,
    };
    let mut file = folder.file(&name, OFlags::RDONLY).map_err(missing)?;
    let failed = |error: std::io::Error| MemoryError::io(path, error);
    let mut tries = 0;
    loop {
        let before = stamp(&file).map_err(failed)?;
        let mut bytes = Vec::new();
        file.rewind().map_err(failed)?;
        (&file).take(MAX_INDEXED_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        let settled = stamp(&file).map_err(failed)? == before;
        tries += 1;
        if settled || tries == MAX_TRIES {
            return Ok((kind, content(bytes, before, settled)));
        }
    }
}

/// The passages of a file.
pub(crate) fn chunks(kind: Kind, text: &str, cut: Cut) -> Vec<Chunk> {
    if kind == Kind::Transcript { transcript(text, cut) } else { markdown(text, cut) }
}

fn find(settings: &MemorySettings, path: &str) -> Result<(Kind, Folder, String), MemoryError> {
    if editing::check(path).is_ok() {
        return Ok((Kind::of(path), Folder::open(&settings.workspace)?, path.to_owned()));
    }
    let transcript = path.strip_prefix(TRANSCRIPTS).and_then(|rest| rest.strip_prefix('/'));
    if let (Some(name), Some(folder)) = (transcript, &settings.transcripts)
        && is_plain(name, ".jsonl")
    {
        return Ok((Kind::Transcript, Folder::open(folder)?, name.to_owned()));
    }
    for extra in &settings.extra_paths {
        let Ok(rest) = Path::new(path).strip_prefix(extra) else { continue };
        match (open_extra(extra), rest.to_str()) {
            (Some((folder, Some(name))), Some("")) => return Ok((Kind::Extra, folder, name)),
            (Some((folder, None)), Some(name)) if is_plain(name, ".md") => {
                return Ok((Kind::Extra, folder, name.to_owned()));
            }
            _ => {}
        }
    }
    Err(MemoryError::NotSearched(path.into()))
}

fn stamp(file: &fs::File) -> std::io::Result<Stamp> {
    Ok(Stamp::of(&rustix::fs::fstat(file)?))
}

fn content(mut bytes: Vec<u8>, mut stamp: Stamp, settled: bool) -> Content {
    let cut = bytes.len() as u64 > MAX_INDEXED_BYTES;
    if cut {
        let line = bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.truncate(line);
    }
    let now = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
    if !settled || now.saturating_sub(stamp.changed) < COARSEST_CLOCK_NANOSECONDS {
        stamp = stamp.unsure();
    }
    Content { text: text(bytes, cut), cut, stamp, settled }
}

fn is_plain(name: &str, ending: &str) -> bool {
    let parts_are_plain = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    name.ends_with(ending) && !name.contains('\0') && parts_are_plain
}

fn open(path: &Path) -> Option<Folder> {
    let folder = Folder::open(path);
    if let Err(error) = folder.as_ref()
        && !error.is_missing()
    {
        tracing::warn!(%error, "a folder of the memory is left out");
    }
    folder.ok()
}

/// What the owner named is followed wherever it leads; a file gives the folder it lies in, and its name there.
fn open_extra(path: &Path) -> Option<(Folder, Option<String>)> {
    let path = fs::canonicalize(path).ok()?;
    if path.is_dir() {
        return Some((open(&path)?, None));
    }
    Some((open(path.parent()?)?, Some(path.file_name()?.to_str()?.to_owned())))
}

fn text(mut bytes: Vec<u8>, cut: bool) -> Option<String> {
    if bytes.iter().take(PROBED_BYTES).any(|byte| *byte == 0) {
        return None;
    }
    if cut && let Err(error) = std::str::from_utf8(&bytes) {
        // A file without a line break may have been cut inside of a letter.
        if error.error_len().is_none() {
            bytes.truncate(error.valid_up_to());
        }
    }
    String::from_utf8(bytes).ok()
}
