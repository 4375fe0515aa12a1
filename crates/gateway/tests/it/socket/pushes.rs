//! What clients are told of the conversations they named.

use super::*;
use protocol::{CallId, CallResult, CallStatus, Fact, ModelError, ModelErrorKind, Outcome};
use serde_json::{Value, json};

/// Names a conversation without saying anything in it.
async fn name(socket: &mut Socket, session: &str) {
    socket.call("chat.history", json!({ "sessionKey": session })).await.unwrap();
}

fn delta(drive: &Drive, attempt: u32, offset: usize, text: &str) -> Value {
    let session = &drive.at.session;
    json!({ "runId": drive.run_id(), "sessionKey": session, "text": text, "attempt": attempt, "offset": offset })
}

#[tokio::test]
async fn everybody_who_named_a_conversation_is_told_of_it_and_nobody_else() {
    let world = World::new().await;
    let (mut one, mut two, mut other) = (world.client().await, world.client().await, world.client().await);
    name(&mut two, "s").await;
    name(&mut other, "t").await;
    let sent = one.call("chat.send", json!({ "sessionKey": "s", "message": "hi" })).await.unwrap();
    let mut drive = world.drive().await;
    drive.asks().await;
    drive.streams(0, "Hel");
    drive.streams(3, "lo");
    drive.said("Hello").await;
    drive.progresses("bash", "1 of 2");
    drive.asks().await;
    drive.streams(0, "Bye");
    drive.said("Bye").await;
    let first = [delta(&drive, 1, 0, "Hel"), delta(&drive, 1, 3, "lo")];
    let second = delta(&drive, 2, 0, "\n\nBye");
    let run = drive.run_id();
    drive.ends(Outcome::Completed).await;
    assert_eq!(run, sent["runId"]);
    for socket in [&mut one, &mut two] {
        assert_eq!(socket.push("chat.delta").await, first[0]);
        assert_eq!(socket.push("chat.delta").await, first[1]);
        let progress = json!({ "runId": run, "sessionKey": "s", "tool": "bash", "message": "1 of 2" });
        assert_eq!(socket.push("tool.progress").await, progress);
        assert_eq!(socket.push("chat.delta").await, second);
        let told = json!({
            "runId": run, "sessionKey": "s", "text": "Hello\n\nBye",
            "usage": { "inputTokens": 20, "outputTokens": 4 }, "outcome": "completed",
        });
        assert_eq!(socket.push("chat.final").await, told);
    }
    world.say("t", "hi").await;
    world.drive().await.ends(Outcome::Completed).await;
    assert_eq!(other.push("chat.final").await["sessionKey"], "t", "it was told nothing before");
}

#[tokio::test]
async fn text_of_an_attempt_that_broke_off_is_taken_back() {
    let world = World::new().await;
    let mut socket = world.client().await;
    name(&mut socket, "s").await;
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    drive.asks().await;
    drive.said("One").await;
    drive.asks().await;
    drive.streams(0, "Tw");
    drive.asks().await;
    drive.streams(0, "Three");
    assert_eq!(
        socket.push("chat.delta").await,
        delta(&drive, 1, 0, "One"),
        "without deltas it comes at once"
    );
    assert_eq!(socket.push("chat.delta").await, delta(&drive, 2, 0, "\n\nTw"));
    let mut again = delta(&drive, 3, 0, "\n\nThree");
    again["again"] = true.into();
    assert_eq!(socket.push("chat.delta").await, again);
}

