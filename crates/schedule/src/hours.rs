//! The hours of the day in which the owner may be disturbed. Whether something matters enough is for others to say.

use jiff::{Timestamp, civil::Time, tz::TimeZone};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// A stretch of every day, such as `8-21` or, over midnight, `22-6`. If it ends where it begins, it is all day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ActiveHours {
    from: Time,
    to: Time,
}

/// What was written is no stretch of a day.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` are no hours of the day; write for example `8-21`, `8:30-21:15`, or nothing for all day")]
pub struct BadHours(String);

impl ActiveHours {
    /// Reads `8-21`, `8:30-21:15`, `22-6` or nothing, which is all day. The hour 24 is the midnight that ends the day.
    pub fn parse(text: &str) -> Result<Self, BadHours> {
        let bad = || BadHours(text.chars().take(60).collect());
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let (from, to) = text.split_once(['-', '–']).ok_or_else(bad)?;
        Ok(Self { from: clock(from).ok_or_else(bad)?, to: clock(to).ok_or_else(bad)? })
    }

    /// Whether `now` lies within, by the clock of `zone`. The first minute does, the last does not.
    pub fn contains(&self, now: Timestamp, zone: &TimeZone) -> bool {
        let time = now.to_zoned(zone.clone()).time();
        if self.from == self.to {
            true
        } else if self.from < self.to {
            self.from <= time && time < self.to
        } else {
            self.from <= time || time < self.to
        }
    }
}

impl fmt::Display for ActiveHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to {
            return Ok(());
        }
        write!(f, "{}-{}", self.from.strftime("%-H:%M"), self.to.strftime("%-H:%M"))
    }
}

impl FromStr for ActiveHours {
    type Err = BadHours;

    fn from_str(text: &str) -> Result<Self, BadHours> {
        Self::parse(text)
    }
}

impl TryFrom<String> for ActiveHours {
    type Error = BadHours;

    fn try_from(text: String) -> Result<Self, BadHours> {
        Self::parse(&text)
    }
}

impl From<ActiveHours> for String {
    fn from(hours: ActiveHours) -> Self {
        hours.to_string()
    }
}

fn clock(text: &str) -> Option<Time> {
    let (hour, minute) = text.trim().split_once(':').unwrap_or((text.trim(), "0"));
    let digits = |text: &str| text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hour) || !digits(minute) {
        return None;
    }
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    if (hour, minute) == (24, 0) { Some(Time::midnight()) } else { Time::new(hour, minute, 0, 0).ok() }
}
