//! What programs are given besides text: the same, as data, for every built-in tool. That it fits what the tool declares is
//! looked at with every call of every test here, in `support`.

use crate::{
    orders,
    support::{Bench, parts},
};
use axum::{Json, Router, response::Html, routing::get};
use memory::{Memory, MemorySettings, NoVectors};
use protocol::{CallId, CallStatus};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};
use tokio::net::TcpListener;
use tools::{Builtin, FetchLimits, Fetcher, SearchEndpoint, SearchKind, builtin};
use uuid::Uuid;

/// A bench with every tool there is, and the address of a server it may fetch from.
async fn whole_bench() -> (Bench, String) {
    let page = "<html><head><title>Tea</title></head><body><p>Green tea is drunk hot.</p></body></html>";
    let found =
        json!({ "results": [{ "title": "Tea", "url": "https://tea.example/", "content": "x".repeat(500) }] });
    let router = Router::new()
        .route("/page", get(move || async move { Html(page) }))
        .route("/search", get(move || async move { Json(found) }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    let mut bench = Bench::new();
    let settings = MemorySettings::new(bench.context.workspace.clone(), bench.dir.path().join("memory.db"));
    let url = format!("http://{address}/search").parse().unwrap();
    bench.tools = builtin(Builtin {
        fetcher: Fetcher::reaching(FetchLimits::default(), [address.clone()]),
        search: Some(SearchEndpoint { kind: SearchKind::Searxng, url, key: None }),
        memory: Some(Memory::new(settings, Arc::new(NoVectors))),
        orders: Some(orders::orders(bench.dir.path()).await.0),
        ..parts()
    })
    .unwrap();
    (bench, format!("http://{address}"))
}

/// The value of a call that must succeed, under an id of its own.
async fn value(bench: &mut Bench, tool: &str, arguments: Value) -> Value {
    bench.context.call = CallId::from(Uuid::now_v7());
    let result = bench.call(tool, arguments).await;
    assert_eq!(result.status, CallStatus::Succeeded, "{tool}: {}", result.output);
    result.value.unwrap_or_default()
}

/// What is different each time is put as a word.
fn steady(mut value: Value, changing: &[&str]) -> Value {
    for pointer in changing {
        *value.pointer_mut(pointer).expect(pointer) = "*".into();
    }
    value
}

#[tokio::test]
async fn every_tool_that_declares_an_output_gives_it() {
    let (mut bench, server) = whole_bench().await;
    bench.file("notes/a.txt", "one\r\ntwo");
    bench.file("MEMORY.md", "The bicycle stands in the cellar.\n");
    let mut seen = BTreeSet::new();
    let mut check = async |tool: &'static str, arguments: Value, changing: &[&str], expected: Value| {
        seen.insert(tool);
        let given = value(&mut bench, tool, arguments).await;
        assert_eq!(steady(given, changing), expected, "{tool}");
    };

    check(
        "glob",
        json!({ "pattern": "*.txt" }),
        &[],
        json!({ "paths": ["notes/a.txt"], "truncated": false }),
    )
    .await;
    check("glob", json!({ "pattern": "*.no" }), &[], json!({ "paths": [], "truncated": false })).await;
    let two = json!({ "path": "notes/a.txt", "line": 2, "text": "two" });
    check(
        "grep",
        json!({ "pattern": "^two", "context": 1 }),
        &[],
        json!({ "files": ["notes/a.txt"], "matches": [two], "truncated": false }),
    )
    .await;
    check(
        "grep",
        json!({ "pattern": "o", "filesOnly": true, "path": "notes" }),
        &[],
        json!({ "files": ["notes/a.txt"], "matches": [], "truncated": false }),
    )
    .await;
    check("read", json!({ "path": "notes/a.txt" }), &[], json!({ "text": "one\r\ntwo", "exact": true }))
        .await;
    check(
        "read",
        json!({ "path": "notes/a.txt", "limit": 1 }),
        &[],
        json!({ "text": "one\r\n", "next": 2, "exact": true }),
    )
    .await;
    let stands = "The bicycle stands in the cellar.";
    check(
        "memory.search",
        json!({ "query": "bicycle" }),
        &["/passages/0/score", "/remark"],
        json!({
            "passages": [{ "path": "MEMORY.md", "lineStart": 1, "lineEnd": 1, "score": "*", "kind": "long_term", "text": stands }],
            "remark": "*",
        }),
    )
    .await;
    check(
        "memory.get",
        json!({ "path": "MEMORY.md" }),
        &[],
        json!({ "path": "MEMORY.md", "lineStart": 1, "lineEnd": 1, "text": stands, "more": false }),
    )
    .await;
    check(
        "websearch",
        json!({ "query": "tea" }),
        &[],
        json!({ "results": [{ "title": "Tea", "url": "https://tea.example/", "text": format!("{} …", "x".repeat(400)) }] }),
    )
    .await;
    check(
        "webfetch",
        json!({ "url": format!("{server}/page") }),
        &[],
        json!({
            "url": format!("{server}/page"), "status": 200, "title": "Tea",
            "text": "# Tea\n\nGreen tea is drunk hot.", "truncated": false,
        }),
    )
    .await;
    for tool in ["bash", "exec", "edit", "write", "memory.write", "tasks.cancel", "tasks.complete"] {
        assert_eq!(bench.tools.get(tool).unwrap().output_schema(), None, "{tool}");
    }
    // The rest has tests of its own below.
    seen.extend(["cron", "process", "tasks.create", "tasks.createRecurring", "tasks.createEventTrigger"]);
    seen.extend(["tasks.list", "tasks.history"]);
    let names = bench.tools.definitions().into_iter().map(|definition| definition.name);
    let declares = |name: &String| bench.tools.get(name).is_some_and(|tool| tool.output_schema().is_some());
    let declared: BTreeSet<String> = names.filter(declares).collect();
    assert_eq!(seen.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), declared);
}

