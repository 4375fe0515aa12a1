//! The store against a real file: what is accepted stays, in one order, told to everybody once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod approvals;
mod clients;
mod feed;
mod inbox;
mod jobs;
mod lanes;
mod lists;
mod migrations;
mod outbox;
mod standing;
mod tasks;
mod turns;

use protocol::*;
use std::{path::Path, time::Duration};
use store::{Lane, Store};
use tempfile::TempDir;

const LEASE: Duration = Duration::from_secs(60);
const LIMITS: TurnLimits = TurnLimits { max_iterations: 5 };

struct World {
    dir: TempDir,
    store: Store,
}

impl World {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&file(dir.path())).await.unwrap();
        Self { dir, store }
    }

    /// The same file in another life of the process.
    async fn again(self) -> Self {
        drop(self.store);
        let store = Store::open(&file(self.dir.path())).await.unwrap();
        Self { dir: self.dir, store }
    }
}

fn file(dir: &Path) -> std::path::PathBuf {
    dir.join("steward.db")
}

fn message(session: &str, id: &str) -> Trigger {
    Trigger {
        source: "test".into(),
        external_id: id.into(),
        session: SessionKey::new(session).unwrap(),
        kind: TriggerKind::Message,
        content: vec![Block::text(id)],
        history: Vec::new(),
        model: None,
        steer: false,
    }
}

fn says(text: &str) -> Fact {
    let usage = Usage { input_tokens: 10, output_tokens: 2, ..Usage::default() };
    Fact::ModelDone { model: "a/b".into(), blocks: vec![Block::text(text)], stop: StopReason::EndTurn, usage }
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.fact.kind()).collect()
}
