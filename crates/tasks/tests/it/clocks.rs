//! Whatever the clock does, each slot is kept by its job's policy, none twice, and nobody turns in circles.

use super::*;
use std::collections::HashSet;
use tasks::JobUpdate;

fn with(missed: Missed, job: NewJob) -> NewJob {
    NewJob { missed, ..job }
}

fn at(time: &str) -> Timestamp {
    format!("2026-11-15T{time}:00Z").parse().unwrap()
}

#[tokio::test]
async fn a_job_fires_at_its_times_and_once_each() {
    let mut world = World::new().await;
    let tea = world.orders.add(job("tea", every(minutes(10)))).await.unwrap();
    let once = world.orders.add(job("once", Schedule::At { at: at("12:15") })).await.unwrap();
    world.start();
    world.settled().await;
    assert_eq!(world.outcomes(&tea).await, []);
    for _ in 0..4 {
        world.advance(minutes(5)).await;
        let told = world.work("ok").await;
        assert!(told.iter().all(|text| text.starts_with("Reminder: about ")), "{told:?}");
    }
    let done = |time: &str| (at(time), "completed".to_owned());
    assert_eq!(world.outcomes(&tea).await, [done("12:10"), done("12:20")]);
    assert_eq!(world.outcomes(&once).await, [done("12:15")]);
    let once = world.orders.job("once").await.unwrap();
    assert_eq!((once.enabled, once.next_run), (false, None));
}

#[tokio::test]
async fn a_time_between_two_milliseconds_comes_once_and_misses_nothing() {
    let mut world = World::at(noon() + SignedDuration::from_nanos(123_456_789), TimeZone::UTC).await;
    let soon = tasks::Clock::now(&*world.clock) + SignedDuration::from_nanos(2_000_000_777);
    let once = world.orders.add(job("once", Schedule::At { at: soon })).await.unwrap();
    let tea = world.orders.add(job("tea", every(SignedDuration::from_secs(2)))).await.unwrap();
    world.start();
    world.settled().await;
    world.advance(SignedDuration::from_secs(2)).await;
    world.advance(SignedDuration::from_millis(1)).await;
    assert_eq!(world.work("ok").await.len(), 2);
    for job in [once, tea] {
        let history = world.history(&job).await;
        assert_eq!((history.len(), history[0].note.as_deref()), (1, None), "{}", job.name);
    }
}

#[tokio::test]
async fn after_a_sleep_each_policy_does_what_it_says() {
    let mut world = World::new().await;
    let mut jobs = Vec::new();
    for (name, missed) in [("skip", Missed::Skip), ("once", Missed::Once), ("all", Missed::All)] {
        jobs.push(world.orders.add(with(missed, job(name, every(hours(1))))).await.unwrap());
    }
    world.start();
    world.settled().await;
    world.jump(hours(8) + minutes(30)).await;
    world.work("ok").await;
    world.settled().await;
    assert_eq!(world.outcomes(&jobs[0]).await, [(at("20:00"), "skipped".into())]);
    assert_eq!(world.outcomes(&jobs[1]).await, [(at("20:00"), "completed".into())]);
    let note = world.history(&jobs[1]).await[0].note.clone();
    assert_eq!(note.as_deref(), Some("7 times before it missed"));
    let all: Vec<_> = (13..=20).map(|hour| (at(&format!("{hour}:00")), "completed".to_owned())).collect();
    assert_eq!(world.outcomes(&jobs[2]).await, all);
    world.advance(minutes(30)).await;
    world.work("ok").await;
    for job in &jobs {
        let last = world.outcomes(job).await.pop().unwrap();
        assert_eq!(last, (at("21:00"), "completed".into()), "{}", job.name);
    }
}

#[tokio::test]
async fn what_was_missed_while_the_house_was_closed_is_caught_up_with_at_the_start() {
    let world = World::new().await;
    let tea = world.orders.add(job("tea", Schedule::At { at: at("13:00") })).await.unwrap();
    let skip =
        world.orders.add(with(Missed::Skip, job("skip", Schedule::At { at: at("13:00") }))).await.unwrap();
    let mut world = world.again().await;
    world.clock.advance(hours(30));
    world.start();
    world.settled().await;
    assert_eq!(world.work("ok").await.len(), 1);
    assert_eq!(world.outcomes(&tea).await, [(at("13:00"), "completed".into())]);
    assert_eq!(world.outcomes(&skip).await, [(at("13:00"), "skipped".into())]);
    let skip = world.orders.job("skip").await.unwrap();
    assert_eq!((skip.enabled, skip.next_run), (false, None), "it is over, and still listed");
}

