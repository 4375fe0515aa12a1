//! What the owner is told of standing orders: once, where they are to be found, and only what is worth it.

use super::{
    jobs::{at, due, failed, fire, new_job},
    *,
};
use jiff::Timestamp;
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use store::{Durability, JobKind, JobRow, NewJob, NewNotice, OutboxRow};
use uuid::Uuid;

fn telling(name: &str, target: &str) -> NewJob {
    let mut job = new_job(name, 100);
    job.order.deliver = Some(target.into());
    job
}

impl World {
    async fn open_notices(&self) -> Vec<OutboxRow> {
        self.store.view().outbox_open(None, 100).await.unwrap()
    }

    async fn fire_next(&self, job: Uuid) {
        let row = self.job(job).await.unwrap();
        let slot = row.next_slot.unwrap().as_second();
        self.store.fire(fire(&row, &[slot], Some(slot + 10))).await.unwrap();
    }
}

fn brief(rows: &[OutboxRow]) -> Vec<(&str, &str, &str)> {
    rows.iter().map(|row| (row.target.as_str(), row.notice.from.as_str(), row.notice.text.as_str())).collect()
}

#[tokio::test]
async fn the_last_word_of_a_run_is_told_once() {
    let world = World::new().await;
    let job = world.store.add_job(telling("tea", "last")).await.unwrap();
    world.fire_next(job.id).await;
    let turn = world.run_turn("the tea is ready", Outcome::Completed).await;
    let world = world.again().await;
    let rows = world.open_notices().await;
    assert_eq!(brief(&rows), [("last", "reminder tea", "the tea is ready")]);
    assert_eq!(rows[0].key, format!("turn:{turn}"));
    assert!(!rows[0].notice.untrusted);

    let here = SessionKey::new("web--1").unwrap();
    let id = rows[0].notice.id;
    assert!(world.store.deliver_here(id, &here).await.unwrap());
    assert!(!world.store.deliver_here(id, &here).await.unwrap());
    assert!(world.open_notices().await.is_empty());
    let events = world.store.view().session_events_after(&here, 0, 10).await.unwrap();
    assert_eq!(kinds(&events), ["notice"]);
    assert!(matches!(&events[0].fact, Fact::Noticed { notice } if *notice == rows[0].notice));
    assert!(world.store.view().turn_under_way(&here, u64::MAX).await.unwrap().is_empty());
    assert_eq!(world.store.view().sessions(10).await.unwrap()[0].key, here, "it is listed first");
}

#[tokio::test]
async fn what_was_said_in_that_very_conversation_is_not_said_again() {
    let world = World::new().await;
    let job = world.store.add_job(telling("tea", "last")).await.unwrap();
    world.fire_next(job.id).await;
    world.run_turn("tea!", Outcome::Completed).await;
    let before = world.store.view().newest().await.unwrap();
    let row = world.open_notices().await.remove(0);
    assert!(world.store.deliver_here(row.notice.id, &job.order.session).await.unwrap());
    assert_eq!(world.store.view().newest().await.unwrap(), before);
    assert!(world.open_notices().await.is_empty());
}

#[tokio::test]
async fn silence_and_what_was_stopped_are_not_told_and_none_means_none() {
    let world = World::new().await;
    let job = world.store.add_job(telling("tea", "last")).await.unwrap();
    world.fire_next(job.id).await;
    world.run_turn("  \n", Outcome::Completed).await;
    world.fire_next(job.id).await;
    world.run_turn("half a", Outcome::Aborted).await;
    let quiet = world.store.add_job(new_job("quiet", 100)).await.unwrap();
    world.fire_next(quiet.id).await;
    world.run_turn("never mind", Outcome::Completed).await;
    world.fire_next(quiet.id).await;
    world.run_turn("", failed()).await;
    assert_eq!(brief(&world.open_notices().await), []);
}

#[tokio::test]
async fn only_the_first_failure_of_several_is_told() {
    let world = World::new().await;
    let job = world.store.add_job(telling("tea", "last")).await.unwrap();
    for outcome in [failed(), failed(), Outcome::Completed, failed()] {
        world.fire_next(job.id).await;
        world.run_turn("", outcome).await;
    }
    let rows = world.open_notices().await;
    let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
    assert_eq!(keys, [format!("job-failed:{}:100000", job.id), format!("job-failed:{}:130000", job.id)]);
    assert!(rows[0].notice.text.contains("no answer"), "{}", rows[0].notice.text);
}

