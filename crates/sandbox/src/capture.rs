//! Keeps the head and the tail of what a command wrote, and says what was cut between them.
//!
//! Knows bytes only; where they come from is `running`'s business.

use crate::command::OutputCaps;
use std::collections::VecDeque;

/// Output while it is being collected. Holds at most the caps, however much is pushed.
#[derive(Debug)]
pub struct Capture {
    caps: OutputCaps,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total_bytes: u64,
}

/// Output as it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes; empty when everything fitted into the head.
    pub tail: Vec<u8>,
    /// How many bytes between them were dropped.
    pub cut_bytes: u64,
}

impl Capture {
    /// Nothing collected yet.
    pub fn new(caps: OutputCaps) -> Self {
        Self { caps, head: Vec::new(), tail: VecDeque::new(), total_bytes: 0 }
    }

    /// Adds what was just written.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        let room = self.caps.head_bytes.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        // Only the last bytes of a large chunk can survive; skip the rest instead of pushing it through.
        let rest = &rest[rest.len().saturating_sub(self.caps.tail_bytes)..];
        let overflow = (self.tail.len() + rest.len()).saturating_sub(self.caps.tail_bytes);
        self.tail.drain(..overflow);
        self.tail.extend(rest);
    }

    /// What is kept.
    pub fn finish(self) -> Captured {
        let kept = (self.head.len() + self.tail.len()) as u64;
        Captured { head: self.head, tail: self.tail.into(), cut_bytes: self.total_bytes - kept }
    }
}

impl Captured {
    /// Whether anything is missing.
    pub fn truncated(&self) -> bool {
        self.cut_bytes > 0
    }

    /// The output as text, with a line where something was cut. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        if !self.truncated() {
            // A character may lie across the seam.
            return String::from_utf8_lossy(&[&self.head[..], &self.tail[..]].concat()).into_owned();
        }
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(&self.tail);
        format!("{head}\n[{} bytes cut here]\n{tail}", self.cut_bytes)
    }
}
