//! Fires what is due: waits for the next slot by the clock, or for an order to change, and puts what has come due into
//! the inbox. What that is, is decided in `firing`; that a slot fires once is the store's doing.

use crate::{Clock, HeartbeatSettings, firing, heartbeat};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use std::{sync::Arc, time::Duration};
use store::{Fired, JobFilter, JobKind, JobRow, SlotChange, Store, StoreError};
use tokio_util::sync::CancellationToken;

/// How many jobs are looked at at once.
const PAGE: usize = 100;

/// The first pause after the store failed; it doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// No pause is longer: the disk may have room again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A clock that is corrected by less than this was not set back: slots of a few moments come again and are passed over.
const SET_BACK: SignedDuration = SignedDuration::from_mins(1);

/// The one who fires.
#[derive(Clone)]
pub struct Scheduler {
    store: Store,
    clock: Arc<dyn Clock>,
    zone: TimeZone,
    heartbeat: HeartbeatSettings,
}

/// What a scheduler remembers between two looks.
#[derive(Default)]
struct Watch {
    /// Whether the heartbeat follows the configuration.
    kept: bool,
    /// The latest time the clock has shown, in this life or one before.
    latest: Option<Timestamp>,
}

impl Watch {
    /// Whether the clock was set back to this time.
    fn set_back_to(&self, now: Timestamp) -> bool {
        self.latest.is_some_and(|latest| latest.duration_since(now) > SET_BACK)
    }
}

impl Scheduler {
    /// Fires the jobs of a store, by a clock, in the owner's zone.
    pub fn new(store: Store, clock: Arc<dyn Clock>, zone: TimeZone, heartbeat: HeartbeatSettings) -> Self {
        Self { store, clock, zone, heartbeat }
    }

    /// Fires what was missed, by each job's policy, and what comes due, until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        let (mut watch, mut pause) = (Watch::default(), FIRST_PAUSE);
        loop {
            let next = match self.look(&mut watch).await {
                Ok(next) => next,
                Err(error) => {
                    tracing::error!(%error, "cannot fire what is due");
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = tokio::time::sleep(pause) => {}
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    continue;
                }
            };
            pause = FIRST_PAUSE;
            if watch.set_back_to(self.clock.now()) {
                // It was set back while this was worked out, and nobody who waits from now on would be told.
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.store.jobs_changed() => {}
                woke = self.clock.until(next) => tracing::debug!(?woke, "time to look"),
            }
        }
    }

    /// Fires what is due now, and says when to look again.
    async fn look(&self, watch: &mut Watch) -> Result<Option<Timestamp>, StoreError> {
        if watch.latest.is_none() {
            watch.latest = self.store.view().latest_order().await?;
        }
        if !watch.kept {
            heartbeat::keep(&self.store, self.clock.as_ref(), &self.zone, &self.heartbeat).await?;
            watch.kept = true;
        }
        let now = self.clock.now();
        if watch.set_back_to(now) {
            tracing::warn!(%now, "the clock was set back; next times are worked out anew");
            self.heal(now).await?;
        }
        watch.latest = Some(now);
        self.fire_due(now).await?;
        self.store.view().next_slot().await
    }

    async fn fire_due(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut before = Vec::new();
        loop {
            let page = self.store.view().due_jobs(now, PAGE).await?;
            let seen: Vec<_> = page.iter().map(|job| (job.id, job.next_slot)).collect();
            if seen.is_empty() {
                return Ok(());
            }
            if seen == before {
                // Nothing moved, which cannot be; going on would be a loop without end.
                return Err(StoreError::NotWritten);
            }
            for job in &page {
                self.fire(job, now).await?;
            }
            before = seen;
        }
    }

    async fn fire(&self, job: &JobRow, now: Timestamp) -> Result<(), StoreError> {
        let pass = match job.order.kind {
            JobKind::Heartbeat => heartbeat::why_not(&self.heartbeat, now, &self.zone).await,
            JobKind::Reminder | JobKind::Task => None,
        };
        let Some(fire) = firing::decide(job, now, &self.zone, pass) else { return Ok(()) };
        if let Fired::Fired(turns) = self.store.fire(fire).await? {
            tracing::info!(job = %job.id, name = job.order.name, turns = turns.len(), "due");
        }
        Ok(())
    }

    /// Works out next slots anew, page by page. A slot that has fired before is passed over when it comes again.
    async fn heal(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.store.view().jobs(JobFilter::default(), after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id);
            let changes: Vec<SlotChange> = page
                .iter()
                .filter_map(|job| {
                    let next = firing::heal(job, now, &self.zone)?;
                    Some(SlotChange { job: job.id, seen: job.next_slot, next: Some(next) })
                })
                .collect();
            if !changes.is_empty() {
                self.store.reset_slots(changes).await?;
            }
        }
    }
}
