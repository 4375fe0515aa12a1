//! The processes that go on after their calls: each followed by one task, kept for a while after its end.
//!
//! What the model says about them comes through `exec` and `process`; their durable rows and the trigger at the end
//! go out through the context's `Outside`.

use super::{
    ring::{Piece, Ring},
    run,
};
use crate::{Outside, ProcessEnd, ToolContext};
use protocol::{Block, CallId, SessionKey, Trigger, TriggerKind};
use sandbox::{Finished, Running, Stream};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, watch},
    time::Instant,
};

/// How many processes there may be, and how much is kept of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Running at once.
    pub max_running: usize,
    /// Kept after their end, the newest.
    pub max_ended: usize,
    /// How long they are kept.
    pub keep: Duration,
    /// How much of each one's output is kept.
    pub output_bytes: usize,
}

impl Default for ProcessLimits {
    /// More running processes than a person can follow; their outputs take 10 MB at most.
    fn default() -> Self {
        Self { max_running: 16, max_ended: 34, keep: Duration::from_secs(30 * 60), output_bytes: 200_000 }
    }
}

/// The house's background processes. Cheap to clone; dropping the last clone does not end them, [`Processes::end_all`]
/// does.
#[derive(Clone)]
pub struct Processes {
    limits: ProcessLimits,
    slots: Arc<Semaphore>,
    table: Arc<Mutex<HashMap<String, Arc<Entry>>>>,
}

/// One process.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) session: SessionKey,
    pub(super) command: String,
    pub(super) started: Instant,
    call: CallId,
    output: Mutex<Ring>,
    pub(super) input: tokio::sync::Mutex<Option<Stream>>,
    kill: Notify,
    /// Set by a call that asked for the end: nobody needs to be told of it again.
    expected: Mutex<bool>,
    ended: watch::Sender<Option<Ended>>,
}

/// How and when a process ended.
#[derive(Clone)]
pub(super) struct Ended {
    pub(super) at: Instant,
    pub(super) finished: Arc<Finished>,
}

impl Default for Processes {
    fn default() -> Self {
        Self::new(ProcessLimits::default())
    }
}

impl Processes {
    /// No processes yet.
    pub fn new(limits: ProcessLimits) -> Self {
        Self { limits, slots: Arc::new(Semaphore::new(limits.max_running)), table: Arc::default() }
    }

    /// Kills every process and waits until all have ended. For shutdown.
    pub async fn end_all(&self) {
        let entries: Vec<_> = self.lock().values().cloned().collect();
        for entry in &entries {
            entry.kill.notify_one();
        }
        for entry in &entries {
            entry.until_ended().await;
        }
    }

    /// Room for one more, kept while it runs.
    pub(super) fn slot(&self) -> Result<OwnedSemaphorePermit, String> {
        self.slots.clone().try_acquire_owned().map_err(|_| {
            let max = self.limits.max_running;
            format!("{max} processes are running already; end one with the process tool first.")
        })
    }

    /// Takes a process in and follows it from now on.
    pub(super) fn adopt(
        &self,
        mut running: Running,
        slot: OwnedSemaphorePermit,
        context: &ToolContext,
        command: &str,
    ) -> Arc<Entry> {
        let input = running.take_input();
        let mut table = self.lock();
        let entry = Arc::new(Entry {
            id: unused_id(&table, context.call),
            session: context.session.clone(),
            command: command.to_owned(),
            started: Instant::now(),
            call: context.call,
            output: Mutex::new(Ring::new(self.limits.output_bytes)),
            input: tokio::sync::Mutex::new(input),
            kill: Notify::new(),
            expected: Mutex::new(false),
            ended: watch::Sender::new(None),
        });
        table.insert(entry.id.clone(), entry.clone());
        drop(table);
        tokio::spawn(follow(running, slot, entry.clone()));
        entry
    }

    /// The process of this name, if it is this session's.
    pub(super) fn get(&self, session: &SessionKey, id: &str) -> Option<Arc<Entry>> {
        self.prune();
        self.lock().get(id).filter(|entry| entry.session == *session).cloned()
    }

