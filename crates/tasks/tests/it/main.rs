//! Standing orders against a real store and a clock that is set by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod clocks;
mod courier;
mod crash;
mod heartbeat;
mod hooks;
mod orders;
mod test_clock;
mod zones;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use protocol::*;
use schedule::{Missed, Schedule, hours::ActiveHours};
use std::{path::Path, sync::Arc, time::Duration};
use store::{Durability, FiringRow, Lane, Store};
use tasks::{HeartbeatSettings, JobView, NewJob, Orders, Scheduler, Target};
use tempfile::TempDir;
use test_clock::TestClock;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const LEASE: Duration = Duration::from_secs(60);
const LIMITS: TurnLimits = TurnLimits { max_iterations: 5 };

/// A Sunday noon.
fn noon() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn hours(hours: i64) -> SignedDuration {
    SignedDuration::from_hours(hours)
}

fn minutes(minutes: i64) -> SignedDuration {
    SignedDuration::from_mins(minutes)
}

struct World {
    dir: TempDir,
    store: Store,
    clock: Arc<TestClock>,
    zone: TimeZone,
    orders: Orders,
    stop: CancellationToken,
    running: Vec<JoinHandle<()>>,
}

impl World {
    async fn new() -> Self {
        Self::at(noon(), TimeZone::UTC).await
    }

    async fn at(now: Timestamp, zone: TimeZone) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(TestClock::new(now));
        let store = open(dir.path(), &clock).await;
        let orders = Orders::new(store.clone(), clock.clone(), zone.clone());
        Self { dir, store, clock, zone, orders, stop: CancellationToken::new(), running: Vec::new() }
    }

    fn heartbeat(&self) -> HeartbeatSettings {
        HeartbeatSettings {
            enabled: false,
            interval_minutes: 30,
            active_hours: ActiveHours::default(),
            deliver_to: "last".into(),
            workspace: self.dir.path().to_path_buf(),
        }
    }

    fn start(&mut self) {
        self.start_with(self.heartbeat());
    }

    fn start_with(&mut self, heartbeat: HeartbeatSettings) {
        let scheduler = Scheduler::new(self.store.clone(), self.clock.clone(), self.zone.clone(), heartbeat);
        let stop = self.stop.clone();
        self.running.push(tokio::spawn(async move { scheduler.run(stop).await }));
    }

    /// Ends what runs and opens the same file in another life of the process.
    async fn again(mut self) -> Self {
        self.stop.cancel();
        for running in self.running.drain(..) {
            running.await.unwrap();
        }
        self.stop = CancellationToken::new();
        self.store = open(self.dir.path(), &self.clock).await;
        self.orders = Orders::new(self.store.clone(), self.clock.clone(), self.zone.clone());
        self
    }

    /// Waits until the scheduler waits for what is next and nothing is due.
    async fn settled(&self) {
        loop {
            let changed = self.clock.armed_changed();
            let next = self.store.view().next_slot().await.unwrap();
            if self.clock.waits_for(next) && next.is_none_or(|next| next > tasks::Clock::now(&*self.clock)) {
                return;
            }
            changed.await;
        }
    }

    async fn advance(&self, by: SignedDuration) {
        self.clock.advance(by);
        self.settled().await;
    }

    /// Sets the clock: whoever waits is told.
    async fn jump(&self, by: SignedDuration) {
        self.clock.jump(by);
        self.settled().await;
    }

    /// Ends everything that waits, in order; what each turn was told.
    async fn work(&self, answer: &str) -> Vec<String> {
        self.work_with(answer, Outcome::Completed).await
    }

    async fn work_with(&self, answer: &str, outcome: Outcome) -> Vec<String> {
        let mut told = Vec::new();
        while let Some(claim) = self.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap() {
            let Fact::TurnStarted { trigger, .. } = &claim.events[0].fact else { panic!() };
            told.push(Block::text_of(&trigger.content));
            let said = Fact::ModelDone {
                model: "a/b".into(),
                blocks: vec![Block::text(answer)],
                stop: StopReason::EndTurn,
                usage: Usage::default(),
            };
            let events = self.store.append(&claim.turn, 0, Durability::Flushed, vec![said]).await.unwrap();
            let seen = events.last().unwrap().seq;
            self.store.finish(&claim.turn, seen, outcome.clone(), Vec::new()).await.unwrap();
        }
        told
    }

    /// The history of a job, the oldest first.
    async fn history(&self, job: &JobView) -> Vec<FiringRow> {
        let mut history = self.store.view().job_history(job.id, 1_000).await.unwrap();
        history.reverse();
        history
    }

    /// Which slots of a job fired, and what came of them.
    async fn outcomes(&self, job: &JobView) -> Vec<(Timestamp, String)> {
        let word = |row: FiringRow| (row.slot, row.outcome.unwrap_or_else(|| "open".into()));
        self.history(job).await.into_iter().map(word).collect()
    }
}

async fn open(dir: &Path, clock: &Arc<TestClock>) -> Store {
    let clock = clock.clone();
    let time = Arc::new(move || tasks::Clock::now(&*clock));
    Store::open_with_time(&dir.join("steward.db"), time).await.unwrap()
}

fn job(name: &str, schedule: Schedule) -> NewJob {
    NewJob {
        name: name.into(),
        schedule,
        message: format!("about {name}"),
        session: Target::Own,
        deliver: None,
        missed: Missed::Once,
        enabled: true,
        delete_after_run: false,
        model: None,
        origin: None,
        origin_key: None,
        tainted: false,
    }
}

fn every(period: SignedDuration) -> Schedule {
    Schedule::Every { every_ms: period.as_millis() as u64, anchor: None }
}

fn cron(expr: &str) -> Schedule {
    Schedule::Cron { expr: expr.into(), tz: None }
}

fn failed() -> Outcome {
    let (kind, provider, message) = (ModelErrorKind::Overloaded, "p".to_owned(), "no answer".to_owned());
    Outcome::Failed { error: ModelError { kind, provider, message } }
}
