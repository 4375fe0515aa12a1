//! The tasks dialect: every route of its table, and its events word for word.

use super::*;
use serde_json::json;
use testkit::Script;

/// The events of a task from the beginning, or from an id on, to its end.
async fn events(daemon: &Daemon, id: &str, from: Option<&str>) -> Vec<testkit::Sent> {
    let path = format!("/api/tasks/{id}/events");
    daemon.door.listen(&path, from).await.unwrap().until("(the end)").await
}

#[tokio::test]
async fn an_order_is_taken_asked_about_and_done() {
    let world = World::new().await;
    world.fake.script(Script::new().text("I look.").call("bash", r#"{"command":"echo hello"}"#));
    world.fake.script(Script::reply("It says hello."));
    let daemon = Daemon::start(&world).await;
    let order = json!({ "prompt": "say hello", "requesterId": "ada", "channelId": "web" });
    let task = daemon.post("/api/tasks", order).await;
    let id = task["id"].as_str().unwrap().to_owned();
    assert_eq!((&task["prompt"], &task["requesterId"]), (&json!("say hello"), &json!("ada")));
    assert!(["queued", "running"].contains(&task["status"].as_str().unwrap()), "{task}");

    // It waits for the owner, and says so to whoever listens.
    let mut listening = daemon.door.listen(&format!("/api/tasks/{id}/events"), None).await.unwrap();
    let request = loop {
        let sent = listening.event().await.unwrap();
        assert!(sent.event.is_empty(), "a browser hears only messages without a name");
        if sent.json()["type"] == "approval_request" {
            break sent.json();
        }
    };
    assert_eq!(request["toolPath"], "bash");
    assert_eq!(request["input"], json!({ "command": "echo hello" }));
    assert!(request["preview"]["title"].is_string() && request["preview"]["details"].is_string());
    let call = request["id"].as_str().unwrap().to_owned();
    while daemon.get(&format!("/api/tasks/{id}")).await["status"] != "waiting" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let waiting = daemon.get("/api/approvals").await;
    assert_eq!(waiting["approvals"][0]["calls"][0]["callId"], json!(call));

    let decided = daemon.post(&format!("/api/approvals/{call}"), json!({ "decision": "approved" })).await;
    assert_eq!(decided, json!({ "id": call, "decision": "approved" }));
    let again = json!({ "decision": "denied", "reason": "too late" });
    let again = daemon.door.ask("POST", &format!("/api/approvals/{call}"), Some(&again)).await;
    assert_eq!((again.status, &again.json()["error"]["code"]), (409, &json!("already_settled")));

    let all: Vec<Value> = events(&daemon, &id, None).await.iter().map(testkit::Sent::json).collect();
    let told: Vec<&str> = all.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let expected = [
        "status",
        "status",
        "agent_message",
        "approval_request",
        "approval_resolved",
        "tool_result",
        "status",
        "agent_message",
        "completed",
    ];
    assert_eq!(told, expected);
    assert_eq!(all[2]["text"], "I look.");
    assert_eq!(all[4], json!({ "type": "approval_resolved", "id": call, "decision": "approved" }));
    let result = json!({
        "type": "tool_result", "id": call, "toolPath": "bash", "status": "succeeded", "preview": all[5]["preview"],
    });
    assert_eq!(all[5], result);
    assert!(all[5]["preview"].as_str().unwrap().contains("hello"));
    assert_eq!(daemon.get(&format!("/api/tasks/{id}")).await["status"], "completed");
    assert_eq!(daemon.get("/api/tasks").await["tasks"][0]["id"], json!(id));
    assert_eq!(daemon.get("/api/tasks?requesterId=eve").await["tasks"], json!([]));
}

#[tokio::test]
async fn whoever_comes_back_hears_exactly_the_rest() {
    let world = World::new().await;
    // Two calls asked on one screen: one event of the log tells two things.
    world.fake.script(
        Script::new().call("bash", r#"{"command":"echo 1"}"#).call("bash", r#"{"command":"echo 2"}"#),
    );
    world.fake.script(Script::reply("Done."));
    let daemon = Daemon::start(&world).await;
    let task = daemon.post("/api/tasks", json!({ "prompt": "count" })).await;
    let id = task["id"].as_str().unwrap().to_owned();
    let mut listening = daemon.door.listen(&format!("/api/tasks/{id}/events"), None).await.unwrap();
    let mut calls = Vec::new();
    while calls.len() < 2 {
        let event = listening.event().await.unwrap().json();
        if event["type"] == "approval_request" {
            calls.push(event["id"].as_str().unwrap().to_owned());
        }
    }
    // Deciding one leaves the other open.
    let word = |decision: &str| json!({ "decision": decision });
    daemon.post(&format!("/api/approvals/{}", calls[0]), word("denied")).await;
    assert_eq!(daemon.get("/api/approvals").await["approvals"][0]["calls"][0]["callId"], json!(calls[1]));
    daemon.post(&format!("/api/approvals/{}", calls[1]), word("approved")).await;

    let all = events(&daemon, &id, None).await;
    assert!(all.iter().any(|sent| sent.id.ends_with(".1")), "{all:?}");
    for (number, sent) in all.iter().enumerate() {
        if number + 1 == all.len() {
            let answer = daemon.door.request(
                "GET",
                &format!("/api/tasks/{id}/events"),
                &[("last-event-id", &sent.id), ("connection", "close")],
                None,
            );
            assert_eq!(daemon.door.send(&answer).await.status, 204, "nothing more will come");
            continue;
        }
        let rest = events(&daemon, &id, Some(&sent.id)).await;
        assert_eq!(rest, all[number + 1..], "after {}", sent.id);
    }
}

#[tokio::test]
async fn an_order_can_be_stopped_whenever() {
    let world = World::new().await;
    world.fake.script(Script::new().call("bash", r#"{"command":"echo 1"}"#));
    let daemon = Daemon::start(&world).await;
    let task = daemon.post("/api/tasks", json!({ "prompt": "wait" })).await;
    let id = task["id"].as_str().unwrap().to_owned();
    let mut listening = daemon.door.listen(&format!("/api/tasks/{id}/events"), None).await.unwrap();
    while listening.event().await.unwrap().json()["type"] != "approval_request" {}
    let cancelled = daemon.post(&format!("/api/tasks/{id}/cancel"), json!({})).await;
    assert_eq!(cancelled["status"], "cancelled");
    let rest = listening.until("(the end)").await;
    assert_eq!(rest.last().unwrap().json(), json!({ "type": "error", "error": "cancelled" }));
    assert_eq!(daemon.post(&format!("/api/tasks/{id}/cancel"), json!({})).await["status"], "cancelled");
    assert_eq!(daemon.get("/api/approvals").await["approvals"], json!([]));
}

#[tokio::test]
async fn what_is_wrong_with_an_order_is_said() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let check =
        |method: &'static str, path: &'static str, body: Option<Value>, status: u16, code: &'static str| {
            let door = daemon.door.clone();
            async move {
                let answer = door.ask(method, path, body.as_ref()).await;
                let error = answer.json()["error"].clone();
                assert_eq!((answer.status, error["code"].as_str()), (status, Some(code)), "{path} {body:?}");
                assert!(error["message"].as_str().is_some_and(|message| message.len() > 10), "{error}");
                assert!(error["details"].is_object());
            }
        };
    let missing = "/api/tasks/019a0000-0000-7000-8000-000000000000";
    let missing_call = "/api/approvals/019a0000-0000-7000-8000-000000000000";
    check("POST", "/api/tasks", Some(json!({})), 400, "bad_request").await;
    check("POST", "/api/tasks", Some(json!({ "prompt": 7 })), 400, "bad_request").await;
    check("POST", "/api/tasks", Some(json!({ "prompt": "  " })), 400, "bad_request").await;
    check("POST", "/api/tasks", Some(json!({ "prompt": "x", "kind": "recurring" })), 400, "bad_request")
        .await;
    check("POST", "/api/tasks", Some(json!({ "prompt": "x", "model": "nobody/x" })), 400, "bad_request")
        .await;
    check("GET", "/api/tasks?limit=many", None, 400, "bad_request").await;
    check("GET", missing, None, 404, "not_found").await;
    check("GET", "/api/tasks/not-an-id", None, 404, "not_found").await;
    check("GET", "/api/tasks/not-an-id/events", None, 404, "not_found").await;
    check("POST", "/api/tasks/not-an-id/cancel", Some(json!({})), 404, "not_found").await;
    check("DELETE", "/api/tasks", None, 405, "method_not_allowed").await;
    check("POST", missing_call, Some(json!({ "decision": "approved" })), 404, "not_found").await;
    check("POST", missing_call, Some(json!({ "decision": "maybe" })), 400, "bad_request").await;
    check("POST", "/api/hooks/nobody", Some(json!({})), 404, "not_found").await;
    check("GET", "/nowhere", None, 404, "not_found").await;
    // The same order sent twice is one task.
    let order = json!({ "prompt": "once", "clientTaskId": "mine" });
    let first = daemon.post("/api/tasks", order.clone()).await;
    assert_eq!(daemon.post("/api/tasks", order).await["id"], first["id"]);
}

#[tokio::test]
async fn a_stream_that_has_nothing_to_tell_shows_that_it_lives() {
    let world = World::new().await;
    world.fake.script(Script::new().call("bash", r#"{"command":"echo 1"}"#));
    let daemon = Daemon::start(&world).await;
    let task = daemon.post("/api/tasks", json!({ "prompt": "wait" })).await;
    let path = format!("/api/tasks/{}/events", task["id"].as_str().unwrap());
    let mut listening = daemon.door.listen(&path, None).await.unwrap();
    while listening.event().await.unwrap().json()["type"] != "approval_request" {}
    let alive = tokio::time::timeout(Duration::from_secs(20), listening.next()).await;
    assert_eq!(alive.expect("a sign of life").unwrap().comment, "heartbeat");
}
