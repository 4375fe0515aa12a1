//! The system's clock. The kernel wakes whoever waits, also when the clock is set or the machine wakes from sleep, so
//! nothing has to look at the time again and again.

use super::{Clock, Woke};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use rustix::{
    fd::OwnedFd,
    io::Errno,
    time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    },
};
use std::time::Duration;
use tokio::io::{Interest, unix::AsyncFd};

/// Without a timer of the kernel's the time is looked at this often, so that a clock that was set is noticed.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// With nothing to wait for, the timer is set this far ahead: it is then only there to tell of a clock that was set.
const FAR_AHEAD: SignedDuration = SignedDuration::from_hours(24 * 365 * 10);

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn until(&self, at: Option<Timestamp>) -> BoxFuture<'_, Woke> {
        Box::pin(async move {
            match timer(at) {
                Ok(timer) => expired(&timer).await,
                Err(error) if error.raw_os_error() == Some(Errno::CANCELED.raw_os_error()) => {
                    Woke::ClockChanged
                }
                Err(error) => {
                    tracing::debug!(%error, "no timer of the kernel's");
                    slept(at).await
                }
            }
        })
    }
}

fn timer(at: Option<Timestamp>) -> std::io::Result<AsyncFd<OwnedFd>> {
    let at = at.unwrap_or_else(|| Timestamp::now().saturating_add(FAR_AHEAD).unwrap_or(Timestamp::MAX));
    // A time of zero would switch the timer off; one in the past has come.
    let at = at.max(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1));
    let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
    let timer = timerfd_create(TimerfdClockId::Realtime, flags)?;
    let value = Itimerspec {
        it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
        it_value: Timespec { tv_sec: at.as_second(), tv_nsec: at.subsec_nanosecond().into() },
    };
    let set = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
    timerfd_settime(&timer, set, &value)?;
    registered(timer)
}

#[expect(
    deprecated,
    reason = "its successor is unsafe for types that may change their descriptor; an owned one does not"
)]
fn registered(timer: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(timer, Interest::READABLE)
}

async fn expired(timer: &AsyncFd<OwnedFd>) -> Woke {
    let mut count = [0; 8];
    let read = timer
        .async_io(Interest::READABLE, |timer| Ok(rustix::io::read(timer, &mut count)?))
        .await
        .map_err(|error| Errno::from_io_error(&error));
    match read {
        Ok(_) => Woke::Due,
        // ECANCELED: the clock was set. Whatever else it may be, the time has to be looked at.
        Err(_) => Woke::ClockChanged,
    }
}

async fn slept(at: Option<Timestamp>) -> Woke {
    let left = at.and_then(|at| Duration::try_from(at.duration_since(Timestamp::now())).ok());
    tokio::time::sleep(
        left.unwrap_or(if at.is_some() { Duration::ZERO } else { LOOK_AGAIN }).min(LOOK_AGAIN),
    )
    .await;
    Woke::ClockChanged
}
