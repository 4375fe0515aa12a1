//! When is it due? Times, intervals, cron expressions, and the phrases people use for them.
//!
//! Pure: it knows neither IO nor async nor the clock; every question brings its `now` and the owner's zone. It
//! leaves keeping a schedule to `tasks`, and what is to be done at the time to whoever asked for it.
//!
//! Reading order: `schedule` is the three kinds and when each comes next, `cron` reads an expression, `due` says
//! what is to be fired now and what was missed, `hours` when the owner is awake, `written` reads what a model or
//! an owner wrote, `describe` says it back, `phrase` reads how people put it.

mod schedule;
mod cron;
mod due;
mod bad;
mod written;
mod describe;
pub mod hours;
pub mod phrase;

pub use bad::BadSchedule;
pub use describe::from_now;
pub use due::{Due, GRACE, MISSED_COUNTED, Missed, backoff, due};
pub use schedule::{LEAST_INTERVAL_MS, MOST_INTERVAL_MS, Schedule, zone_named};
pub use written::{Written, WrittenFields};

#[cfg(test)]
mod tests;
