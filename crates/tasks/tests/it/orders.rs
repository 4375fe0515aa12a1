//! Orders are given, shown, changed and ended, and what is wrong with them is said plainly.

use super::*;
use tasks::{JobUpdate, Listing, OrdersError, TaskListing, TaskOrder};

fn order(prompt: &str) -> TaskOrder {
    TaskOrder { prompt: prompt.into(), ..TaskOrder::default() }
}

#[tokio::test]
async fn what_is_wrong_with_an_order_is_said_plainly() {
    let world = World::new().await;
    world.orders.add(job("tea", every(minutes(10)))).await.unwrap();
    let good = || job("good", every(minutes(10)));
    for (new, expected) in [
        (NewJob { name: "  ".into(), ..good() }, "a name has 1 to 80 characters"),
        (NewJob { name: "x".repeat(81), ..good() }, "a name has 1 to 80 characters"),
        (NewJob { name: "two\nlines".into(), ..good() }, "on one line"),
        (NewJob { name: "TEA".into(), ..good() }, "there is a reminder named \"TEA\" already"),
        (NewJob { message: " ".into(), ..good() }, "the message is empty"),
        (NewJob { message: "x".repeat(16 * 1024 + 1), ..good() }, "longer than 16 kB"),
        (NewJob { schedule: every(SignedDuration::from_millis(10)), ..good() }, "too short"),
        (NewJob { schedule: Schedule::At { at: noon() }, ..good() }, "has already passed"),
        (NewJob { schedule: cron("nonsense"), ..good() }, "not a cron expression"),
        (NewJob { deliver: Some("to the moon".into()), ..good() }, "cannot deliver to \"to the moon\""),
    ] {
        let error = world.orders.add(new).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let unknown = world.orders.run("nothing").await.unwrap_err();
    assert!(matches!(unknown, OrdersError::Unknown { what: "reminder", .. }), "{unknown}");
    let once = Schedule::At { at: noon() + hours(1) };
    let error = world.orders.create_recurring(order("x"), once, Missed::Once).await.unwrap_err();
    assert!(error.to_string().contains("set a reminder"), "{error}");
}

#[tokio::test]
async fn an_order_is_shown_as_it_was_given() {
    let world = World::new().await;
    let web = SessionKey::new("web--1").unwrap();
    let new = NewJob {
        session: Target::Main,
        origin: Some(web.clone()),
        deliver: Some("none".into()),
        missed: Missed::All,
        ..job("tea", every(minutes(10)))
    };
    let tea = world.orders.add(new).await.unwrap();
    assert_eq!(tea, world.orders.job("Tea").await.unwrap());
    assert_eq!(tea, world.orders.job(&tea.id.to_string()).await.unwrap());
    assert_eq!((tea.next_run, tea.terms.session_key.clone()), (Some(noon() + minutes(10)), web));
    let json = serde_json::to_value(&tea).unwrap();
    for (field, expected) in [
        ("name", "tea"),
        ("kind", "reminder"),
        ("nextRun", "2026-11-15T12:10:00Z"),
        ("deliver", "none"),
        ("missed", "all"),
        ("sessionKey", "web--1"),
    ] {
        assert_eq!(json[field], expected, "{json}");
    }
    assert_eq!(json["schedule"]["everyMs"], 600_000);
    assert_eq!(serde_json::from_value::<JobView>(json).unwrap(), tea);
    let own = world.orders.add(job("own", every(minutes(10)))).await.unwrap();
    assert_eq!(own.terms.session_key.as_str(), format!("cron--{}", own.id));
    assert_eq!(own.terms.deliver, "last");
    let status = world.orders.status().await.unwrap();
    assert_eq!((status.jobs, status.next_run), (2, Some(noon() + minutes(10))));
}

#[tokio::test]
async fn the_same_call_twice_gives_one_order_even_after_its_time() {
    let world = World::new().await;
    let new = || NewJob {
        origin_key: Some("call 1".into()),
        ..job("tea", Schedule::At { at: noon() + minutes(5) })
    };
    let first = world.orders.add(new()).await.unwrap();
    world.clock.advance(hours(1));
    assert_eq!(world.orders.add(new()).await.unwrap().id, first.id);
}

#[tokio::test]
async fn orders_are_changed_switched_off_and_on_and_removed() {
    let world = World::new().await;
    let tea = world.orders.add(job("tea", every(minutes(10)))).await.unwrap();
    let update = |update| world.orders.update("tea", update);
    let off = update(JobUpdate { enabled: Some(false), ..JobUpdate::default() }).await.unwrap();
    assert_eq!((off.enabled, off.next_run), (false, None));
    assert!(world.orders.list(Listing::default()).await.unwrap().jobs.is_empty());
    let all = Listing { include_disabled: true, ..Listing::default() };
    assert_eq!(world.orders.list(all).await.unwrap().jobs.len(), 1);
    world.clock.advance(minutes(65));
    let on = update(JobUpdate { enabled: Some(true), ..JobUpdate::default() }).await.unwrap();
    assert_eq!(on.next_run, Some(noon() + minutes(70)), "what passed while it was off is not made up for");
    let changed = update(JobUpdate {
        schedule: Some(cron("0 9 * * *")),
        message: Some("green".into()),
        deliver: Some("telegram".into()),
        model: Some(Some("a/b".into())),
        missed: Some(Missed::Skip),
        ..JobUpdate::default()
    });
    let changed = changed.await.unwrap();
    assert_eq!((changed.message.as_str(), changed.terms.deliver.as_str()), ("green", "telegram"));
    assert_eq!(changed.next_run, Some(noon() + hours(21)));
    assert!(update(JobUpdate { deliver: Some("a b".into()), ..JobUpdate::default() }).await.is_err());
    assert_eq!(world.orders.remove("tea").await.unwrap().id, tea.id);
    assert!(world.orders.remove("tea").await.is_err());
}

#[tokio::test]
async fn a_run_in_between_is_part_of_the_history() {
    let world = World::new().await;
    let tea = world.orders.add(job("tea", every(minutes(10)))).await.unwrap();
    let turn = world.orders.run("tea").await.unwrap();
    assert_eq!(world.orders.job("tea").await.unwrap().state.running, 1);
    world.work("ok").await;
    let history = world.orders.history("tea", 9).await.unwrap();
    assert_eq!((history.len(), history[0].run_id, history[0].outcome.as_str()), (1, Some(turn), "completed"));
    assert_eq!(world.orders.job("tea").await.unwrap().next_run, tea.next_run);
    for _ in 0..20 {
        world.orders.run("tea").await.unwrap();
    }
    let refused = world.orders.run("tea").await.unwrap_err();
    assert!(refused.to_string().contains("wait until a run is over"), "{refused}");
}

#[tokio::test]
async fn lists_come_in_pages() {
    let world = World::new().await;
    for number in 0..7 {
        world.orders.add(job(&format!("job{number}"), every(minutes(10)))).await.unwrap();
        world.orders.create_one_shot(order(&format!("task{number}"))).await.unwrap();
    }
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let page = world.orders.list(Listing { after, limit: Some(3), ..Listing::default() }).await.unwrap();
        names.extend(page.jobs.into_iter().map(|job| job.name));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(names, (0..7).map(|number| format!("job{number}")).collect::<Vec<_>>());
    let (mut prompts, mut before) = (Vec::new(), None);
    loop {
        let page = TaskListing { before, limit: Some(3), ..TaskListing::default() };
        let page = world.orders.tasks(page).await.unwrap();
        prompts.extend(page.tasks.into_iter().map(|task| task.prompt));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(prompts, (0..7).rev().map(|number| format!("task{number}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_task_comes_again_until_it_is_ended() {
    let mut world = World::new().await;
    let task = world.orders.create_recurring(order("count"), every(minutes(10)), Missed::Once).await.unwrap();
    assert_eq!((task.kind.as_str(), task.status.as_str()), ("recurring", "active"));
    assert_eq!((task.terms.deliver.as_str(), task.runs.next_run), ("last", Some(noon() + minutes(10))));
    world.start();
    world.settled().await;
    world.advance(minutes(10)).await;
    let told = world.work("three").await;
    assert!(told[0].starts_with("count\n") && told[0].contains("`tasks.complete`"), "{}", told[0]);
    assert!(told[0].contains(&task.id.to_string()));
    let id = world.orders.list(Listing::default()).await.unwrap().jobs[0].id.to_string();
    let refused = world.orders.remove(&id).await.unwrap_err();
    assert!(refused.to_string().contains("cancel the task"), "{refused}");
    let ended = world.orders.complete(task.id, Some("counted".into())).await.unwrap();
    assert_eq!((ended.status.as_str(), ended.terms.reason.as_deref()), ("completed", Some("counted")));
    assert_eq!((ended.runs.runs, ended.runs.next_run), (1, None));
    world.settled().await;
    let mut world = world.again().await;
    world.start();
    world.advance(hours(5)).await;
    assert!(world.work("").await.is_empty());
    let again = world.orders.cancel(task.id, None).await.unwrap();
    assert_eq!(again.status, "completed", "it was over before");
    assert!(world.orders.cancel(uuid::Uuid::nil(), None).await.is_err());
    let runs = world.orders.task_history(task.id, 9).await.unwrap();
    assert_eq!(runs.iter().map(|run| run.text.as_str()).collect::<Vec<_>>(), ["three"]);
}

#[tokio::test]
async fn a_task_for_now_is_told_only_if_that_was_said() {
    let world = World::new().await;
    let quiet = world.orders.create_one_shot(order("quiet")).await.unwrap();
    assert_eq!((quiet.status.as_str(), quiet.terms.deliver.as_str()), ("queued", "none"));
    let loud = TaskOrder { deliver: Some("last".into()), ..order("loud") };
    world.orders.create_one_shot(loud).await.unwrap();
    world.work("done").await;
    let told = world.store.view().outbox_open(None, 9).await.unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(world.orders.task(quiet.id).await.unwrap().status, "completed");
}
