//! Programs at every door: what the model wrote, the calls it leads to and what comes of them.

use crate::{
    desk::{chat, open},
    http::{Events, Sse, call},
    world::{Drive, World, asked},
};
use protocol::*;
use reqwest::Method;
use serde_json::{Value, json};

/// A call by which the model hands in a program.
fn program(number: u128, code: &str) -> Call {
    Call { arguments: json!({ "code": code }).to_string(), ..call(number, RUN_CODE) }
}

/// A call that a program asks for.
fn child(number: u128, tool: &str) -> Call {
    Call { wire_id: String::new(), ..call(number, tool) }
}

impl Drive {
    /// The model writes a program, and nothing else.
    async fn writes(&mut self, program: &Call) {
        self.asks().await;
        self.says("", std::slice::from_ref(program), StopReason::ToolUse).await;
        self.fact(Fact::CallStarted { call: program.id }).await;
    }

    async fn begins(&mut self, call: &Call) {
        let program = Program {
            javascript: "…".into(),
            lines: Vec::new(),
            paths: vec!["issues.close".into()],
            seed: 1,
            now_ms: 0,
            engine: "test".into(),
        };
        self.fact(Fact::ProgramStarted { call: call.id, program }).await;
    }

    async fn wants_calls(&mut self, program: &Call, calls: &[Call], told: u32) {
        let (program, calls) = (program.id, calls.to_vec());
        self.fact(Fact::ProgramAsked { program, calls, told, console: String::new() }).await;
    }

    /// Puts calls of a program on one screen.
    async fn puts_up(&mut self, program: &Call, calls: &[Call], after: &[&str]) -> ApprovalId {
        let approval = ApprovalId::from(uuid::Uuid::now_v7());
        let expires_at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
        let calls = calls.iter().map(|it| AskedCall { call: it.id, tool: it.tool.clone(), ..asked("x") });
        let foreseen =
            after.iter().map(|tool| Foreseen { tool: (*tool).into(), summary: format!("Does {tool}") });
        let forecast = Some(Forecast { program: program.id, calls: foreseen.collect() });
        self.fact(Fact::ApprovalRequested { approval, calls: calls.collect(), expires_at, forecast }).await;
        approval
    }

    async fn gives(&mut self, call: &Call, status: CallStatus, output: &str) {
        self.fact(Fact::CallDone { result: CallResult::new(call.id, status, output) }).await;
    }

    async fn comes_to(&mut self, program: &Call, end: ProgramEnd) {
        self.fact(Fact::ProgramEnded { program: program.id, end, console: String::new() }).await;
    }
}

async fn task(world: &World) -> String {
    let (_, task) = world.post("/api/tasks", json!({ "prompt": "close old issues" })).await;
    format!("/api/tasks/{}/events", task["id"].as_str().unwrap())
}

fn told(events: &[Sse], kind: &str) -> Vec<Value> {
    events.iter().map(Sse::json).filter(|event| event["type"] == kind).collect()
}

