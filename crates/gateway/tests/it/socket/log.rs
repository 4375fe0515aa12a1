//! The log itself: each event once, in order, however often a client comes back.

use super::*;
use protocol::Outcome;
use serde_json::json;

/// Some turns in a conversation; gives the newest event.
async fn talk(world: &World, session: &str, turns: usize) -> u64 {
    for _ in 0..turns {
        world.say(session, "hi").await;
        let mut drive = world.drive().await;
        drive.asks().await;
        drive.said("Hello").await;
        drive.ends(Outcome::Completed).await;
    }
    world.store.view().newest().await.unwrap()
}

#[tokio::test]
async fn every_event_comes_once_across_sockets_that_drop() {
    let world = World::new().await;
    let mut newest = talk(&world, "s", 3).await;
    let (mut last, mut seen) = (0, Vec::new());
    for round in 0..4 {
        let mut socket = world.client().await;
        let subscribed = socket.call("events.subscribe", json!({ "since": last })).await;
        assert_eq!(subscribed, Ok(json!({ "since": last })));
        newest = newest.max(talk(&world, "s", 2).await);
        // All but the last socket drop in the middle.
        let until = if round < 3 { newest - 3 } else { newest };
        while last < until {
            let event = socket.push("log.event").await;
            last = event["seq"].as_u64().unwrap();
            assert_eq!(event["kind"].as_str().map(str::is_empty), Some(false), "{event}");
            seen.push(last);
        }
    }
    assert_eq!(seen, (1..=newest).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_replay_repeats_no_chat_push_and_keeps_to_its_conversation() {
    let world = World::new().await;
    let mut socket = world.client().await;
    socket.call("chat.history", json!({ "sessionKey": "s" })).await.unwrap();
    let newest = talk(&world, "s", 1).await;
    talk(&world, "other", 1).await;
    assert_eq!(socket.push("chat.delta").await["text"], "Hello");
    assert_eq!(socket.push("chat.final").await["text"], "Hello");
    let from = newest - 4;
    let only = json!({ "since": from, "sessionKey": "s" });
    assert_eq!(socket.call("events.subscribe", only).await, Ok(json!({ "since": from })));
    for seq in from + 1..=newest {
        let event = socket.push("log.event").await;
        assert_eq!((&event["seq"], &event["session"]), (&json!(seq), &json!("s")));
    }
    // What is new comes both ways.
    talk(&world, "other", 1).await;
    talk(&world, "s", 1).await;
    let mut events = Vec::new();
    while events.last().is_none_or(|last| last != "chat.final") {
        events.push(socket.next().await["event"].as_str().unwrap().to_owned());
    }
    let log = "log.event";
    assert_eq!(events, [log, log, log, "chat.delta", log, "chat.final"]);
}

#[tokio::test]
async fn a_listener_without_a_place_begins_now_and_gets_the_running_text() {
    let world = World::new().await;
    talk(&world, "s", 1).await;
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    drive.asks().await;
    drive.streams(0, "Hel");
    let mut socket = world.client().await;
    let newest = world.store.view().newest().await.unwrap();
    let listen = json!({ "deltas": true });
    assert_eq!(socket.call("events.subscribe", listen.clone()).await, Ok(json!({ "since": newest })));
    let delta = socket.push("log.delta").await;
    assert_eq!(
        (&delta["text"], &delta["offset"], &delta["kind"]),
        (&json!("Hel"), &json!(0), &json!("text"))
    );
    drive.streams(3, "lo");
    assert_eq!(socket.push("log.delta").await["text"], "lo");
    drive.said("Hello").await;
    assert_eq!(socket.push("log.event").await["kind"], "model.done");
    assert_eq!(socket.call("events.subscribe", json!({ "since": newest + 2 })).await, Err(-32602));
    drive.ends(Outcome::Completed).await;
    assert_eq!(socket.push("log.event").await["kind"], "turn.finished", "it listens as before");
}
