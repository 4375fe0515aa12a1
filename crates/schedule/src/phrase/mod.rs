//! Reading how people say when: English and German.

use crate::schedule::Schedule;
use jiff::{Timestamp, Zoned};
use std::ops::Range;
use thiserror::Error;

/// No time could be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "I could not read a time in \"{0}\"; say for example \"in 20 minutes\", \"tomorrow at 9\" or \"every weekday at 8\""
)]
pub struct BadPhrase(pub String);

/// A time phrase in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What the phrase means.
    pub schedule: Schedule,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// The text without the phrase and without what leads up to it.
    pub rest: String,
}

/// The one time that `text` names.
pub fn time(text: &str, now: &Zoned) -> Result<Timestamp, BadPhrase> {
    match schedule(text, now)? {
        Schedule::At { at } => Ok(at),
        Schedule::Every { .. } | Schedule::Cron { .. } => Err(BadPhrase(text.to_owned())),
    }
}

/// What `text` as a whole means.
pub fn schedule(text: &str, _now: &Zoned) -> Result<Schedule, BadPhrase> {
    Err(BadPhrase(text.to_owned()))
}

/// The time phrase in a sentence, if there is one.
pub fn find(text: &str, now: &Zoned) -> Option<Found> {
    let schedule = schedule(text, now).ok()?;
    Some(Found { schedule, range: 0..text.len(), rest: String::new() })
}
