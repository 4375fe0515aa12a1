//! Everything that happens, to everybody who listens: events from the log with no gap and no repeat, and
//! the deltas that stream by in between.

use crate::{Result, Store, View};
use protocol::{Delta, DeltaKind, Event, Fact, SessionKey, TurnId};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::broadcast::{self, error::RecvError};

/// How many items a slow subscriber may fall behind before it has to catch up from the log. Deltas lost on
/// the way are made good by the event they add up to.
const CAPACITY: usize = 1024;

/// How many events are read from the log at once while catching up.
const PAGE: usize = 256;

/// What a subscriber is given.
#[derive(Debug, Clone, PartialEq)]
pub enum FeedItem {
    /// A durable fact, exactly once and in order.
    Event(Arc<Event>),
    /// A piece of a stream; it may be missing, never twice.
    Delta(Arc<Delta>),
}

#[derive(Clone)]
pub(crate) struct Feed {
    view: View,
    live: broadcast::Sender<FeedItem>,
    now: Arc<Mutex<Now>>,
}

/// What somebody who joins in the middle has to be told.
#[derive(Default)]
struct Now {
    /// The newest event shown.
    newest: u64,
    /// What each running model call has streamed so far: one delta for each kind, holding all of its text.
    streams: HashMap<TurnId, Vec<Delta>>,
}

impl Store {
    /// Follows the log from just after `since`: first what is there, then what comes. A turn whose model
    /// is speaking gives its text so far as the first delta.
    pub fn subscribe(&self, since: u64) -> Subscription {
        self.feed.subscribe(Some(since))
    }

    /// Follows the log from now on.
    pub fn subscribe_from_now(&self) -> Subscription {
        self.feed.subscribe(None)
    }

    /// Shows a delta to all subscribers. It is kept only until its attempt is over.
    pub fn publish(&self, delta: Delta) {
        self.feed.publish_delta(delta);
    }
}

impl Feed {
    pub fn new(view: View, newest: u64) -> Self {
        let now = Now { newest, ..Now::default() };
        Self { view, live: broadcast::Sender::new(CAPACITY), now: Arc::new(Mutex::new(now)) }
    }

    pub fn publish_events(&self, events: Vec<Event>) {
        let mut now = self.lock();
        for event in events {
            now.newest = event.seq;
            if ends_streams(&event.fact) {
                now.streams.remove(&event.turn);
            }
            // An error only says that nobody listens.
            self.live.send(FeedItem::Event(Arc::new(event))).ok();
        }
    }

    fn publish_delta(&self, delta: Delta) {
        let mut now = self.lock();
        let running = now.streams.entry(delta.turn).or_default();
        running.retain(|stream| stream.attempt >= delta.attempt);
        match running.iter_mut().find(|stream| stream.kind == delta.kind) {
            Some(stream) if stream.kind == DeltaKind::Progress => stream.clone_from(&delta),
            Some(stream) => stream.text.push_str(&delta.text),
            None => running.push(delta.clone()),
        }
        self.live.send(FeedItem::Delta(Arc::new(delta))).ok();
    }

    /// The text the turn's model has streamed and not finished.
    pub fn text_so_far(&self, turn: TurnId) -> String {
        let now = self.lock();
        let running = now.streams.get(&turn).into_iter().flatten();
        running.filter(|stream| stream.kind == DeltaKind::Text).map(|stream| stream.text.as_str()).collect()
    }

    fn subscribe(&self, since: Option<u64>) -> Subscription {
        // Under the lock no delta and no event can pass between the snapshot and the subscription.
        let now = self.lock();
        Subscription {
            live: self.live.subscribe(),
            last: since.unwrap_or(now.newest),
            joined_at: now.newest,
            so_far: now.streams.values().flatten().cloned().collect(),
            ready: VecDeque::new(),
            behind: since.is_some_and(|since| since < now.newest) || !now.streams.is_empty(),
            only: None,
            feed: self.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The facts that make a running stream part of the past.
fn ends_streams(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::ModelAsked { .. }
            | Fact::ModelDone { .. }
            | Fact::ModelFailed { .. }
            | Fact::CallDone { .. }
            | Fact::TurnAborted { .. }
            | Fact::TurnFinished { .. }
    )
}

/// One listener.
pub struct Subscription {
    feed: Feed,
    live: broadcast::Receiver<FeedItem>,
    /// The last event given.
    last: u64,
    /// The newest event at the time of subscribing.
    joined_at: u64,
    /// Running streams at the time of subscribing, given once the log is caught up.
    so_far: Vec<Delta>,
    ready: VecDeque<FeedItem>,
    /// Whether the log may hold events that were neither given nor are in `live`.
    behind: bool,
    /// The only conversation listened to; all of them if none is named.
    only: Option<SessionKey>,
}

impl Subscription {
    /// Listens to one conversation only.
    pub fn only(mut self, session: &SessionKey) -> Self {
        self.so_far.retain(|delta| delta.session == *session);
        self.only = Some(session.clone());
        self
    }

    /// The last event given, or the one it began after.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The next item; waits for it. `Ok(None)` when the store is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Option<FeedItem>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if self.behind {
                self.catch_up().await?;
                continue;
            }
            match self.live.recv().await {
                Ok(item) if !self.wants(&item) => {}
                Ok(FeedItem::Event(event)) if event.seq <= self.last => {}
                Ok(FeedItem::Event(event)) => {
                    self.last = event.seq;
                    return Ok(Some(FeedItem::Event(event)));
                }
                Ok(delta) => return Ok(Some(delta)),
                Err(RecvError::Lagged(_)) => self.rejoin(),
                Err(RecvError::Closed) => return Ok(None),
            }
        }
    }

    fn wants(&self, item: &FeedItem) -> bool {
        let session = match item {
            FeedItem::Event(event) => &event.session,
            FeedItem::Delta(delta) => &delta.session,
        };
        self.only.as_ref().is_none_or(|only| only == session)
    }

    /// More passed than is kept: the log has the events, and running streams are given from their beginning.
    fn rejoin(&mut self) {
        let again = self.feed.subscribe(Some(self.last));
        let again = match &self.only {
            Some(session) => again.only(session),
            None => again,
        };
        *self = Self { behind: true, ..again };
    }

    async fn catch_up(&mut self) -> Result<()> {
        let page = match &self.only {
            Some(session) => self.feed.view.session_events_after(session, self.last, PAGE).await?,
            None => self.feed.view.events_after(self.last, PAGE).await?,
        };
        self.behind = page.len() == PAGE;
        for event in page {
            self.last = event.seq;
            if event.seq > self.joined_at && ends_streams(&event.fact) {
                self.so_far.retain(|delta| delta.turn != event.turn);
            }
            self.ready.push_back(FeedItem::Event(Arc::new(event)));
        }
        if !self.behind {
            self.ready.extend(self.so_far.drain(..).map(|delta| FeedItem::Delta(Arc::new(delta))));
        }
        Ok(())
    }
}
