//! Tasks that stand: they come again or wait for something outside, until they are ended, whatever happens between.

use super::{
    jobs::{at, failed, fire},
    *,
};
use store::{
    Durability, Fired, HookDelivery, HookTaken, NewTask, NewTaskKind, TaskAnswer, TaskFilter, TaskKind,
    TaskRow, TaskStatus,
};

fn recurring(deliver: Option<&str>) -> NewTask {
    let kind =
        NewTaskKind::Recurring { schedule: "{}".into(), next_slot: Some(at(100)), missed: "once".into() };
    NewTask { prompt: "count".into(), kind, deliver: deliver.map(str::to_owned), ..NewTask::default() }
}

fn event() -> NewTask {
    let kind = NewTaskKind::Event { hook_hash: "hash".into(), secret: None };
    NewTask { prompt: "sort".into(), kind, deliver: Some("last".into()), ..NewTask::default() }
}

fn delivery(body: &str, key: Option<&str>) -> HookDelivery {
    HookDelivery {
        content: vec![Block::text(body)],
        key: key.map(str::to_owned),
        signature: None,
        body_sha256: body.into(),
        max_queued: 2,
    }
}

impl World {
    async fn fire_task(&self, task: &TaskRow) -> Fired {
        let job = self.job(task.runs.job.unwrap()).await.unwrap();
        let slot = job.next_slot.unwrap().as_second();
        self.store.fire(fire(&job, &[slot], Some(slot + 10))).await.unwrap()
    }

