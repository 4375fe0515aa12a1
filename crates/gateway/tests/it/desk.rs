//! The desk: the shapes of its answers, what it refuses, and a turn told to a client that runs tools itself.

use crate::{
    http::{Events, call, failure},
    world::{MODEL, World},
};
use protocol::{AskedCall, CallResult, CallStatus, Fact, Outcome, Risk, SessionKey, StopReason};
use reqwest::Method;
use serde_json::{Value, json};

/// A conversation of a client's.
pub async fn open(world: &World) -> String {
    let (status, body) = world.post("/v1/sessions", json!({ "jarvis_session_id": "j_abc" })).await;
    assert_eq!(status, 200);
    body["general_session_id"].as_str().unwrap().to_owned()
}

pub fn chat(session: &str, text: &str, stream: bool) -> Value {
    json!({
        "general_session_id": session,
        "mode": "general",
        "message": { "parts": [{ "type": "text", "text": text }] },
        "stream": stream,
    })
}

fn named(mut chat: Value, id: &str) -> Value {
    chat["client_message_id"] = id.into();
    chat
}

fn usage() -> Value {
    json!({ "input_tokens": 10, "output_tokens": 4, "cache_read_tokens": 3, "cache_write_tokens": 2 })
}

async fn code(world: &World, path: &str, body: Value) -> (u16, String) {
    let (status, body) = world.post(path, body).await;
    (status, body["error"]["code"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned())
}

#[tokio::test]
async fn a_client_keeps_its_conversation() {
    let world = World::new().await;
    let ask = async |id: &str, preferred: Option<&str>| {
        let body = json!({ "jarvis_session_id": id, "preferred_session_id": preferred });
        let (status, body) = world.post("/v1/sessions", body).await;
        assert_eq!((status, body.as_object().unwrap().len()), (200, 2), "{body}");
        (body["general_session_id"].as_str().unwrap().to_owned(), body["created"].as_bool().unwrap())
    };
    let (first, created) = ask("j_abc", None).await;
    assert!(created);
    assert_eq!(ask("j_abc", None).await, (first.clone(), false));
    assert_eq!(ask("j_new", Some(&first)).await, (first.clone(), false));
    let (other, created) = ask("j_other", Some("no such one")).await;
    assert!(created && other != first);
}

#[tokio::test]
async fn tools_are_declared_checked_and_kept() {
    let world = World::new().await;
    let tool = |name: &str| json!({ "name": name, "input_schema": { "type": "object" } });
    let declare = |tools: Value| json!({ "jarvis_session_id": "j", "tools": tools });
    let refused = async |tools: Value, status: u16, part: &str| {
        let (found, body) = world.post("/v1/sessions", declare(tools)).await;
        let message = body["error"]["message"].as_str().unwrap_or_default();
        assert!(found == status && message.contains(part), "{found} {body}");
    };
    refused(json!([tool("open app")]), 400, "is not a tool name").await;
    refused(json!([{ "name": "a", "input_schema": { "type": "string" } }]), 400, "must describe an object")
        .await;
    refused(json!([{ "name": "a" }]), 400, "input_schema").await;
    refused(json!([tool("a"), tool("a")]), 400, "`a` stands twice").await;
    refused(json!([tool("bash")]), 400, "`bash` is the name of a tool of this house").await;
    refused(json!("all"), 400, "invalid type").await;
    let many: Vec<Value> = (0..65).map(|number| tool(&format!("t{number}"))).collect();
    refused(json!(many), 400, "more than 64").await;
    let mut long = tool("long");
    long["description"] = "x".repeat(300 << 10).into();
    refused(json!([long]), 413, "more than 256 kB").await;

    let declared = json!([
        { "name": "open_app", "description": "Opens it.", "input_schema": { "type": "object" }, "risk": "safe" },
        tool("look"),
    ]);
    let (status, body) = world.post("/v1/sessions", declare(declared)).await;
    assert_eq!(status, 200);
    let session = SessionKey::new(body["general_session_id"].as_str().unwrap()).unwrap();
    world.post("/v1/sessions", json!({ "jarvis_session_id": "j" })).await;
    let kept = world.store.view().client_tools(&session).await.unwrap().unwrap();
    let kept: Vec<_> = kept.iter().map(|tool| (tool.name.as_str(), tool.risk)).collect();
    assert_eq!(kept, [("open_app", Risk::Safe), ("look", Risk::Risky)]);
}

#[tokio::test]
async fn what_is_wrong_is_refused_in_the_envelope() {
    let world = World::new().await;
    let session = open(&world).await;
    let check = async |path: &str, body: Value, status: u16, expected: &str| {
        assert_eq!(code(&world, path, body.clone()).await, (status, expected.to_owned()), "{path} {body}");
    };
    let with = |key: &str, value: Value| {
        let mut body = chat(&session, "hi", false);
        body[key] = value;
        body
    };
    let part = |part: Value| with("message", json!({ "parts": [part] }));
    check("/v1/sessions", json!({}), 400, "bad_request").await;
    check("/v1/sessions", json!({ "jarvis_session_id": 7 }), 400, "bad_request").await;
    check("/v1/sessions", json!({ "jarvis_session_id": " " }), 400, "bad_request").await;
    check("/v1/sessions", json!({ "jarvis_session_id": "x".repeat(257) }), 400, "bad_request").await;
    check("/v1/chat", json!({}), 400, "bad_request").await;
    check("/v1/chat", with("stream", "yes".into()), 400, "bad_request").await;
    check("/v1/chat", with("mode", "code".into()), 400, "bad_request").await;
    check("/v1/chat", with("general_session_id", "g_def".into()), 404, "unknown_session").await;
    check("/v1/chat", with("general_session_id", "terminal--default".into()), 404, "unknown_session").await;
    check("/v1/chat", with("model", "no/such".into()), 400, "bad_request").await;
    check("/v1/chat", with("client_message_id", "".into()), 400, "bad_request").await;
    check("/v1/chat", with("message", json!({ "parts": [] })), 400, "bad_request").await;
    check("/v1/chat", part(json!({ "type": "text", "text": " \n" })), 400, "bad_request").await;
    check("/v1/chat", part(json!({ "type": "text" })), 400, "bad_request").await;
    check("/v1/chat", part(json!({ "type": "audio", "text": "hi" })), 400, "bad_request").await;
    check("/v1/chat", part(json!({ "type": "image", "mime_type": "image/png" })), 400, "bad_request").await;
    let image = |mime: &str, data: &str| json!({ "type": "image", "mime_type": mime, "data": data });
    check("/v1/chat", part(image("text/html", "aGk=")), 400, "bad_request").await;
    check("/v1/chat", part(image("image/png", "no base64!")), 400, "bad_request").await;
    check("/v1/chat", chat(&session, &"x".repeat((1 << 20) + 1), false), 413, "too_large").await;
    check("/v1/chat", chat(&session, &"x".repeat(9 << 20), false), 413, "too_large").await;
    let report = |result: Value| json!({ "general_session_id": session, "tool_result": result });
    check("/v1/tools/result", json!({}), 400, "bad_request").await;
    check("/v1/tools/result", report(json!({ "id": "x" })), 400, "bad_request").await;
    check("/v1/tools/result", report(json!({ "id": "x", "ok": "yes" })), 400, "bad_request").await;
    check("/v1/tools/result", report(json!({ "id": "x", "ok": true })), 404, "unknown_tool_call").await;
    let id = call(1, "t").id;
    check("/v1/tools/result", report(json!({ "id": id, "ok": true })), 404, "unknown_tool_call").await;
    let long = json!({ "id": id, "ok": true, "result": "x".repeat((1 << 20) + 1) });
    check("/v1/tools/result", report(long), 413, "too_large").await;
    let lost = json!({ "general_session_id": "g", "tool_result": { "id": id, "ok": true } });
    check("/v1/tools/result", lost, 404, "unknown_session").await;
    let note = |session: &str, target: &str, content: &str| json!({ "general_session_id": session, "target": target, "content": content });
    check("/v1/memory/write", json!({}), 400, "bad_request").await;
    check("/v1/memory/write", note(&session, "forever", "x"), 400, "bad_request").await;
    check("/v1/memory/write", note(&session, "daily", " "), 400, "bad_request").await;
    check("/v1/memory/write", note("g", "daily", "x"), 404, "unknown_session").await;
    check("/v1/memory/write", note(&session, "daily", &"x".repeat(257 << 10)), 413, "too_large").await;

    let check = async |path: &str, status: u16, expected: &str| {
        let (found, body) = world.get(path).await;
        assert_eq!((found, body["error"]["code"].as_str().unwrap()), (status, expected), "{path}");
    };
    check("/v1/stream", 400, "bad_request").await;
    check("/v1/stream?general_session_id=g", 404, "unknown_session").await;
    for id in ["x", "99999", "1.x"] {
        check(&format!("/v1/stream?general_session_id={session}&last_event_id={id}"), 400, "bad_request")
            .await;
    }
    check("/v1/memory/search", 400, "bad_request").await;
    check("/v1/memory/search?q=", 400, "bad_request").await;
    check("/v1/memory/search?q=x&kind=all", 400, "bad_request").await;
    check("/v1/memory/search?q=x&limit=few", 400, "bad_request").await;
    check("/v1/chat", 405, "method_not_allowed").await;
    assert!(world.store.view().sessions(10).await.unwrap().is_empty(), "nothing was accepted");
}

#[tokio::test]
async fn nobody_talks_here_without_the_token() {
    let world = World::new().await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let (_, document) = world.get("/openapi.json").await;
    let mut seen = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|_| path.starts_with("/v1/")) {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let request = client.request(method, world.url(path));
            assert_eq!(crate::http::answer(request).await.0, 401, "{path}");
            seen += 1;
        }
    }
    assert_eq!(seen, 9);
}

