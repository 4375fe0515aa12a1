//! Every method with nothing, with nonsense and with what it wants; every way a frame can be wrong.

use super::*;
use protocol::Outcome;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

/// No such id.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

type Answer = Result<(), i64>;

/// A method, what it gives without params, params that are wrong, and further ones with what they give.
type Row = (&'static str, Answer, Vec<Value>, Vec<(Value, Answer)>);

#[tokio::test]
async fn params_are_checked_before_anything_is_done() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let session = json!({ "sessionKey": "s" });
    let check = async |socket: &mut Socket, method: &str, params: Value, expected: Answer| {
        let found = socket.call(method, params.clone()).await;
        assert_eq!(found.map(|_| ()), expected, "{method} {params}");
    };
    let bad = Err(-32602);
    let table: Vec<Row> = vec![
        ("health.check", Ok(()), vec![], vec![(json!({ "more": 1 }), Ok(()))]),
        ("agents.list", Ok(()), vec![], vec![]),
        (
            "sessions.create",
            Ok(()),
            vec![json!({ "agentId": 5 })],
            vec![(json!({ "agentId": "assistant" }), Ok(())), (json!({ "agentId": "nobody" }), Err(-32004))],
        ),
        (
            "sessions.list",
            Ok(()),
            vec![
                json!({ "limit": "x" }),
                json!({ "limit": -1 }),
                json!({ "limit": 1.5 }),
                json!({ "search": 5 }),
                json!({ "archived": "yes" }),
            ],
            vec![(json!({ "limit": 1 }), Ok(())), (json!({ "limit": null, "search": null }), Ok(()))],
        ),
        (
            "sessions.rename",
            bad,
            vec![session.clone(), json!({ "sessionKey": "s", "title": " " })],
            vec![(json!({ "sessionKey": "nobody", "title": "x" }), Err(-32004))],
        ),
        (
            "sessions.archive",
            bad,
            vec![session.clone(), json!({ "sessionKey": "s", "archived": 1 })],
            vec![(json!({ "sessionKey": "nobody", "archived": true }), Err(-32004))],
        ),
        (
            "sessions.turns",
            bad,
            vec![json!({ "sessionKey": "s", "before": "x" }), json!({ "sessionKey": "s", "limit": -1 })],
            vec![(session.clone(), Ok(())), (json!({ "sessionKey": "s", "before": NOBODY }), Ok(()))],
        ),
        (
            "sessions.get",
            bad,
            vec![json!({ "sessionKey": 5 }), json!({ "sessionKey": "" }), json!({ "sessionKey": "a b" })],
            vec![(json!({ "sessionKey": "nobody" }), Err(-32004))],
        ),
        (
            "chat.send",
            bad,
            vec![
                session.clone(),
                json!({ "message": "hi" }),
                json!({ "sessionKey": "s", "message": 5 }),
                json!({ "sessionKey": "s", "message": " \n" }),
                json!({ "sessionKey": "s", "message": "hi", "model": "no/such" }),
                json!({ "sessionKey": "s", "message": "hi", "steer": "yes" }),
                json!({ "sessionKey": "s", "message": "hi", "clientMessageId": 5 }),
            ],
            vec![(json!({ "sessionKey": "s", "message": "hi", "model": MODEL }), Ok(()))],
        ),
        (
            "chat.history",
            bad,
            vec![json!({ "sessionKey": [] }), json!({ "sessionKey": "s", "limit": "x" })],
            vec![(session.clone(), Ok(())), (json!({ "sessionKey": "s", "limit": 0 }), Ok(()))],
        ),
        (
            "chat.abort",
            bad,
            vec![json!({ "runId": 5 })],
            vec![(json!({ "runId": NOBODY }), Err(-32004)), (json!({ "runId": "x" }), Err(-32004))],
        ),
        (
            "exec.approve",
            bad,
            vec![json!({ "approvalId": 5 }), json!({ "approvalId": NOBODY, "callIds": "x" })],
            vec![(json!({ "approvalId": NOBODY }), Err(-32004)), (json!({ "approvalId": "x" }), Err(-32004))],
        ),
        (
            "exec.deny",
            bad,
            vec![json!({ "approvalId": NOBODY, "reason": 5 })],
            vec![(json!({ "approvalId": NOBODY }), Err(-32004))],
        ),
        ("approvals.list", Ok(()), vec![], vec![]),
        (
            "events.subscribe",
            Ok(()),
            vec![json!({ "since": -1 }), json!({ "since": 1_000_000 }), json!({ "deltas": 1 })],
            vec![],
        ),
        ("rules.list", Ok(()), vec![], vec![]),
        ("rules.remove", bad, vec![json!({ "rule": 5 })], vec![(json!({ "rule": "bash" }), Ok(()))]),
        ("transcripts.rebuild", Ok(()), vec![], vec![]),
    ];
    let table = table.into_iter().chain(rows_for_the_page());
    for (method, without, wrong, right) in table {
        check(&mut socket, method, json!({}), without).await;
        check(&mut socket, method, json!([]), bad).await;
        for params in wrong {
            check(&mut socket, method, params, bad).await;
        }
        for (params, expected) in right {
            check(&mut socket, method, params, expected).await;
        }
    }
    for unknown in ["", "chat", "chat.send ", "constructor"] {
        check(&mut socket, unknown, json!({}), Err(-32601)).await;
    }
}

