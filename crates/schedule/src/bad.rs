//! What is wrong with a schedule, in words that say what to write instead. What is wrong with a phrase is said in
//! `phrase`.

use crate::{phrase::BadPhrase, schedule::LEAST_INTERVAL_MS};
use thiserror::Error;

/// Why a schedule cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadSchedule {
    /// The one time it names has passed.
    #[error("{0} has already passed; give a time in the future")]
    Past(String),
    /// The interval is shorter than a house can keep.
    #[error(
        "an interval of {0} ms is too short; the shortest is {LEAST_INTERVAL_MS} ms, for example `\"everyMs\": 60000` for every minute"
    )]
    TooOften(u64),
    /// The interval is longer than a calendar can hold.
    #[error("an interval of {0} ms is longer than ten years; use `at` with a date instead")]
    TooRare(u64),
    /// The cron expression cannot be read.
    #[error(
        "`{expr}` is not a cron expression: {why}; write five fields (minute hour day month weekday), for example `0 9 * * MON-FRI`"
    )]
    Cron {
        /// What was written.
        expr: String,
        /// What is wrong with it.
        why: String,
    },
    /// The cron expression is well formed but no such time will come.
    #[error("`{0}` never comes up again; check its day, month and year")]
    Never(String),
    /// The zone is not in the IANA database.
    #[error("`{0}` is not a known time zone; use an IANA name such as `Europe/Berlin` or `UTC`")]
    Zone(String),
    /// The written form lacks the field its kind needs, or has no kind that is known.
    #[error("{0}")]
    Form(String),
    /// The phrase holds no time.
    #[error(transparent)]
    Phrase(#[from] BadPhrase),
}