#[tokio::test]
async fn the_document_describes_every_door() {
    let world = World::new().await;
    let (_, document) = world.get("/openapi.json").await;
    for (path, methods) in
        document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/v1/"))
    {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{path}");
            assert_eq!(operation["requestBody"].is_object(), method == "post", "{path}");
            let content = &operation["responses"]["200"]["content"];
            assert!(content["application/json"].is_object() || content["text/event-stream"].is_object());
        }
    }
    let text = document.to_string();
    for reference in text.split(r##""$ref":"#/components/schemas/"##).skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(document["components"]["schemas"][name].is_object(), "{name} is not described");
    }
}

#[tokio::test]
async fn a_turn_is_told_from_first_word_to_last() {
    let world = World::new().await;
    let session = open(&world).await;
    let events = world.post_stream("/v1/chat", &chat(&session, "Plan my week", true)).await;
    let mut player = world.drive().await;
    let run = player.at.turn.to_string();
    let (mine, theirs) = (call(1, "open_app"), call(2, "read"));
    player.asks().await;
    player.streams(0, "Sure - ");
    player.streams(7, "here's");
    player.says("Sure - here's a plan...", &[mine.clone(), theirs.clone()], StopReason::ToolUse).await;
    player.hands_over(std::slice::from_ref(&mine)).await;
    player.fact(Fact::CallDone { result: CallResult::new(theirs.id, CallStatus::Succeeded, "a file") }).await;
    let result = json!({ "id": mine.id, "ok": true, "result": "Launched with hunter2", "error": null });
    let report = json!({ "general_session_id": session, "tool_result": result });
    assert_eq!(world.post("/v1/tools/result", report.clone()).await, (200, json!({ "accepted": true })));
    assert_eq!(code(&world, "/v1/tools/result", report).await, (409, "already_settled".into()));
    player.answers("Done.").await;

    let delta = |text: &str, attempt: u32, offset: usize| {
        ("assistant.delta".to_owned(), json!({ "text": text, "attempt": attempt, "offset": offset }))
    };
    let expected = vec![
        delta("Sure - ", 1, 0),
        delta("here's", 1, 7),
        delta(" a plan...", 1, 13),
        (
            "tool.request".into(),
            json!({
                "id": mine.id, "name": "open_app", "arguments": { "app_id": "calendar" }, "risk": "risky",
                "reason": "to help",
            }),
        ),
        (
            "tool.result".into(),
            json!({ "id": theirs.id, "name": "read", "ok": true, "result": "a file", "error": null }),
        ),
        ("tool.result.ack".into(), json!({ "id": mine.id })),
        delta("\n\nDone.", 2, 0),
        (
            "assistant.final".into(),
            json!({
                "text": "Sure - here's a plan...\n\nDone.", "run_id": run,
                "usage": {
                    "input_tokens": 20, "output_tokens": 8, "cache_read_tokens": 6, "cache_write_tokens": 4,
                },
            }),
        ),
    ];
    assert_eq!(events.told().await, expected);
    let given = player.events().await.into_iter().find_map(|event| match event.fact {
        Fact::CallDone { result } if result.call == mine.id => Some(result),
        _ => None,
    });
    assert_eq!(given, Some(CallResult::from_client(mine.id, true, "Launched with [redacted]")));
}

