//! Brings what is to be told to where the owner is, inside the house: one transaction writes it into the conversation
//! and off the list. What goes to a channel is left to that channel.

use crate::orders::FIRST_SESSION;
use protocol::SessionKey;
use std::{collections::HashSet, sync::Arc, time::Duration};
use store::{OutboxRow, Store, StoreError, View};
use tokio_util::sync::CancellationToken;

/// How many deliveries are looked at at once.
const PAGE: usize = 100;

/// The first pause after the store failed; it doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// No pause is longer: the disk may have room again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Delivers inside the house.
#[derive(Clone)]
pub struct Courier {
    store: Store,
    channels: Arc<HashSet<String>>,
}

impl Courier {
    /// Delivers everywhere but to these places, which have couriers of their own.
    pub fn new(store: Store, channels: HashSet<String>) -> Self {
        Self { store, channels: Arc::new(channels) }
    }

    /// Delivers what there is and what comes, until `stop`. What a channel never answered for before this start is
    /// shown, not sent again.
    pub async fn run(&self, stop: CancellationToken) {
        let mut pause = FIRST_PAUSE;
        let mut surfaced = false;
        loop {
            let worked = self.round(&mut surfaced).await;
            if let Err(error) = &worked {
                tracing::error!(%error, "cannot deliver to the owner");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.store.outbox_changed(), if worked.is_ok() => pause = FIRST_PAUSE,
                () = tokio::time::sleep(pause), if worked.is_err() => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
    }

    async fn round(&self, surfaced: &mut bool) -> Result<(), StoreError> {
        if !*surfaced {
            let unresolved = self.store.surface_outbox().await?;
            if unresolved > 0 {
                tracing::warn!(unresolved, "deliveries may or may not have arrived");
            }
            *surfaced = true;
        }
        self.deliver_all().await.map(|_| ())
    }

    /// Delivers what waits now. Returns how much that was.
    pub async fn deliver_all(&self) -> Result<usize, StoreError> {
        let (mut after, mut delivered) = (None, 0);
        loop {
            let page = self.store.view().outbox_open(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(delivered) };
            after = Some(last.notice.id);
            for row in &page {
                delivered += usize::from(self.deliver(row).await?);
            }
        }
    }

    async fn deliver(&self, row: &OutboxRow) -> Result<bool, StoreError> {
        let Some(session) = resolve(self.store.view(), &row.target, &self.channels).await? else {
            return Ok(false);
        };
        if self.channels.contains(session.place()) {
            return Ok(false);
        }
        self.store.deliver_here(row.notice.id, &session).await
    }
}

/// The conversation a target means right now: `last` is where the owner last spoke; a place is where they last spoke
/// there, and none yet if it is a channel they never used; a place that is neither means `last`.
pub async fn resolve(
    view: &View,
    target: &str,
    channels: &HashSet<String>,
) -> Result<Option<SessionKey>, StoreError> {
    if target.contains("--")
        && let Ok(session) = SessionKey::new(target)
    {
        return Ok(Some(session));
    }
    if target != "last" {
        if let Some(session) = view.last_owner_session(Some(target)).await? {
            return Ok(Some(session));
        }
        if channels.contains(target) {
            return Ok(None);
        }
    }
    let last = view.last_owner_session(None).await?;
    Ok(last.or_else(|| SessionKey::new(FIRST_SESSION).ok()))
}
