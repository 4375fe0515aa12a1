//! A cron expression, read once and asked often. The reading and the search are croner's; here stand the limits,
//! the plain words, and what it is to say of a clock that jumps.

use crate::bad::BadSchedule;
use croner::{Cron, errors::CronError, parser::CronParser};
use jiff::{Timestamp, tz::TimeZone};

/// Longer than any expression a person writes; a list of all minutes has 169 characters.
const MOST_CHARACTERS: usize = 400;

/// A readable cron expression.
#[derive(Debug)]
pub(crate) struct Expression(Cron);

impl Expression {
    pub(crate) fn read(expr: &str) -> Result<Self, BadSchedule> {
        let bad = |why: String| BadSchedule::Cron { expr: shortened(expr), why };
        if expr.len() > MOST_CHARACTERS {
            return Err(bad(format!("it is longer than {MOST_CHARACTERS} characters")));
        }
        CronParser::new().parse(expr).map(Self).map_err(|error| bad(plainly(error)))
    }

    pub(crate) fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let next = self.0.find_next_occurrence(&after.to_zoned(zone.clone()), false).ok()?;
        Some(next.timestamp())
    }
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