#[tokio::test]
async fn a_client_may_fail_or_refuse() {
    let world = World::new().await;
    let session = open(&world).await;
    world.post_stream("/v1/chat", &chat(&session, "hi", true)).await;
    let mut player = world.drive().await;
    let calls = [call(1, "a"), call(2, "a"), call(3, "a")];
    player.asks().await;
    player.says("", &calls, StopReason::ToolUse).await;
    player.hands_over(&calls).await;
    let results = [
        json!({ "id": calls[0].id, "ok": false, "result": null, "error": "denied" }),
        json!({ "id": calls[1].id, "ok": false }),
        json!({ "id": calls[2].id, "ok": true, "result": null }),
    ];
    for result in results {
        let report = json!({ "general_session_id": session, "tool_result": result });
        assert_eq!(world.post("/v1/tools/result", report).await.0, 200);
    }
    let given: Vec<_> = player
        .events()
        .await
        .into_iter()
        .filter_map(|event| match event.fact {
            Fact::CallDone { result } => Some((result.status, result.output)),
            _ => None,
        })
        .collect();
    let failed = CallStatus::Failed;
    let expected = [
        (failed, "denied".to_owned()),
        (failed, "It failed; why is not known.".to_owned()),
        (CallStatus::Succeeded, String::new()),
    ];
    assert_eq!(given, expected);
}