fn rows_for_the_page() -> Vec<Row> {
    let bad = Err(-32602);
    let key = |key: &str| json!({ "provider": "fake", "key": key });
    vec![
        ("tools.list", Ok(()), vec![], vec![]),
        (
            "memory.search",
            bad,
            vec![json!({ "query": " " }), json!({ "query": "x", "kind": "x" })],
            vec![(json!({ "query": "x", "kind": "daily", "limit": 1 }), Ok(()))],
        ),
        ("memory.list", Ok(()), vec![], vec![]),
        (
            "memory.read",
            bad,
            vec![json!({ "path": 5 }), json!({ "path": "steward.db" }), json!({ "path": "memory/../x.md" })],
            vec![(json!({ "path": "MEMORY.md" }), Err(-32004))],
        ),
        (
            "memory.save",
            bad,
            vec![json!({ "path": "MEMORY.md", "text": "x" }), json!({ "path": "x", "text": "", "hash": "" })],
            vec![
                (json!({ "path": "MEMORY.md", "text": "x", "hash": "x" }), Err(-32009)),
                (json!({ "path": "MEMORY.md", "text": "x".repeat(3 << 20), "hash": "x" }), Err(-32013)),
            ],
        ),
        (
            "audit.list",
            Ok(()),
            vec![json!({ "before": -1 }), json!({ "kind": 5 }), json!({ "sessionKey": "a b" })],
            vec![(json!({ "before": 0, "limit": 0, "kind": "none", "sessionKey": "s" }), Ok(()))],
        ),
        ("audit.verify", Ok(()), vec![], vec![]),
        (
            "usage.summary",
            Ok(()),
            vec![json!({ "days": "x" }), json!({ "days": -1 })],
            vec![(json!({ "days": 0 }), Ok(())), (json!({ "days": 60_000 }), Ok(()))],
        ),
        ("settings.get", Ok(()), vec![], vec![]),
        (
            "settings.setModel",
            bad,
            vec![json!({ "model": "no/such" })],
            vec![(json!({ "model": MODEL }), Ok(()))],
        ),
        ("setup.detect", Ok(()), vec![], vec![]),
        (
            "setup.testKey",
            bad,
            vec![json!({ "provider": "fake" }), key("wrong")],
            vec![(key("hunter2"), Ok(())), (json!({ "provider": "fire", "key": "" }), Err(-32603))],
        ),
        ("setup.saveKey", bad, vec![key("wrong")], vec![(key("hunter2"), Ok(()))]),
    ]
}