#[tokio::test]
async fn a_turn_that_fails_and_one_that_is_stopped_say_so() {
    let world = World::new().await;
    let mut socket = world.client().await;
    name(&mut socket, "s").await;
    let run = world.say("s", "hi").await;
    let kind = ModelErrorKind::RateLimited { retry_after_ms: Some(5) };
    let error = ModelError { kind, provider: "fake".into(), message: "Wait a little.".into() };
    world.drive().await.ends(Outcome::Failed { error }).await;
    let told =
        json!({ "runId": run, "sessionKey": "s", "message": "Wait a little.", "kind": "rate_limited" });
    assert_eq!(socket.push("chat.error").await, told);

    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    drive.asks().await;
    drive.streams(0, "Hel");
    socket.push("chat.delta").await;
    assert_eq!(
        socket.call("chat.abort", json!({ "runId": drive.run_id() })).await,
        Ok(json!({ "ok": true }))
    );
    drive.seen += 1;
    drive.ends(Outcome::Aborted).await;
    let told = socket.push("chat.final").await;
    assert_eq!((&told["outcome"], &told["text"]), (&json!("aborted"), &json!("Hel")));
    let history = socket.call("chat.history", json!({ "sessionKey": "s" })).await.unwrap();
    assert_eq!(
        (&history["messages"][3]["content"], &history["messages"][3]["partial"]),
        (&json!("Hel"), &json!(true))
    );

    world.say("s", "hi").await;
    world.drive().await.ends(Outcome::LimitReached { reason: "too many".into() }).await;
    let told = socket.push("chat.final").await;
    assert_eq!((&told["outcome"], &told["reason"]), (&json!("limit_reached"), &json!("too many")));
}

#[tokio::test]
async fn who_comes_late_gets_the_text_so_far_and_then_the_rest() {
    let world = World::new().await;
    let (mut early, mut late) = (world.client().await, world.client().await);
    name(&mut early, "s").await;
    name(&mut early, "other").await;
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    drive.asks().await;
    drive.said("One").await;
    drive.progresses("bash", "half");
    let done = CallResult::new(CallId::from(uuid::Uuid::nil()), CallStatus::Succeeded, "");
    drive.fact(Fact::CallDone { result: done }).await;
    drive.asks().await;
    drive.streams(0, "Tw");
    drive.streams(2, "o!");
    assert_eq!(early.push_after_others("chat.delta").await["text"], "One");
    for piece in ["\n\nTw", "o!"] {
        assert_eq!(early.push_after_others("chat.delta").await["text"], piece);
    }
    let history = late.call("chat.history", json!({ "sessionKey": "s" })).await.unwrap();
    assert_eq!(history["messages"][1]["content"], "One");
    assert_eq!(late.push("chat.delta").await, delta(&drive, 2, 0, "\n\nTwo!"));
    // That another conversation is named later repeats nothing, not even while a text streams.
    name(&mut early, "s").await;
    world.say("third", "hi").await;
    let third = world.drive().await;
    name(&mut early, "third").await;
    name(&mut late, "third").await;
    drive.streams(4, "?");
    for socket in [&mut early, &mut late] {
        assert_eq!(socket.push("chat.delta").await, delta(&drive, 2, 6, "?"));
    }
    drive.said("Two!? Three").await;
    drive.ends(Outcome::Completed).await;
    third.ends(Outcome::Completed).await;
    for socket in [&mut early, &mut late] {
        assert_eq!(socket.push("chat.delta").await["text"], " Three", "what no delta brought");
        assert_eq!(socket.push("chat.final").await["text"], "One\n\nTwo!? Three");
        assert_eq!(socket.push("chat.final").await["sessionKey"], "third");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_read_holds_up_nobody() {
    let world = World::new().await;
    let (mut slow, mut fast) = (world.client().await, world.client().await);
    for socket in [&mut slow, &mut fast] {
        name(socket, "s").await;
        socket.call("events.subscribe", json!({})).await.unwrap();
    }
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    // More than any buffer between the two holds.
    let long = "x".repeat(1 << 20);
    for _ in 0..16 {
        let result = CallResult::new(CallId::from(uuid::Uuid::nil()), CallStatus::Succeeded, long.as_str());
        let seq = drive.fact(Fact::CallDone { result }).await;
        while fast.push("log.event").await["seq"] != seq {}
    }
    drive.ends(Outcome::Completed).await;
    assert_eq!(fast.push_after_others("chat.final").await["outcome"], "completed");
    drop(slow);
}
