//! The system's clock, moved by what a file says: for tests of the whole program, in a build of their own.

use super::{Clock, Woke};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use std::{path::PathBuf, time::Duration};

/// Names the file with the offset in milliseconds.
const VARIABLE: &str = "STEWARD_TEST_CLOCK";

/// How often the file is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

pub(super) struct MovedClock {
    file: PathBuf,
}

impl MovedClock {
    pub fn of_environment() -> Option<Self> {
        std::env::var_os(VARIABLE).map(|file| Self { file: file.into() })
    }

    fn offset(&self) -> SignedDuration {
        let written = std::fs::read_to_string(&self.file).unwrap_or_default();
        SignedDuration::from_millis(written.trim().parse().unwrap_or_default())
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        Timestamp::now().saturating_add(self.offset()).unwrap_or(Timestamp::MAX)
    }

    fn until(&self, at: Option<Timestamp>) -> BoxFuture<'_, Woke> {
        Box::pin(async move {
            let offset = self.offset();
            loop {
                if at.is_some_and(|at| at <= self.now()) {
                    return Woke::Due;
                }
                if self.offset() != offset {
                    return Woke::ClockChanged;
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        })
    }
}

#[cfg(test)]
mod tests;
