//! What lists are made of: conversations that were named and put away, turns that wait, costs by time.

use super::*;
use jiff::{SignedDuration, Timestamp};
use store::{Durability, SessionFilter};

#[tokio::test]
async fn what_the_owner_did_to_a_conversation_stays() {
    let world = World::new().await;
    let key = SessionKey::new("s").unwrap();
    assert!(!world.store.rename_session(&key, "x").await.unwrap());
    assert!(!world.store.archive_session(&key, true).await.unwrap());
    world.store.accept(message("s", "m1")).await.unwrap();
    assert!(world.store.rename_session(&key, " Named \nmore").await.unwrap());
    assert!(world.store.archive_session(&key, true).await.unwrap());
    let world = world.again().await;
    let row = world.store.view().session(&key).await.unwrap().unwrap();
    assert_eq!((row.title.as_str(), row.archived, row.turns), ("Named", true, 1));
    let found = async |search: &str, archived: Option<bool>, expected: usize| {
        let filter = SessionFilter { search: Some(search.into()), archived };
        assert_eq!(world.store.view().find_sessions(filter, 9).await.unwrap().len(), expected, "{search}");
    };
    found("NAM", None, 1).await;
    found("nam", Some(false), 0).await;
    found("n_m", Some(true), 0).await;
    world.store.accept(message("s", "m2")).await.unwrap();
    found("nam", Some(false), 1).await;
}

#[tokio::test]
async fn a_turn_that_waits_shows_what_it_waits_with() {
    let world = World::new().await;
    for id in ["m1", "m2"] {
        world.store.accept(message("s", id)).await.unwrap();
    }
    world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let rows = world.store.view().turns(&SessionKey::new("s").unwrap(), None, 9).await.unwrap();
    let queued: Vec<Option<Trigger>> = rows.into_iter().map(|row| row.queued).collect();
    assert_eq!(queued, [Some(message("s", "m2")), None]);
}

#[tokio::test]
async fn costs_fall_into_the_time_they_were_made_in() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let written =
        world.store.append(&claim.turn, 0, Durability::Flushed, vec![says("1"), says("2")]).await.unwrap();
    let (at, ms) = (written.last().unwrap().at, SignedDuration::from_millis(1));
    let check = async |bounds: &[Timestamp], expected: &[u64]| {
        let periods = world.store.view().usage_by_period(bounds.to_vec()).await.unwrap();
        let calls: Vec<u64> = periods.iter().map(|rows| rows.iter().map(|row| row.calls).sum()).collect();
        assert_eq!(calls, expected, "{bounds:?}");
    };
    check(&[], &[]).await;
    check(&[at], &[]).await;
    check(&[at - ms, at, at + ms, at + ms + ms], &[0, 2, 0]).await;
}
