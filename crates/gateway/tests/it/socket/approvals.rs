//! Approvals reach every client; one decision counts.

use super::*;
use protocol::{CallResult, CallStatus, Fact};
use serde_json::{Value, json};

async fn asking(world: &World, commands: &[&str], expires_in_ms: i64) -> (Drive, Value) {
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    let approval = drive.wants(commands, expires_in_ms).await;
    (drive, json!(approval))
}

#[tokio::test]
async fn a_screen_goes_to_every_client_and_one_decision_wins() {
    let world = World::new().await;
    let (mut one, mut two) = (world.client().await, world.client().await);
    let (drive, approval) = asking(&world, &["ls", "rm x"], 60_000).await;
    let request = one.push("exec.approval_request").await;
    assert_eq!(two.push("exec.approval_request").await, request);
    let call = |index: usize, word: &str| request["details"]["calls"][index][word].clone();
    assert_eq!(
        request,
        json!({
            "approvalId": approval, "toolName": "bash", "summary": "Run ls; Run rm x",
            "details": { "workingDir": "/work", "command": "ls", "calls": request["details"]["calls"] },
            "sessionKey": "s", "runId": drive.run_id(), "expiresAt": request["expiresAt"],
        })
    );
    assert_eq!((call(0, "details"), call(1, "details")), (json!("ls"), json!("rm x")));
    let listed = two.call("approvals.list", json!({})).await.unwrap();
    assert_eq!(listed["approvals"][0]["calls"], request["details"]["calls"]);

    let whole = json!({ "approvalId": approval });
    assert_eq!(one.call("exec.approve", whole.clone()).await, Ok(json!({ "ok": true })));
    assert_eq!(two.call("exec.deny", whole.clone()).await, Err(-32009));
    assert_eq!(two.call("exec.approve", whole).await, Err(-32009));
    let decided = |index| json!({ "callId": call(index, "callId"), "approved": true });
    let resolved = json!({
        "approvalId": approval, "sessionKey": "s", "runId": drive.run_id(), "decisions": [decided(0), decided(1)],
    });
    assert_eq!(one.push("exec.approval_resolved").await, resolved);
    assert_eq!(two.push("exec.approval_resolved").await, resolved);
    assert_eq!(one.call("approvals.list", json!({})).await, Ok(json!({ "approvals": [] })));
}

#[tokio::test]
async fn what_is_not_chosen_is_denied() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let (mut drive, approval) = asking(&world, &["ls", "rm x", "pwd"], 60_000).await;
    let request = socket.push("exec.approval_request").await;
    let ids: Vec<Value> =
        request["details"]["calls"].as_array().unwrap().iter().map(|call| call["callId"].clone()).collect();
    let check = async |socket: &mut Socket, params: Value, expected: i64| {
        let mut params = params;
        params["approvalId"] = approval.clone();
        assert_eq!(socket.call("exec.approve", params.clone()).await, Err(expected), "{params}");
    };
    check(&mut socket, json!({ "callIds": [] }), -32602).await;
    check(&mut socket, json!({ "callIds": ["x"] }), -32004).await;
    check(&mut socket, json!({ "callIds": [approval] }), -32004).await;
    check(&mut socket, json!({ "rule": "write" }), -32602).await;
    check(&mut socket, json!({ "callIds": [ids[0]], "rule": "bash(rm x)" }), -32602).await;
    assert_eq!(
        socket.call("rules.list", json!({})).await,
        Ok(json!({ "rules": [] })),
        "nothing was half done"
    );

    let subset = json!({ "approvalId": approval, "callIds": [ids[2], ids[0], ids[0]], "rule": "bash(pwd)" });
    assert_eq!(socket.call("exec.approve", subset).await, Ok(json!({ "ok": true })));
    let seq = drive.fact(Fact::CallStarted { call: serde_json::from_value(ids[0].clone()).unwrap() }).await;
    let events = world.store.view().events_after(0, 100).await.unwrap();
    let decided = events.iter().find(|event| event.seq == seq - 1).unwrap();
    let Fact::ApprovalDecided { decisions, by, .. } = &decided.fact else { panic!("{decided:?}") };
    let found: Vec<Value> = decisions
        .iter()
        .map(|it| json!([it.call, it.approved, it.reason.as_deref(), it.rule.as_deref()]))
        .collect();
    let expected = [
        json!([ids[0], true, null, null]),
        json!([ids[2], true, null, "bash(pwd)"]),
        json!([ids[1], false, "not chosen by the owner", null]),
    ];
    assert_eq!((found, by.as_str()), (expected.to_vec(), "web"));
    assert_eq!(socket.push("exec.approval_resolved").await["decisions"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_denial_tells_why_and_a_late_one_is_refused() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let (drive, approval) = asking(&world, &["ls"], 60_000).await;
    let no = json!({ "approvalId": approval, "reason": "not now" });
    assert_eq!(socket.call("exec.deny", no).await, Ok(json!({ "ok": true })));
    let events = world.store.view().turn_events(drive.at.turn, 0).await.unwrap();
    let Fact::ApprovalDecided { decisions, .. } = &events.last().unwrap().fact else { panic!("{events:?}") };
    assert_eq!(decisions[0].reason.as_deref(), Some("not now"));

    let mut drive = drive;
    let late = drive.wants(&["ls"], -1).await;
    assert_eq!(socket.call("exec.approve", json!({ "approvalId": late })).await, Err(-32010));
    world.store.expire_approvals().await.unwrap();
    assert_eq!(socket.call("exec.approve", json!({ "approvalId": late })).await, Err(-32009));
}

#[tokio::test]
async fn a_stopped_turn_takes_its_questions_back() {
    let world = World::new().await;
    let (drive, approval) = asking(&world, &["ls"], 60_000).await;
    let mut socket = world.client().await;
    let listed = socket.call("approvals.list", json!({})).await.unwrap();
    let call = listed["approvals"][0]["calls"][0]["callId"].clone();
    let result =
        CallResult::new(serde_json::from_value(call.clone()).unwrap(), CallStatus::Aborted, "stopped");
    let mut drive = drive;
    drive.fact(Fact::CallDone { result }).await;
    let resolved = socket.push("exec.approval_resolved").await;
    assert_eq!(resolved["decisions"], json!([{ "callId": call, "approved": false }]));
    assert_eq!(socket.call("exec.approve", json!({ "approvalId": approval })).await, Err(-32009));
}
