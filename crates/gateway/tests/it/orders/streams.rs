//! The stream of a standing order goes on from run to run, and ends with the order itself.

use crate::{
    http::{Events, Sse, failure},
    world::World,
};
use protocol::Outcome;
use reqwest::Method;
use serde_json::{Value, json};

struct Standing {
    id: uuid::Uuid,
    path: String,
}

async fn order(world: &World) -> Standing {
    let order = json!({ "prompt": "count", "kind": "recurring", "schedule": "every day at 17:00" });
    let id = world.post("/api/tasks", order).await.1["id"].as_str().unwrap().to_owned();
    Standing { path: format!("/api/tasks/{id}/events"), id: id.parse().unwrap() }
}

impl Standing {
    /// Has it run now, beside its times.
    async fn fire(&self, world: &World) {
        let job = world.store.view().task(self.id).await.unwrap().unwrap().runs.job.unwrap();
        world.orders.run(&job.to_string()).await.unwrap();
    }
}

fn told(events: &[Sse]) -> Vec<Value> {
    events.iter().map(Sse::json).collect()
}

fn status(message: &str) -> Value {
    json!({ "type": "status", "message": message })
}

fn finished(outcome: &str) -> Value {
    json!({ "type": "status", "message": "run finished", "outcome": outcome })
}

#[tokio::test]
async fn it_tells_of_every_run_and_ends_when_the_purpose_is_fulfilled() {
    let world = World::new().await;
    let order = order(&world).await;
    let mut live = world.get_stream(&order.path, None).await;
    let mut seen = Vec::new();
    for text in ["3", "4"] {
        order.fire(&world).await;
        world.drive().await.answers(text).await;
        let run = live.take(4).await;
        let said = json!({ "type": "agent_message", "text": text });
        assert_eq!(told(&run), [status("run started"), status("thinking"), said, finished("completed")]);
        seen.extend(run);
    }
    order.fire(&world).await;
    world.drive().await.ends(failure()).await;
    let failed = live.take(2).await;
    assert_eq!(
        failed[1].json()["error"],
        "The model is busy.",
        "a run that fails is not the end of the order"
    );
    seen.extend(failed);

    // The run that ends the order still has its say.
    order.fire(&world).await;
    let mut last = world.drive().await;
    world.orders.complete(order.id, Some("10 million".into())).await.unwrap();
    last.answers("Done.").await;
    let end = live.all().await;
    let expected = [
        status("run started"),
        status("thinking"),
        json!({ "type": "agent_message", "text": "Done." }),
        finished("completed"),
        json!({ "type": "completed", "reason": "10 million" }),
    ];
    assert_eq!(told(&end), expected);
    seen.extend(end);

    // Whoever comes back with any id gets exactly the rest.
    assert_eq!(told(&world.get_stream(&order.path, None).await.all().await), told(&seen));
    for (place, event) in seen.iter().enumerate() {
        let request = world.request(Method::GET, &order.path).header("Last-Event-ID", &event.id);
        if place + 1 == seen.len() {
            assert_eq!(request.send().await.unwrap().status(), 204);
        } else {
            assert_eq!(Events::open(request).await.all().await, seen[place + 1..], "after {}", event.id);
        }
    }
}

#[tokio::test]
async fn stopping_an_order_ends_its_stream_and_its_runs() {
    let world = World::new().await;
    let order = order(&world).await;
    let mut live = world.get_stream(&order.path, None).await;
    order.fire(&world).await;
    let drive = world.drive().await;
    live.take(1).await;
    let (code, task) = world.post(&format!("/api/tasks/{}/cancel", order.id), json!({})).await;
    assert_eq!((code, &task["status"]), (200, &json!("cancelled")));
    drive.ends(Outcome::Aborted).await;
    let end = told(&live.all().await);
    assert_eq!(end.last().unwrap(), &json!({ "type": "error", "error": "cancelled", "reason": null }));
    let job = world.store.view().task(order.id).await.unwrap().unwrap().runs;
    assert_eq!(job.next_slot, None, "it comes due no more");
}
