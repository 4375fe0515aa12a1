//! `exec` and `process`: what goes on after its call, how its end is heard, and the limits on it.

use crate::support::{Bench, call, parts};
use protocol::{Block, CallId, CallStatus, SessionKey};
use serde_json::json;
use std::time::{Duration, Instant};
use tools::{Builtin, ProcessEnd, ProcessLimits, Processes, ToolContext, builtin};
use uuid::Uuid;

fn bench_with(limits: ProcessLimits) -> (Bench, Processes) {
    let processes = Processes::new(limits);
    let tools = builtin(Builtin { processes: processes.clone(), ..parts() }).unwrap();
    (Bench::with(tools), processes)
}

/// Starts a command in the background and gives its id.
async fn start(bench: &Bench, command: &str) -> String {
    let said = bench.ok("exec", json!({ "command": command, "background": true })).await;
    said.split('`').nth(1).expect(&said).to_owned()
}

/// Calls of one session, each with an id of its own.
fn numbered(bench: &Bench, number: u128) -> ToolContext {
    let Bench { context, heard, .. } = bench;
    ToolContext {
        session: context.session.clone(),
        turn: context.turn,
        call: CallId::from(Uuid::from_u128(number)),
        tainted: context.tainted,
        workspace: context.workspace.clone(),
        read_dirs: Vec::new(),
        write_dirs: Vec::new(),
        hidden: Vec::new(),
        limits: context.limits,
        command: Default::default(),
        outside: heard.clone(),
    }
}