/// A program asks for two calls and then for a third; the owner says yes to one of the two.
async fn close_issues(world: &World) -> [Call; 4] {
    let mut player = world.drive().await;
    let whole = program(1, "await tools.issues.close({ number: 1 });\nreturn 2");
    let calls = [child(2, "issues.close"), child(3, "issues.close"), child(4, "mail.send")];
    player.writes(&whole).await;
    player.begins(&whole).await;
    player.wants_calls(&whole, &calls[..2], 0).await;
    player.puts_up(&whole, &calls[..2], &["mail.send"]).await;
    for (call, decision) in [(&calls[1], "denied"), (&calls[0], "approved")] {
        let (status, _) =
            world.post(&format!("/api/approvals/{}", call.id), json!({ "decision": decision })).await;
        assert_eq!(status, 200);
    }
    player.gives(&calls[1], CallStatus::Denied, "Denied.").await;
    player.fact(Fact::CallStarted { call: calls[0].id }).await;
    player.gives(&calls[0], CallStatus::Succeeded, "closed").await;
    player.wants_calls(&whole, &calls[2..], 2).await;
    player.gives(&calls[2], CallStatus::Failed, "").await;
    player.comes_to(&whole, ProgramEnd::Returned { value: r#"{"closed":1}"#.into(), cut_bytes: 0 }).await;
    player.gives(&whole, CallStatus::Succeeded, "3 calls").await;
    player.answers("One is closed.").await;
    let [one, two, three] = calls;
    [whole, one, two, three]
}

#[tokio::test]
async fn a_task_tells_the_code_its_calls_and_the_receipts() {
    let world = World::new().await;
    let path = task(&world).await;
    let live = world.get_stream(&path, None).await;
    let [whole, one, two, three] = close_issues(&world).await;
    let events = live.all().await;

    let code = "await tools.issues.close({ number: 1 });\nreturn 2";
    assert_eq!(
        told(&events, "code_generated"),
        [json!({ "type": "code_generated", "id": whole.id, "code": code })]
    );
    let requests = told(&events, "approval_request");
    let asked: Vec<&Value> = requests.iter().map(|request| &request["id"]).collect();
    assert_eq!(asked, [&json!(one.id), &json!(two.id)], "one for each call, as ever");
    for request in &requests {
        let after = json!([{ "toolPath": "mail.send", "title": "Does mail.send" }]);
        assert_eq!(request["forecast"], json!({ "binding": false, "calls": after }));
        assert_eq!(
            (&request["program"], &request["input"]["app_id"]),
            (&json!(whole.id), &json!("calendar"))
        );
    }
    let result = |call: &Call, status: &str, preview: &str| {
        json!({
            "type": "tool_result", "id": call.id, "toolPath": call.tool, "status": status, "preview": preview,
            "parent": whole.id,
        })
    };
    let all = json!({
        "type": "tool_result", "id": whole.id, "toolPath": "run_code", "status": "succeeded",
        "preview": "3 calls", "result": { "closed": 1 },
        "receipts": [
            { "id": one.id, "toolPath": "issues.close", "status": "succeeded", "preview": "closed" },
            { "id": two.id, "toolPath": "issues.close", "status": "denied", "preview": "Denied." },
            { "id": three.id, "toolPath": "mail.send", "status": "failed" },
        ],
    });
    let expected = [
        result(&two, "denied", "Denied."),
        result(&one, "succeeded", "closed"),
        result(&three, "failed", ""),
        all,
    ];
    assert_eq!(told(&events, "tool_result"), expected);
}

#[tokio::test]
async fn whoever_comes_back_in_the_middle_of_a_program_gets_exactly_the_rest() {
    let world = World::new().await;
    let path = task(&world).await;
    let live = world.get_stream(&path, None).await;
    close_issues(&world).await;
    let events = live.all().await;
    assert!(events.iter().any(|event| event.id.contains('.')), "a screen tells several things: {events:?}");
    for (place, event) in events.iter().enumerate().take(events.len() - 1) {
        let request = world.request(Method::GET, &path).header("Last-Event-ID", &event.id);
        assert_eq!(Events::open(request).await.all().await, events[place + 1..], "after {}", event.id);
    }
}

#[tokio::test]
async fn a_program_that_does_not_fit_or_fails_is_told_too() {
    let world = World::new().await;
    let path = task(&world).await;
    let live = world.get_stream(&path, None).await;
    let mut player = world.drive().await;
    let (wrong, broken, long) = (program(1, "retrun"), program(2, "null.x"), program(3, "return all"));
    player.writes(&wrong).await;
    player.gives(&wrong, CallStatus::Failed, "1:1 TS2304 Cannot find name 'retrun'.").await;
    player.writes(&broken).await;
    player.begins(&broken).await;
    let message = "cannot read property 'x' of null".to_owned();
    player.comes_to(&broken, ProgramEnd::Failed { name: "TypeError".into(), message, line: Some(1) }).await;
    player.gives(&broken, CallStatus::Failed, "TypeError").await;
    player.writes(&long).await;
    player.begins(&long).await;
    player.comes_to(&long, ProgramEnd::Returned { value: "[1,2,".into(), cut_bytes: 70 }).await;
    player.gives(&long, CallStatus::Succeeded, "[1,2,").await;
    player.answers("I see.").await;
    let events = live.all().await;
    assert_eq!(told(&events, "code_generated").len(), 3, "also what is wrong");
    let results = told(&events, "tool_result");
    let ends: Vec<[&Value; 4]> = results
        .iter()
        .map(|it| [&it["receipts"], &it["result"], &it["resultCutBytes"], &it["error"]])
        .collect();
    let (none, empty) = (&Value::Null, &json!([]));
    let error = &json!({ "name": "TypeError", "message": "cannot read property 'x' of null", "line": 1 });
    let expected =
        [[empty, none, none, none], [empty, none, none, error], [empty, &json!("[1,2,"), &json!(70), none]];
    assert_eq!(ends, expected);
    assert_eq!(results[0]["preview"], "1:1 TS2304 Cannot find name 'retrun'.");
}

#[tokio::test]
async fn deciding_one_call_of_a_programs_screen_leaves_the_others_open() {
    let world = World::new().await;
    task(&world).await;
    let mut player = world.drive().await;
    let whole = program(1, "…");
    let calls = [child(2, "a"), child(3, "b"), child(4, "c")];
    player.writes(&whole).await;
    player.begins(&whole).await;
    player.wants_calls(&whole, &calls, 0).await;
    let mut socket = world.client().await;
    let approval = player.puts_up(&whole, &calls, &["d"]).await;
    let pushed = socket.push_after_others("exec.approval_request").await;
    let forecast = json!({ "program": whole.id, "calls": [{ "tool": "d", "summary": "Does d" }] });
    assert_eq!(pushed["forecast"], forecast);

    let decide = async |call: &Call, decision: &str| {
        world.post(&format!("/api/approvals/{}", call.id), json!({ "decision": decision })).await.0
    };
    let open = async || -> Vec<Value> {
        let (_, waiting) = world.get("/api/approvals").await;
        let Some(screen) = waiting["approvals"].get(0) else { return Vec::new() };
        assert_eq!((&screen["approvalId"], &screen["forecast"]), (&json!(approval), &forecast));
        screen["calls"].as_array().unwrap().iter().map(|call| call["callId"].clone()).collect()
    };
    assert_eq!(decide(&calls[1], "denied").await, 200);
    assert_eq!(open().await, [json!(calls[0].id), json!(calls[2].id)]);
    assert_eq!(decide(&calls[1], "approved").await, 409, "the first word counts");
    let listed = socket.call("approvals.list", json!({})).await.unwrap();
    assert_eq!(listed["approvals"][0]["forecast"], forecast);

    // The socket settles what is left as a whole.
    let some = json!({ "approvalId": approval, "callIds": [calls[2].id] });
    assert_eq!(socket.call("exec.approve", some).await, Ok(json!({ "ok": true })));
    assert_eq!(open().await, [Value::Null; 0]);
    let decided: Vec<(CallId, bool)> = player
        .events()
        .await
        .into_iter()
        .filter_map(|event| match event.fact {
            Fact::ApprovalDecided { decisions, .. } => Some(decisions),
            _ => None,
        })
        .flatten()
        .map(|decision| (decision.call, decision.approved))
        .collect();
    assert_eq!(decided, [(calls[1].id, false), (calls[2].id, true), (calls[0].id, false)]);
}

#[tokio::test]
async fn the_desk_hears_of_a_programs_calls_with_their_parent() {
    let world = World::new().await;
    let session = open(&world).await;
    let events = world.post_stream("/v1/chat", &chat(&session, "hi", true)).await;
    let [whole, one, ..] = close_issues(&world).await;
    let told = events.told().await;
    let parents: Vec<(&Value, &Value)> = told
        .iter()
        .filter(|(event, _)| event == "tool.result")
        .map(|(_, data)| (&data["name"], &data["parent"]))
        .collect();
    let (of_program, none) = (&json!(whole.id), &Value::Null);
    let closed = &json!("issues.close");
    let expected = [
        (closed, of_program),
        (closed, of_program),
        (&json!("mail.send"), of_program),
        (&json!("run_code"), none),
    ];
    assert_eq!(parents, expected);
    let request = told.iter().find(|(event, _)| event == "approval.request").unwrap();
    assert_eq!((&request.1["id"], &request.1["forecast"]["program"]), (&json!(one.id), of_program));
}

#[tokio::test]
async fn a_completion_has_the_models_text_and_none_of_the_calls() {
    let world = World::new().await;
    let body =
        json!({ "model": "steward", "messages": [{ "role": "user", "content": "hi" }], "stream": true });
    let events = world.post_stream("/v1/chat/completions", &body).await;
    close_issues(&world).await;
    let events = events.all().await;
    assert!(events.iter().all(|event| !event.data.contains("tool_calls")), "{events:?}");
    assert!(events.iter().all(|event| !event.data.contains("issues.close")), "{events:?}");
    let reasons: Vec<Value> = events
        .iter()
        .filter_map(|event| serde_json::from_str::<Value>(&event.data).ok())
        .map(|chunk| chunk["choices"][0]["finish_reason"].clone())
        .filter(|reason| !reason.is_null())
        .collect();
    assert_eq!(reasons, [json!("stop")]);
}

#[tokio::test]
async fn a_socket_that_listens_to_the_log_gets_a_programs_facts_and_its_chat_stays_whole() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let said = json!({ "sessionKey": "s", "message": "hi" });
    socket.call("events.subscribe", json!({ "sessionKey": "s" })).await.unwrap();
    socket.call("chat.send", said).await.unwrap();
    let [whole, one, two, _] = close_issues(&world).await;
    let (mut asked, mut chat) = (Vec::new(), Vec::new());
    loop {
        let frame = socket.next().await;
        match frame["event"].as_str().unwrap() {
            "log.event" if frame["data"]["kind"] == "program.asked" => asked.push(frame["data"].clone()),
            "chat.delta" => chat.push(frame["data"]["text"].clone()),
            "chat.final" => {
                assert_eq!(frame["data"]["text"], "One is closed.");
                break;
            }
            _ => {}
        }
    }
    assert_eq!((asked.len(), &asked[0]["program"]), (2, &json!(whole.id)));
    let ids: Vec<&Value> = asked[0]["calls"].as_array().unwrap().iter().map(|call| &call["id"]).collect();
    assert_eq!((ids, chat), (vec![&json!(one.id), &json!(two.id)], vec![json!("One is closed.")]));
}