#[tokio::test]
async fn orders_are_given_as_data() {
    let (mut bench, _) = whole_bench().await;
    let pizza = json!({
        "id": "*", "name": "pizza", "kind": "reminder", "message": "take it out", "enabled": true,
        "schedule": "Thursday, 15 January 2026 at 10:20", "nextRun": "2026-01-15T09:20:00Z",
    });
    let jobs = |jobs: Value| json!({ "jobs": jobs, "truncated": false });
    let check = |given: Value, changing: &[&str], expected: &Value| {
        assert_eq!(&steady(given, changing), expected);
    };
    let add =
        json!({ "action": "add", "name": "pizza", "schedule": "in 20 minutes", "message": "take it out" });
    check(value(&mut bench, "cron", add).await, &["/jobs/0/id"], &jobs(json!([pizza])));
    let list = value(&mut bench, "cron", json!({ "action": "list" })).await;
    check(list, &["/jobs/0/id"], &jobs(json!([pizza])));
    let status = value(&mut bench, "cron", json!({ "action": "status" })).await;
    let expected = json!({ "jobs": [], "truncated": false, "total": 1, "nextRun": "2026-01-15T09:20:00Z" });
    check(status, &[], &expected);
    check(value(&mut bench, "cron", json!({ "action": "run", "id": "pizza" })).await, &[], &jobs(json!([])));
    let off = value(&mut bench, "cron", json!({ "action": "update", "id": "pizza", "enabled": false })).await;
    assert_eq!((&off["jobs"][0]["enabled"], off["jobs"][0].get("nextRun")), (&json!(false), None));
    let gone = value(&mut bench, "cron", json!({ "action": "remove", "id": "pizza" })).await;
    assert_eq!(gone["jobs"][0]["name"], "pizza");

    let task = |kind: &str, status: &str, prompt: &str| json!({ "id": "*", "kind": kind, "status": status, "prompt": prompt, "runs": 0, "failures": 0 });
    let prompt = format!("first line {}\nsecond line", "x".repeat(200));
    let shown = format!("first line {} …", "x".repeat(109));
    let once = value(&mut bench, "tasks.create", json!({ "prompt": prompt })).await;
    check(once.clone(), &["/id"], &task("one_shot", "queued", &shown));
    let daily = json!({ "prompt": "count", "schedule": "every day at 17" });
    let again = value(&mut bench, "tasks.createRecurring", daily).await;
    let mut expected = task("recurring", "active", "count");
    expected["schedule"] = "every day at 17:00".into();
    expected["nextRun"] = "2026-01-15T16:00:00Z".into();
    check(again, &["/id"], &expected);
    let hooked = value(&mut bench, "tasks.createEventTrigger", json!({ "prompt": "spam?" })).await;
    assert!(hooked["hook"].as_str().is_some_and(|hook| hook.starts_with("/api/hooks/")), "{hooked}");
    let mut expected = task("event", "active", "spam?");
    expected["hook"] = "*".into();
    check(hooked, &["/id", "/hook"], &expected);

    let listed = value(&mut bench, "tasks.list", json!({})).await;
    assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(3), "{listed}");
    let history = value(&mut bench, "tasks.history", json!({ "taskId": once["id"] })).await;
    check(history, &["/runs/0/at"], &json!({ "runs": [{ "at": "*", "outcome": "running", "text": "" }] }));
}

