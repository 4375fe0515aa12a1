//! The last output of a process that nobody is waiting for, with a place for every byte.
//!
//! Knows bytes only; whose they are is `table`'s business.

use crate::text;
use std::collections::VecDeque;

/// The last bytes written. Holds at most its limit, however much is pushed.
#[derive(Debug)]
pub(super) struct Ring {
    bytes: VecDeque<u8>,
    limit: usize,
    /// Bytes ever pushed.
    total: u64,
}

/// A piece of what was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Bytes between the place asked for and the first one given that are gone.
    pub(super) lost: u64,
    /// The place after the last byte given.
    pub(super) next: u64,
    /// Whether more is there already.
    pub(super) more: bool,
}

impl Ring {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, total: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let overflow = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..overflow);
        self.bytes.extend(kept);
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// What was written from place `since` on, at most `max` bytes of it. While more may come, a character that is
    /// not whole yet is left for the next piece.
    pub(super) fn since(&self, since: u64, max: usize, ended: bool) -> Piece {
        let start = self.total - self.bytes.len() as u64;
        let from = since.clamp(start, self.total);
        // The ring holds at most its limit, so the difference fits.
        let skip = usize::try_from(from - start).unwrap_or(usize::MAX);
        let mut bytes: Vec<u8> = self.bytes.iter().copied().skip(skip).take(max).collect();
        let more = from + (bytes.len() as u64) < self.total;
        if more || !ended {
            let whole = text::whole_characters(&bytes);
            // Never stand still: bytes that are no character at all are given as they are.
            if whole > 0 {
                bytes.truncate(whole);
            }
        }
        Piece {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            lost: start.saturating_sub(since),
            next: from + bytes.len() as u64,
            more,
        }
    }
}