#[tokio::test]
async fn the_owner_is_asked_over_here_too() {
    let world = World::new().await;
    let session = open(&world).await;
    let events = world.post_stream("/v1/chat", &chat(&session, "hi", true)).await;
    let mut player = world.drive().await;
    let wanted = call(1, "bash");
    player.asks().await;
    player.says("", std::slice::from_ref(&wanted), StopReason::ToolUse).await;
    let approval = protocol::ApprovalId::from(uuid::Uuid::from_u128(9));
    let asked = AskedCall {
        call: wanted.id,
        tool: "bash".into(),
        summary: "Runs ls".into(),
        details: "ls".into(),
        risk: Risk::Risky,
        reason: "it acts".into(),
        flags: vec![],
        cwd: "/tmp".into(),
        confinement: "no network".into(),
        rules: vec!["bash(ls)".into()],
        fingerprint: "f".into(),
    };
    let expires_at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    player.fact(Fact::ApprovalRequested { approval, calls: vec![asked], expires_at, forecast: None }).await;
    let (status, _) =
        world.post(&format!("/api/approvals/{}", wanted.id), json!({ "decision": "denied" })).await;
    assert_eq!(status, 200);
    let denied = CallResult::new(wanted.id, CallStatus::Denied, "Denied.");
    player.fact(Fact::CallDone { result: denied }).await;
    player.ends(Outcome::Completed).await;
    let told = events.told().await;
    let expected = [
        (
            "approval.request",
            json!({
                "id": wanted.id, "approval_id": approval, "name": "bash",
                "arguments": { "app_id": "calendar" }, "risk": "risky", "reason": "it acts",
                "summary": "Runs ls", "details": "ls", "flags": [], "working_dir": "/tmp",
                "confinement": "no network", "rules": ["bash(ls)"],
            }),
        ),
        ("approval.resolved", json!({ "id": wanted.id, "approved": false })),
        (
            "tool.result",
            json!({ "id": wanted.id, "name": "bash", "ok": false, "result": null, "error": "Denied." }),
        ),
    ];
    let told: Vec<_> = told.iter().map(|(event, data)| (event.as_str(), data.clone())).collect();
    assert_eq!(told[..3], expected);
    assert_eq!((told.len(), told[3].0), (4, "assistant.final"));
}