#[tokio::test]
async fn a_year_of_missed_times_is_caught_up_with_a_few_at_a_time() {
    let mut world = World::new().await;
    let all = world.orders.add(with(Missed::All, job("all", every(hours(24))))).await.unwrap();
    world.start();
    world.settled().await;
    world.jump(hours(24 * 60)).await;
    let mut turns = 0;
    loop {
        let told = world.work("ok").await;
        if told.is_empty() {
            break;
        }
        turns += told.len();
        world.settled().await;
    }
    assert_eq!(turns, 3, "twenty are told together");
    assert_eq!(world.outcomes(&all).await.len(), 60);
}

#[tokio::test]
async fn a_clock_set_forth_and_back_loses_no_time_and_repeats_none() {
    for jump in [hours(1), hours(24 * 365)] {
        for missed in [Missed::Skip, Missed::Once] {
            let mut world = World::new().await;
            let tea = world.orders.add(with(missed, job("tea", every(minutes(10))))).await.unwrap();
            let daily = world.orders.add(with(missed, job("daily", cron("5 12 * * *")))).await.unwrap();
            world.start();
            world.settled().await;
            let mut expected: HashSet<Timestamp> = HashSet::new();
            for by in
                [minutes(15), jump, minutes(15), -jump, minutes(20), -jump, minutes(20), jump, minutes(15)]
            {
                let before = tasks::Clock::now(&*world.clock);
                if by.abs() == jump {
                    world.jump(by).await;
                } else {
                    world.advance(by).await;
                    // Time that passed while somebody looked: its slots are all kept.
                    let mut slot = tea.next_run.unwrap() - hours(24 * 800);
                    while slot <= before + by {
                        if slot > before {
                            expected.insert(slot);
                        }
                        slot += minutes(10);
                    }
                }
                world.work("ok").await;
                world.settled().await;
                for job in [&tea, &daily] {
                    let next = world.orders.job(&job.name).await.unwrap().next_run.unwrap();
                    let ahead = next.duration_since(tasks::Clock::now(&*world.clock));
                    assert!(
                        ahead > SignedDuration::ZERO && ahead <= hours(24),
                        "{} {missed:?} {ahead:?}",
                        job.name
                    );
                }
            }
            let slots: Vec<Timestamp> =
                world.outcomes(&tea).await.into_iter().map(|(slot, _)| slot).collect();
            let distinct: HashSet<Timestamp> = slots.iter().copied().collect();
            assert_eq!(slots.len(), distinct.len(), "none twice");
            // Of several that pass in one step only the latest fires, unless all count.
            let late = expected.iter().filter(|slot| !distinct.contains(slot)).count();
            assert!(late <= 3, "{late} of {} were lost", expected.len());
            let raw = rusqlite::Connection::open(world.dir.path().join("steward.db")).unwrap();
            let sql = "SELECT count(*) - count(DISTINCT external_id) FROM inbox WHERE source = 'job'";
            assert_eq!(raw.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        }
    }
}

#[tokio::test]
async fn a_clock_that_was_wrong_while_the_house_was_closed_is_noticed_at_the_start() {
    let mut world = World::at(noon() + hours(24 * 365), TimeZone::UTC).await;
    let tea = world.orders.add(job("tea", every(minutes(10)))).await.unwrap();
    world.start();
    world.settled().await;
    world.advance(minutes(10)).await;
    world.work_with("", failed()).await;
    world.settled().await;
    let mut world = world.again().await;
    world.clock.jump(-hours(24 * 365));
    world.start();
    world.settled().await;
    let next = world.orders.job("tea").await.unwrap().next_run.unwrap();
    assert_eq!(
        next,
        noon() + minutes(20),
        "neither the next slot nor the wait after a failure lies a year ahead"
    );
    world.advance(minutes(10)).await;
    assert_eq!(world.work("ok").await.len(), 1);
    assert_eq!(world.outcomes(&tea).await.len(), 2);
}

#[tokio::test]
async fn failures_are_waited_out() {
    let mut world = World::new().await;
    let tea = world.orders.add(job("tea", every(SignedDuration::from_secs(10)))).await.unwrap();
    world.start();
    world.settled().await;
    let mut fired = Vec::new();
    for _ in 0..60 {
        world.advance(SignedDuration::from_secs(10)).await;
        if !world.work_with("", failed()).await.is_empty() {
            fired.push(tasks::Clock::now(&*world.clock).duration_since(noon()).as_secs());
        }
        world.settled().await;
    }
    assert_eq!(fired, [10, 40, 100, 220, 460], "30, 60, 120, 240 s apart");
    assert_eq!(world.orders.job("tea").await.unwrap().state.failures, 5);
    world.advance(hours(1)).await;
    world.work("ok").await;
    world.settled().await;
    world.advance(SignedDuration::from_secs(10)).await;
    assert_eq!(world.work("ok").await.len(), 1, "forgotten with the next success");
    assert_eq!(world.orders.job(&tea.name).await.unwrap().state.failures, 0);
}

#[tokio::test]
async fn what_is_under_way_is_waited_for() {
    let mut world = World::new().await;
    let tea = world.orders.add(job("tea", every(minutes(10)))).await.unwrap();
    world.start();
    world.settled().await;
    for _ in 0..3 {
        world.advance(minutes(10)).await;
    }
    let words: Vec<String> = world.outcomes(&tea).await.into_iter().map(|(_, word)| word).collect();
    assert_eq!(words, ["open", "skipped", "skipped"]);
    assert_eq!(world.work("ok").await.len(), 1);
}

#[tokio::test]
async fn what_comes_once_is_not_lost_to_a_run_in_between() {
    let mut world = World::new().await;
    let once = world.orders.add(job("once", Schedule::At { at: at("12:15") })).await.unwrap();
    world.start();
    world.settled().await;
    world.orders.run("once").await.unwrap();
    world.advance(minutes(15)).await;
    let told = world.work("ok").await;
    assert_eq!(told.len(), 1, "told together");
    let words: Vec<_> = world.outcomes(&once).await;
    assert_eq!(words, [(noon(), "completed".into()), (at("12:15"), "completed".into())]);
    assert!(!world.orders.job("once").await.unwrap().enabled);
}

#[tokio::test]
async fn several_schedulers_fire_each_slot_once() {
    let mut world = World::new().await;
    let mut jobs = Vec::new();
    for number in 0..50 {
        jobs.push(
            world.orders.add(job(&format!("job{number}"), every(minutes(1 + number % 5)))).await.unwrap(),
        );
    }
    for _ in 0..4 {
        world.start();
    }
    world.settled().await;
    let mut turns = 0;
    for _ in 0..10 {
        world.advance(minutes(1)).await;
        turns += world.work("ok").await.len();
    }
    world.settled().await;
    turns += world.work("ok").await.len();
    let mut fired = 0;
    for (number, job) in jobs.iter().enumerate() {
        let outcomes = world.outcomes(job).await;
        assert_eq!(outcomes.len(), 10 / (1 + number % 5), "{}", job.name);
        assert!(outcomes.iter().all(|(_, word)| word == "completed"), "{outcomes:?}");
        fired += outcomes.len();
    }
    assert_eq!(turns, fired);
}

#[tokio::test]
async fn nobody_wakes_up_at_rest_however_many_orders_there_are() {
    let mut world = World::new().await;
    for thousand in 0..10_i64 {
        let numbers = thousand * 1_000..(thousand + 1) * 1_000;
        let add = |number| world.orders.add(job(&format!("job{number}"), every(hours(1 + number))));
        futures::future::try_join_all(numbers.map(add)).await.unwrap();
    }
    let refused = world.orders.add(job("one more", every(hours(1)))).await.unwrap_err();
    assert_eq!(refused.to_string(), "there are 10000 standing orders already: remove some first");
    world.start();
    world.settled().await;
    let before = world.clock.waits();
    world.advance(minutes(59)).await;
    world.store.accept(message("web--1", "hello")).await.unwrap();
    world.work("ok").await;
    world.settled().await;
    assert_eq!(world.clock.waits(), before, "nothing came due and nothing was ordered");
    world.advance(minutes(1)).await;
    assert_eq!(world.work("ok").await.len(), 1);
    world.settled().await;
    assert!(world.clock.waits() <= before + 4, "{} times for one firing", world.clock.waits() - before);
}

#[tokio::test]
async fn an_order_that_changes_is_noticed_at_once() {
    let mut world = World::new().await;
    world.start();
    world.settled().await;
    let tea = world.orders.add(job("tea", every(hours(5)))).await.unwrap();
    world.settled().await;
    assert!(world.clock.waits_for(tea.next_run));
    let sooner = JobUpdate { schedule: Some(every(minutes(5))), ..JobUpdate::default() };
    world.orders.update("tea", sooner).await.unwrap();
    world.settled().await;
    world.advance(minutes(5)).await;
    assert_eq!(world.work("ok").await.len(), 1);
    world.settled().await;
    world.orders.remove("tea").await.unwrap();
    world.settled().await;
    assert!(world.clock.waits_for(None));
}

fn message(session: &str, text: &str) -> Trigger {
    Trigger {
        source: "test".into(),
        external_id: text.into(),
        session: SessionKey::new(session).unwrap(),
        kind: TriggerKind::Message,
        content: vec![Block::text(text)],
        history: Vec::new(),
        model: None,
        steer: false,
    }
}

#[tokio::test]
async fn the_systems_clock_wakes_at_its_time() {
    use tasks::{Clock, SystemClock, Woke};
    let clock = SystemClock;
    assert_eq!(clock.until(Some(Timestamp::UNIX_EPOCH)).await, Woke::Due);
    let soon = clock.now() + SignedDuration::from_millis(30);
    assert_eq!(clock.until(Some(soon)).await, Woke::Due);
    assert!(clock.now() >= soon);
    assert!(futures::poll!(clock.until(None)).is_pending());
}
