//! A session with a long past, written through the store itself.

use protocol::{Block, Fact, Outcome, SessionKey, StopReason, Trigger, TriggerKind, TurnLimits, Usage};
use std::{path::Path, time::Duration};
use store::{Durability, Store};

/// Adds `turns` finished turns of four events each to a session of this database, which nobody else uses.
/// The messages are `question N` and `answer N`.
pub async fn fill_session(database: &Path, session: &str, turns: usize) {
    let store = Store::open(database).await.unwrap();
    for number in 0..turns {
        let trigger = Trigger {
            source: "testkit".into(),
            external_id: format!("{session} {number}"),
            session: SessionKey::new(session).unwrap(),
            kind: TriggerKind::Message,
            content: vec![Block::text(format!("question {number}"))],
            history: Vec::new(),
            model: None,
            steer: false,
        };
        store.accept(trigger).await.unwrap();
        let limits = TurnLimits { max_iterations: 1 };
        let claim =
            store.claim("testkit", Duration::from_secs(60), limits, store::Lane::Any).await.unwrap().unwrap();
        let asked = Fact::ModelAsked { attempt: 1, model: "a/b".into() };
        let done = Fact::ModelDone {
            model: "a/b".into(),
            blocks: vec![Block::text(format!("answer {number}"))],
            stop: StopReason::EndTurn,
            usage: Usage::default(),
        };
        let events = store.append(&claim.turn, 0, Durability::Flushed, vec![asked, done]).await.unwrap();
        store.finish(&claim.turn, events.last().unwrap().seq, Outcome::Completed, vec![]).await.unwrap();
    }
}
