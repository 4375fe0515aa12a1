//! Triggers go in once, come out in order, one open turn per session, and survive their driver.

use super::*;

#[tokio::test]
async fn the_same_trigger_is_taken_once() {
    let world = World::new().await;
    let first = world.store.accept(message("s", "m1")).await.unwrap();
    let second = world.store.accept(message("s", "m1")).await.unwrap();
    assert_eq!((first.turn, false, true), (second.turn, first.repeated, second.repeated));
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_some());
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none());
}

#[tokio::test]
async fn one_turn_per_session_and_sessions_side_by_side() {
    let world = World::new().await;
    for (session, id) in [("a", "a1"), ("a", "a2"), ("b", "b1")] {
        world.store.accept(message(session, id)).await.unwrap();
    }
    let claim = async || {
        let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap()?;
        let Fact::TurnStarted { trigger, .. } = &claim.events[0].fact else { panic!("{claim:?}") };
        Some((trigger.external_id.clone(), claim))
    };
    let (a1, first) = claim().await.unwrap();
    let (b1, _) = claim().await.unwrap();
    assert_eq!((a1.as_str(), b1.as_str()), ("a1", "b1"));
    assert!(claim().await.is_none(), "a2 waits for a1");
    let seen = first.events[0].seq;
    world.store.finish(&first.turn, seen, Outcome::Completed, vec![]).await.unwrap();
    assert_eq!(claim().await.unwrap().0, "a2");
}

#[tokio::test]
async fn a_turn_whose_process_died_goes_on_with_its_facts() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w1", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let asked = Fact::ModelAsked { attempt: 1, model: "a/b".into() };
    world
        .store
        .append(&claim.turn, claim.events[0].seq, store::Durability::Flushed, vec![asked])
        .await
        .unwrap();
    let world = world.again().await;
    assert!(
        world.store.claim("w2", LEASE, LIMITS, Lane::Any).await.unwrap().is_none(),
        "the lease still holds"
    );
    assert_eq!(world.store.recover().await.unwrap(), 1);
    let again = world.store.claim("w2", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!(again.turn, claim.turn);
    assert_eq!(kinds(&again.events), ["turn.started", "model.asked"]);
}

#[tokio::test]
async fn an_expired_lease_passes_to_another_worker_only() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let first = world.store.claim("w1", Duration::ZERO, LIMITS, Lane::Any).await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(world.store.claim("w1", LEASE, LIMITS, Lane::Any).await.unwrap().is_none());
    world.store.renew("w1", LEASE).await.unwrap();
    assert!(world.store.claim("w2", LEASE, LIMITS, Lane::Any).await.unwrap().is_none(), "renewed");
    world.store.renew("w1", Duration::ZERO).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(world.store.claim("w2", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap().turn, first.turn);
}

#[tokio::test]
async fn a_steering_message_joins_the_running_turn_or_waits_like_any_other() {
    let world = World::new().await;
    let steer = |id| Trigger { steer: true, ..message("s", id) };
    let first = world.store.accept(steer("m1")).await.unwrap();
    assert_eq!(first.joined, None, "nothing runs yet");
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let signals = world.store.signals(claim.turn.turn);
    let second = world.store.accept(steer("m2")).await.unwrap();
    assert_eq!(second.joined, Some(first.turn));
    signals.next().await;
    let news = world.store.news(first.turn, claim.events[0].seq).await.unwrap();
    assert_eq!(kinds(&news), ["turn.steered"]);

    // A driver that has not seen it cannot end the turn; one that cannot put it to the model gives it back.
    let stale =
        world.store.finish(&claim.turn, claim.events[0].seq, Outcome::Completed, vec![]).await.unwrap();
    assert_eq!(stale, store::Finish::Stale(news.clone()));
    world.store.finish(&claim.turn, news[0].seq, Outcome::Aborted, vec![second.turn]).await.unwrap();
    let next = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!(next.turn.turn, second.turn);
}

#[tokio::test]
async fn a_message_that_was_put_to_the_model_is_done_with_the_turn_it_joined() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    world.store.accept(Trigger { steer: true, ..message("s", "m2") }).await.unwrap();
    let news = world.store.news(claim.turn.turn, claim.events[0].seq).await.unwrap();
    world.store.finish(&claim.turn, news[0].seq, Outcome::Completed, vec![]).await.unwrap();
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none());
}

#[tokio::test]
async fn many_triggers_at_once_are_all_there_after_a_restart() {
    let world = World::new().await;
    let mut accepting = tokio::task::JoinSet::new();
    for number in 0..200 {
        let store = world.store.clone();
        accepting.spawn(async move {
            store.accept(message(&format!("s{}", number % 7), &format!("m{number}"))).await
        });
    }
    let turns: std::collections::HashSet<TurnId> =
        accepting.join_all().await.into_iter().map(|accepted| accepted.unwrap().turn).collect();
    assert_eq!(turns.len(), 200);
    let world = world.again().await;
    assert_eq!(world.store.view().sessions(100).await.unwrap().iter().map(|row| row.turns).sum::<u64>(), 200);
}
