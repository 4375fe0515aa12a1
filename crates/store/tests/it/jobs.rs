//! What comes due fires once, what came of it is written with the turn's end, and nothing piles up.

use super::*;
use jiff::Timestamp;
use store::{
    Durability, Fire, Fired, JobChange, JobFilter, JobKind, JobOrder, JobRow, NewJob, SlotChange, StoreError,
};
use uuid::Uuid;

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

pub(crate) fn order(name: &str) -> JobOrder {
    JobOrder {
        name: name.into(),
        kind: JobKind::Reminder,
        schedule: "{}".into(),
        message: name.into(),
        session: SessionKey::new(format!("cron--{name}")).unwrap(),
        deliver: None,
        missed: "once".into(),
        delete_after_run: false,
        model: None,
        task: None,
        origin: None,
        tainted: false,
    }
}

pub(crate) fn new_job(name: &str, next: i64) -> NewJob {
    NewJob {
        id: Uuid::now_v7(),
        order: order(name),
        enabled: true,
        next_slot: Some(at(next)),
        origin_key: None,
    }
}

pub(crate) fn due(session: &SessionKey, text: &str) -> Trigger {
    Trigger { session: session.clone(), kind: TriggerKind::Due, ..message("s", text) }
}

/// Fires the job's next slot, the one after it ten seconds later.
pub(crate) fn fire(job: &JobRow, slots: &[i64], next: Option<i64>) -> Fire {
    Fire {
        job: job.id,
        slot: job.next_slot.unwrap(),
        fire: slots.iter().map(|slot| (at(*slot), due(&job.order.session, "due"))).collect(),
        pass: None,
        note: None,
        may_wait: false,
        next: next.map(at),
        not_before: None,
        now: at(slots.last().copied().unwrap_or_default()),
    }
}

impl World {
    pub(crate) async fn job(&self, id: Uuid) -> Option<JobRow> {
        self.store.view().job(&id.to_string()).await.unwrap()
    }

    /// Claims the next turn, has the model say something, and ends it.
    pub(crate) async fn run_turn(&self, text: &str, outcome: Outcome) -> TurnId {
        let claim = self.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
        let events = self.store.append(&claim.turn, 0, Durability::Flushed, vec![says(text)]).await.unwrap();
        let seen = events.last().unwrap().seq;
        self.store.finish(&claim.turn, seen, outcome, Vec::new()).await.unwrap();
        claim.turn.turn
    }

    async fn outcomes(&self, id: Uuid) -> Vec<(i64, Option<String>)> {
        let history = self.store.view().job_history(id, 10).await.unwrap();
        history.into_iter().map(|row| (row.slot.as_second(), row.outcome)).collect()
    }
}

pub(crate) fn failed() -> Outcome {
    let (kind, provider, message) = (ModelErrorKind::Overloaded, "p".to_owned(), "no answer".to_owned());
    Outcome::Failed { error: ModelError { kind, provider, message } }
}

#[tokio::test]
async fn a_slot_fires_once_whoever_asks() {
    let world = World::new().await;
    let job = world.store.add_job(new_job("tea", 100)).await.unwrap();
    let mut firing = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (store, fire) = (world.store.clone(), fire(&job, &[100], Some(110)));
        firing.spawn(async move { store.fire(fire).await.unwrap() });
    }
    let fired = firing.join_all().await;
    assert_eq!(
        fired.iter().filter(|fired| matches!(fired, Fired::Fired(turns) if turns.len() == 1)).count(),
        1
    );
    assert_eq!(fired.iter().filter(|fired| **fired == Fired::Stale).count(), 19);
    world.run_turn("done", Outcome::Completed).await;
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none());

    // The clock was set back: the slot comes up again and is passed silently.
    let change = SlotChange { job: job.id, seen: Some(at(110)), next: Some(at(100)) };
    world.store.reset_slots(vec![change]).await.unwrap();
    let again = world.store.fire(fire(&job, &[100], Some(110))).await.unwrap();
    assert_eq!(again, Fired::Fired(Vec::new()));
    assert_eq!(world.job(job.id).await.unwrap().next_slot, Some(at(110)));
    assert_eq!(world.outcomes(job.id).await, [(100, Some("completed".into()))]);
}

