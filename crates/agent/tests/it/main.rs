//! The driver over a real store and a fake provider: sessions side by side, messages that join, turns that
//! are stopped, hands that crash, a disk that is full for a while.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod clients;
mod data;
mod hands;
mod lanes;
mod shown;
mod yielding;

use agent::{Agent, AgentSettings, Hands};
use hands::TestHands;
use models::{Credential, Dialect, ModelTiming, Models, ProviderSettings};
use protocol::*;
use std::{path::Path, sync::Arc, time::Duration};
use store::{FeedItem, Store, Subscription};
use testkit::{FakeModel, Script};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Few enough to be reached.
const MAX_HISTORY_MESSAGES: usize = 10;

/// An agent at work until it is dropped.
struct World {
    store: Store,
    fake: FakeModel,
    hands: Arc<TestHands>,
    feed: Subscription,
    _stop: DropGuard,
    _home: tempfile::TempDir,
}

impl World {
    async fn new(max_concurrent_turns: usize) -> Self {
        Self::with(max_concurrent_turns, |agent, _| agent).await
    }

    /// With an agent changed as wanted; the folder is its workspace.
    async fn with(max_concurrent_turns: usize, change: impl FnOnce(Agent, &Path) -> Agent) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(&home.path().join("steward.db")).await.unwrap();
        let fake = FakeModel::start().await;
        let hands = Arc::new(TestHands::default());
        let agent = agent(store.clone(), &fake, hands.clone(), max_concurrent_turns, home.path());
        let agent = change(agent, home.path());
        let stop = CancellationToken::new();
        let feed = store.subscribe_from_now();
        tokio::spawn({
            let stop = stop.clone();
            async move { agent.run(stop).await }
        });
        Self { store, fake, hands, feed, _stop: stop.drop_guard(), _home: home }
    }

    async fn say(&self, session: &str, text: &str, steer: bool) -> TurnId {
        self.store.accept(trigger(session, text, steer)).await.unwrap().turn
    }

    async fn until<T>(&mut self, pick: impl Fn(&Event) -> Option<T>) -> T {
        until(&mut self.feed, pick).await
    }

    /// Waits for the end of a turn.
    async fn end_of(&mut self, turn: TurnId) -> Outcome {
        self.until(|event| match &event.fact {
            Fact::TurnFinished { outcome } if event.turn == turn => Some(outcome.clone()),
            _ => None,
        })
        .await
    }

    async fn results(&self, turn: TurnId) -> Vec<CallResult> {
        let events = self.store.view().turn_events(turn, 0).await.unwrap();
        let results = events.into_iter().filter_map(|event| match event.fact {
            Fact::CallDone { result } => Some(result),
            _ => None,
        });
        results.collect()
    }
}

/// Waits for an event, and gives what `pick` makes of it. A minute of nothing is a failure.
async fn until<T>(feed: &mut Subscription, pick: impl Fn(&Event) -> Option<T>) -> T {
    let found = async {
        loop {
            if let FeedItem::Event(event) = feed.next().await.unwrap().expect("the store is open")
                && let Some(found) = pick(&event)
            {
                return found;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), found).await.expect("nothing happened for a minute")
}

/// An agent that asks the fake model.
fn agent(
    store: Store,
    fake: &FakeModel,
    hands: Arc<dyn Hands>,
    max_concurrent_turns: usize,
    workspace: &Path,
) -> Agent {
    let provider = ProviderSettings {
        name: "anthropic".into(),
        dialect: Dialect::Anthropic,
        base_url: fake.anthropic_url(),
        credential: Some(Credential { secret: "sk-test".to_owned().into(), source: "the test".into() }),
        key_hint: String::new(),
    };
    let settings = AgentSettings {
        max_iterations: 10,
        max_concurrent_turns,
        max_history_messages: MAX_HISTORY_MESSAGES,
        workspace: workspace.into(),
    };
    let models = Models::new(vec![provider], ModelTiming::default());
    models.set_default("anthropic/test".parse().unwrap());
    Agent::new(store, models, hands, settings)
}

fn trigger(session: &str, text: &str, steer: bool) -> Trigger {
    Trigger {
        source: "test".into(),
        external_id: format!("{session} {text}"),
        session: SessionKey::new(session).unwrap(),
        kind: TriggerKind::Message,
        content: vec![Block::text(text)],
        history: Vec::new(),
        model: None,
        steer,
    }
}

fn call(tool: &str) -> Script {
    Script::new().call(tool, "{}")
}
