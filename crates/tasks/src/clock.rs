//! What time it is, and being woken at one. The clock of the wall may be set, and stands still for a machine that
//! sleeps: whoever waits for a time is woken when it comes, however it comes, and told when the clock jumped.

use futures::future::BoxFuture;
use jiff::Timestamp;
use std::sync::Arc;

#[cfg(feature = "failpoints")]
mod moved;
mod system;

pub use system::SystemClock;

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woke {
    /// The time has come.
    Due,
    /// The clock was set, or the machine slept: what is due may be different now.
    ClockChanged,
}

/// A clock to keep orders by.
pub trait Clock: Send + Sync {
    /// What time it is.
    fn now(&self) -> Timestamp;

    /// Waits until a time, or for the clock to be set. Without a time, only for that.
    fn until(&self, at: Option<Timestamp>) -> BoxFuture<'_, Woke>;
}

/// The clock of this house: the system's. A build for tests goes by a file, if the environment names one.
pub fn clock_of_house() -> Arc<dyn Clock> {
    #[cfg(feature = "failpoints")]
    if let Some(clock) = moved::MovedClock::of_environment() {
        return Arc::new(clock);
    }
    Arc::new(SystemClock)
}