    /// This session's processes, oldest first.
    pub(super) fn of(&self, session: &SessionKey) -> Vec<Arc<Entry>> {
        self.prune();
        let mut entries: Vec<_> =
            self.lock().values().filter(|entry| entry.session == *session).cloned().collect();
        entries.sort_by_key(|entry| entry.started);
        entries
    }

    pub(super) fn forget(&self, id: &str) {
        self.lock().remove(id);
    }

    /// Lets go of what has been over for long enough.
    fn prune(&self) {
        let mut table = self.lock();
        let mut ended: Vec<(Instant, String)> =
            table.values().filter_map(|entry| Some((entry.ended()?.at, entry.id.clone()))).collect();
        ended.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        for (place, (at, id)) in ended.into_iter().enumerate() {
            if place >= self.limits.max_ended || at.elapsed() > self.limits.keep {
                table.remove(&id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Entry>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    pub(super) fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    pub(super) async fn until_ended(&self) -> Option<Ended> {
        let mut ended = self.ended.subscribe();
        ended.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone())
    }

    pub(super) fn output_since(&self, since: u64, max: usize) -> Piece {
        let ended = self.ended().is_some();
        self.output.lock().unwrap_or_else(PoisonError::into_inner).since(since, max, ended)
    }

    pub(super) fn output_bytes(&self) -> u64 {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).total()
    }

    /// Kills it because a call asked for that; its end is no news then.
    pub(super) fn kill(&self) {
        *self.expected.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.kill.notify_one();
    }

    /// Tells the house when it ends: first the trigger, then the row, so that a crash in between repeats the trigger,
    /// which the inbox takes once.
    pub(super) fn announce(self: Arc<Self>, outside: Arc<dyn Outside>) {
        tokio::spawn(async move {
            let Some(ended) = self.until_ended().await else { return };
            let finished = &ended.finished;
            let expected = *self.expected.lock().unwrap_or_else(PoisonError::into_inner);
            if !expected && let Err(error) = outside.enqueue(self.trigger(finished)).await {
                tracing::error!(error, process = self.id, "the end of a process could not be announced");
                // The row stays open and is announced as lost after a restart.
                return;
            }
            let end = ProcessEnd { call: self.call, exit_code: finished.exit, signal: finished.signal };
            if let Err(error) = outside.process_ended(end).await {
                tracing::error!(error, process = self.id, "the end of a process could not be written down");
            }
        });
    }

    /// Says that it ended and where to look, not what it ran or wrote: a trigger speaks in the owner's place, and
    /// neither the model's words nor a process's may.
    fn trigger(&self, finished: &Finished) -> Trigger {
        let ending = run::ending(finished).unwrap_or_else(|| "exit code 0".into());
        let ended = format!(
            "[background process] `{}` has ended: {ending}. See its output with the process tool.",
            self.id
        );
        let text = tasks::process_ended(&ended);
        Trigger {
            source: "process".into(),
            external_id: self.call.to_string(),
            session: self.session.clone(),
            kind: TriggerKind::ProcessExit,
            content: vec![Block::text(text)],
            history: Vec::new(),
            model: None,
            steer: true,
        }
    }
}

/// Takes what a process writes until it ends.
async fn follow(mut running: Running, slot: OwnedSemaphorePermit, entry: Arc<Entry>) {
    loop {
        tokio::select! {
            piece = running.next() => match piece {
                Some(piece) => entry.output.lock().unwrap_or_else(PoisonError::into_inner).push(&piece),
                None => break,
            },
            () = entry.kill.notified() => running.kill(),
        }
    }
    let finished = Arc::new(running.finish().await);
    drop(slot);
    *entry.input.lock().await = None;
    entry.ended.send_replace(Some(Ended { at: Instant::now(), finished }));
}

/// A name short enough to say, taken from the call's: the end of it is random.
fn unused_id(table: &HashMap<String, Arc<Entry>>, call: CallId) -> String {
    let call = call.to_string().replace('-', "");
    let (_, short) = call.split_at(call.len().saturating_sub(6));
    let names = std::iter::once(format!("p{short}")).chain((2..).map(|number| format!("p{short}-{number}")));
    let mut unused = names.filter(|name| !table.contains_key(name));
    unused.next().unwrap_or_default()
}
