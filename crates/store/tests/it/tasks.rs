//! Orders are taken once, and how far they have come is read off their turns.

use super::*;
use store::{NewTask, TaskFilter, TaskStatus};

fn order(prompt: &str, client_id: Option<&str>) -> NewTask {
    NewTask { prompt: prompt.into(), client_id: client_id.map(str::to_owned), ..NewTask::default() }
}

#[tokio::test]
async fn a_task_comes_as_far_as_its_turn() {
    let world = World::new().await;
    let task = world.store.create_task(order("count", None)).await.unwrap();
    assert_eq!(
        (task.status, task.session.as_str()),
        (TaskStatus::Queued, format!("task--{}", task.id).as_str())
    );
    let status = || async { world.store.view().task(task.id).await.unwrap().unwrap().status };
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!((Some(claim.turn.turn), status().await), (task.turn, TaskStatus::Running));
    world.store.park(&claim.turn, 1).await.unwrap();
    assert_eq!(status().await, TaskStatus::Waiting);
    world.store.finish(&claim.turn, 1, Outcome::Completed, Vec::new()).await.unwrap();
    assert_eq!(status().await, TaskStatus::Completed);

    let second = world.store.create_task(order("never mind", None)).await.unwrap();
    world.store.abort(second.turn.unwrap()).await.unwrap();
    let world = world.again().await;
    let all = world.store.view().tasks(TaskFilter::default(), None, 10).await.unwrap();
    let found: Vec<_> = all.iter().map(|task| (task.prompt.as_str(), task.status)).collect();
    assert_eq!(found, [("never mind", TaskStatus::Cancelled), ("count", TaskStatus::Completed)]);
    assert_eq!(world.store.view().task(uuid::Uuid::nil()).await.unwrap(), None);
}

#[tokio::test]
async fn the_same_order_twice_is_one_task() {
    let world = World::new().await;
    let first = world.store.create_task(order("once", Some("mine"))).await.unwrap();
    let again = world.store.create_task(order("once", Some("mine"))).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(world.store.view().tasks(TaskFilter::default(), None, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_happens_at_the_doors_is_in_the_chain() {
    let world = World::new().await;
    world.store.note_auth(Fact::AuthAccepted { door: "ws by token".into() }).await.unwrap();
    world.store.note_auth(Fact::AuthRotated).await.unwrap();
    let events = world.store.view().events_after(0, 10).await.unwrap();
    assert_eq!(kinds(&events), ["auth.accepted", "auth.rotated"]);
    let chain = world.store.view().verify_chain().await.unwrap();
    assert!(matches!(chain, store::ChainState::Whole { events: 2, .. }), "{chain:?}");
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none());
}