#[tokio::test]
async fn an_answer_may_come_at_once() {
    let world = World::new().await;
    let session = open(&world).await;
    let mut said = chat(&session, "What is this?", false);
    let picture = json!({ "type": "image", "mime_type": "image/png", "data": "aGk=" });
    said["message"]["parts"].as_array_mut().unwrap().push(picture);
    said["model"] = MODEL.into();
    let (answer, player) = tokio::join!(world.post("/v1/chat", said), async {
        let mut player = world.drive().await;
        player.answers("A cat.").await;
        player
    });
    let expected = json!({
        "assistant": { "parts": [{ "type": "text", "text": "A cat." }] },
        "run_id": player.at.turn,
        "usage": usage(),
    });
    assert_eq!(answer, (200, expected));
    let trigger = player.trigger().await;
    assert_eq!((trigger.content.len(), trigger.model.as_deref()), (2, Some(MODEL)));
}

#[tokio::test]
async fn a_turn_that_ends_badly_says_so() {
    let world = World::new().await;
    let session = open(&world).await;
    let check = async |outcome: Outcome, status: u16, code: &str, message: &str| {
        let play = async || {
            let mut player = world.drive().await;
            player.asks().await;
            player.streams(0, "Half");
            if outcome == Outcome::Aborted {
                world.store.abort(player.at.turn).await.unwrap();
            }
            player.ends(outcome.clone()).await;
            player.at.turn
        };
        let ((found, body), run) = tokio::join!(world.post("/v1/chat", chat(&session, "hi", false)), play());
        assert_eq!((found, &body["error"]["code"]), (status, &json!(code)));
        assert_eq!(body["error"]["message"], message);
        assert_eq!(body["error"]["details"]["run_id"], json!(run));
        let events = world.post_stream("/v1/chat", &chat(&session, "hi", true)).await;
        let run = play().await;
        let told = events.told().await;
        let expected = json!({ "code": code, "message": message, "run_id": run });
        assert_eq!(told.last().unwrap(), &("error".to_owned(), expected));
        let before: Vec<_> = told[..told.len() - 1].iter().map(|(event, _)| event.as_str()).collect();
        assert_eq!(before, ["assistant.delta"]);
    };
    check(failure(), 502, "model_failed", "The model is busy.").await;
    check(Outcome::Aborted, 409, "aborted", "the owner stopped this turn").await;
    let limit = Outcome::LimitReached { reason: "too many steps".into() };
    check(limit, 502, "limit_reached", "too many steps").await;
}