#[tokio::test]
async fn a_screen_of_a_run_is_brought_to_the_owner() {
    let world = World::new().await;
    let job = world.store.add_job(telling("tea", "last")).await.unwrap();
    world.fire_next(job.id).await;
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let call = CallId::from(Uuid::now_v7());
    let approval = ApprovalId::from(Uuid::now_v7());
    let asked = AskedCall {
        call,
        tool: "bash".into(),
        summary: "run `kettle`".into(),
        details: String::new(),
        risk: Risk::Risky,
        reason: String::new(),
        flags: Vec::new(),
        cwd: String::new(),
        confinement: String::new(),
        rules: Vec::new(),
        fingerprint: String::new(),
    };
    let requested =
        Fact::ApprovalRequested { approval, calls: vec![asked], expires_at: Timestamp::MAX, forecast: None };
    let untrusted = CallResult { untrusted: true, ..CallResult::new(call, CallStatus::Succeeded, "hot") };
    let facts = vec![requested, Fact::CallDone { result: untrusted }, says("it boils")];
    let events = world.store.append(&claim.turn, 0, Durability::Flushed, facts).await.unwrap();
    world.store.finish(&claim.turn, events.last().unwrap().seq, Outcome::Completed, vec![]).await.unwrap();
    let rows = world.open_notices().await;
    assert_eq!(rows[0].key, format!("approval:{approval}"));
    assert_eq!(rows[0].notice.approval, Some(approval));
    assert!(rows[0].notice.text.contains("run `kettle`"));
    let told: Vec<_> = rows.iter().map(|row| (row.notice.untrusted, row.notice.text.as_str())).collect();
    assert_eq!(told[1], (true, "it boils"), "a stranger's words were in it");
}

async fn heartbeat(world: &World) -> JobRow {
    let mut job = telling("heartbeat", "last");
    job.order.kind = JobKind::Heartbeat;
    world.store.add_job(job).await.unwrap()
}

#[tokio::test]
async fn a_heartbeat_says_nothing_when_there_is_nothing_and_not_the_same_twice_a_day() {
    let clock = Arc::new(AtomicI64::new(1_000_000));
    let dir = tempfile::tempdir().unwrap();
    let now = clock.clone();
    let time = Arc::new(move || at(now.load(Ordering::SeqCst)));
    let store = Store::open_with_time(&file(dir.path()), time).await.unwrap();
    let world = World { dir, store };
    let job = heartbeat(&world).await;
    let mut told = Vec::new();
    for (later, text) in [
        (0, "**HEARTBEAT_OK**"),
        (60, "the oven is on"),
        (60, " the oven is on\n"),
        (60, "the door is open"),
        (80_000, "the oven is on"),
        (86_400, "the oven is on"),
    ] {
        clock.fetch_add(later, Ordering::SeqCst);
        world.fire_next(job.id).await;
        world.run_turn(text, Outcome::Completed).await;
        told = world.open_notices().await;
    }
    let texts: Vec<&str> = told.iter().map(|row| row.notice.text.as_str()).collect();
    assert_eq!(texts, ["the oven is on", "the door is open", "the oven is on"]);
}

#[tokio::test]
async fn the_house_has_its_say_once_for_each_key() {
    let world = World::new().await;
    let notice = |text: &str| NewNotice {
        key: "spend:2026-11-15".into(),
        target: "last".into(),
        from: "steward".into(),
        text: text.into(),
    };
    assert!(world.store.notify(notice("enough for today")).await.unwrap());
    assert!(!world.store.notify(notice("enough again")).await.unwrap());
    assert_eq!(brief(&world.open_notices().await), [("last", "steward", "enough for today")]);
}

#[tokio::test]
async fn what_a_channel_never_answered_for_is_shown_and_not_sent_again() {
    let world = World::new().await;
    for key in ["a", "b", "c"] {
        let (key, target, from) = (key.to_owned(), "telegram".to_owned(), "steward".to_owned());
        world.store.notify(NewNotice { text: key.clone(), key, target, from }).await.unwrap();
    }
    let rows = world.open_notices().await;
    let chat = SessionKey::new("telegram--1").unwrap();
    world.store.outbox_attempt(rows[0].notice.id, &chat).await.unwrap();
    world.store.outbox_sent(rows[0].notice.id, "m1").await.unwrap();
    world.store.outbox_attempt(rows[1].notice.id, &chat).await.unwrap();
    let world = world.again().await;
    assert_eq!(world.store.surface_outbox().await.unwrap(), 1);
    let keys = |rows: Vec<OutboxRow>| rows.into_iter().map(|row| row.key).collect::<Vec<_>>();
    assert_eq!(keys(world.open_notices().await), ["c"]);
    assert_eq!(keys(world.store.view().outbox_unresolved(None, 9).await.unwrap()), ["b"]);
}

#[tokio::test]
async fn the_owner_is_where_they_last_spoke() {
    let world = World::new().await;
    for (session, id) in
        [("telegram--1", "1"), ("web--1", "2"), ("task--1", "3"), ("cron--1", "4"), ("chat--1", "6")]
    {
        world.store.accept(message(session, id)).await.unwrap();
    }
    world.store.accept(due(&SessionKey::new("terminal--1").unwrap(), "5")).await.unwrap();
    let view = world.store.view();
    let found = |session: &str| Some(SessionKey::new(session).unwrap());
    assert_eq!(view.last_owner_session(None).await.unwrap(), found("web--1"));
    assert_eq!(view.last_owner_session(Some("telegram")).await.unwrap(), found("telegram--1"));
    assert_eq!(view.last_owner_session(Some("slack")).await.unwrap(), None);
}
