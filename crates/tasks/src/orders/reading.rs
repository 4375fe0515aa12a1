//! Times as people write and read them, by the owner's clock.

use super::{Orders, OrdersError};
use crate::Hooks;
use jiff::Timestamp;
use schedule::{Schedule, Written};

impl Orders {
    /// Reads a schedule as it was written: an object, or a phrase such as `every weekday at 9`.
    pub fn read(&self, written: &Written) -> Result<Schedule, OrdersError> {
        Ok(Schedule::parse(written, &self.now())?)
    }

    /// What a schedule says, in a few words.
    pub fn describe(&self, schedule: &Schedule) -> String {
        schedule.describe(&self.zone)
    }

    /// The next times a schedule comes up, at most so many.
    pub fn next_times(&self, schedule: &Schedule, at_most: usize) -> Vec<Timestamp> {
        let after = |time: &Timestamp| schedule.next_after(*time, &self.zone);
        std::iter::successors(after(&self.clock.now()), after).take(at_most).collect()
    }

    /// A time as the owner's clock shows it.
    pub fn shown(&self, time: Timestamp) -> String {
        time.to_zoned(self.zone.clone()).strftime("%a %Y-%m-%d %H:%M").to_string()
    }

    /// What takes what is handed in for tasks, by the same clock.
    pub fn hooks(&self) -> Hooks {
        Hooks::new(self.store.clone(), self.clock.clone())
    }
}
