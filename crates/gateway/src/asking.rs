//! Puts a message to the assistant and stays with the turn it starts. The same message twice leads to the same
//! turn, also when that is over.

use crate::{
    fault::Fault,
    gateway::Gateway,
    sse::{self, Dialect, Place, Telling},
    story::{Story, Told},
};
use axum::{http::StatusCode, response::Response};
use protocol::{
    Block, CallId, Event, Fact, Message, Outcome, SessionKey, StopReason, Trigger, TriggerKind, TurnId, Usage,
};
use std::collections::HashSet;
use store::{FeedItem, Subscription};
use uuid::Uuid;

/// The longest name a client may give a message, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// What is put to the assistant.
pub(crate) struct Question {
    pub source: &'static str,
    pub session: SessionKey,
    /// The client's own name for it; sent twice, it is one turn.
    pub name: Option<String>,
    pub content: Vec<Block>,
    /// What was said before, if the client brings it along.
    pub history: Vec<Message>,
    pub model: Option<String>,
}

impl Question {
    fn trigger(self) -> Result<Trigger, Fault> {
        let external_id = match self.name {
            None => Uuid::now_v7().to_string(),
            Some(name) if name.is_empty() || name.len() > MAX_NAME_BYTES => {
                let message = format!("a message's own id must have 1 to {MAX_NAME_BYTES} bytes");
                return Err(Fault::bad_request(message));
            }
            // Two conversations may use the same names.
            Some(name) => format!("{}/{name}", self.session),
        };
        Ok(Trigger {
            source: self.source.into(),
            external_id,
            session: self.session,
            kind: TriggerKind::Message,
            content: self.content,
            history: self.history,
            model: self.model,
            steer: false,
        })
    }
}

/// A question that was accepted, and all its turn says.
pub(crate) struct Asking {
    /// The turn that answers it.
    pub turn: TurnId,
    /// The turn's events so far, if the same question was asked before.
    pub before: Vec<Event>,
    feed: Subscription,
    place: Place,
}

/// How a turn ended.
pub(crate) struct Ended {
    pub outcome: Outcome,
    pub text: String,
    pub usage: Usage,
    pub stop: Option<StopReason>,
}

impl Asking {
    /// Puts the question; it is durable when this returns.
    pub async fn begin(gateway: &Gateway, question: Question) -> Result<Self, Fault> {
        let (store, session) = (gateway.store(), question.session.clone());
        // Whoever listens before the question is accepted misses nothing.
        let feed = store.subscribe_from_now().only(&session);
        let accepted = gateway.accept(question.trigger()?).await?;
        let (turn, place) = (accepted.turn, Place::after(feed.last()));
        let before = if accepted.repeated { store.view().turn_events(turn, 0).await? } else { Vec::new() };
        let began = before.first().map(|event| event.seq).filter(|began| *began <= place.since());
        let Some(began) = began else { return Ok(Self { turn, before, feed, place }) };
        let place = Place::after(began.saturating_sub(1));
        Ok(Self { turn, before, feed: store.subscribe(place.since()).only(&session), place })
    }

    /// Tells the turn from its beginning on.
    pub fn stream(self, gateway: &Gateway, dialect: impl Dialect) -> Response {
        sse::response(Telling::new(gateway, self.feed, self.place, dialect))
    }

    /// Waits for the turn's end. Whoever stops waiting does not stop the turn.
    pub async fn end(mut self, gateway: &Gateway) -> Result<Ended, Fault> {
        let mut rotations = gateway.gate().rotations();
        let (mut story, mut stopped) = (Story::default(), None);
        loop {
            let item = tokio::select! {
                biased;
                () = gateway.stop().cancelled() => None,
                _ = rotations.changed() => return Err(Fault::unauthorized()),
                item = self.feed.next() => item?,
            };
            let Some(item) = item else {
                let message = "Steward is stopping; the answer will be there after it has started again";
                return Err(Fault::unavailable(message));
            };
            if turn_of(&item) != self.turn {
                continue;
            }
            stopped = stop_of(&item).or(stopped);
            for told in story.take(&item) {
                if let Told::Over { outcome, text, usage } = told {
                    return Ok(Ended { outcome: outcome.clone(), text, usage, stop: stopped });
                }
            }
        }
    }
}

/// The calls that have their result.
pub(crate) fn settled(events: &[Event]) -> HashSet<CallId> {
    let settled = |event: &Event| match &event.fact {
        Fact::CallDone { result } => Some(result.call),
        _ => None,
    };
    events.iter().filter_map(settled).collect()
}

/// The turn an item belongs to.
pub(crate) fn turn_of(item: &FeedItem) -> TurnId {
    match item {
        FeedItem::Event(event) => event.turn,
        FeedItem::Delta(delta) => delta.turn,
    }
}

/// Why the model stopped, if it did.
pub(crate) fn stop_of(item: &FeedItem) -> Option<StopReason> {
    match item {
        FeedItem::Event(event) => match &event.fact {
            Fact::ModelDone { stop, .. } => Some(*stop),
            _ => None,
        },
        FeedItem::Delta(_) => None,
    }
}

/// What is said of a turn that did not end well.
pub(crate) fn fault_of(outcome: &Outcome) -> Option<Fault> {
    match outcome {
        Outcome::Completed => None,
        Outcome::Aborted => Some(Fault::conflict("aborted", "the owner stopped this turn")),
        Outcome::LimitReached { reason } => {
            Some(Fault::new(StatusCode::BAD_GATEWAY, "limit_reached", reason.clone()))
        }
        Outcome::Failed { error } => {
            Some(Fault::new(StatusCode::BAD_GATEWAY, "model_failed", error.message.clone()))
        }
    }
}
