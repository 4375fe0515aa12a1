//! Tasks of every kind over HTTP and over the socket.

use crate::world::World;
use protocol::Outcome;
use serde_json::{Value, json};

#[tokio::test]
async fn tasks_of_every_kind_are_given_listed_and_stopped() {
    let world = World::new().await;
    let once = json!({ "prompt": "close old issues", "deliver": "last" });
    let again = json!({ "prompt": "count", "kind": "recurring", "schedule": "every day at 17:00" });
    let event = json!({ "prompt": "spam?", "kind": "event_triggered", "secret": "0123456789abcdef" });
    let mut ids = Vec::new();
    for (order, kind, status) in
        [(once, "one_shot", "queued"), (again, "recurring", "active"), (event, "event", "active")]
    {
        let (code, task) = world.post("/api/tasks", order).await;
        assert_eq!((code, &task["kind"], &task["status"]), (201, &json!(kind), &json!(status)), "{task}");
        assert_eq!(task["hook"].is_object(), kind == "event", "{task}");
        ids.push(task["id"].as_str().unwrap().to_owned());
    }
    let (_, recurring) = world.get(&format!("/api/tasks/{}", ids[1])).await;
    assert_eq!(recurring["describe"], "every day at 17:00");
    assert!(recurring["nextRun"].is_string() && recurring["hook"].is_null(), "{recurring}");
    assert_eq!(world.get(&format!("/api/tasks/{}", ids[2])).await.1["signed"], true);

    let listed = async |query: &str| -> Vec<Value> {
        let (code, page) = world.get(&format!("/api/tasks{query}")).await;
        assert_eq!(code, 200, "{page}");
        page["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()).collect()
    };
    assert_eq!(listed("").await, [ids[2].as_str(), &ids[1], &ids[0]]);
    assert_eq!(listed("?kind=recurring").await, [ids[1].as_str()]);
    assert_eq!(listed("?status=active").await, [ids[2].as_str(), &ids[1]]);
    assert_eq!(listed("?status=completed").await, [""; 0]);
    let (_, page) = world.get("/api/tasks?limit=2").await;
    assert_eq!(
        listed(&format!("?limit=2&cursor={}", page["next"].as_str().unwrap())).await,
        [ids[0].as_str()]
    );

    let (code, stopped) = world.post(&format!("/api/tasks/{}/cancel", ids[1]), json!({})).await;
    assert_eq!((code, &stopped["status"], &stopped["nextRun"]), (200, &json!("cancelled"), &Value::Null));
    assert_eq!(listed("?status=cancelled").await, [ids[1].as_str()]);
    assert_eq!(listed("?status=open").await, [ids[2].as_str(), &ids[0]]);
}

#[tokio::test]
async fn the_socket_does_the_same() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let order = json!({ "prompt": "spam?", "kind": "event", "clientTaskId": "1" });
    let given = socket.call("tasks.create", order.clone()).await.unwrap();
    let token = given["hook"]["token"].as_str().unwrap();
    assert_eq!(given["hook"]["url"], world.url(&format!("/api/hooks/{token}")));
    let again = socket.call("tasks.create", order).await.unwrap();
    assert_eq!(
        again,
        json!({ "task": given["task"] }),
        "the same order is one task, and shows its address once"
    );
    let id = json!({ "id": given["task"]["id"] });
    assert_eq!(socket.call("tasks.get", id.clone()).await.unwrap()["task"], given["task"]);
    assert_eq!(socket.call("tasks.history", id.clone()).await.unwrap(), json!({ "runs": [] }));
    let reason = json!({ "id": given["task"]["id"], "reason": "enough" });
    let stopped = socket.call("tasks.cancel", reason).await.unwrap()["task"].take();
    assert_eq!((&stopped["status"], &stopped["reason"]), (&json!("cancelled"), &json!("enough")));
    assert_eq!(socket.call("tasks.list", json!({ "status": "open" })).await.unwrap()["tasks"], json!([]));
    assert_eq!(socket.call("tasks.get", json!({ "id": "x" })).await, Err(-32004));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let world = World::new().await;
    let check = async |order: Value, part: &str| {
        let (code, body) = world.post("/api/tasks", order.clone()).await;
        let message = body["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(code, 400, "{order}");
        assert!(message.contains(part), "{order}: {message}");
    };
    check(json!({ "prompt": " " }), "`prompt` is empty").await;
    check(json!({ "prompt": "x", "kind": "sometimes" }), "`kind`").await;
    check(json!({ "prompt": "x", "kind": "recurring" }), "`schedule` is missing").await;
    check(json!({ "prompt": "x", "kind": "recurring", "schedule": 7 }), "schedule").await;
    check(json!({ "prompt": "x", "kind": "recurring", "schedule": "tomorrow at 9" }), "comes again").await;
    check(json!({ "prompt": "x", "schedule": "every day at 9" }), "of the kind `recurring`").await;
    check(json!({ "prompt": "x", "secret": "0123456789abcdef" }), "of the kind `event`").await;
    check(json!({ "prompt": "x", "kind": "event", "secret": "short" }), "at least 16").await;
    check(json!({ "prompt": "x", "deliver": "two words" }), "`deliver`").await;
    check(json!({ "prompt": "x", "model": "gpt-none" }), "there is no model").await;
    assert_eq!(world.get("/api/tasks").await.1["tasks"], json!([]));
}

#[tokio::test]
async fn a_long_order_for_now_is_taken_whole() {
    let world = World::new().await;
    let prompt = "x".repeat(200 << 10);
    assert_eq!(world.post("/api/tasks", json!({ "prompt": prompt })).await.0, 201);
    let drive = world.drive().await;
    assert_eq!(protocol::Block::text_of(&drive.trigger().await.content), prompt);
    drive.ends(Outcome::Completed).await;
}
