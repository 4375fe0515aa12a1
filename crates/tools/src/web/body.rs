//! Taking in a response's body without being flooded: caps on bytes, on unpacked bytes and on the ratio of the two.
//!
//! Where the bytes come from is `fetch`'s business.

use flate2::write::MultiGzDecoder;
use std::io::{self, Write};

/// Small bodies may be packed as tightly as they like; a bomb needs room.
const RATIO_MATTERS_FROM_BYTES: usize = 1 << 20;
/// What text can reach is far below this; runs of one byte come to a thousand.
const MAX_RATIO: usize = 100;

/// A body being taken in.
pub(super) struct Body {
    packed_bytes: usize,
    unpacker: Unpacker,
}

enum Unpacker {
    Plain(Bounded),
    Gzip(Box<MultiGzDecoder<Bounded>>),
}

/// What was taken in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) bytes: Vec<u8>,
    /// Whether it was cut at the limit.
    pub(super) cut: bool,
}

impl Body {
    /// A body with this content encoding, unpacked to at most `max_bytes`.
    pub(super) fn new(encoding: &str, max_bytes: usize) -> Result<Self, String> {
        let bounded = Bounded { bytes: Vec::new(), max_bytes, full: false };
        let unpacker = match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Unpacker::Plain(bounded),
            "gzip" | "x-gzip" => Unpacker::Gzip(Box::new(MultiGzDecoder::new(bounded))),
            other => return Err(format!("The answer is packed in a way that is not understood: `{other}`.")),
        };
        Ok(Self { packed_bytes: 0, unpacker })
    }

    /// Takes the next piece. False when the limit is reached and nothing more is wanted.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<bool, String> {
        self.packed_bytes += piece.len();
        let written = match &mut self.unpacker {
            Unpacker::Plain(bounded) => bounded.write_all(piece),
            Unpacker::Gzip(gzip) => gzip.write_all(piece),
        };
        let bounded = self.bounded();
        if bounded.full {
            self.check_ratio()?;
            return Ok(false);
        }
        written.map_err(|error| format!("The answer could not be unpacked: {error}."))?;
        self.check_ratio()?;
        Ok(true)
    }

    /// The end of the body.
    pub(super) fn finish(self) -> Taken {
        let bounded = match self.unpacker {
            Unpacker::Plain(bounded) => bounded,
            // What came before a broken end is still worth reading.
            Unpacker::Gzip(mut gzip) => {
                gzip.try_finish().unwrap_or_default();
                std::mem::replace(gzip.get_mut(), Bounded { bytes: Vec::new(), max_bytes: 0, full: true })
            }
        };
        Taken { cut: bounded.full, bytes: bounded.bytes }
    }

    fn bounded(&self) -> &Bounded {
        match &self.unpacker {
            Unpacker::Plain(bounded) => bounded,
            Unpacker::Gzip(gzip) => gzip.get_ref(),
        }
    }

    fn check_ratio(&self) -> Result<(), String> {
        let unpacked = self.bounded().bytes.len();
        if unpacked > RATIO_MATTERS_FROM_BYTES && unpacked / self.packed_bytes.max(1) > MAX_RATIO {
            return Err("The answer unpacks to far more than it is; it was not read.".into());
        }
        Ok(())
    }
}

/// Bytes up to a limit; the write that would go beyond it fails.
struct Bounded {
    bytes: Vec<u8>,
    max_bytes: usize,
    full: bool,
}

impl Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let room = self.max_bytes - self.bytes.len();
        if piece.len() > room {
            self.full = true;
        }
        if room == 0 && !piece.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let taken = room.min(piece.len());
        self.bytes.extend_from_slice(&piece[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
