//! A clock that is set by hand, and that knows who waits for what.

use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use std::{
    future::Future,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tasks::{Clock, Woke};
use tokio::sync::watch;

pub struct TestClock {
    /// The time, and how often the clock was set.
    time: watch::Sender<(Timestamp, u64)>,
    /// What is waited for, and how often the clock had been set when the wait began.
    armed: Mutex<Vec<(Option<Timestamp>, u64)>>,
    changed: watch::Sender<u64>,
    waits: AtomicUsize,
}

impl TestClock {
    pub fn new(now: Timestamp) -> Self {
        Self {
            time: watch::Sender::new((now, 0)),
            armed: Mutex::default(),
            changed: watch::Sender::new(0),
            waits: AtomicUsize::new(0),
        }
    }

    /// Time passes.
    pub fn advance(&self, by: SignedDuration) {
        self.time.send_modify(|time| time.0 += by);
    }

    /// The clock is set, or the machine wakes from sleep.
    pub fn jump(&self, by: SignedDuration) {
        self.time.send_modify(|time| *time = (time.0 + by, time.1 + 1));
    }

    /// How often somebody began to wait.
    pub fn waits(&self) -> usize {
        self.waits.load(Ordering::SeqCst)
    }

    pub fn waits_for(&self, at: Option<Timestamp>) -> bool {
        let times = self.time.borrow().1;
        self.armed.lock().unwrap().contains(&(at, times))
    }

    pub fn armed_changed(&self) -> impl Future<Output = ()> + use<> {
        let mut changed = self.changed.subscribe();
        async move { changed.changed().await.unwrap() }
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        self.time.borrow().0
    }

    fn until(&self, at: Option<Timestamp>) -> BoxFuture<'_, Woke> {
        Box::pin(async move {
            self.waits.fetch_add(1, Ordering::SeqCst);
            let mut time = self.time.subscribe();
            let set = time.borrow_and_update().1;
            let _armed = Armed::new(self, (at, set));
            loop {
                let (now, times) = *time.borrow_and_update();
                if times != set {
                    return Woke::ClockChanged;
                }
                if at.is_some_and(|at| at <= now) {
                    return Woke::Due;
                }
                time.changed().await.unwrap();
            }
        })
    }
}

struct Armed<'a>(&'a TestClock, (Option<Timestamp>, u64));

impl<'a> Armed<'a> {
    fn new(clock: &'a TestClock, at: (Option<Timestamp>, u64)) -> Self {
        clock.armed.lock().unwrap().push(at);
        clock.changed.send_modify(|count| *count += 1);
        Self(clock, at)
    }
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        let mut armed = self.0.armed.lock().unwrap();
        if let Some(place) = armed.iter().position(|at| *at == self.1) {
            armed.swap_remove(place);
        }
    }
}
