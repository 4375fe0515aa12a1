//! Jobs and notices over the socket.

use crate::{
    desk::{chat, open},
    world::{MAX_QUEUE, World},
};
use protocol::{Outcome, SessionKey};
use serde_json::{Value, json};
use store::NewNotice;

fn weekday(name: &str) -> Value {
    json!({ "name": name, "schedule": "every weekday at 9", "message": "what is due?", "missed": "skip" })
}

#[tokio::test]
async fn a_job_is_set_shown_changed_and_removed() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let job = socket.call("jobs.add", weekday("standup")).await.unwrap()["job"].take();
    let expected = json!({
        "id": job["id"], "name": "standup", "kind": "reminder", "schedule": job["schedule"],
        "describe": "every weekday at 09:00", "message": "what is due?",
        "session": format!("cron--{}", job["id"].as_str().unwrap()), "deliver": "last", "missed": "skip",
        "enabled": true, "deleteAfterRun": false, "nextRun": job["nextRun"], "lastRun": null, "failures": 0,
        "running": 0, "model": null, "task": null, "createdAt": job["createdAt"],
    });
    assert_eq!(job, expected);
    assert!(job["nextRun"].is_string() && job["createdAt"].is_string(), "{job}");
    assert_eq!(socket.call("jobs.add", weekday("Standup")).await, Err(-32009), "the name is taken");

    let off = json!({ "id": "standup", "enabled": false, "message": "and now?", "deliver": "none" });
    let changed = socket.call("jobs.update", off).await.unwrap()["job"].take();
    let shown = json!([changed["enabled"], changed["message"], changed["deliver"], changed["nextRun"]]);
    assert_eq!(shown, json!([false, "and now?", "none", null]));
    assert_eq!(socket.call("jobs.get", json!({ "id": job["id"] })).await.unwrap()["job"], changed);
    let on = socket.call("jobs.list", json!({ "includeDisabled": false })).await.unwrap();
    assert_eq!(on, json!({ "jobs": [], "next": null }));

    assert_eq!(socket.call("jobs.remove", json!({ "id": "standup" })).await.unwrap(), json!({}));
    assert_eq!(socket.call("jobs.remove", json!({ "id": "standup" })).await, Err(-32004));
    assert_eq!(socket.call("jobs.list", json!({})).await.unwrap()["jobs"], json!([]));
}