#[tokio::test]
async fn a_command_that_ends_in_time_is_like_any_other() {
    let bench = Bench::new();
    let result = bench.call("exec", json!({ "command": "echo quick; exit 2" })).await;
    assert_eq!((result.output.as_str(), result.exit_code), ("quick\n[exit code 2]", Some(2)));
    assert_eq!(bench.ok("process", json!({ "action": "list" })).await, "No processes.");
    assert!(bench.heard.started.lock().unwrap().is_empty());
    assert!(bench.heard.triggers.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_end_of_a_background_process_is_a_trigger() {
    let bench = Bench::new();
    let said = bench
        .ok("exec", json!({ "command": "echo one; read line; echo got $line; exit 4", "yieldMs": 500 }))
        .await;
    assert!(said.starts_with("Still running as process `p"), "{said}");
    assert!(said.ends_with("(go on with since 4):\none\n"), "{said}");
    let id = said.split('`').nth(1).unwrap();
    let started = bench.heard.started.lock().unwrap().clone();
    assert_eq!((started[0].id.as_str(), started[0].call), (id, bench.context.call));
    let listed = bench.ok("process", json!({ "action": "list" })).await;
    assert!(listed.starts_with(&format!("{id}: running for ")), "{listed}");
    bench.ok("process", json!({ "action": "write", "id": id, "input": "ä\n" })).await;
    bench.heard.until(|heard| !heard.ended.lock().unwrap().is_empty()).await;
    let output = bench.call("process", json!({ "action": "output", "id": id, "since": 4 })).await;
    assert_eq!(output.output, "got ä\n[exit code 4, 0 s ago; go on with since 11]");
    assert_eq!((output.exit_code, output.status), (Some(4), CallStatus::Succeeded));
    let triggers = bench.heard.triggers.lock().unwrap().clone();
    assert_eq!(triggers.len(), 1);
    assert_eq!(
        (triggers[0].source.as_str(), triggers[0].external_id.clone()),
        ("process", bench.context.call.to_string())
    );
    assert_eq!(triggers[0].session, bench.context.session);
    let text = Block::text_of(&triggers[0].content);
    assert!(text.contains(id) && text.contains("exit code 4"), "{text}");
    assert!(
        !text.contains("got") && !text.contains("echo"),
        "what a process writes must not speak in the owner's place: {text}"
    );
    let ended = bench.heard.ended.lock().unwrap().clone();
    assert_eq!(ended, [ProcessEnd { call: bench.context.call, exit_code: Some(4), signal: None }]);
}

#[tokio::test]
async fn a_killed_process_is_no_news() {
    let bench = Bench::new();
    let id = start(&bench, "trap '' TERM; sleep 1000").await;
    assert_eq!(
        bench.ok("process", json!({ "action": "kill", "id": id })).await,
        format!("Killed process `{id}`.")
    );
    bench.heard.until(|heard| !heard.ended.lock().unwrap().is_empty()).await;
    assert!(bench.heard.triggers.lock().unwrap().is_empty());
    let again = bench.ok("process", json!({ "action": "kill", "id": id })).await;
    assert!(again.contains("had ended already: killed"), "{again}");
    let why = bench.fails("process", json!({ "action": "write", "id": id, "input": "x" })).await;
    assert!(why.contains("reads nothing any more"), "{why}");
}

#[tokio::test]
async fn input_can_be_closed_and_never_blocks_for_ever() {
    let bench = Bench::new();
    let id = start(&bench, "cat; echo done").await;
    bench.ok("process", json!({ "action": "write", "id": id, "input": "text", "close": true })).await;
    bench.heard.until(|heard| !heard.ended.lock().unwrap().is_empty()).await;
    let output = bench.ok("process", json!({ "action": "output", "id": id })).await;
    assert!(output.starts_with("textdone\n[exit code 0"), "{output}");
    let deaf = start(&bench, "sleep 1000").await;
    let begun = Instant::now();
    let why = bench
        .fails("process", json!({ "action": "write", "id": deaf, "input": "x".repeat(1_000_000) }))
        .await;
    assert!(why.contains("did not read all") && begun.elapsed() < Duration::from_secs(20), "{why}");
    bench.ok("process", json!({ "action": "kill", "id": deaf })).await;
}

#[tokio::test]
async fn output_is_kept_in_a_ring() {
    let (bench, _) = bench_with(ProcessLimits { output_bytes: 1_000, ..Default::default() });
    let id = start(&bench, "head -c 10000000 /dev/zero | tr '\\0' x; echo end").await;
    bench.heard.until(|heard| !heard.ended.lock().unwrap().is_empty()).await;
    let output = bench.call("process", json!({ "action": "output", "id": id })).await;
    assert!(output.truncated && output.output.len() < 1_200);
    assert!(output.output.starts_with("[9999004 bytes before this are gone]\nxxx"), "{}", output.output);
    assert!(output.output.contains("xxend\n[exit code 0"), "{}", output.output);
}

#[tokio::test]
async fn another_session_sees_nothing() {
    let mut bench = Bench::new();
    let id = start(&bench, "sleep 1000").await;
    let own = std::mem::replace(&mut bench.context.session, SessionKey::new("telegram--7").unwrap());
    assert_eq!(bench.ok("process", json!({ "action": "list" })).await, "No processes.");
    for action in ["output", "write", "kill"] {
        let why = bench.fails("process", json!({ "action": action, "id": id, "input": "x" })).await;
        assert!(why.contains("There is no process"), "{why}");
    }
    bench.context.session = own;
    bench.ok("process", json!({ "action": "kill", "id": id })).await;
}

#[tokio::test]
async fn a_process_that_cannot_be_written_down_is_ended() {
    let bench = Bench::new();
    *bench.heard.refuses.lock().unwrap() = true;
    let why = bench.fails("exec", json!({ "command": "touch ran; sleep 1000", "yieldMs": 200 })).await;
    assert!(why.contains("the disk is full"), "{why}");
    assert_eq!(bench.ok("process", json!({ "action": "list" })).await, "No processes.");
}

#[tokio::test]
async fn a_call_dropped_while_it_waits_takes_its_process_along() {
    let (bench, processes) = bench_with(ProcessLimits { max_running: 1, ..Default::default() });
    let waiting = bench.call("exec", json!({ "command": "sleep 1000", "yieldMs": 60_000 }));
    assert!(tokio::time::timeout(Duration::from_millis(500), waiting).await.is_err());
    // The only slot is free again as soon as it is dead.
    let begun = Instant::now();
    while bench.call("exec", json!({ "command": "true" })).await.status == CallStatus::Failed {
        assert!(begun.elapsed() < Duration::from_secs(10), "it is still running");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    processes.end_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_are_held_to_the_limit() {
    let limits = ProcessLimits { max_running: 5, max_ended: 3, ..Default::default() };
    let (bench, processes) = bench_with(limits);
    let contexts: Vec<_> = (100..120).map(|number| numbered(&bench, number)).collect();
    let arguments = json!({ "command": "sleep 1000", "background": true });
    let calls = contexts.iter().map(|context| call(&bench.tools, context, "exec", arguments.clone()));
    let results = futures::future::join_all(calls).await;
    let running = results.iter().filter(|result| result.status == CallStatus::Succeeded).count();
    assert_eq!(running, 5);
    let refused = results.iter().find(|result| result.status == CallStatus::Failed).unwrap();
    assert!(refused.output.contains("5 processes are running already"), "{}", refused.output);
    assert_eq!(bench.ok("process", json!({ "action": "list" })).await.lines().count(), 5);
    processes.end_all().await;
    // Ended ones give way: only the newest few are kept.
    assert_eq!(bench.ok("process", json!({ "action": "list" })).await.lines().count(), 3);
    bench.heard.until(|heard| heard.ended.lock().unwrap().len() == 5).await;
}

#[tokio::test]
async fn an_ended_process_is_kept_for_a_while_only() {
    let (bench, _) = bench_with(ProcessLimits { keep: Duration::ZERO, ..Default::default() });
    let id = start(&bench, "true").await;
    bench.heard.until(|heard| !heard.ended.lock().unwrap().is_empty()).await;
    let why = bench.fails("process", json!({ "action": "output", "id": id })).await;
    assert!(why.contains("There is no process"), "{why}");
}
