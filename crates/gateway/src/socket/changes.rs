//! When a client is told that standing orders are no longer what they were. What they are now it asks for itself.

use std::{future, time::Duration};
use store::Store;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// How long after one such word the next is held back: a hundred jobs that come due at once are one change.
const REST: Duration = Duration::from_millis(250);

pub(super) struct Changes {
    orders: watch::Receiver<u64>,
    /// Whether there is something to tell.
    noted: bool,
    /// Nothing is told before.
    rests_until: Instant,
}

impl Changes {
    /// Tells of changes from now on.
    pub fn begin(store: &Store) -> Self {
        Self { orders: store.orders(), noted: false, rests_until: Instant::now() }
    }

    /// Something happened that changes how a standing order looks.
    pub fn note(&mut self) {
        self.noted = true;
    }

    /// Waits until it is time to tell. Dropping the future loses nothing.
    pub async fn next(&mut self) {
        if !self.noted && self.orders.changed().await.is_err() {
            return future::pending().await;
        }
        self.noted = true;
        sleep_until(self.rests_until).await;
        self.orders.mark_unchanged();
        self.noted = false;
        self.rests_until = Instant::now() + REST;
    }
}