#[tokio::test]
async fn processes_are_given_as_data() {
    let mut bench = Bench::new();
    assert_eq!(value(&mut bench, "process", json!({ "action": "list" })).await, json!({ "processes": [] }));
    let command = "echo one; read line; exit 4";
    let said = bench.ok("exec", json!({ "command": command, "yieldMs": 500 })).await;
    let id = said.split('`').nth(1).unwrap().to_owned();
    let running = json!({ "id": id, "command": command, "running": true, "outputBytes": 4 });
    let listed = value(&mut bench, "process", json!({ "action": "list" })).await;
    assert_eq!(listed, json!({ "processes": [running] }));
    let output = value(&mut bench, "process", json!({ "action": "output", "id": id })).await;
    assert_eq!(output, json!({ "processes": [running], "text": "one\n", "next": 4 }));
    value(&mut bench, "process", json!({ "action": "write", "id": id, "input": "x\n" })).await;
    bench.heard.until(|heard| !heard.ended.lock().unwrap().is_empty()).await;
    let killed = value(&mut bench, "process", json!({ "action": "kill", "id": id })).await;
    let ended = json!({ "id": id, "command": command, "running": false, "exitCode": 4, "outputBytes": 4 });
    assert_eq!(killed, json!({ "processes": [ended] }));
}

#[tokio::test]
async fn what_is_cut_is_cut_for_programs_too() {
    let mut bench = Bench::new();
    bench.context.limits.max_output_bytes = 2_000;
    bench.file("long.txt", format!("{}\n", "needle and thread\n".repeat(1_000)));
    bench.file("wide.txt", "needle".repeat(1_000));
    bench.file("returns.txt", format!("a{}\nb\n", "\r".repeat(5_000)));
    bench.file("odd.txt", b"caf\xe9\n");
    for (tool, arguments) in [
        ("read", json!({ "path": "long.txt" })),
        ("read", json!({ "path": "wide.txt" })),
        ("read", json!({ "path": "returns.txt" })),
        ("read", json!({ "path": "odd.txt" })),
        ("grep", json!({ "pattern": "needle" })),
    ] {
        let result = bench.call(tool, arguments.clone()).await;
        let (given, told) = (result.value.unwrap(), result.output.len());
        assert!(texts(&given) <= told + 100, "{tool} {arguments}: {} and {told}", texts(&given));
        let whole = given.get("exact") == Some(&json!(true)) && given.get("next").is_none();
        assert!(given["truncated"] == json!(true) || tool == "read" && !whole, "{tool} {arguments}: {given}");
    }
    let line = value(&mut bench, "grep", json!({ "pattern": "needle", "path": "wide.txt" })).await;
    assert_eq!(line["matches"][0]["text"].as_str().map(str::len), Some(400));
    assert_eq!(line["matches"][0]["cut"], 5_600);
    let next = value(&mut bench, "read", json!({ "path": "long.txt" })).await;
    let lines = next["text"].as_str().unwrap().lines().count();
    assert_eq!(next["next"], lines + 1, "reading on there misses nothing");
}

/// Bytes of all texts in a value.
fn texts(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(fields) => fields.values().map(texts).sum(),
        _ => 0,
    }
}
