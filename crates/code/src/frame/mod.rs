//! What the house and the process that runs a program say to each other, and how it lies on the wire: four bytes of
//! length, little end first, then JSON. They speak in turn: each frame to the process is answered by exactly one.
//!
//! Neither side believes the other's lengths; what a frame means is checked by `runner` and `host`.

use crate::{
    journal::{Call, Delivery},
    limits::Limits,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::io::{self, Read, Write};

/// To the process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    Start(Start),
    Deliver(Delivery),
}

/// What a run needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    /// A script that declares `async function program()`.
    pub(crate) javascript: String,
    pub(crate) paths: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) now_ms: i64,
    pub(crate) limits: Limits,
    pub(crate) engine: String,
}

/// From the process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Report {
    /// It can do nothing more until it is told what came of a call. `calls` are those since the last frame.
    Quiet { calls: Vec<Call>, console: String },
    /// It has ended, and every call it asked for is answered.
    Done { value: Value, cut_bytes: usize, console: String },
    /// It has failed.
    Failed { failure: Failure, console: String },
}

/// Why a program failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What ended it.
    pub cause: Cause,
    /// The error's name; a house word where a limit ended it.
    pub name: String,
    /// What happened, in words for whoever wrote the program.
    pub message: String,
    /// In which line the author wrote it, if that is known.
    pub line: Option<u32>,
}

/// What ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It threw something, or does not parse.
    Thrown,
    /// It waits for something that will never happen.
    Stuck,
    /// Its processor time is used up, or it did not answer in time.
    Time,
    /// Its memory is used up.
    Memory,
    /// It asked for too many calls, or for too much with them.
    Calls,
    /// Its result is not JSON.
    Value,
    /// The engine itself cannot run it.
    Engine,
}

/// Reads one frame, or nothing at the end.
pub(crate) fn read<T: DeserializeOwned>(from: &mut impl Read, most: usize) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > most {
        return Err(io::Error::other(format!("a frame of {length} bytes")));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

/// Writes one frame.
pub(crate) fn write(to: &mut impl Write, frame: &impl Serialize) -> io::Result<()> {
    to.write_all(&encode(frame)?)?;
    to.flush()
}

/// A frame as bytes.
pub(crate) fn encode(frame: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, frame)?;
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Puts frames together from the pieces in which they come.
#[derive(Debug)]
pub(crate) struct FrameBuffer {
    bytes: Vec<u8>,
    most: usize,
}

impl FrameBuffer {
    /// Takes no frame longer than this.
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most }
    }

    /// Adds what came.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// The frame that came, if it is whole. There is never a second one: they speak in turn.
    pub(crate) fn take<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some((length, body)) = self.bytes.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.most || body.len() > length {
            return Err(io::Error::other("more than a frame"));
        }
        if body.len() < length {
            return Ok(None);
        }
        let frame = serde_json::from_slice(body)?;
        self.bytes.clear();
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests;
