//! What can be done with standing orders, for tools, doors and commands alike: given, shown, changed, ended. It checks
//! what is asked for and says plainly what is wrong with it. What comes due is left to the scheduler.

mod jobs;
mod tasks;
mod reading;
mod views;

pub(crate) use jobs::FIRST_SESSION;
pub use jobs::{JobUpdate, Listing, NewJob, Target};
pub use tasks::{TaskListing, TaskOrder};
pub use views::{
    FiringView, JobPage, JobStateView, JobTermsView, JobView, StatusView, TaskPage, TaskRunView,
    TaskRunsView, TaskTermsView, TaskView,
};

use crate::Clock;
use jiff::{Timestamp, Zoned, tz::TimeZone};
use schedule::{BadSchedule, Missed, Schedule};
use std::sync::Arc;
use store::{Store, StoreError};

/// Names stand in lists and in sentences.
const MAX_NAME_CHARS: usize = 80;

/// What is said each time it comes due; longer things belong into a file of the workspace.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;

/// More orders than anybody gives: whoever has so many made them by mistake.
const MAX_JOBS: u64 = 10_000;

/// How many are listed at once.
const MAX_PAGE: usize = 200;

/// Why an order is not taken.
#[derive(Debug, thiserror::Error)]
pub enum OrdersError {
    /// Something about it is wrong.
    #[error("{0}")]
    Refused(String),
    /// Its time cannot be kept.
    #[error(transparent)]
    Schedule(#[from] BadSchedule),
    /// There is none like this.
    #[error("there is no {what} {name:?}: list them to see their names and ids")]
    Unknown {
        /// What was looked for: `reminder` or `task`.
        what: &'static str,
        /// By what it was looked for.
        name: String,
    },
    /// It could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The standing orders of a house. Cheap to clone.
#[derive(Clone)]
pub struct Orders {
    store: Store,
    clock: Arc<dyn Clock>,
    zone: TimeZone,
}

impl Orders {
    /// Orders kept in a store, by a clock, in the owner's zone.
    pub fn new(store: Store, clock: Arc<dyn Clock>, zone: TimeZone) -> Self {
        Self { store, clock, zone }
    }

    /// What time it is for the owner: what phrases such as `tomorrow at 9` are read by.
    pub fn now(&self) -> Zoned {
        self.clock.now().to_zoned(self.zone.clone())
    }

    /// The schedule as it is kept, and its first slot. An interval counts from now on, so that its slots stay the same
    /// whenever they are asked for, and times are whole milliseconds, as in the rows.
    fn begin(&self, schedule: Schedule) -> Result<(Schedule, Option<Timestamp>), OrdersError> {
        let now = self.clock.now();
        schedule.check(now, &self.zone)?;
        let schedule = match schedule {
            Schedule::Every { every_ms, anchor } => {
                Schedule::Every { every_ms, anchor: Some(whole(anchor.unwrap_or(now))) }
            }
            Schedule::At { at } => Schedule::At { at: whole(at) },
            cron @ Schedule::Cron { .. } => cron,
        };
        // What is due within this millisecond is due at once.
        let next = match &schedule {
            Schedule::At { at } => Some(*at),
            repeated => repeated.next_after(now, &self.zone),
        };
        Ok((schedule, next))
    }

    fn refuse_too_many(&self, jobs: u64) -> Result<(), OrdersError> {
        match jobs >= MAX_JOBS {
            true => Err(refused(format!("there are {MAX_JOBS} standing orders already: remove some first"))),
            false => Ok(()),
        }
    }
}

fn checked_message(message: &str) -> Result<(), OrdersError> {
    if message.trim().is_empty() {
        return Err(refused("the message is empty: say what it is about".into()));
    }
    if message.len() > MAX_MESSAGE_BYTES {
        let limit = MAX_MESSAGE_BYTES >> 10;
        return Err(refused(format!(
            "the message is longer than {limit} kB: put the details into a file and name it"
        )));
    }
    Ok(())
}

/// A target as it is kept: nothing for `none`, `last` if nothing was said.
fn checked_target(deliver: Option<&str>) -> Result<Option<String>, OrdersError> {
    let target = deliver.unwrap_or("last").trim();
    if target == "none" {
        return Ok(None);
    }
    protocol::SessionKey::new(target)
        .map(|target| Some(target.into()))
        .map_err(|error| refused(format!("cannot deliver to {target:?}: {error}; say `last`, `none`, a place such as `telegram`, or the key of a conversation")))
}

/// A time without what a row cannot keep.
pub(crate) fn whole(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

fn refused(why: String) -> OrdersError {
    OrdersError::Refused(why)
}

pub(crate) fn missed_word(missed: Missed) -> &'static str {
    match missed {
        Missed::Skip => "skip",
        Missed::Once => "once",
        Missed::All => "all",
    }
}

pub(crate) fn missed_of(word: &str) -> Missed {
    match word {
        "skip" => Missed::Skip,
        "all" => Missed::All,
        _ => Missed::Once,
    }
}

fn written(schedule: &Schedule) -> Result<String, OrdersError> {
    serde_json::to_string(schedule)
        .map_err(|error| refused(format!("the schedule cannot be written: {error}")))
}