#[tokio::test]
async fn a_slot_fires_once_even_if_its_history_is_forgotten() {
    let world = World::new().await;
    let job = world.store.add_job(new_job("tea", 100)).await.unwrap();
    world.store.fire(fire(&job, &[100], Some(110))).await.unwrap();
    world.run_turn("done", Outcome::Completed).await;
    let raw = rusqlite::Connection::open(file(world.dir.path())).unwrap();
    raw.execute("DELETE FROM firings", []).unwrap();
    let change = SlotChange { job: job.id, seen: Some(at(110)), next: Some(at(100)) };
    world.store.reset_slots(vec![change]).await.unwrap();
    let again = world.store.fire(fire(&job, &[100], Some(110))).await.unwrap();
    assert_eq!(again, Fired::Fired(Vec::new()));
    let row = world.job(job.id).await.unwrap();
    assert_eq!((row.open, row.next_slot), (0, Some(at(110))));
    assert_eq!(world.outcomes(job.id).await, [(100, Some("skipped".into()))]);
}

#[tokio::test]
async fn what_is_still_under_way_is_not_joined_by_more_unless_all_count() {
    let world = World::new().await;
    let job = world.store.add_job(new_job("tea", 100)).await.unwrap();
    world.store.fire(fire(&job, &[100], Some(110))).await.unwrap();
    let job = world.job(job.id).await.unwrap();
    assert_eq!(job.open, 1);
    world.store.fire(fire(&job, &[110], Some(120))).await.unwrap();
    assert_eq!(world.outcomes(job.id).await, [(110, Some("skipped".into())), (100, None)]);

    let all = world.store.add_job(new_job("all", 0)).await.unwrap();
    let slots: Vec<i64> = (0..30).collect();
    let fired = world.store.fire(Fire { may_wait: true, ..fire(&all, &slots, Some(30)) }).await.unwrap();
    assert!(matches!(fired, Fired::Fired(turns) if turns.len() == 20));
    let row = world.job(all.id).await.unwrap();
    assert_eq!((row.open, row.next_slot), (20, Some(at(20))));
    let due = world.store.view().due_jobs(at(1000), 10).await.unwrap();
    assert_eq!(due.iter().map(|job| job.id).collect::<Vec<_>>(), [job.id], "it waits until one is over");
    assert_eq!(world.store.view().next_slot().await.unwrap(), Some(at(120)));
    world.run_turn("tea", Outcome::Completed).await;
    world.run_turn("all of them", Outcome::Completed).await;
    assert_eq!(world.job(all.id).await.unwrap().open, 0, "they were told in one turn");
    assert_eq!(world.store.view().next_slot().await.unwrap(), Some(at(20)));
}

#[tokio::test]
async fn failures_in_a_row_are_counted_and_forgotten_with_the_next_success() {
    let world = World::new().await;
    let job = world.store.add_job(new_job("tea", 100)).await.unwrap();
    for (slot, outcome, failures) in
        [(100, failed(), 1), (110, failed(), 2), (120, Outcome::Aborted, 2), (130, Outcome::Completed, 0)]
    {
        let row = world.job(job.id).await.unwrap();
        world.store.fire(fire(&row, &[slot], Some(slot + 10))).await.unwrap();
        world.run_turn("", outcome).await;
        let row = world.job(job.id).await.unwrap();
        assert_eq!((row.failures, row.failed_at.is_some(), row.open), (failures, failures > 0, 0));
    }
}

