//! The readable files beside the log, written by one hand at a time and kept up while turns end.

use agent::{ProjectionError, Projections};
use protocol::Fact;
use std::{sync::Arc, time::Duration};
use store::{FeedItem, Store, StoreError, Subscription};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// How long writing waits for more turns to end: what ends together is written together, and a command that
/// answers and leaves writes once.
const PAUSE: Duration = Duration::from_millis(200);

/// Transcripts and daily logs. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Transcripts(Arc<Mutex<Projections>>);

impl Transcripts {
    pub fn new(projections: Projections) -> Self {
        Self(Arc::new(Mutex::new(projections)))
    }

    /// Brings all files up to now.
    pub async fn write(&self) -> Result<(), ProjectionError> {
        self.0.lock().await.catch_up().await
    }

    /// Writes all files anew; how many there are.
    pub async fn rewrite(&self) -> Result<usize, ProjectionError> {
        self.0.lock().await.rebuild().await
    }

    /// Brings the files up to date now and whenever turns end, until `stop`.
    pub async fn follow(&self, store: Store, stop: CancellationToken) {
        if let Err(error) = self.keep_up(&store, &stop).await {
            tracing::error!(%error, "transcripts are no longer written; they will be with the next start");
        }
    }

    /// Only waiting is cut short. Writing is not: a cursor under way that is recorded behind the back of whoever writes next
    /// would have it write lines a second time.
    async fn keep_up(&self, store: &Store, stop: &CancellationToken) -> Result<(), StoreError> {
        let mut feed = store.subscribe_from_now();
        while stop.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_some() {
            let written = store.view().newest().await?;
            if let Err(error) = self.write().await {
                tracing::error!(%error, "cannot write transcripts");
            }
            match stop.run_until_cancelled(next_end(&mut feed, written)).await {
                Some(Ok(true)) => {}
                Some(Ok(false)) | None => break,
                Some(Err(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Waits until a turn ends whose end is not written. False if nothing comes any more.
async fn next_end(feed: &mut Subscription, written: u64) -> Result<bool, StoreError> {
    loop {
        match feed.next().await? {
            None => return Ok(false),
            Some(FeedItem::Event(event)) if event.seq > written && ends(&event.fact) => return Ok(true),
            Some(_) => {}
        }
    }
}

fn ends(fact: &Fact) -> bool {
    matches!(fact, Fact::TurnFinished { .. })
}