#[tokio::test]
async fn what_is_wrong_names_the_field() {
    let world = World::new().await;
    let mut socket = world.client().await;
    for (params, field) in [
        (json!({ "sessionKey": "s" }), "`message`"),
        (json!({ "sessionKey": "s", "message": 5 }), "`message`"),
    ] {
        socket.send(json!({ "id": "a", "method": "chat.send", "params": params })).await;
        let answer = socket.next().await;
        assert!(answer["error"]["message"].as_str().unwrap().contains(field), "{answer}");
    }
}

#[tokio::test]
async fn a_bad_frame_is_answered_and_the_socket_lives_on() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let large = |id: &str, bytes: usize| {
        json!({ "id": id, "method": "health.check", "params": { "x": "x".repeat(bytes) } }).to_string()
    };
    let text = |text: &str| Message::text(text.to_owned());
    let cases = [
        (text("hello"), Value::Null, -32700),
        (text(""), Value::Null, -32700),
        (text("[]"), Value::Null, -32600),
        (text("{}"), Value::Null, -32600),
        (text(r#"{"id":{},"method":"health.check"}"#), Value::Null, -32600),
        (text(r#"{"id":true,"method":"health.check"}"#), Value::Null, -32600),
        (text(r#"{"id":1.5}"#), json!(1.5), -32600),
        (text(r#"{"type":"auth"}"#), Value::Null, -32600),
        (Message::binary(b"{\"id\":1,\"method\":\"health.check\"}".to_vec()), Value::Null, -32600),
        (text(&large("large", 4 << 20)), json!("large"), -32013),
        (text(&large("larger", 8 << 20)), json!("larger"), -32013),
    ];
    for (message, id, code) in cases {
        socket.send_raw(message).await;
        let answer = socket.next().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        assert!(socket.call("health.check", json!({})).await.is_ok());
    }
    socket.send_raw(text(&large("fits", (4 << 20) - 100))).await;
    assert_eq!(socket.next().await["result"]["status"], "ok");
    for id in [json!("a"), json!(0), json!(-1), json!(1.5), json!("")] {
        socket.send(json!({ "id": id, "method": "health.check" })).await;
        assert_eq!(socket.next().await["id"], id);
    }
    // The header of a text of 17 MiB is enough.
    let mut header = vec![0x81, 0xff];
    header.extend((17_u64 << 20).to_be_bytes());
    header.extend([0; 4]);
    socket.send_bytes(&header).await;
    assert_eq!(socket.rest().await, (vec![], 1009));
    world.client().await;
}

#[tokio::test]
async fn a_conversation_is_made_listed_talked_in_and_looked_at() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let agents = socket.call("agents.list", json!({})).await.unwrap();
    let agent = json!({ "id": "assistant", "name": "Steward", "description": "Helps.", "model": MODEL });
    assert_eq!(agents, json!({ "agents": [agent] }));
    let made = socket.call("sessions.create", json!({})).await.unwrap();
    let key = made["sessionKey"].as_str().unwrap();
    assert!(key.starts_with("web--"), "{key}");
    let got = socket.call("sessions.get", made.clone()).await.unwrap();
    assert_eq!((&got["session"]["turns"], &got["messages"]), (&json!(0), &json!([])));

    let sent =
        |message: &str, id: &str| json!({ "sessionKey": key, "message": message, "clientMessageId": id });
    let first = socket.call("chat.send", sent("Hello\nthere", "1")).await.unwrap();
    assert_eq!(first.as_object().unwrap().len(), 1, "{first}");
    let again = socket.call("chat.send", sent("Hello\nthere", "1")).await.unwrap();
    assert_eq!(again, json!({ "runId": first["runId"], "repeated": true }));
    let mut drive = world.drive().await;
    assert_eq!(drive.run_id(), first["runId"]);
    let mut steering = sent("And quickly", "2");
    steering["steer"] = true.into();
    let joined = socket.call("chat.send", steering).await.unwrap();
    assert_eq!(joined, json!({ "runId": first["runId"], "joined": true }));
    drive.asks().await;
    drive.said("Hi").await;
    drive.ends(Outcome::LimitReached { reason: "too long".into() }).await;

    let history = socket.call("chat.history", json!({ "sessionKey": key })).await.unwrap();
    let messages: Vec<(&str, &str)> = history["messages"]
        .as_array()
        .unwrap()
        .iter()
        .inspect(|message| assert_eq!(message["runId"], first["runId"]))
        .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect();
    let expected =
        [("user", "Hello\nthere"), ("user", "And quickly"), ("assistant", "Hi"), ("assistant", "")];
    assert_eq!(messages, expected);
    assert_eq!(history["messages"][2]["model"], MODEL);
    assert_eq!(history["messages"][3]["error"], "too long");
    let latest = socket.call("chat.history", json!({ "sessionKey": key, "limit": 2 })).await.unwrap();
    assert_eq!(latest["messages"].as_array().unwrap()[..], history["messages"].as_array().unwrap()[2..]);

    let got = socket.call("sessions.get", made.clone()).await.unwrap();
    assert_eq!(got["messages"], history["messages"]);
    let listed = socket.call("sessions.list", json!({})).await.unwrap();
    assert_eq!(listed["sessions"], json!([got["session"]]));
    assert_eq!((&got["session"]["title"], &got["session"]["turns"]), (&json!("Hello"), &json!(2)));
}

#[tokio::test]
async fn a_run_is_stopped_once() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let run = socket.call("chat.send", json!({ "sessionKey": "s", "message": "hi" })).await.unwrap();
    assert_eq!(socket.call("chat.abort", run.clone()).await, Ok(json!({ "ok": true })));
    assert_eq!(socket.call("chat.abort", run.clone()).await, Ok(json!({ "ok": false })));
    let told = socket.push("chat.final").await;
    assert_eq!(
        (&told["outcome"], &told["runId"], &told["text"]),
        (&json!("aborted"), &run["runId"], &json!(""))
    );
}

#[tokio::test]
async fn a_full_disk_is_said_and_reading_goes_on() {
    let world = World::new().await;
    let mut socket = world.client().await;
    world.store.limit_pages(1).await.unwrap();
    let big = json!({ "sessionKey": "s", "message": "x".repeat(1 << 20) });
    assert_eq!(socket.call("chat.send", big.clone()).await, Err(-32028));
    assert!(socket.call("sessions.list", json!({})).await.is_ok());
    world.store.limit_pages(1_000_000).await.unwrap();
    assert!(socket.call("chat.send", big).await.is_ok());
}

#[tokio::test]
async fn rules_are_listed_and_taken_back() {
    let world = World::new().await;
    let mut socket = world.client().await;
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    let approval = drive.wants(&["ls"], 60_000).await;
    let yes = json!({ "approvalId": approval, "rule": "bash(ls)" });
    assert_eq!(socket.call("exec.approve", yes).await, Ok(json!({ "ok": true })));
    assert_eq!(socket.call("rules.list", json!({})).await, Ok(json!({ "rules": ["bash(ls)"] })));
    let rule = json!({ "rule": "bash(ls)" });
    assert_eq!(socket.call("rules.remove", rule.clone()).await, Ok(json!({ "ok": true })));
    assert_eq!(socket.call("rules.remove", rule).await, Ok(json!({ "ok": false })));
    assert_eq!(socket.call("rules.list", json!({})).await, Ok(json!({ "rules": [] })));
    assert_eq!(*world.house.forgotten.lock().unwrap(), ["bash(ls)", "bash(ls)"]);
    assert_eq!(socket.call("transcripts.rebuild", json!({})).await, Ok(json!({ "files": 3 })));
}
