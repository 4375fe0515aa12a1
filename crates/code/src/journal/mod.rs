//! What is to be written down about a run so that it can be repeated, and the machine that repeats it.
//!
//! A program is run again from its beginning: it is given the same seed, the same times and the same results in the
//! same order, so it asks for the same calls, and none of them is made twice. Pure: nothing here knows of a process.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// One call a program asked for. Ids count up from 0 in the order in which the calls were asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Its number.
    pub id: u32,
    /// Which tool, such as `github.issues.close`.
    pub path: String,
    /// What the tool is given. Whether it fits the tool is for others to say.
    pub input: Value,
}

/// What came of a call, told to the program at a certain time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// Which call.
    pub call: u32,
    /// The time the program sees from here on, in milliseconds since 1970.
    pub now_ms: i64,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    /// The tool's answer.
    Ok {
        /// As JSON.
        value: Value,
    },
    /// There is none; the program sees an error it can catch.
    Error {
        /// What kind of error.
        name: ErrorName,
        /// Why, in plain words.
        message: String,
    },
}

/// The `name` of the error a program sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorName {
    /// The owner, or a rule of the owner's, said no.
    ToolDenied,
    /// The tool failed, or nobody knows whether it ran.
    ToolError,
    /// There is no such tool any more.
    ToolUnknown,
}

/// What a run began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beginning {
    /// Where `Math.random` starts.
    pub seed: u64,
    /// The time the program sees at first, in milliseconds since 1970.
    pub now_ms: i64,
    /// Which engine ran it; see [`crate::engine_version`].
    pub engine: String,
    /// SHA-256 of the JavaScript, in hexadecimal.
    pub program_sha256: String,
}

/// A run as far as it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// What it began with.
    pub beginning: Beginning,
    /// Every call it asked for, by id.
    pub calls: Vec<Call>,
    /// What it was told, in this order.
    pub deliveries: Vec<Delivery>,
}

/// The run took another way than the one that was recorded, so it must not go on: it could repeat what was done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the program did not repeat itself at call {call}: it was to ask for {expected}, but asks for {got}")]
pub struct Divergence {
    /// At which call.
    pub call: u32,
    /// What was recorded.
    pub expected: String,
    /// What happened this time.
    pub got: String,
}

impl Beginning {
    /// A beginning for this JavaScript with the engine of this build.
    pub fn new(javascript: &str, seed: u64, now_ms: i64) -> Self {
        let engine = crate::engine_version();
        Self { seed, now_ms, engine, program_sha256: sha256(javascript.as_bytes()) }
    }
}

impl Recorded {
    /// A run of which nothing has happened yet.
    pub fn new(beginning: Beginning) -> Self {
        Self { beginning, calls: Vec::new(), deliveries: Vec::new() }
    }

    /// The calls that were asked for and are not answered.
    pub fn open(&self) -> impl Iterator<Item = &Call> {
        let told: BTreeSet<u32> = self.deliveries.iter().map(|delivery| delivery.call).collect();
        self.calls.iter().filter(move |call| !told.contains(&call.id))
    }
}

/// Leads a new run along a recorded one.
#[derive(Debug)]
pub struct Replay<'a> {
    recorded: &'a Recorded,
    issued: usize,
    delivered: usize,
}

/// What to do next with a run that repeats a recorded one.
#[derive(Debug, PartialEq)]
pub enum Next<'a> {
    /// Tell it this.
    Deliver(&'a Delivery),
    /// It has caught up. These calls it has asked for beyond what was recorded; more may be open from before, see
    /// [`Recorded::open`].
    CaughtUp(Vec<Call>),
}

impl<'a> Replay<'a> {
    /// Nothing is repeated yet.
    pub fn new(recorded: &'a Recorded) -> Self {
        Self { recorded, issued: 0, delivered: 0 }
    }

    /// The run has asked for these calls and waits.
    pub fn asked(&mut self, calls: Vec<Call>) -> Result<Next<'a>, Divergence> {
        let mut fresh = Vec::new();
        for call in calls {
            match self.recorded.calls.get(self.issued) {
                Some(expected) if same(expected, &call) => self.issued += 1,
                Some(expected) => return Err(divergence(expected.id, &one(expected), &one(&call))),
                None => fresh.push(call),
            }
        }
        let Some(delivery) = self.recorded.deliveries.get(self.delivered) else {
            return match self.recorded.calls.get(self.issued) {
                Some(expected) => Err(divergence(expected.id, &one(expected), "nothing more")),
                None => Ok(Next::CaughtUp(fresh)),
            };
        };
        // Calls are written down before the next result is, so nothing new can come before the last one.
        if let Some(call) = fresh.first() {
            return Err(divergence(call.id, "nothing more", &one(call)));
        }
        if delivery.call as usize >= self.issued {
            let expected = self.recorded.calls.get(delivery.call as usize).map_or_else(String::new, one);
            return Err(divergence(delivery.call, &expected, "nothing more"));
        }
        self.delivered += 1;
        Ok(Next::Deliver(delivery))
    }

    /// The run has ended. That is a repetition only if everything recorded has happened again.
    pub fn ended(&self) -> Result<(), Divergence> {
        if let Some(expected) = self.recorded.calls.get(self.issued) {
            return Err(divergence(expected.id, &one(expected), "nothing more: it ended"));
        }
        match self.recorded.deliveries.get(self.delivered) {
            Some(delivery) => Err(divergence(delivery.call, "an answer", "nothing more: it ended")),
            None => Ok(()),
        }
    }
}

/// Whether two calls are the same. The order of an object's keys means nothing.
fn same(one: &Call, other: &Call) -> bool {
    one.id == other.id && one.path == other.path && one.input == other.input
}

fn one(call: &Call) -> String {
    /// Enough to recognise a call in a message.
    const SHOWN_BYTES: usize = 300;
    let mut text = format!("`{}` with {}", call.path, call.input);
    if text.len() > SHOWN_BYTES {
        text.truncate(text.floor_char_boundary(SHOWN_BYTES));
        text.push('…');
    }
    text
}

fn divergence(call: u32, expected: &str, got: &str) -> Divergence {
    Divergence { call, expected: expected.to_owned(), got: got.to_owned() }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
