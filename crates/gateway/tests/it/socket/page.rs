//! What the page asks besides talking: conversations as lists and turns, memory, the log, costs, settings.

use super::*;
use protocol::Outcome;
use serde_json::{Value, json};

fn keys(answer: &Value) -> Vec<&str> {
    let rows = answer["sessions"].as_array().unwrap();
    rows.iter().map(|row| row["sessionKey"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn conversations_are_found_named_and_put_away() {
    let world = World::new().await;
    let mut socket = world.client().await;
    // Should both come within the same millisecond, their keys decide, in the same order.
    world.say("z", "Über den Garten").await;
    world.say("a", "Groceries").await;
    let found = async |socket: &mut Socket, params: Value, expected: &[&str]| {
        let answer = socket.call("sessions.list", params.clone()).await.unwrap();
        assert_eq!(keys(&answer), expected, "{params}");
    };
    found(&mut socket, json!({}), &["a", "z"]).await;
    found(&mut socket, json!({ "search": "über" }), &["z"]).await;
    found(&mut socket, json!({ "search": "%" }), &[]).await;
    let renamed = json!({ "sessionKey": "z", "title": "  Roses\nand more" });
    let session = socket.call("sessions.rename", renamed).await.unwrap();
    assert_eq!((&session["session"]["title"], &session["session"]["turns"]), (&json!("Roses"), &json!(1)));
    found(&mut socket, json!({ "search": "ROSE", "limit": 1 }), &["z"]).await;
    let away = json!({ "sessionKey": "z", "archived": true });
    assert_eq!(socket.call("sessions.archive", away).await.unwrap()["session"]["archived"], true);
    found(&mut socket, json!({}), &["a"]).await;
    found(&mut socket, json!({ "archived": true }), &["z"]).await;
    world.say("z", "Something new").await;
    found(&mut socket, json!({ "search": "rose" }), &["z"]).await;
    let answer = socket.call("sessions.list", json!({ "search": "roses" })).await.unwrap();
    assert_eq!(answer["sessions"][0]["archived"], false);
}

#[tokio::test]
async fn turns_are_leafed_through_with_all_their_events() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let mut runs = Vec::new();
    for text in ["first", "second"] {
        runs.push(world.say("s", text).await);
        let mut drive = world.drive().await;
        drive.asks().await;
        drive.said("Yes.").await;
        drive.ends(Outcome::Completed).await;
    }
    runs.push(world.say("s", "third").await);
    world.drive().await;
    runs.push(world.say("s", "fourth").await);
    let turns = async |socket: &mut Socket, params: Value| {
        let mut answer = socket.call("sessions.turns", params).await.unwrap();
        let more = answer["more"].as_bool().unwrap();
        (answer["turns"].take().as_array().unwrap().clone(), more)
    };
    let ids = |turns: &[Value]| turns.iter().map(|turn| turn["runId"].clone()).collect::<Vec<_>>();
    let (all, more) = turns(&mut socket, json!({ "sessionKey": "s" })).await;
    assert_eq!((ids(&all), more), (runs.iter().map(|run| json!(run)).collect(), false));
    let log = world.store.view().turn_events(runs[0], 0).await.unwrap();
    assert_eq!(all[0], json!({ "runId": runs[0], "over": true, "events": log }));
    assert_eq!(all[0]["events"][0]["kind"], "turn.started");
    assert_eq!((&all[2]["over"], all[2]["events"].as_array().unwrap().len()), (&json!(false), 1));
    assert_eq!(
        all[3],
        json!({ "runId": runs[3], "over": false, "events": [], "queued": true, "message": "fourth" })
    );
    let (latest, more) = turns(&mut socket, json!({ "sessionKey": "s", "limit": 2 })).await;
    assert_eq!((&latest[..], more), (&all[2..], true));
    let before = json!({ "sessionKey": "s", "limit": 2, "before": runs[2] });
    assert_eq!(turns(&mut socket, before).await, (all[..2].to_vec(), false));
}

#[tokio::test]
async fn memory_is_read_and_saved_unless_it_was_changed_meanwhile() {
    let world = World::new().await;
    let mut socket = world.client().await;
    std::fs::write(world.dir.path().join("MEMORY.md"), "Anna likes tea.\n").unwrap();
    let listed = socket.call("memory.list", json!({})).await.unwrap();
    assert_eq!(
        (&listed["files"][0]["path"], &listed["files"][0]["bytes"]),
        (&json!("MEMORY.md"), &json!(16))
    );
    let found = socket.call("memory.search", json!({ "query": "tea" })).await.unwrap();
    let passage = json!({ "path": "MEMORY.md", "excerpt": "Anna likes tea.", "lineStart": 1, "lineEnd": 1,
        "kind": "long_term", "score": 1.0 });
    assert_eq!(found["results"], json!([passage]));
    let read = socket.call("memory.read", json!({ "path": "MEMORY.md" })).await.unwrap();
    assert_eq!(read["text"], "Anna likes tea.\n");
    let edited = json!({ "path": "MEMORY.md", "text": "Anna likes coffee.\n", "hash": read["hash"] });
    let saved = socket.call("memory.save", edited.clone()).await.unwrap();
    let read = socket.call("memory.read", json!({ "path": "MEMORY.md" })).await.unwrap();
    assert_eq!((&read["text"], &read["hash"]), (&edited["text"], &saved["hash"]));
    socket.send(json!({ "id": 1, "method": "memory.save", "params": edited })).await;
    let error = json!({ "code": -32009, "message": "the file was changed meanwhile" });
    assert_eq!(socket.next().await["error"], error);
}

#[tokio::test]
async fn the_log_is_leafed_through_the_newest_first_and_checked() {
    let world = World::new().await;
    let mut socket = world.client().await;
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    drive.asks().await;
    drive.said("Hello").await;
    world.say("other", "hi").await;
    world.drive().await;
    let log = json!(world.store.view().events_after(0, 100).await.unwrap());
    let log = log.as_array().unwrap();
    let check = async |socket: &mut Socket, params: Value, expected: &[usize], more: bool| {
        let events: Vec<&Value> = expected.iter().map(|at| &log[*at]).collect();
        let answer = socket.call("audit.list", params.clone()).await.unwrap();
        assert_eq!(answer, json!({ "events": events, "more": more }), "{params}");
    };
    // The first one is that this client came in.
    check(&mut socket, json!({}), &[4, 3, 2, 1, 0], false).await;
    check(&mut socket, json!({ "limit": 2 }), &[4, 3], true).await;
    check(&mut socket, json!({ "limit": 2, "before": log[2]["seq"] }), &[1, 0], false).await;
    check(&mut socket, json!({ "kind": "turn.started" }), &[4, 1], false).await;
    check(&mut socket, json!({ "sessionKey": "s", "limit": 2 }), &[3, 2], true).await;
    check(&mut socket, json!({ "sessionKey": "s", "kind": "turn.started", "before": 9 }), &[1], false).await;
    let whole = socket.call("audit.verify", json!({})).await.unwrap();
    assert_eq!((&whole["whole"], &whole["events"]), (&json!(true), &json!(5)));
    assert_eq!(whole["head"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn costs_are_told_by_day_and_model() {
    let world = World::new().await;
    let mut socket = world.client().await;
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    drive.asks().await;
    drive.said("Hello").await;
    drive.said("Again").await;
    let answer = socket.call("usage.summary", json!({ "days": 3 })).await.unwrap();
    let days = answer["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[0]["models"], &answer["currency"]), (3, &json!([]), &json!("USD")));
    let used = json!({
        "model": MODEL, "calls": 2, "inputTokens": 20, "outputTokens": 4, "cacheReadTokens": 0,
        "cacheWriteTokens": 0, "cost": 2.0,
    });
    // Midnight may have passed meanwhile.
    assert!(days[1..].iter().any(|day| day["models"] == json!([used])), "{answer}");
    assert!(days[2]["day"].as_str().unwrap() > days[1]["day"].as_str().unwrap());
}

#[tokio::test]
async fn tools_and_settings_are_told_and_changed() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let labels = json!({ "bringsUntrusted": false, "readsPrivate": true, "actsOutside": false, "keeps": false, "idempotent": true });
    let tool = json!({ "name": "read", "description": "Reads.", "inputSchema": { "type": "object" },
        "outputSchema": null, "labels": labels, "usually": "allow", "why": "it only reads" });
    let primitive = json!({ "name": "seccomp", "available": false, "consequence": "more is asked" });
    let expected = json!({ "preset": "guarded", "sandbox": { "enabled": true, "primitives": [primitive] },
        "tools": [tool], "rules": { "allow": [], "ask": [], "deny": ["webfetch"], "grants": [] }, "made": [] });
    assert_eq!(socket.call("tools.list", json!({})).await, Ok(expected));
    let provider = json!({ "name": "fake", "kind": "openai", "keySet": true, "keySource": "the test",
        "baseUrl": "http://127.0.0.1:9/v1" });
    let expected = json!({ "version": "1", "home": "/home", "workspace": "/home/workspace", "model": MODEL,
        "models": [MODEL], "preset": "guarded", "providers": [provider], "needsSetup": false });
    assert_eq!(socket.call("settings.get", json!({})).await, Ok(expected));
    let server = json!({ "provider": "ollama", "baseUrl": "http://127.0.0.1:9/v1", "models": ["m"] });
    let expected = json!({ "keys": [{ "provider": "fake", "source": "the test" }], "servers": [server] });
    assert_eq!(socket.call("setup.detect", json!({})).await, Ok(expected));

    let key = json!({ "provider": "fake", "key": "hunter2" });
    let answer = Ok(json!({ "ok": true, "model": MODEL }));
    assert_eq!(socket.call("setup.testKey", key.clone()).await, answer);
    assert!(world.house.kept.lock().unwrap().is_empty(), "trying keeps nothing");
    assert_eq!(socket.call("setup.saveKey", key).await, answer);
    assert_eq!(socket.call("settings.setModel", json!({ "model": MODEL })).await, answer);
    let kept = [("fake", "hunter2"), ("model", MODEL)].map(|(what, value)| (what.into(), value.into()));
    assert_eq!(*world.house.kept.lock().unwrap(), kept);
    let wrong = json!({ "provider": "fake", "key": "wrong" });
    socket.send(json!({ "id": 1, "method": "setup.saveKey", "params": wrong })).await;
    assert_eq!(socket.next().await["error"], json!({ "code": -32602, "message": "fake says: no such key" }));
}
