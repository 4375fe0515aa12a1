//! `kill -9` at every named point and at random ones: what was accepted is answered exactly once, and the
//! transcript has neither a torn nor a doubled line.

use super::world::World;
use protocol::Fact;
use std::{os::unix::process::ExitStatusExt, time::Duration};
use store::{View, failpoint};
use testkit::Script;

const RANDOM_KILLS: u64 = 100;

#[tokio::test]
async fn at_every_named_point() {
    for point in failpoint::PLAIN {
        let world = World::new().await;
        let died = world.steward(&["ask", "first"]).env(failpoint::VARIABLE, point).output().await.unwrap();
        assert_eq!(
            died.status.signal(),
            Some(9),
            "{point} was not reached (are the tests built with `--features steward/failpoints`?)"
        );
        let ran = world.run(&["ask", "second"]).await;
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "You said: second\n"), "after {point}");
        let accepted = accepted(&world).await;
        // The inbox is looked into before anything is in it, too.
        let maybe_too_early = ["before:accept", "before:claim", "after:claim"].contains(point);
        assert!(
            accepted == ["first", "second"] || (maybe_too_early && accepted == ["second"]),
            "{point}: {accepted:?}"
        );
        let accepted: Vec<&str> = accepted.iter().map(String::as_str).collect();
        check_all_answered_once(&world, &accepted, point).await;
    }
}

/// An effect that can be counted: wherever the process dies around it, it happens at most once, and if nobody can
/// know whether it did, the model is told so.
#[tokio::test]
async fn at_every_named_point_around_a_call() {
    for point in failpoint::CALLS {
        let world = World::new().await;
        let call = Script::new().call("bash", r#"{"command":"echo done >> effects.txt"}"#);
        world.fake.reply_with(move |request| match request.last_user_text().as_str() {
            "please" => call.clone(),
            _ => Script::reply("Done."),
        });
        let asked = world.steward(&["ask", "please"]).env(failpoint::VARIABLE, point).output().await.unwrap();
        let mut died = asked.status.signal() == Some(9);
        // Whatever was left is taken up again; the owner says yes until nothing waits.
        while world.run(&["ask", "wake up"]).await.code == Some(3) {
            let waiting = world.run(&["approvals", "list"]).await.out;
            let mut approve = world.steward(&["approvals", "approve", waiting.split(' ').next().unwrap()]);
            if !died {
                approve.env(failpoint::VARIABLE, point);
            }
            died |= approve.output().await.unwrap().status.signal() == Some(9);
        }
        assert!(died, "{point} was never reached");
        let effects = std::fs::read_to_string(world.path("workspace/effects.txt")).unwrap_or_default();
        let told = world.transcript("terminal--default");
        let results: Vec<&String> =
            told.iter().filter(|line| line.0 == "tool_result").map(|line| &line.1).collect();
        assert_eq!(results.len(), 1, "one result after {point}: {told:#?}");
        let in_doubt = results[0].starts_with("Interrupted:");
        match effects.lines().count() {
            0 => assert!(in_doubt, "it did not happen, and was said to, after {point}: {told:#?}"),
            1 => {}
            more => panic!("it happened {more} times after {point}"),
        }
        let said: Vec<&str> =
            told.iter().filter(|line| line.0 == "assistant").map(|line| line.1.as_str()).collect();
        assert!(
            said.iter().all(|said| *said == "Done."),
            "every turn came to its end after {point}: {told:#?}"
        );
    }
}

#[tokio::test]
async fn at_a_hundred_random_moments() {
    let world = World::new().await;
    world.fake.reply_with(|request| {
        let reply = format!("You said: {}", request.last_user_text());
        Script::reply(reply).text_chunks_of(4).chunk_delay(Duration::from_millis(3))
    });
    // The same moments in every run; the machine adds its own.
    let mut dice: u64 = 0x5EED;
    for number in 0..RANDOM_KILLS {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let moment = Duration::from_micros((dice >> 33) % 90_000);
        let mut child = world.steward(&["ask", &format!("message {number}")]).spawn().unwrap();
        tokio::time::sleep(moment).await;
        child.kill().await.unwrap();
        if number % 2 == 1 {
            // Start again and let it come to its end; every other time it is killed once more before.
            assert_eq!(world.run(&["ask", &format!("after {number}")]).await.code, Some(0));
        }
    }
    let accepted = accepted(&world).await;
    let killed = accepted.iter().filter(|message| message.starts_with("message")).count();
    println!("{killed} of {RANDOM_KILLS} messages were accepted before the kill");
    assert!(killed > 10, "only {killed} were accepted: the kills come too early");
    let accepted: Vec<&str> = accepted.iter().map(String::as_str).collect();
    check_all_answered_once(&world, &accepted, "random kills").await;
}

/// What the inbox took, in order. The log tells: a turn's first event carries its message.
async fn accepted(world: &World) -> Vec<String> {
    let view = View::open(&world.path("data/steward.db"));
    let events = view.events_after(0, usize::MAX >> 1).await.unwrap();
    let started = events.iter().filter_map(|event| match &event.fact {
        Fact::TurnStarted { trigger, .. } => Some(protocol::Block::text_of(&trigger.content)),
        _ => None,
    });
    started.collect()
}

async fn check_all_answered_once(world: &World, accepted: &[&str], after: &str) {
    let view = View::open(&world.path("data/steward.db"));
    let session = protocol::SessionKey::new("terminal--default").unwrap();
    let turns = view.turns(&session, None, 10_000).await.unwrap();
    assert_eq!(turns.len(), accepted.len(), "turns in the inbox after {after}");
    for turn in turns {
        assert!(turn.over, "an accepted message is still open after {after}");
        let events = view.turn_events(turn.turn, 0).await.unwrap();
        let answers = events.iter().filter(|event| matches!(event.fact, Fact::ModelDone { .. })).count();
        let ends = events.iter().filter(|event| matches!(event.fact, Fact::TurnFinished { .. })).count();
        assert_eq!((answers, ends), (1, 1), "answers and ends of one turn after {after}: {events:#?}");
    }
    let expected: Vec<String> =
        accepted.iter().flat_map(|message| [(*message).to_owned(), format!("You said: {message}")]).collect();
    let said: Vec<String> = world.transcript("terminal--default").into_iter().map(|line| line.1).collect();
    assert_eq!(said, expected, "the transcript after {after}");
    let daily = std::fs::read_dir(world.path("data/daily")).unwrap().map(|entry| entry.unwrap().path());
    let lines: usize = daily.map(|path| std::fs::read_to_string(path).unwrap().lines().count()).sum();
    assert_eq!(lines, accepted.len(), "the daily log after {after}");
}