#[tokio::test]
async fn the_same_message_is_one_turn() {
    let world = World::new().await;
    let session = open(&world).await;
    let said = |stream: bool| named(chat(&session, "hi", stream), "m1");
    let first = world.post_stream("/v1/chat", &said(true)).await;
    drop(first);
    let queued = world.post_stream("/v1/chat", &said(true)).await;
    let mut player = world.drive().await;
    let calls = [call(1, "a"), call(2, "a")];
    player.asks().await;
    player.streams(0, "Let me ");
    player.says("Let me look.", &calls, StopReason::ToolUse).await;
    player.hands_over(&calls).await;
    let result = json!({ "id": calls[0].id, "ok": true, "result": "x" });
    world.post("/v1/tools/result", json!({ "general_session_id": session, "tool_result": result })).await;

    let mut running = world.post_stream("/v1/chat", &said(true)).await;
    let names = |events: &[crate::http::Sse]| -> Vec<String> {
        events.iter().map(|event| event.event.clone()).collect()
    };
    let again = running.take(3).await;
    // The call that has its result is not asked for again: the client has run it.
    assert_eq!(names(&again), ["assistant.delta", "tool.request", "tool.result.ack"]);
    assert_eq!(again[1].json()["id"], json!(calls[1].id));
    assert!(again[1].id.ends_with(".1"), "ids are the same for everybody: {}", again[1].id);

    let (waiting, _) = tokio::join!(world.post("/v1/chat", said(false)), async {
        // Both are answered by the one turn.
        player.answers("Done.").await;
    });
    assert_eq!(waiting.1["run_id"], json!(player.at.turn));
    let text = "Let me look.\n\nDone.";
    assert_eq!(waiting.1["assistant"]["parts"][0]["text"], text);
    let last = running.all().await;
    assert_eq!(last.last().unwrap().json()["text"], text);
    assert_eq!(queued.told().await.len(), 7);

    let (status, over) = world.post("/v1/chat", said(false)).await;
    assert_eq!((status, over), waiting);
    let over = world.post_stream("/v1/chat", &said(true)).await.all().await;
    assert_eq!(over.last(), last.last());
    let past = world.request(Method::POST, "/v1/chat").json(&said(true));
    let past = past.header("Last-Event-ID", &over.last().unwrap().id).send().await.unwrap();
    assert_eq!(past.status(), 204, "there is nothing more");

    let turns = world.store.view().turns(&player.at.session, None, 10).await.unwrap();
    assert_eq!(turns.len(), 1);
    let other = named(chat(&open_other(&world).await, "hi", false), "m1");
    let (other, _) =
        tokio::join!(world.post("/v1/chat", other), async { world.drive().await.answers("Hm.").await });
    assert_eq!(other.1["assistant"]["parts"][0]["text"], "Hm.", "another conversation has its own names");
}

