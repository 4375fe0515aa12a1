//! A cron expression, read once and asked often. Reading it and searching the wall clock are croner's; here stand
//! the limits, the plain words, and what becomes of times at which the clock of a zone jumps.
//!
//! Times that are named fire once each: one that the clock skips fires when it has jumped, one that it shows twice
//! fires the first time. With a star among seconds, minutes or hours it is not the times that are named but how often,
//! and it fires whenever the clock shows a match.

use crate::bad::BadSchedule;
use croner::{Cron, errors::CronError, parser::CronParser};
use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};

/// Longer than any expression a person writes; a list of all minutes has 169 characters.
const MOST_CHARACTERS: usize = 400;

/// No clock jumps further: in 2011 Samoa left out a day.
const LONGEST_JUMP: SignedDuration = SignedDuration::from_hours(48);

/// How many jumps of the clock are looked at on the way to a match. Those far before the match are passed over at
/// once, so this is only reached by a clock that jumps every other day.
const MOST_JUMPS: usize = 64;

/// A readable cron expression.
#[derive(Debug)]
pub(crate) struct Expression {
    cron: Cron,
    /// Whether it names times rather than how often.
    names_times: bool,
}

impl Expression {
    pub(crate) fn read(expr: &str) -> Result<Self, BadSchedule> {
        let bad = |why: String| BadSchedule::Cron { expr: shortened(expr), why };
        if expr.len() > MOST_CHARACTERS {
            return Err(bad(format!("it is longer than {MOST_CHARACTERS} characters")));
        }
        let cron = CronParser::new().parse(expr).map_err(|error| bad(plainly(error)))?;
        let names_times = !times_of(cron.as_str()).contains('*');
        Ok(Self { cron, names_times })
    }

    /// What croner says of it in English.
    pub(crate) fn describe(&self) -> String {
        self.cron.describe()
    }

    /// The first match strictly after `after` by the clock of `zone`.
    pub(crate) fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        // A named time that the clock shows again is over, and so is one that was skipped.
        let shown_before = if self.names_times { last_shown_before(after, zone) } else { None };
        let mut from = From { wall: zone.to_datetime(after), inclusive: false };
        if let Some(wall) = shown_before.filter(|wall| *wall > from.wall) {
            from = From { wall, inclusive: true };
        }
        let mut since = after;
        for _ in 0..MOST_JUMPS {
            let wall = self.cron.find_next_occurrence(&from.wall, from.inclusive).ok()?;
            let Some(jump) = zone.following(since).next() else {
                return zone.to_timestamp(wall).ok();
            };
            let at = jump.timestamp();
            let offset_before = zone.to_offset(at.checked_sub(SignedDuration::from_nanos(1)).ok()?);
            let (wall_before, wall_after) = (offset_before.to_datetime(at), jump.offset().to_datetime(at));
            if wall < wall_before {
                return offset_before.to_timestamp(wall).ok();
            }
            if self.names_times && wall < wall_after {
                return Some(at);
            }
            let passed_by = TimeZone::UTC.to_timestamp(wall).ok()?.checked_sub(LONGEST_JUMP).ok()?;
            if wall_after >= from.wall && passed_by > at {
                since = passed_by;
                from = From { wall: zone.to_datetime(since), inclusive: true };
                continue;
            }
            since = at;
            let next = if self.names_times { wall_before.max(wall_after) } else { wall_after };
            from = From { wall: next, inclusive: true };
        }
        None
    }
}

/// Where on the wall clock the search begins.
struct From {
    wall: DateTime,
    inclusive: bool,
}

/// What the clock showed just before its last jump, if that is near enough to be shown again.
fn last_shown_before(after: Timestamp, zone: &TimeZone) -> Option<DateTime> {
    let past = after.checked_add(SignedDuration::from_nanos(1)).ok()?;
    let jump = zone.preceding(past).next()?;
    let before = jump.timestamp().checked_sub(SignedDuration::from_nanos(1)).ok()?;
    Some(zone.to_offset(before).to_datetime(jump.timestamp()))
}

/// The fields of seconds, minutes and hours.
fn times_of(expr: &str) -> String {
    let fields: Vec<&str> = expr.split_whitespace().collect();
    let count = if fields.len() == 5 { 2 } else { 3 };
    fields.into_iter().take(count).collect()
}

fn plainly(error: CronError) -> String {
    match error {
        CronError::EmptyPattern => "it is empty".to_owned(),
        CronError::InvalidPattern(_) => "it does not have five, six or seven fields".to_owned(),
        CronError::IllegalCharacters(_) => "it has a character no field may have".to_owned(),
        CronError::ComponentError(why) => {
            let mut words = why.trim_end_matches('.').to_owned();
            if let Some(first) = words.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            words
        }
        CronError::InvalidDate | CronError::InvalidTime | CronError::TimeSearchLimitExceeded => {
            "it names no time there is".to_owned()
        }
    }
}

fn shortened(expr: &str) -> String {
    if expr.chars().count() <= 60 { expr.to_owned() } else { expr.chars().take(60).chain(['…']).collect() }
}
