//! Standing orders as the model gives them: what it writes becomes a job or a task, once, and what it reads tells when.

use crate::support::{Bench, parts};
use futures::future::BoxFuture;
use jiff::{Timestamp, tz::TimeZone};
use protocol::{CallId, Labels, SessionKey};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc};
use store::{JobFilter, Store, TaskFilter};
use tools::{Builtin, builtin};
use uuid::Uuid;

/// A Thursday in winter, 10:00 in Berlin.
const NOW: &str = "2026-01-15T09:00:00Z";

/// A clock that stands still.
struct Standing;

impl tasks::Clock for Standing {
    fn now(&self) -> Timestamp {
        NOW.parse().unwrap()
    }

    fn until(&self, _: Option<Timestamp>) -> BoxFuture<'_, tasks::Woke> {
        Box::pin(std::future::pending())
    }
}

/// Orders in a folder, by a clock that stands still.
pub async fn orders(dir: &Path) -> (tasks::Orders, Store) {
    let store = Store::open(&dir.join("steward.db")).await.unwrap();
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    (tasks::Orders::new(store.clone(), Arc::new(Standing), zone), store)
}

async fn bench() -> (Bench, Store) {
    let mut bench = Bench::new();
    let (orders, store) = orders(bench.dir.path()).await;
    bench.tools = builtin(Builtin { orders: Some(orders), ..parts() }).unwrap();
    (bench, store)
}

fn next_call(bench: &mut Bench) {
    bench.context.call = CallId::from(Uuid::now_v7());
}

#[tokio::test]
async fn a_reminder_is_set_listed_changed_and_removed() {
    let (mut bench, store) = bench().await;
    let set =
        json!({ "action": "add", "name": "pizza", "schedule": "in 20 minutes", "message": "take it out" });
    let said = bench.ok("cron", set.clone()).await;
    assert!(said.contains("next Thu 2026-01-15 10:20") && said.contains("\"pizza\""), "{said}");
    assert_eq!(bench.ok("cron", set.clone()).await, said, "the same call twice is one reminder");
    let job = store.view().job("pizza").await.unwrap().unwrap();
    assert_eq!(job.order.origin, Some(bench.context.session.clone()));
    assert_eq!(job.order.deliver.as_deref(), Some("last"));
    next_call(&mut bench);
    let taken = bench.fails("cron", set).await;
    assert!(taken.contains("already"), "{taken}");

    let change = json!({ "action": "update", "name": "pizza", "schedule": { "kind": "cron", "expr": "0 18 * * FRI" } });
    let said = bench.ok("cron", change).await;
    assert!(said.contains("next Fri 2026-01-16 18:00"), "{said}");
    let off = bench.ok("cron", json!({ "action": "update", "id": "pizza", "enabled": false })).await;
    assert!(off.contains("next off"), "{off}");
    assert_eq!(bench.ok("cron", json!({ "action": "remove", "id": "pizza" })).await, "Removed \"pizza\".");
    assert_eq!(bench.ok("cron", json!({ "action": "list" })).await, "Nothing is scheduled.");
    let status = bench.ok("cron", json!({ "action": "status" })).await;
    assert_eq!(status, "0 in all; next: nothing is due. It is Thu 2026-01-15 10:00 (Europe/Berlin).");
}

#[tokio::test]
async fn what_makes_no_sense_tells_the_model_what_to_put_right() {
    let (bench, store) = bench().await;
    let check = async |input: Value, part: &str| {
        let said = bench.fails("cron", input.clone()).await;
        assert!(said.contains(part), "{input}: {said}");
    };
    check(json!({ "action": "add", "schedule": "in 1 hour" }), "`message` is missing").await;
    check(json!({ "action": "add", "message": "x" }), "`schedule` is missing").await;
    check(json!({ "action": "add", "message": "x", "schedule": { "kind": "at" } }), "needs `at`").await;
    check(json!({ "action": "add", "message": "x", "schedule": "2020-01-01T00:00:00Z" }), ".").await;
    check(json!({ "action": "remove" }), "`id` is missing").await;
    check(json!({ "action": "remove", "id": "nothing" }), "\"nothing\"").await;
    check(json!({ "action": "dance" }), "do not fit").await;
    assert_eq!(store.view().job_count().await.unwrap(), 0);
}

