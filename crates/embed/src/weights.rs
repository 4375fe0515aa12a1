//! The file of a local model: a header that says what it is, then the vocabulary and the weights as 8-bit integers.
//! How it comes to be is for `convert`, what is computed with it for `forward`.
//!
//! The hash of everything after the header is checked whenever the weights are loaded: a damaged file would give wrong
//! vectors and nobody would notice, and checking costs a tenth of a second at most.

use crate::{
    kernel::{Pages, STEP},
    shape::{ATTENTION, HIDDEN, INNER, LAYERS, MAX_PIECES, VOCABULARY},
    vocabulary::Vocabulary,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    path::Path,
};

/// What every such file begins with.
pub(crate) const MAGIC: &[u8; 8] = b"STEWVEC\n";

/// How the file is laid out. A steward reads only its own version; converting again is cheap.
pub(crate) const VERSION: u32 = 1;

/// The longest header that is read; a real one has a few hundred bytes.
const MAX_HEADER_BYTES: u32 = 4096;

/// The most bytes that follow it: twice what a real file has.
const MAX_PAYLOAD_BYTES: usize = 48 << 20;

/// What a model file says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// What the model is called.
    pub(crate) name: String,
    /// How long its vectors are.
    pub(crate) dimensions: usize,
    /// The hash of the file the weights were taken from.
    pub(crate) source_sha256: String,
    /// The hash of all that follows the header.
    pub(crate) payload_sha256: String,
    /// How many bytes that are.
    pub(crate) payload_bytes: usize,
}

/// Why a model file is of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadFile {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is something else, or of another version.
    #[error("it is not a model file of this version")]
    Foreign,
    /// It changed after it was written.
    #[error("it is damaged")]
    Damaged,
}

/// Weights in memory.
pub(crate) struct Weights {
    pub(crate) header: Header,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) words: Matrix,
    /// What is added for the place of a token in its text.
    pub(crate) positions: Vec<f32>,
    pub(crate) normal: Normal,
    pub(crate) layers: Vec<Layer>,
    pages: Pages,
}

/// One layer.
pub(crate) struct Layer {
    pub(crate) attention: Matrix,
    pub(crate) context: Matrix,
    pub(crate) after_attention: Normal,
    pub(crate) widen: Matrix,
    pub(crate) narrow: Matrix,
    pub(crate) after_inner: Normal,
}

/// How rows are stretched and shifted after normalizing.
pub(crate) struct Normal {
    pub(crate) stretch: Vec<f32>,
    pub(crate) shift: Vec<f32>,
}

/// A matrix of 8-bit weights, row by row.
pub(crate) struct Matrix {
    /// Where the weights are among the pages.
    values: Range<usize>,
    /// What a weight is worth, for each row.
    pub(crate) scales: Vec<f32>,
    /// What is added, for each row.
    pub(crate) bias: Vec<f32>,
    pub(crate) columns: usize,
}

impl Weights {
    /// Reads a file whole and checks it.
    pub(crate) fn load(path: &Path) -> Result<Self, BadFile> {
        let mut file = File::open(path)?;
        let header = read_header(&mut file)?;
        let pages = Pages::filled(header.payload_bytes, |bytes| file.read_exact(bytes))?;
        if hex(&Sha256::digest(&*pages)) != header.payload_sha256 {
            return Err(BadFile::Damaged);
        }
        // What follows the right hash has the right layout, unless it was made by somebody else.
        Self::lay_out(header, pages).ok_or(BadFile::Foreign)
    }

    fn lay_out(header: Header, pages: Pages) -> Option<Self> {
        let mut reader = Sections { bytes: &pages, at: 0 };
        let lines = std::str::from_utf8(reader.bytes()?).ok()?;
        // A piece beyond the last row would have no weights.
        let vocabulary = Vocabulary::read(lines).filter(|_| lines.lines().count() == VOCABULARY)?;
        let words = reader.matrix(VOCABULARY, HIDDEN)?;
        let positions = reader.numbers(MAX_PIECES * HIDDEN)?;
        let normal = reader.normal()?;
        let layers = (0..LAYERS).map(|_| reader.layer()).collect::<Option<Vec<_>>>()?;
        Some(Self { header, vocabulary, words, positions, normal, layers, pages })
    }

    /// The rows of a matrix from `row` on.
    pub(crate) fn rows_from(&self, matrix: &Matrix, row: usize) -> &[[u8; STEP]] {
        let values = self.pages.get(matrix.values.clone()).unwrap_or_default();
        values.get(row * matrix.columns..).unwrap_or_default().as_chunks().0
    }

    /// How much memory the weights take.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.len()
    }
}

/// Reads the header alone.
pub(crate) fn read_header(file: &mut impl Read) -> Result<Header, BadFile> {
    let mut start = [0; 16];
    file.read_exact(&mut start).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => BadFile::Foreign,
        _ => error.into(),
    })?;
    let (words, _) = start.as_chunks::<4>();
    let [version, length] = [words[2], words[3]].map(u32::from_le_bytes);
    if !start.starts_with(MAGIC) || version != VERSION || length > MAX_HEADER_BYTES {
        return Err(BadFile::Foreign);
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text)?;
    let header: Header = serde_json::from_slice(&text).map_err(|_| BadFile::Foreign)?;
    let fits = header.dimensions == HIDDEN && header.payload_bytes <= MAX_PAYLOAD_BYTES;
    if fits { Ok(header) } else { Err(BadFile::Foreign) }
}

/// A hash as people write it.
pub(crate) fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads one section after the other, each after its length.
struct Sections<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Sections<'a> {
    fn range(&mut self) -> Option<Range<usize>> {
        let start = self.at.checked_add(8)?;
        let length = u64::from_le_bytes(self.bytes.get(self.at..start)?.try_into().ok()?);
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        self.at = end;
        (end <= self.bytes.len()).then_some(start..end)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let range = self.range()?;
        self.bytes.get(range)
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f32>> {
        let (numbers, rest) = self.bytes()?.as_chunks();
        let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        (rest.is_empty() && numbers.len() == count).then_some(numbers)
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Option<Matrix> {
        let values = self.range()?;
        let fits = values.len() == rows * columns;
        let (scales, bias) = (self.numbers(rows)?, self.numbers(rows)?);
        fits.then_some(Matrix { values, scales, bias, columns })
    }

    fn normal(&mut self) -> Option<Normal> {
        Some(Normal { stretch: self.numbers(HIDDEN)?, shift: self.numbers(HIDDEN)? })
    }

    fn layer(&mut self) -> Option<Layer> {
        Some(Layer {
            attention: self.matrix(ATTENTION, HIDDEN)?,
            context: self.matrix(HIDDEN, HIDDEN)?,
            after_attention: self.normal()?,
            widen: self.matrix(INNER, HIDDEN)?,
            narrow: self.matrix(HIDDEN, INNER)?,
            after_inner: self.normal()?,
        })
    }
}
