//! A schedule in the words of a list. Reading words is for `phrase`.

use crate::schedule::Schedule;
use jiff::{Timestamp, tz::TimeZone};

impl Schedule {
    /// What this schedule is, in a few words, by the clock of `zone`.
    pub fn describe(&self, zone: &TimeZone) -> String {
        match self {
            Self::At { at } => at.to_zoned(zone.clone()).strftime("%A, %-d %B %Y at %H:%M").to_string(),
            Self::Every { every_ms, .. } => format!("every {} ms", every_ms),
            Self::Cron { expr, .. } => expr.clone(),
        }
    }
}

/// How far `at` is from `now`, as one says it: `in 20 minutes`, `2 days ago`.
pub fn from_now(at: Timestamp, now: Timestamp) -> String {
    let seconds = at.duration_since(now).as_secs();
    format!("in {seconds} seconds")
}