#[tokio::test]
async fn an_order_given_after_words_of_strangers_carries_that() {
    let (mut bench, store) = bench().await;
    for tainted in [false, true] {
        bench.context.tainted = tainted;
        let name = tainted.to_string();
        next_call(&mut bench);
        bench
            .ok("cron", json!({ "action": "add", "name": name, "schedule": "every hour", "message": "x" }))
            .await;
        next_call(&mut bench);
        bench.ok("tasks.createRecurring", json!({ "prompt": name, "schedule": "every day at 9" })).await;
    }
    let filter = JobFilter { include_disabled: true, ..JobFilter::default() };
    let jobs = store.view().jobs(filter, None, 9).await.unwrap();
    let found: Vec<(String, bool)> =
        jobs.into_iter().map(|job| (job.order.message, job.order.tainted)).collect();
    let check = |message: &str, tainted| assert!(found.contains(&(message.into(), tainted)), "{found:?}");
    check("false", false);
    check("true", true);
    assert_eq!(found.iter().filter(|(_, tainted)| *tainted).count(), 2, "{found:?}");
}

#[tokio::test]
async fn tasks_are_given_looked_at_and_ended() {
    let (mut bench, store) = bench().await;
    assert_eq!(bench.ok("tasks.list", json!({})).await, "No tasks.");
    let mut ids = Vec::new();
    for (tool, input, part) in [
        ("tasks.create", json!({ "prompt": "close old issues" }), "one_shot queued"),
        (
            "tasks.createRecurring",
            json!({ "prompt": "count", "schedule": { "kind": "cron", "expr": "0 17 * * *" } }),
            "every day at 17:00, next Thu 2026-01-15 17:00",
        ),
        ("tasks.createEventTrigger", json!({ "prompt": "spam?" }), "POSTed to /api/hooks/"),
    ] {
        next_call(&mut bench);
        let said = bench.ok(tool, input.clone()).await;
        assert!(said.contains(part), "{said}");
        ids.push(said.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned());
        let again = bench.ok(tool, input).await;
        assert!(
            again.contains(&ids[ids.len() - 1]) && !again.contains("/api/hooks/"),
            "one call, one task: {again}"
        );
    }
    let listed = bench.ok("tasks.list", json!({})).await;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert_eq!(bench.ok("tasks.history", json!({ "taskId": ids[1] })).await, "It has not run yet.");
    assert_eq!(bench.ok("tasks.cancel", json!({ "taskId": ids[2] })).await, "The task is cancelled.");
    assert!(bench.fails("tasks.cancel", json!({ "taskId": "7" })).await.contains("`tasks.list`"));

    assert!(bench.fails("tasks.complete", json!({ "reason": "x" })).await.contains("is no task"));
    bench.context.session = SessionKey::new(format!("task--{}", ids[1])).unwrap();
    assert_eq!(bench.ok("tasks.complete", json!({ "reason": "10 million" })).await, "The task is completed.");
    let open = store
        .view()
        .tasks(TaskFilter { active: Some(true), ..TaskFilter::default() }, None, 9)
        .await
        .unwrap();
    assert_eq!(open.len(), 1);
    for (input, lines) in [(json!({}), 1), (json!({ "ended": true }), 3)] {
        assert_eq!(bench.ok("tasks.list", input).await.lines().count(), lines);
    }
    let due = store.view().next_slot().await.unwrap();
    assert_eq!(due, None, "it comes due no more");
}

#[tokio::test]
async fn labels_say_what_is_only_looked_at_and_what_is_kept() {
    let (bench, _) = bench().await;
    let looks = Labels {
        brings_untrusted: false,
        reads_private: true,
        acts_outside: false,
        keeps: false,
        idempotent: true,
    };
    let gives = Labels { reads_private: false, keeps: true, ..looks };
    let check = |tool: &str, input: Value, expected: Labels| {
        assert_eq!(bench.tools.get(tool).unwrap().labels(&input), expected, "{tool} {input}");
    };
    check("cron", json!({ "action": "list" }), looks);
    check("cron", json!({ "action": "add" }), gives);
    check("cron", json!({ "action": "run" }), Labels { idempotent: false, ..gives });
    check("tasks.list", json!({}), looks);
    check("tasks.create", json!({ "prompt": "x" }), gives);
    check("tasks.complete", json!({ "reason": "x" }), Labels { reads_private: false, ..looks });
}

#[tokio::test]
async fn the_owner_is_shown_when_it_would_come_due() {
    let (bench, _) = bench().await;
    let input =
        json!({ "action": "add", "name": "tea", "schedule": "every weekday at 9", "message": "make tea" });
    let shown = bench.tools.get("cron").unwrap().present(&input);
    assert_eq!(shown.title, "Set the reminder \"tea\"");
    assert_eq!(shown.detail, "when: every weekday at 09:00\nname: tea\nmessage: make tea");
}
