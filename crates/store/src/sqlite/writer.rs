//! The one thread that writes. Jobs that wait together are committed together: each in its own savepoint,
//! so that one that fails undoes only itself, and all answered after the commit.

use crate::{Durability, Result, StoreError, failpoint, store::TimeSource};
use jiff::Timestamp;
use protocol::{Event, TurnId};
use rusqlite::Connection;
use std::sync::{Arc, mpsc};

/// How many waiting jobs share one commit. Bounds how long the first of them waits for the rest.
const MAX_JOBS_PER_COMMIT: usize = 64;

/// One unit of work inside a transaction: the connection, and what must be told to others once it is
/// committed.
pub(crate) struct Unit<'a> {
    pub connection: &'a Connection,
    pub now: Timestamp,
    pub news: News,
}

/// What a commit means for those who wait.
#[derive(Default)]
pub(crate) struct News {
    /// Events added, in order.
    pub events: Vec<Event>,
    /// Turns that were signalled.
    pub signalled: Vec<TurnId>,
    /// Whether a trigger may be ready to claim.
    pub inbox: bool,
    /// Whether a job may come due at another time than before.
    pub jobs: bool,
    /// Whether there may be something to tell the owner.
    pub outbox: bool,
}

/// Work to be written, and what to do when it is.
struct Job {
    label: &'static str,
    durability: Durability,
    run: Box<dyn FnOnce(&mut Unit<'_>) -> Reply + Send>,
}

/// Answers whoever waits for a job; called once, after the commit, with its result.
struct Reply {
    failed: bool,
    send: Box<dyn FnOnce(std::result::Result<(), Arc<StoreError>>) + Send>,
}

/// Hands jobs to the thread.
#[derive(Clone)]
pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
}

impl Writer {
    /// Starts the thread. `publish` is called on it after each commit, in commit order.
    pub fn start(
        connection: Connection,
        time: TimeSource,
        publish: impl Fn(News) + Send + 'static,
    ) -> Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let run = move || write_all(connection, &queue, &time, publish);
        let thread = std::thread::Builder::new().name("store-writer".into()).spawn(run);
        thread.map_err(|error| StoreError::Database(Box::new(error)))?;
        Ok(Self { jobs })
    }

    /// Runs `work` in a transaction and answers once it is committed.
    pub async fn write<T: Send + 'static>(
        &self,
        label: &'static str,
        durability: Durability,
        work: impl FnOnce(&mut Unit<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let run = Box::new(move |unit: &mut Unit<'_>| {
            let result = work(unit);
            let failed = result.is_err();
            let send = Box::new(move |committed: std::result::Result<(), Arc<StoreError>>| {
                let answer = match (result, committed) {
                    (Ok(_), Err(error)) => Err(StoreError::Database(Box::new(SharedError(error)))),
                    (result, _) => result,
                };
                if sender.send(answer).is_err() {
                    tracing::debug!(label, "nobody waits for this write any more");
                }
            });
            Reply { failed, send }
        });
        self.jobs.send(Job { label, durability, run }).map_err(|_| StoreError::Closed)?;
        match receiver.await.map_err(|_| StoreError::NotWritten)? {
            Err(StoreError::Database(error)) => Err(unshare(error)),
            answer => answer,
        }
    }
}

/// One commit's failure, told to every job in it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct SharedError(Arc<StoreError>);

fn unshare(error: Box<dyn std::error::Error + Send + Sync>) -> StoreError {
    match error.downcast_ref::<SharedError>() {
        Some(SharedError(shared)) if matches!(**shared, StoreError::DiskFull) => StoreError::DiskFull,
        _ => StoreError::Database(error),
    }
}

fn write_all(connection: Connection, queue: &mpsc::Receiver<Job>, time: &TimeSource, publish: impl Fn(News)) {
    let mut durability = None;
    while let Ok(first) = queue.recv() {
        let mut jobs = vec![first];
        while jobs.len() < MAX_JOBS_PER_COMMIT
            && let Ok(job) = queue.try_recv()
        {
            jobs.push(job);
        }
        let wanted = jobs.iter().map(|job| job.durability).max().unwrap_or(Durability::Flushed);
        if durability != Some(wanted) {
            durability = set_durability(&connection, wanted).then_some(wanted);
        }
        commit_together(&connection, to_the_millisecond(time()), jobs, &publish);
    }
}

/// Whether the pragma was taken; if not it is tried again before the next commit.
fn set_durability(connection: &Connection, durability: Durability) -> bool {
    let pragma = match durability {
        Durability::Flushed => "PRAGMA synchronous = NORMAL",
        Durability::Synced => "PRAGMA synchronous = FULL",
    };
    connection
        .execute_batch(pragma)
        .inspect_err(|error| tracing::error!(%error, "cannot set durability"))
        .is_ok()
}

fn commit_together(connection: &Connection, now: Timestamp, jobs: Vec<Job>, publish: &impl Fn(News)) {
    let labels: Vec<&'static str> = jobs.iter().map(|job| job.label).collect();
    let mut unit = Unit { connection, now, news: News::default() };
    let mut replies = Vec::with_capacity(jobs.len());
    let worked = begin_and_run(&mut unit, jobs, &mut replies);
    let committed = worked.and_then(|()| {
        labels.iter().for_each(|label| failpoint::around("before", label));
        connection.execute_batch("COMMIT").map_err(StoreError::from)
    });
    match committed {
        Ok(()) => {
            labels.iter().for_each(|label| failpoint::around("after", label));
            publish(unit.news);
            replies.into_iter().for_each(|reply: Reply| (reply.send)(Ok(())));
        }
        Err(error) => {
            // Some errors have rolled back already; then this one changes nothing.
            let rolled_back = connection.execute_batch("ROLLBACK");
            tracing::error!(%error, ?rolled_back, "a commit failed");
            let error = Arc::new(error);
            replies.into_iter().for_each(|reply| (reply.send)(Err(error.clone())));
        }
    }
}

fn begin_and_run(unit: &mut Unit<'_>, jobs: Vec<Job>, replies: &mut Vec<Reply>) -> Result<()> {
    unit.connection.execute_batch("BEGIN IMMEDIATE")?;
    for job in jobs {
        unit.connection.execute_batch("SAVEPOINT job")?;
        let before = unit.news.events.len();
        let reply = (job.run)(unit);
        let failed = reply.failed;
        replies.push(reply);
        if failed {
            unit.news.events.truncate(before);
            unit.connection.execute_batch("ROLLBACK TO job")?;
        }
        unit.connection.execute_batch("RELEASE job")?;
    }
    Ok(())
}

/// A row keeps milliseconds; an event shown live says the same time as when it is read back.
fn to_the_millisecond(now: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}
