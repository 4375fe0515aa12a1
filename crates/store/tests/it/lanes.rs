//! Who comes first: the owner before what merely happened, which is told together and never forgotten.

use super::{
    jobs::{at, due, fire, new_job},
    *,
};
use store::{AbortAnswer, Durability, StoreError};

fn happened(session: &str, id: &str, kind: TriggerKind) -> Trigger {
    Trigger { kind, ..message(session, id) }
}

impl World {
    async fn claim_from(&self, lane: Lane) -> Option<store::Claim> {
        self.store.claim("w", LEASE, LIMITS, lane).await.unwrap()
    }

    async fn end(&self, claim: &store::Claim) {
        let seen = self.store.view().newest().await.unwrap();
        self.store.finish(&claim.turn, seen, Outcome::Completed, Vec::new()).await.unwrap();
    }
}

fn text(claim: &store::Claim) -> String {
    let Fact::TurnStarted { trigger, .. } = &claim.events[0].fact else { panic!("{:?}", claim.events) };
    Block::text_of(&trigger.content)
}

#[tokio::test]
async fn the_owner_comes_first_and_a_lane_can_be_kept_for_them() {
    let world = World::new().await;
    world.store.accept(happened("a", "exit", TriggerKind::ProcessExit)).await.unwrap();
    world.store.accept(happened("b", "due", TriggerKind::Due)).await.unwrap();
    world.store.accept(message("c", "hello")).await.unwrap();
    world.store.accept(message("b", "hi")).await.unwrap();
    let hello = world.claim_from(Lane::Any).await.unwrap();
    assert_eq!(text(&hello), "hello");
    let hi = world.claim_from(Lane::OwnerOnly).await.unwrap();
    assert_eq!(text(&hi), "hi", "what waits in the same conversation does not hold the owner up");
    assert!(world.claim_from(Lane::OwnerOnly).await.is_none());
    assert_eq!(text(&world.claim_from(Lane::Any).await.unwrap()), "exit");
    assert!(world.claim_from(Lane::Any).await.is_none(), "one turn of a conversation at a time");
    world.end(&hi).await;
    assert_eq!(text(&world.claim_from(Lane::Any).await.unwrap()), "due");
}

#[tokio::test]
async fn what_has_begun_is_not_overtaken_in_its_conversation() {
    let world = World::new().await;
    world.store.accept(happened("s", "due", TriggerKind::Due)).await.unwrap();
    world.claim_from(Lane::Any).await.unwrap();
    world.store.accept(message("s", "hi")).await.unwrap();
    let world = world.again().await;
    assert_eq!(world.store.recover().await.unwrap(), 1);
    assert!(world.claim_from(Lane::OwnerOnly).await.is_none(), "it goes on first");
    let claim = world.claim_from(Lane::Any).await.unwrap();
    assert_eq!(text(&claim), "due");
    world.end(&claim).await;
    assert_eq!(text(&world.claim_from(Lane::OwnerOnly).await.unwrap()), "hi");
}

#[tokio::test]
async fn messages_of_one_conversation_keep_their_order() {
    let world = World::new().await;
    for id in ["1", "2", "3"] {
        world.store.accept(message("s", id)).await.unwrap();
    }
    for id in ["1", "2", "3"] {
        let claim = world.claim_from(Lane::Any).await.unwrap();
        assert_eq!(text(&claim), id);
        world.end(&claim).await;
    }
}

