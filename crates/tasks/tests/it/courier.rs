//! What is to be told reaches the owner where they are, once, and nobody has to look for it.

use super::*;
use std::collections::HashSet;
use store::{FeedItem, NewNotice};
use tasks::{Courier, resolve};

fn channels() -> HashSet<String> {
    HashSet::from(["telegram".to_owned()])
}

fn said(session: &str, id: &str) -> Trigger {
    Trigger {
        source: "test".into(),
        external_id: id.into(),
        session: SessionKey::new(session).unwrap(),
        kind: TriggerKind::Message,
        content: vec![Block::text(id)],
        history: Vec::new(),
        model: None,
        steer: false,
    }
}

fn notice(key: &str, target: &str) -> NewNotice {
    NewNotice { key: key.into(), target: target.into(), from: "steward".into(), text: key.into() }
}

impl World {
    /// All notices, and where they were told.
    async fn notices(&self) -> Vec<(String, String)> {
        let events = self.store.view().events_after(0, 10_000).await.unwrap();
        let told = |event: Event| match event.fact {
            Fact::Noticed { notice } => Some((event.session.to_string(), notice.text)),
            _ => None,
        };
        events.into_iter().filter_map(told).collect()
    }
}

#[tokio::test]
async fn a_target_means_a_conversation() {
    let world = World::new().await;
    let view = world.store.view();
    let to = |target: &'static str| async move {
        let session = resolve(view, target, &channels()).await.unwrap();
        session.map(|session| session.to_string())
    };
    assert_eq!(to("last").await.as_deref(), Some("terminal--default"), "nobody has spoken yet");
    for (session, id) in [("slack--1", "1"), ("web--1", "2")] {
        world.store.accept(said(session, id)).await.unwrap();
    }
    for (target, expected) in [
        ("last", Some("web--1")),
        ("slack", Some("slack--1")),
        ("discord", Some("web--1")),
        ("telegram", None),
        ("web--7", Some("web--7")),
        ("telegram--7", Some("telegram--7")),
    ] {
        assert_eq!(to(target).await.as_deref(), expected, "{target}");
    }
}

#[tokio::test]
async fn what_goes_to_a_channel_is_left_to_it() {
    let world = World::new().await;
    world.store.accept(said("web--1", "1")).await.unwrap();
    for (key, target) in [("a", "telegram"), ("b", "last"), ("c", "telegram--5"), ("d", "web--2")] {
        world.store.notify(notice(key, target)).await.unwrap();
    }
    let courier = Courier::new(world.store.clone(), channels());
    assert_eq!(courier.deliver_all().await.unwrap(), 2);
    let expected = [("web--1", "b"), ("web--2", "d")].map(|(to, text)| (to.to_owned(), text.to_owned()));
    assert_eq!(world.notices().await, expected);
    world.store.accept(said("telegram--9", "2")).await.unwrap();
    world.store.notify(notice("e", "last")).await.unwrap();
    assert_eq!(courier.deliver_all().await.unwrap(), 0, "the owner is there now");
    let left = world.store.view().outbox_open(None, 9).await.unwrap();
    assert_eq!(left.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), ["a", "c", "e"]);
}

#[tokio::test]
async fn several_couriers_deliver_once() {
    let world = World::new().await;
    for number in 0..250 {
        world.store.notify(notice(&format!("n{number}"), "last")).await.unwrap();
    }
    let courier = Courier::new(world.store.clone(), HashSet::new());
    let delivered = futures::future::try_join_all((0..4).map(|_| courier.deliver_all())).await.unwrap();
    assert_eq!(delivered.iter().sum::<usize>(), 250);
    let texts: HashSet<String> = world.notices().await.into_iter().map(|(_, text)| text).collect();
    assert_eq!((texts.len(), world.notices().await.len()), (250, 250));
}

#[tokio::test]
async fn the_word_of_an_order_is_brought_as_soon_as_it_is_there() {
    let mut world = World::new().await;
    world.store.accept(said("web--1", "hello")).await.unwrap();
    world.work("hello yourself").await;
    let mut feed = world.store.subscribe_from_now();
    let (courier, stop) = (Courier::new(world.store.clone(), channels()), world.stop.clone());
    world.running.push(tokio::spawn(async move { courier.run(stop).await }));
    world.orders.add(job("tea", every(minutes(10)))).await.unwrap();
    world.start();
    world.settled().await;
    world.advance(minutes(10)).await;
    world.work("the tea is ready").await;
    let told = loop {
        if let Some(FeedItem::Event(event)) = feed.next().await.unwrap()
            && let Fact::Noticed { notice } = &event.fact
        {
            break (event.session.to_string(), notice.from.clone(), notice.text.clone());
        }
    };
    assert_eq!(told, ("web--1".into(), "reminder tea".into(), "the tea is ready".into()));
    let world = world.again().await;
    assert_eq!(world.notices().await.len(), 1);
}