    async fn task(&self, task: &TaskRow) -> TaskRow {
        self.store.view().task(task.id).await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn a_task_that_comes_again_stands_between_its_runs() {
    let world = World::new().await;
    let task = world.store.create_task(recurring(Some("last"))).await.unwrap();
    assert_eq!((task.kind, task.status, task.turn), (TaskKind::Recurring, TaskStatus::Active, None));
    assert_eq!(task.runs.next_slot, Some(at(100)));
    assert!(matches!(world.fire_task(&task).await, Fired::Fired(turns) if turns.len() == 1));
    assert_eq!(world.task(&task).await.status, TaskStatus::Queued);
    let turn = world.run_turn("three", Outcome::Completed).await;
    let row = world.task(&task).await;
    assert_eq!((row.status, row.turn, row.runs.count), (TaskStatus::Active, Some(turn), 1));
    world.fire_task(&task).await;
    world.run_turn("", failed()).await;
    let row = world.task(&task).await;
    assert_eq!((row.status, row.runs.count, row.runs.failures), (TaskStatus::Active, 2, 1));
    let runs = world.store.view().task_runs(task.id, 9).await.unwrap();
    let brief: Vec<_> = runs.iter().map(|run| (run.outcome.as_deref(), run.text.as_str())).collect();
    assert_eq!(brief, [(Some("failed"), ""), (Some("completed"), "three")]);
    let told = world.store.view().outbox_open(None, 9).await.unwrap();
    assert_eq!(
        told.iter().map(|row| row.notice.from.clone()).collect::<Vec<_>>(),
        vec![format!("task {}", task.id); 2]
    );
}

#[tokio::test]
async fn cancelling_is_once_and_for_all() {
    let world = World::new().await;
    let task = world.store.create_task(recurring(Some("last"))).await.unwrap();
    world.fire_task(&task).await;
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let signals = world.store.signals(claim.turn.turn);
    let row = world.job(task.runs.job.unwrap()).await.unwrap();
    let queued =
        world.store.run_job_now(row.id, at(105), super::jobs::due(&task.session, "again")).await.unwrap();
    let answer = world.store.cancel_task(task.id, Some("enough".into())).await.unwrap();
    let TaskAnswer::Ended(ended) = answer else { panic!("{answer:?}") };
    assert_eq!((ended.status, ended.terms.reason.as_deref()), (TaskStatus::Cancelled, Some("enough")));
    signals.next().await;
    let events = world.store.view().turn_events(claim.turn.turn, 0).await.unwrap();
    assert_eq!(kinds(&events), ["turn.started", "turn.aborted"]);
    let never = world.store.view().turn_events(queued.unwrap(), 0).await.unwrap();
    assert_eq!(kinds(&never), ["turn.started", "turn.aborted", "turn.finished"]);

    let world = world.again().await;
    world.store.recover().await.unwrap();
    let job = world.job(row.id).await.unwrap();
    assert_eq!((job.enabled, job.next_slot), (false, None));
    assert_eq!(world.store.fire(fire(&row, &[110], Some(120))).await.unwrap(), Fired::Stale);
    let again = world.store.cancel_task(task.id, None).await.unwrap();
    assert!(matches!(again, TaskAnswer::AlreadyOver(row) if row.terms.reason.as_deref() == Some("enough")));
    assert_eq!(world.store.cancel_task(uuid::Uuid::nil(), None).await.unwrap(), TaskAnswer::Unknown);
    let all = world.store.view().session_events_after(&task.session, 0, 99).await.unwrap();
    let changed = all
        .iter()
        .filter(|event| matches!(&event.fact, Fact::TaskChanged { status, .. } if status == "cancelled"));
    assert_eq!(changed.count(), 1);
    assert!(world.store.view().outbox_open(None, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_run_may_complete_its_own_task_and_still_has_its_say() {
    let world = World::new().await;
    let task = world.store.create_task(recurring(Some("last"))).await.unwrap();
    world.fire_task(&task).await;
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let answer = world.store.complete_task(task.id, None).await.unwrap();
    assert!(matches!(answer, TaskAnswer::Ended(row) if row.status == TaskStatus::Completed));
    let events = world.store.append(&claim.turn, 0, Durability::Flushed, vec![says("done")]).await.unwrap();
    let seen = events.last().unwrap().seq;
    world.store.finish(&claim.turn, seen, Outcome::Completed, vec![]).await.unwrap();
    assert_eq!(world.store.view().outbox_open(None, 9).await.unwrap()[0].notice.text, "done");
    assert_eq!(world.task(&task).await.status, TaskStatus::Completed);
    assert_eq!(world.store.view().next_slot().await.unwrap(), None);
    let active = TaskFilter { active: Some(true), ..TaskFilter::default() };
    assert!(world.store.view().tasks(active, None, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_handed_in_is_taken_once_each_in_a_run_of_its_own() {
    let world = World::new().await;
    let task = world.store.create_task(event()).await.unwrap();
    let take = |body: &'static str, key| world.store.take_hook("hash", delivery(body, key));
    let HookTaken::Taken { turn, repeated: false, .. } = take("one", Some("k1")).await.unwrap() else {
        panic!()
    };
    let again = take("one", Some("k1")).await.unwrap();
    assert_eq!(again, HookTaken::Taken { task: task.id, turn, repeated: true });
    assert_eq!(take("other", Some("k1")).await.unwrap(), HookTaken::KeyReused);
    assert!(matches!(take("one", None).await.unwrap(), HookTaken::Taken { repeated: false, .. }));
    assert_eq!(take("three", None).await.unwrap(), HookTaken::QueueFull { limit: 2 });
    assert_eq!(world.store.take_hook("else", delivery("x", None)).await.unwrap(), HookTaken::Unknown);
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::OwnerOnly).await.unwrap().is_none());
    world.run_turn("sorted", Outcome::Completed).await;
    world.run_turn("", failed()).await;
    let told = world.store.view().outbox_open(None, 9).await.unwrap();
    let brief: Vec<_> = told.iter().map(|row| (row.notice.untrusted, row.notice.text.as_str())).collect();
    assert_eq!(brief, [(true, "sorted"), (true, "This could not be done: no answer")]);
    let HookTaken::Taken { turn, .. } = take("four", None).await.unwrap() else { panic!() };
    world.store.cancel_task(task.id, None).await.unwrap();
    assert_eq!(kinds(&world.store.view().turn_events(turn, 0).await.unwrap()).last(), Some(&"turn.finished"));
    assert_eq!(take("five", None).await.unwrap(), HookTaken::Ended);
    assert!(matches!(take("one", Some("k1")).await.unwrap(), HookTaken::Taken { repeated: true, .. }));
}

#[tokio::test]
async fn a_signature_is_good_for_one_delivery() {
    let world = World::new().await;
    world.store.create_task(event()).await.unwrap();
    let signed = |key: Option<&str>| HookDelivery { signature: Some("s1".into()), ..delivery("one", key) };
    let take = |key| world.store.take_hook("hash", signed(key));
    assert!(matches!(take(Some("k1")).await.unwrap(), HookTaken::Taken { repeated: false, .. }));
    assert!(matches!(take(Some("k1")).await.unwrap(), HookTaken::Taken { repeated: true, .. }));
    assert_eq!(take(Some("k2")).await.unwrap(), HookTaken::Replayed);
    assert_eq!(take(None).await.unwrap(), HookTaken::Replayed);
}

#[tokio::test]
async fn the_same_order_twice_is_one_task_of_any_kind() {
    let world = World::new().await;
    for new in [recurring(None), event(), NewTask { prompt: "now".into(), ..NewTask::default() }] {
        let key = format!("call {}", new.prompt);
        let keyed = NewTask { origin_key: Some(key), client_id: Some(new.prompt.clone()), ..new };
        let first = world.store.create_task(keyed.clone()).await.unwrap();
        assert_eq!(world.store.create_task(keyed).await.unwrap(), first);
    }
    let first = world.store.view().tasks(TaskFilter::default(), None, 2).await.unwrap();
    let rest = world.store.view().tasks(TaskFilter::default(), Some(first[1].id), 9).await.unwrap();
    assert_eq!((first.len(), rest.len()), (2, 1));
}