#[tokio::test]
async fn a_full_conversation_takes_no_more_and_says_so() {
    let world = World::new().await;
    for number in 0..3 {
        world.store.accept_message(message("s", &format!("m{number}")), 3).await.unwrap();
    }
    let refused = world.store.accept_message(message("s", "m3"), 3).await.unwrap_err();
    assert!(matches!(refused, StoreError::QueueFull { limit: 3 }));
    assert_eq!(
        refused.to_string(),
        "Messages limit reached: 3 wait in this conversation already; wait until one is answered"
    );
    assert!(world.store.accept_message(message("s", "m1"), 3).await.unwrap().repeated, "a repeat is known");
    assert!(!world.store.accept_message(message("other", "m4"), 3).await.unwrap().repeated);
    world.store.accept(happened("s", "exit", TriggerKind::ProcessExit)).await.unwrap();
    world.claim_from(Lane::Any).await.unwrap();
    assert!(!world.store.accept_message(message("s", "m3"), 3).await.unwrap().repeated, "one has begun");
    let steer = Trigger { steer: true, ..message("s", "m5") };
    assert!(world.store.accept_message(steer, 3).await.unwrap().joined.is_some(), "it does not wait");
}

#[tokio::test]
async fn what_happened_meanwhile_is_told_in_one_turn_and_all_of_it_stays() {
    let world = World::new().await;
    let session = SessionKey::new("cron--tea").unwrap();
    let job = world.store.add_job(new_job("tea", 100)).await.unwrap();
    world.store.fire(fire(&job, &[100], Some(110))).await.unwrap();
    world
        .store
        .accept(happened(session.as_str(), "the build ended", TriggerKind::ProcessExit))
        .await
        .unwrap();
    world.store.accept(happened(session.as_str(), "payload", TriggerKind::Hook)).await.unwrap();
    world.store.accept(Trigger { model: Some("a/b".into()), ..due(&session, "with a model") }).await.unwrap();
    world.store.accept(due(&SessionKey::new("elsewhere").unwrap(), "elsewhere")).await.unwrap();
    let claim = world.claim_from(Lane::Any).await.unwrap();
    let told = text(&claim);
    assert!(told.contains("1. due\n") && told.contains("2. the build ended\n"), "{told}");
    assert!(!told.contains("payload") && !told.contains("with a model"), "{told}");
    world.end(&claim).await;
    let over = world.store.view().job_history(job.id, 9).await.unwrap();
    assert_eq!(
        (over.len(), over[0].turn, over[0].outcome.as_deref()),
        (1, Some(claim.turn.turn), Some("completed"))
    );
    for expected in ["payload", "with a model", "elsewhere"] {
        let claim = world.claim_from(Lane::Any).await.unwrap();
        assert_eq!(text(&claim), expected);
        world.end(&claim).await;
    }
    assert!(world.claim_from(Lane::Any).await.is_none());
    let raw = rusqlite::Connection::open(file(world.dir.path())).unwrap();
    let kept: i64 =
        raw.query_row("SELECT count(*) FROM inbox WHERE state = 'done'", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 5);
}

#[tokio::test]
async fn firings_that_joined_are_over_with_the_turn_that_told_them() {
    let world = World::new().await;
    let mut jobs = Vec::new();
    for name in ["a", "b", "c"] {
        let mut new = new_job(name, 100);
        new.order.session = SessionKey::new("main").unwrap();
        let job = world.store.add_job(new).await.unwrap();
        world.store.fire(fire(&job, &[100], Some(110))).await.unwrap();
        jobs.push(job.id);
    }
    let claim = world.claim_from(Lane::Any).await.unwrap();
    let world = world.again().await;
    world.store.recover().await.unwrap();
    let again = world.claim_from(Lane::Any).await.unwrap();
    assert_eq!(again.events, claim.events, "it goes on with all of them");
    world.store.append(&again.turn, 0, Durability::Flushed, vec![says("told")]).await.unwrap();
    assert_eq!(world.store.abort(again.turn.turn).await.unwrap(), AbortAnswer::Stopping);
    let seen = world.store.view().newest().await.unwrap();
    world.store.finish(&again.turn, seen, Outcome::Aborted, Vec::new()).await.unwrap();
    for id in jobs {
        let job = world.job(id).await.unwrap();
        assert_eq!((job.open, job.failures, job.next_slot), (0, 0, Some(at(110))));
        let last = world.store.view().job_history(id, 1).await.unwrap().remove(0);
        assert_eq!(last.outcome.as_deref(), Some("aborted"));
    }
}