#[tokio::test]
async fn a_job_that_waits_after_failures_is_not_due_before() {
    let world = World::new().await;
    let job = world.store.add_job(new_job("tea", 100)).await.unwrap();
    let waits = Fire { not_before: Some(at(500)), ..fire(&job, &[], Some(100)) };
    world.store.fire(waits).await.unwrap();
    assert_eq!(world.store.view().next_slot().await.unwrap(), Some(at(500)));
    assert!(world.store.view().due_jobs(at(499), 10).await.unwrap().is_empty());
    assert_eq!(world.store.view().due_jobs(at(500), 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_comes_once_is_over_with_its_run() {
    for (delete_after_run, outcome, kept) in [
        (false, Outcome::Completed, Some(false)),
        (true, Outcome::Completed, None),
        (true, failed(), Some(false)),
    ] {
        let world = World::new().await;
        let mut new = new_job("tea", 100);
        new.order.delete_after_run = delete_after_run;
        let job = world.store.add_job(new).await.unwrap();
        world.store.fire(fire(&job, &[100], None)).await.unwrap();
        let world = world.again().await;
        assert_eq!(world.job(job.id).await.map(|job| job.enabled), Some(true), "not before its end");
        world.run_turn("done", outcome).await;
        assert_eq!(world.job(job.id).await.map(|job| job.enabled), kept);
        assert_eq!(world.outcomes(job.id).await.is_empty(), kept.is_none());
        assert_eq!(world.store.view().next_slot().await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_run_in_between_leaves_the_slots_alone() {
    let world = World::new().await;
    let mut new = new_job("tea", 100);
    new.order.delete_after_run = true;
    let job = world.store.add_job(new).await.unwrap();
    let trigger = || due(&job.order.session, "now");
    for _ in 0..2 {
        assert!(world.store.run_job_now(job.id, at(50), trigger()).await.unwrap().is_some());
    }
    world.run_turn("done", Outcome::Completed).await;
    assert_eq!(world.outcomes(job.id).await.len(), 2);
    assert_eq!(world.job(job.id).await.unwrap().next_slot, Some(at(100)));
    assert!(world.store.run_job_now(Uuid::nil(), at(50), trigger()).await.unwrap().is_none());
}

#[tokio::test]
async fn the_same_call_twice_is_one_job_and_a_taken_name_is_refused() {
    let world = World::new().await;
    let keyed = || NewJob { origin_key: Some("call 1".into()), ..new_job("Tea", 100) };
    let first = world.store.add_job(keyed()).await.unwrap();
    assert_eq!(world.store.add_job(keyed()).await.unwrap(), first);
    let refused = world.store.add_job(new_job("tea", 100)).await.unwrap_err();
    assert!(matches!(&refused, StoreError::NameTaken { name } if name == "tea"), "{refused}");
    assert_eq!(world.store.view().job("TEA").await.unwrap().unwrap().id, first.id);
    let other = world.store.add_job(new_job("other", 100)).await.unwrap();
    let rename = |name: &str| JobChange { name: Some(name.into()), ..JobChange::default() };
    assert!(world.store.update_job(other.id, rename("tea")).await.is_err());
    assert_eq!(world.store.update_job(other.id, rename("Other")).await.unwrap().unwrap().order.name, "Other");
    assert!(world.store.remove_job(other.id).await.unwrap());
    assert!(!world.store.remove_job(other.id).await.unwrap());
    assert_eq!(world.store.update_job(other.id, rename("x")).await.unwrap(), None);
}

#[tokio::test]
async fn ten_thousand_jobs_cost_nothing_at_rest() {
    let world = World::new().await;
    let add = |number| world.store.add_job(new_job(&format!("job{number}"), 1_000_000 - number));
    futures::future::try_join_all((0..10_000_i64).map(add)).await.unwrap();
    let view = world.store.view();
    assert_eq!(view.next_slot().await.unwrap(), Some(at(990_001)));
    assert_eq!(view.due_jobs(at(990_003), 100).await.unwrap().len(), 3);
    let (mut after, mut seen) = (None, 0);
    loop {
        let page = view.jobs(JobFilter::default(), after, 999).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 999);
        (after, seen) = (Some(last.id), seen + page.len());
    }
    assert_eq!(seen, 10_000);
    let raw = rusqlite::Connection::open(file(world.dir.path())).unwrap();
    for sql in [
        "SELECT min(due_at) FROM jobs WHERE enabled = 1 AND due_at IS NOT NULL AND open < 20",
        "SELECT id FROM jobs WHERE enabled = 1 AND due_at IS NOT NULL AND open < 20 AND due_at <= 5
         ORDER BY due_at LIMIT 9",
    ] {
        let plan: Vec<String> = raw
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .unwrap()
            .query_map([], |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(
            plan.iter().any(|step| step.contains("SEARCH jobs USING") && step.contains("jobs_due")),
            "{plan:?}"
        );
    }
}

#[tokio::test]
async fn history_is_kept_for_a_thousand_firings() {
    let world = World::new().await;
    let mut row = world.store.add_job(new_job("tea", 0)).await.unwrap();
    for slot in 0..1_010 {
        let pass = Some((at(slot), "asleep".to_owned()));
        world.store.fire(Fire { pass, ..fire(&row, &[], Some(slot + 1)) }).await.unwrap();
        row.next_slot = Some(at(slot + 1));
    }
    let history = world.store.view().job_history(row.id, 5_000).await.unwrap();
    assert_eq!((history.len(), history[0].slot), (1_000, at(1_009)));
}
