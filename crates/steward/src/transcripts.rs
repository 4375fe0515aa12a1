//! The readable files beside the log, written by one hand at a time and kept up while turns end.

use agent::{ProjectionError, Projections};
use protocol::Fact;
use std::{sync::Arc, time::Duration};
use store::{FeedItem, Store, StoreError};
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
        let following = async {
            let mut feed = store.subscribe_from_now();
            loop {
                tokio::time::sleep(PAUSE).await;
                let written = store.view().newest().await?;
                if let Err(error) = self.write().await {
                    tracing::error!(%error, "cannot write transcripts");
                }
                loop {
                    match feed.next().await? {
                        None => return Ok(()),
                        Some(FeedItem::Event(event)) if event.seq > written && ends(&event.fact) => break,
                        Some(_) => {}
                    }
                }
            }
        };
        let ended: Option<Result<(), StoreError>> = stop.run_until_cancelled(following).await;
        if let Some(Err(error)) = ended {
            tracing::error!(%error, "transcripts are no longer written; they will be with the next start");
        }
    }
}

fn ends(fact: &Fact) -> bool {
    matches!(fact, Fact::TurnFinished { .. })
}
