//! The facts of a turn: one order for everybody, long ones kept beside, stopped from outside at any time.

use super::*;
use store::{AbortAnswer, Durability, Finish, StoreError};

#[tokio::test]
async fn a_driver_learns_what_others_wrote_before_its_own_facts() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!(world.store.abort(claim.turn.turn).await.unwrap(), AbortAnswer::Stopping);
    let seen = claim.events[0].seq;
    let events =
        world.store.append(&claim.turn, seen, Durability::Flushed, vec![says("late")]).await.unwrap();
    assert_eq!(kinds(&events), ["turn.aborted", "model.done"]);
}

#[tokio::test]
async fn abort_finds_a_turn_wherever_it_stands() {
    let world = World::new().await;
    let unknown = TurnId::from(uuid::Uuid::nil());
    assert_eq!(world.store.abort(unknown).await.unwrap(), AbortAnswer::Unknown);

    let queued = world.store.accept(message("s", "m1")).await.unwrap().turn;
    assert_eq!(world.store.abort(queued).await.unwrap(), AbortAnswer::Stopping);
    let events = world.store.view().turn_events(queued, 0).await.unwrap();
    assert_eq!(kinds(&events), ["turn.started", "turn.aborted", "turn.finished"]);
    assert_eq!(world.store.abort(queued).await.unwrap(), AbortAnswer::AlreadyOver);
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none());

    let parked = world.store.accept(message("s", "m2")).await.unwrap().turn;
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!(world.store.park(&claim.turn, claim.events[0].seq).await.unwrap(), Finish::Done(vec![]));
    assert!(
        world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none(),
        "a parked turn just waits"
    );
    assert_eq!(world.store.abort(parked).await.unwrap(), AbortAnswer::Stopping);
    assert_eq!(world.store.abort(parked).await.unwrap(), AbortAnswer::Stopping, "twice is once");
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!(kinds(&claim.events), ["turn.started", "turn.aborted"]);
}

#[tokio::test]
async fn a_signal_that_came_first_keeps_a_turn_from_being_parked() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    world.store.abort(claim.turn.turn).await.unwrap();
    let parked = world.store.park(&claim.turn, claim.events[0].seq).await.unwrap();
    assert!(matches!(parked, Finish::Stale(news) if kinds(&news) == ["turn.aborted"]));
}

#[tokio::test]
async fn long_texts_come_back_whole_and_stand_once() {
    let world = World::new().await;
    let long = "é".repeat(50_000);
    let mut trigger = message("s", "m1");
    trigger.content = vec![Block::text(&long), Block::text("short")];
    world.store.accept(trigger.clone()).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let Fact::TurnStarted { trigger: read, .. } = &claim.events[0].fact else { panic!() };
    assert!(*read == trigger);
    let events = world.store.view().events_after(0, 10).await.unwrap();
    assert!(events[0] == claim.events[0]);
    let raw = rusqlite::Connection::open(file(world.dir.path())).unwrap();
    let (blobs, longest): (i64, i64) = raw
        .query_row("SELECT (SELECT count(*) FROM blobs), (SELECT max(length(body)) FROM events)", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(blobs, 1, "inbox and event share it");
    assert!(longest < 1000, "the row stays small");
}

#[tokio::test]
async fn usage_adds_up_by_model() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    world.store.append(&claim.turn, 0, Durability::Flushed, vec![says("1"), says("2")]).await.unwrap();
    let rows = world.store.view().usage_since(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!((rows.len(), rows[0].calls, rows[0].usage.input_tokens), (1, 2, 20));
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_left_alone() {
    let world = World::new().await;
    let path = file(world.dir.path());
    drop(world.store);
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let Err(error) = store::Store::open(&path).await else { panic!("opened") };
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
}

#[tokio::test]
async fn a_full_disk_refuses_new_work_keeps_serving_and_recovers_unaided() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    // A page limit is what a full disk looks like to SQLite; only this connection's file is affected.
    let path = file(world.dir.path());
    let raw = rusqlite::Connection::open(&path).unwrap();
    let pages: i64 = raw.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    drop(raw);
    world.store.limit_pages(pages).await.unwrap();
    let mut big = message("s", "m2");
    big.content = vec![Block::text("x".repeat(1_000_000))];
    let refused = world.store.accept(big.clone()).await;
    assert!(matches!(refused, Err(StoreError::DiskFull)), "{refused:?}");
    assert_eq!(world.store.view().sessions(10).await.unwrap().len(), 1, "reading goes on");
    world.store.limit_pages(1_000_000).await.unwrap();
    assert!(!world.store.accept(big).await.unwrap().repeated);
}

#[tokio::test]
async fn an_older_file_is_not_misread() {
    let world = World::new().await;
    let path = file(world.dir.path());
    drop(world.store);
    let set = |version: u32| {
        rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
    };
    let known: u32 = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    set(known - 1);
    let error = store::View::open(&path).sessions(1).await.unwrap_err();
    assert!(matches!(error, store::StoreError::Older { .. }), "{error}");
    set(known + 1);
    let error = store::View::open(&path).sessions(1).await.unwrap_err();
    assert!(matches!(error, store::StoreError::Newer { .. }), "{error}");
}
