//! Subscribers see every event once, in order, however late or slow they are.

use super::*;
use store::{Durability, FeedItem, Subscription};

async fn events(subscription: &mut Subscription, count: usize) -> Vec<u64> {
    let mut seqs = Vec::new();
    while seqs.len() < count {
        match subscription.next().await.unwrap().expect("the store is open") {
            FeedItem::Event(event) => seqs.push(event.seq),
            FeedItem::Delta(_) => {}
        }
    }
    seqs
}

fn delta(turn: TurnId, attempt: u32, offset: usize, text: &str) -> Delta {
    let session = SessionKey::new("s").unwrap();
    Delta { session, turn, attempt, offset, kind: DeltaKind::Text, text: text.into(), tool: None }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backlog_then_live_with_no_gap_and_no_repeat() {
    const TOTAL: usize = 3000;
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let writing = {
        let (store, turn) = (world.store.clone(), claim.turn.clone());
        tokio::spawn(async move {
            for _ in 1..TOTAL {
                store.append(&turn, u64::MAX >> 1, Durability::Flushed, vec![says("x")]).await.unwrap();
            }
        })
    };
    let mut readers = tokio::task::JoinSet::new();
    for since in [0, 0, 17, 500] {
        let store = world.store.clone();
        readers.spawn(async move {
            tokio::time::sleep(Duration::from_millis(since)).await;
            let mut subscription = store.subscribe(since);
            let seqs = events(&mut subscription, TOTAL - since as usize).await;
            assert_eq!(seqs, (since + 1..=TOTAL as u64).collect::<Vec<_>>());
        });
    }
    writing.await.unwrap();
    readers.join_all().await;
}

#[tokio::test]
async fn a_subscriber_that_fell_far_behind_catches_up_from_the_log() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let mut subscription = world.store.subscribe(0);
    assert_eq!(events(&mut subscription, 1).await, [1]);
    for _ in 0..30 {
        world
            .store
            .append(&claim.turn, u64::MAX >> 1, Durability::Flushed, vec![says("x"); 100])
            .await
            .unwrap();
    }
    assert_eq!(events(&mut subscription, 3000).await, (2..=3001).collect::<Vec<_>>());
}

#[tokio::test]
async fn who_joins_in_the_middle_of_an_answer_gets_the_text_so_far_once() {
    let world = World::new().await;
    let turn = world.store.accept(message("s", "m1")).await.unwrap().turn;
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    world.store.publish(delta(turn, 1, 0, "lost with the first attempt"));
    world.store.publish(delta(turn, 2, 0, "Hel"));
    world.store.publish(delta(turn, 2, 3, "lo"));
    let mut subscription = world.store.subscribe(1);
    world.store.publish(delta(turn, 2, 5, "!"));
    let mut text = String::new();
    for _ in 0..2 {
        let Some(FeedItem::Delta(delta)) = subscription.next().await.unwrap() else { panic!("a delta") };
        assert_eq!(delta.offset, text.len());
        text.push_str(&delta.text);
    }
    assert_eq!(text, "Hello!");

    // What the owner stops is kept as far as it was shown.
    world.store.abort(turn).await.unwrap();
    let news = world.store.news(turn, claim.events[0].seq).await.unwrap();
    assert_eq!(news[0].fact, Fact::TurnAborted { partial: vec![Block::text("Hello!")] });
    world.store.append(&claim.turn, 0, Durability::Flushed, vec![says("x")]).await.unwrap();
    let mut late = world.store.subscribe(3);
    world.store.publish(delta(turn, 3, 0, "new"));
    let Some(FeedItem::Delta(delta)) = late.next().await.unwrap() else { panic!("a delta") };
    assert_eq!(delta.text, "new", "the old stream is over");
}

#[tokio::test]
async fn a_listener_to_one_conversation_hears_that_one_from_backlog_to_live() {
    let world = World::new().await;
    let (mine, other) = (SessionKey::new("s").unwrap(), SessionKey::new("t").unwrap());
    let mut turns = Vec::new();
    for session in ["s", "t", "s", "t"] {
        world.store.accept(message(session, &format!("{session}{}", turns.len()))).await.unwrap();
        if turns.len() < 2 {
            turns.push(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap().turn);
        }
    }
    let say = |turn: &store::TurnRef| {
        let (store, turn) = (world.store.clone(), turn.clone());
        async move {
            store.append(&turn, 0, Durability::Flushed, vec![says("x")]).await.unwrap().pop().unwrap().seq
        }
    };
    let first = say(&turns[0]).await;
    say(&turns[1]).await;
    let mut listening = world.store.subscribe(1).only(&mine);
    assert_eq!(events(&mut listening, 1).await, [first]);
    say(&turns[1]).await;
    world.store.publish(Delta { session: other.clone(), ..delta(turns[1].turn, 1, 0, "not mine") });
    world.store.publish(delta(turns[0].turn, 1, 0, "mine"));
    let last = say(&turns[0]).await;
    let Some(FeedItem::Delta(heard)) = listening.next().await.unwrap() else { panic!("a delta") };
    assert_eq!(heard.text, "mine");
    assert_eq!(events(&mut listening, 1).await, [last]);
    // Whatever passes elsewhere, it falls behind without losing anything.
    for number in 0..3000 {
        world.store.publish(Delta { session: other.clone(), ..delta(turns[1].turn, 1, number, "x") });
    }
    world.store.publish(delta(turns[0].turn, 2, 0, "again "));
    world.store.publish(delta(turns[0].turn, 2, 6, "mine"));
    let after = say(&turns[0]).await;
    assert_eq!(events(&mut listening, 1).await, [after]);
}

#[tokio::test]
async fn a_listener_knows_the_turn_it_joins() {
    let world = World::new().await;
    let session = SessionKey::new("s").unwrap();
    let under_way = |seq: u64| {
        let (view, session) = (world.store.view().clone(), session.clone());
        async move { kinds(&view.turn_under_way(&session, seq).await.unwrap()) }
    };
    assert!(under_way(99).await.is_empty());
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    world.store.append(&claim.turn, 1, Durability::Flushed, vec![says("x"), says("y")]).await.unwrap();
    assert_eq!(under_way(1).await, ["turn.started"]);
    assert_eq!(under_way(3).await, ["turn.started", "model.done", "model.done"]);
    world.store.finish(&claim.turn, 3, Outcome::Completed, Vec::new()).await.unwrap();
    assert!(under_way(4).await.is_empty());
    assert_eq!(under_way(2).await, ["turn.started", "model.done"]);
}
