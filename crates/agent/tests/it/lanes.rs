//! What the lanes and the driver promise.

use super::*;
use std::sync::atomic::Ordering;

fn started(event: &Event) -> Option<TurnId> {
    matches!(event.fact, Fact::CallStarted { .. }).then_some(event.turn)
}

#[tokio::test]
async fn sessions_run_side_by_side_up_to_the_limit_and_one_turn_at_a_time_each() {
    let mut world = World::new(2).await;
    world.fake.reply_with(|request| match request.last_user_text().is_empty() {
        false => call("wait"),
        true => Script::reply("Done."),
    });
    for (session, text) in [("a", "1"), ("a", "2"), ("b", "1"), ("c", "1")] {
        world.say(session, text, false).await;
    }
    let (first, second) = (world.until(started).await, world.until(started).await);
    assert_ne!(first, second);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(world.hands.running.load(Ordering::SeqCst), 2, "the limit holds");
    let mut ended = Vec::new();
    while ended.len() < 4 {
        world.hands.go_on.notify_one();
        let finished =
            |event: &Event| matches!(event.fact, Fact::TurnFinished { .. }).then(|| event.session.clone());
        ended.push(world.until(finished).await.to_string());
    }
    ended.sort();
    assert_eq!(ended, ["a", "a", "b", "c"]);
}

#[tokio::test]
async fn a_message_may_join_a_running_turn_or_wait_behind_it() {
    let mut world = World::new(4).await;
    world.fake.script(call("wait"));
    world.fake.script(Script::reply("Both."));
    world.fake.script(Script::reply("And the other."));
    let turn = world.say("s", "one", false).await;
    world.until(started).await;
    let joined = world.say("s", "also this", true).await;
    let behind = world.say("s", "later", false).await;
    world.hands.go_on.notify_one();
    assert_eq!(world.end_of(turn).await, Outcome::Completed);
    assert_eq!(world.end_of(behind).await, Outcome::Completed);
    let requests = world.fake.requests();
    let messages = |at: usize| requests[at].body["messages"].to_string();
    assert!(messages(1).contains("also this") && !messages(1).contains("later"), "{}", messages(1));
    assert!(messages(2).contains("Both.") && messages(2).contains("later"), "{}", messages(2));
    assert_eq!(
        world.store.view().turn_events(joined, 0).await.unwrap(),
        vec![],
        "it started no turn of its own"
    );
}

#[tokio::test]
async fn stopping_a_turn_drops_what_runs_and_answers_every_call() {
    let mut world = World::new(4).await;
    world.fake.script(call("wait").call("forbidden", "{}").call("quick", "{}"));
    let turn = world.say("s", "one", false).await;
    world
        .until(|event| {
            matches!(&event.fact, Fact::CallDone { result } if result.output == "quick is done").then_some(())
        })
        .await;
    world.store.abort(turn).await.unwrap();
    assert_eq!(world.end_of(turn).await, Outcome::Aborted);
    let mut statuses: Vec<CallStatus> =
        world.results(turn).await.iter().map(|result| result.status).collect();
    statuses.sort_by_key(|status| format!("{status:?}"));
    assert_eq!(statuses, [CallStatus::Aborted, CallStatus::Denied, CallStatus::Succeeded]);
    assert_eq!(world.hands.running.load(Ordering::SeqCst), 0, "the waiting call was dropped");
    assert_eq!(world.hands.finished.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn stopping_while_the_model_speaks_keeps_what_it_said_and_hangs_up() {
    let mut world = World::new(4).await;
    world.fake.script(Script::new().text("So far").stall(Duration::from_secs(60)));
    let turn = world.say("s", "one", false).await;
    loop {
        match world.feed.next().await.unwrap().unwrap() {
            FeedItem::Delta(delta) if delta.text == "So far" => break,
            _ => {}
        }
    }
    world.store.abort(turn).await.unwrap();
    assert_eq!(world.end_of(turn).await, Outcome::Aborted);
    let events = world.store.view().turn_events(turn, 0).await.unwrap();
    assert!(
        events.iter().any(|event| event.fact == Fact::TurnAborted { partial: vec![Block::text("So far")] })
    );
    world.fake.until_abandoned(1).await;
}

#[tokio::test]
async fn crashing_tools_and_judges_are_told_as_results() {
    for (tool, expected) in [
        ("crash", "the tool crashed"),
        ("crash-judge", "could not be judged"),
        ("forgotten", "could not be judged"),
    ] {
        let mut world = World::new(4).await;
        world.fake.script(call(tool));
        world.fake.script(Script::reply("I see."));
        let turn = world.say("s", "one", false).await;
        assert_eq!(world.end_of(turn).await, Outcome::Completed, "{tool}");
        let results = world.results(turn).await;
        assert!(results.len() == 1 && results[0].output.contains(expected), "{tool}: {results:?}");
    }
}

#[tokio::test]
async fn a_turn_goes_on_when_the_disk_has_room_again() {
    let mut world = World::new(4).await;
    world.fake.script(Script::reply("x".repeat(2_000_000)));
    world.fake.reply_with(|_| Script::reply("Small."));
    world.store.limit_pages(60).await.unwrap();
    let turn = world.say("s", "one", false).await;
    world.until(|event| matches!(event.fact, Fact::ModelAsked { attempt: 2, .. }).then_some(())).await;
    assert_eq!(world.end_of(turn).await, Outcome::Completed, "what could not be written was asked again");
}
