//! The handle that writes.

use crate::{
    Durability, Result, StoreError,
    feed::Feed,
    signals::Wakes,
    sqlite::{self, Readers, Unit, Writer},
    view::{self, View},
};
use jiff::Timestamp;
use std::{path::Path, sync::Arc};
use tokio::sync::{Notify, watch};

/// Says what time it is.
pub type TimeSource = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The one store of a home. Cheap to clone; all clones write through one thread.
#[derive(Clone)]
pub struct Store {
    pub(crate) writer: Writer,
    pub(crate) feed: Feed,
    pub(crate) wakes: Wakes,
    pub(crate) inbox_changed: Arc<Notify>,
    jobs_changed: Arc<Notify>,
    outbox_changed: Arc<Notify>,
    orders: Arc<watch::Sender<u64>>,
    view: View,
}

impl Store {
    /// Opens the file, creating and migrating it as needed. The caller holds the home's lock: at most one
    /// process has a `Store` of the same file.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with_time(path, Arc::new(Timestamp::now)).await
    }

    /// Like `open`, for those who keep standing orders by a clock that is not the system's.
    pub async fn open_with_time(path: &Path, time: TimeSource) -> Result<Self> {
        let owned = path.to_path_buf();
        let opening = tokio::task::spawn_blocking(move || {
            let connection = sqlite::open(&owned)?;
            let newest = view::newest(&connection)?;
            Ok::<_, StoreError>((connection, newest))
        });
        let (connection, newest) = opening.await.map_err(|_| StoreError::Closed)??;
        let readers = Readers::new(path.to_path_buf());
        let view = View::new(readers);
        let feed = Feed::new(view.clone(), newest);
        let wakes = Wakes::default();
        let inbox_changed = Arc::new(Notify::new());
        let (jobs_changed, outbox_changed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let orders = Arc::new(watch::Sender::new(0));
        let writer = Writer::start(connection, time, {
            let (feed, wakes, inbox_changed) = (feed.clone(), wakes.clone(), inbox_changed.clone());
            let (jobs_changed, outbox_changed) = (jobs_changed.clone(), outbox_changed.clone());
            let orders = orders.clone();
            move |news| {
                feed.publish_events(news.events);
                wakes.wake(&news.signalled);
                if news.inbox {
                    inbox_changed.notify_one();
                }
                if news.jobs {
                    jobs_changed.notify_one();
                    orders.send_modify(|changes| *changes += 1);
                }
                if news.outbox {
                    outbox_changed.notify_one();
                }
            }
        })?;
        Ok(Self { writer, feed, wakes, inbox_changed, jobs_changed, outbox_changed, orders, view })
    }

    /// The same data, for reading only.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Lets the file grow to this many pages and no further: what a full disk looks like, for tests.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: i64) -> Result<()> {
        self.write("limit pages", Durability::Flushed, move |unit| {
            unit.connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
            Ok(())
        })
        .await
    }

    /// Waits until a trigger may be ready to claim. May wake without one.
    pub async fn inbox_changed(&self) {
        self.inbox_changed.notified().await;
    }

    /// Waits until a job may come due at another time than before. May wake without one.
    pub async fn jobs_changed(&self) {
        self.jobs_changed.notified().await;
    }

    /// Moves whenever a standing order may have changed, for everybody who shows them.
    pub fn orders(&self) -> watch::Receiver<u64> {
        self.orders.subscribe()
    }

    /// Waits until there may be something to tell the owner. May wake without it.
    pub async fn outbox_changed(&self) {
        self.outbox_changed.notified().await;
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        label: &'static str,
        durability: Durability,
        work: impl FnOnce(&mut Unit<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.writer.write(label, durability, work).await
    }
}