pub async fn open_other(world: &World) -> String {
    let (_, body) = world.post("/v1/sessions", json!({ "jarvis_session_id": "other" })).await;
    body["general_session_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_message_behind_another_is_told_only_its_own() {
    let world = World::new().await;
    let session = open(&world).await;
    let first = world.post_stream("/v1/chat", &chat(&session, "one", true)).await;
    let second = world.post_stream("/v1/chat", &chat(&session, "two", true)).await;
    let mut player = world.drive().await;
    player.asks().await;
    player.streams(0, "On");
    player.says("One.", &[], StopReason::EndTurn).await;
    player.ends(Outcome::Completed).await;
    world.drive().await.answers("Two.").await;
    let text = |told: Vec<(String, Value)>| told.last().unwrap().1["text"].clone();
    assert_eq!(text(first.told().await), "One.");
    let told = second.told().await;
    assert_eq!((told.len(), told[0].1["text"].as_str()), (2, Some("Two.")));
    assert_eq!(text(told), "Two.");
}

#[tokio::test]
async fn a_queued_message_that_is_stopped_does_not_disturb_the_one_under_way() {
    let world = World::new().await;
    let session = open(&world).await;
    let path = format!("/v1/stream?general_session_id={session}");
    let mut listener = world.get_stream(&path, None).await;
    world.post_stream("/v1/chat", &chat(&session, "one", true)).await;
    let queued = world.post_stream("/v1/chat", &chat(&session, "two", true)).await;
    let mut player = world.drive().await;
    player.asks().await;
    player.streams(0, "Half ");
    let half = listener.take(1).await.remove(0);
    let turns = world.store.view().turns(&player.at.session, None, 10).await.unwrap();
    world.store.abort(turns[0].turn).await.unwrap();
    assert_eq!(queued.told().await.last().unwrap().1["code"], "aborted");
    let aborted = listener.take(1).await.remove(0);
    assert_eq!(aborted.json()["run_id"], json!(turns[0].turn));
    let resumed = world.get_stream(&path, Some(&aborted.id)).await;
    let again = world.get_stream(&path, Some(&half.id)).await;
    player.streams(5, "and half");
    player.says("Half and half.", &[], StopReason::EndTurn).await;
    player.ends(Outcome::Completed).await;
    let rest = async |mut events: Events| {
        let mut text = String::new();
        loop {
            let event = events.next().await.unwrap();
            let said = event.json()["text"].as_str().unwrap_or("-").to_owned();
            if event.event == "assistant.final" {
                return (text, said);
            }
            text.push_str(&said);
        }
    };
    let whole = || "Half and half.".to_owned();
    assert_eq!(rest(listener).await, ("and half.".to_owned(), whole()));
    assert_eq!(rest(again).await, ("-and half.".to_owned(), whole()));
    assert_eq!(rest(resumed).await, ("and half.".to_owned(), whole()));
}

#[tokio::test]
async fn whoever_listens_afresh_is_told_the_turn_under_way() {
    let world = World::new().await;
    let session = open(&world).await;
    let path = format!("/v1/stream?general_session_id={session}");
    world.post_stream("/v1/chat", &chat(&session, "one", true)).await;
    world.drive().await.answers("Over.").await;
    world.post_stream("/v1/chat", &chat(&session, "two", true)).await;
    let mut player = world.drive().await;
    let calls = [call(1, "a"), call(2, "a")];
    player.asks().await;
    player.says("Wait.", &calls, StopReason::ToolUse).await;
    player.hands_over(&calls).await;
    let mut one = world.get_stream(&path, None).await;
    let mut two = world.get_stream(&path, None).await;
    let told = one.take(3).await;
    assert_eq!(told, two.take(3).await, "two listeners are told the same");
    let names: Vec<_> = told.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(names, ["assistant.delta", "tool.request", "tool.request"]);
    player.answers("So.").await;
    // It stays open for the next turn.
    world.post_stream("/v1/chat", &chat(&session, "three", true)).await;
    world.drive().await.answers("Next.").await;
    let told = one.take(4).await;
    assert_eq!(told, two.take(4).await);
    assert_eq!(told[1].json()["text"], "Wait.\n\nSo.");
    assert_eq!(told[3].json()["text"], "Next.");
}

#[tokio::test]
async fn what_is_written_down_is_found() {
    let world = World::new().await;
    let session = open(&world).await;
    let write = async |target: &str, content: &str| {
        let note = json!({ "general_session_id": session, "target": target, "content": content });
        let (status, body) = world.post("/v1/memory/write", note).await;
        assert_eq!(status, 200);
        body
    };
    assert_eq!(write("long_term", "The owner likes tea.").await, json!({ "path": "MEMORY.md" }));
    let daily = write("daily", "Bought tea.").await;
    let path = daily["path"].as_str().unwrap();
    assert!(world.dir.path().join(path).is_file());
    let (_, found) = world.get("/v1/memory/search?q=tea&kind=long_term").await;
    let expected = json!([{ "path": "MEMORY.md", "excerpt": "The owner likes tea.", "line_start": 1, "line_end": 1,
        "kind": "long_term", "score": 1.0 }]);
    assert_eq!(found["results"], expected);
    assert!(found["remark"].as_str().unwrap().starts_with("keyword search only"), "{found}");
    let count = async |query: &str| {
        let (status, found) = world.get(&format!("/v1/memory/search?{query}")).await;
        assert_eq!(status, 200);
        found["results"].as_array().unwrap().len()
    };
    assert_eq!(count("q=tea").await, 2);
    assert_eq!(count("q=tea&limit=1").await, 1);
    assert_eq!(count("q=coffee").await, 0);
}