#[tokio::test]
async fn the_same_order_sent_twice_is_one_job_and_pages_hold_all() {
    let world = World::new().await;
    let mut socket = world.client().await;
    for name in ["a", "b", "c"] {
        let mut order = weekday(name);
        order["clientJobId"] = name.into();
        let first = socket.call("jobs.add", order.clone()).await.unwrap();
        assert_eq!(socket.call("jobs.add", order).await.unwrap(), first);
    }
    let (mut names, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = socket.call("jobs.list", json!({ "cursor": cursor, "limit": 2 })).await.unwrap();
        names.extend(page["jobs"].as_array().unwrap().iter().map(|job| job["name"].clone()));
        cursor = page["next"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(json!(names), json!(["a", "b", "c"]));
}

#[tokio::test]
async fn a_schedule_is_shown_before_anybody_relies_on_it() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let cron = json!({ "schedule": { "kind": "cron", "expr": "0 9 * * *", "tz": "Asia/Kathmandu" } });
    let shown = socket.call("jobs.preview", cron).await.unwrap();
    assert!(shown["describe"].as_str().unwrap().contains("Asia/Kathmandu"), "{shown}");
    let next = shown["next"].as_array().unwrap();
    assert_eq!(next.len(), 3);
    assert!(next.iter().all(|at| at.as_str().unwrap().ends_with("T03:15:00Z")), "{shown}");
    for bad in
        [json!("whenever"), json!({ "kind": "every", "everyMs": 1 }), json!(7), json!({ "kind": "at" })]
    {
        assert_eq!(socket.call("jobs.preview", json!({ "schedule": bad })).await, Err(-32602), "{bad}");
    }
}

#[tokio::test]
async fn a_run_beside_its_times_stands_in_the_history_and_every_client_is_told() {
    let world = World::new().await;
    let (mut socket, mut other) = (world.client().await, world.client().await);
    let job = socket.call("jobs.add", weekday("standup")).await.unwrap()["job"].take();
    assert_eq!(other.push_after_others("jobs.changed").await, json!({}));
    let run = socket.call("jobs.run", json!({ "id": "standup" })).await.unwrap();
    let drive = world.drive().await;
    assert_eq!(run["runId"], drive.run_id());
    let running = socket.call("jobs.history", json!({ "id": job["id"] })).await.unwrap()["firings"][0].take();
    assert_eq!(
        json!([running["outcome"], running["endedAt"], running["runId"]]),
        json!([null, null, run["runId"]])
    );
    drive.ends(Outcome::Completed).await;
    let over = socket.call("jobs.history", json!({ "id": job["id"] })).await.unwrap()["firings"][0].take();
    assert_eq!(json!([over["outcome"], over["note"], over["lateMs"]]), json!(["completed", "asked for", 0]));
    assert_eq!(other.push_after_others("tasks.changed").await, json!({}));
    let status = socket.call("jobs.status", json!({})).await.unwrap();
    assert_eq!(status, json!({ "jobs": 1, "nextRun": job["nextRun"], "timeZone": "Europe/Berlin" }));
}

#[tokio::test]
async fn notices_reach_every_client_and_stay_listed() {
    let world = World::new().await;
    let (mut one, mut two) = (world.client().await, world.client().await);
    let session = SessionKey::new("terminal--default").unwrap();
    for number in 1..=3 {
        let notice = NewNotice {
            key: format!("spend:{number}"),
            target: "last".into(),
            from: "steward".into(),
            text: format!("number {number}"),
        };
        assert!(world.store.notify(notice).await.unwrap());
        let open = world.store.view().outbox_open(None, 9).await.unwrap();
        assert!(world.store.deliver_here(open[0].notice.id, &session).await.unwrap());
    }
    let first = one.push_after_others("notice").await;
    assert_eq!(
        json!([first["sessionKey"], first["notice"]["text"]]),
        json!(["terminal--default", "number 1"])
    );
    assert_eq!(two.push_after_others("notice").await, first);
    let listed = one.call("notices.list", json!({ "limit": 2 })).await.unwrap();
    let texts = |listed: &Value| -> Vec<Value> {
        listed["notices"].as_array().unwrap().iter().map(|it| it["notice"]["text"].clone()).collect()
    };
    assert_eq!(texts(&listed), ["number 3", "number 2"]);
    let before = json!({ "before": listed["notices"][1]["seq"] });
    let rest = one.call("notices.list", before).await.unwrap();
    assert_eq!((&rest["notices"][0], texts(&rest).len()), (&first, 1));
}

#[tokio::test]
async fn a_conversation_takes_so_many_messages_and_no_more() {
    let world = World::new().await;
    let mut socket = world.client().await;
    let message =
        |number: usize| json!({ "sessionKey": "s", "message": "hi", "clientMessageId": number.to_string() });
    for number in 0..MAX_QUEUE {
        socket.call("chat.send", message(number)).await.unwrap();
    }
    assert_eq!(socket.call("chat.send", message(MAX_QUEUE)).await, Err(-32029));
    assert_eq!(
        socket.call("chat.send", message(0)).await.unwrap()["repeated"],
        true,
        "a repeat is none more"
    );
    world.drive().await.ends(Outcome::Completed).await;
    socket.call("chat.send", message(MAX_QUEUE)).await.unwrap();
}

#[tokio::test]
async fn the_other_doors_take_no_more_either() {
    let world = World::new().await;
    let session = open(&world).await;
    for number in 0..MAX_QUEUE {
        drop(world.post_stream("/v1/chat", &chat(&session, &number.to_string(), true)).await);
    }
    let (status, body) = world.post("/v1/chat", chat(&session, "one more", true)).await;
    assert_eq!((status, &body["error"]["code"]), (429, &json!("queue_full")));
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Messages limit reached"), "{message}");
}
