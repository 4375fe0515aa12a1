//! `kill -9` at every point a program comes by, each time it comes by it: the program goes on where it was, nothing is done
//! twice, and what nobody can know is said.

use super::{
    tale::{ACT, THROWS, Tale},
    world_with,
};
use crate::world::World;
use futures::{StreamExt, stream};
use std::os::unix::process::ExitStatusExt;
use store::{View, failpoint};

/// How many homes are at work at a time.
const AT_A_TIME: usize = 4;

/// Calls at once, a race, a loop, errors that are caught, dice, the clock, the console, and calls that may be repeated.
const EVERYTHING: &str = r#"
const told: string[] = [];
const { text } = await tools.read({ path: "seed.txt" });
told.push(text.includes("forty-two") ? "read" : "misread");
console.log("it is", Date.now(), "and the dice say", Math.random());
told.push(...await Promise.all(["a", "b"].map(act)));
const racing = [act("race"), tools.glob({ pattern: "*.txt" }).then(() => "globbed")];
console.log("first:", await Promise.race(racing));
told.push(...await Promise.all(racing));
for (const round of [1, 2]) told.push(await act(`round${round}`));
return told;
"#;
const TOLD: &[&str] = &["read", "a done", "b done", "race done", "globbed", "round1 done", "round2 done"];

/// Two screens, the first with two calls.
const TWO_SCREENS: &str = r#"
const told = await Promise.all(["a", "b"].map(act));
console.log("half way", Math.random());
told.push(await act("c"));
return told;
"#;

#[tokio::test]
async fn at_every_point_a_program_comes_by_each_time_it_does() {
    let code = format!("{ACT}{EVERYTHING}");
    let visits = failpoint::PROGRAMS.iter().map(|point| visit(&code, point));
    let visited: Vec<(usize, usize)> = stream::iter(visits).buffer_unordered(AT_A_TIME).collect().await;
    let deaths: usize = visited.iter().map(|(deaths, _)| deaths).sum();
    let unknown: usize = visited.iter().map(|(_, unknown)| unknown).sum();
    println!("{deaths} deaths, after which {unknown} outcomes were unknown");
    assert!(unknown > 0, "some deaths leave an outcome unknown");
}

/// Dies at a point the first time, the second time, and so on, until it is come by no more. How often that was, and how many
/// outcomes nobody could know.
async fn visit(code: &str, point: &str) -> (usize, usize) {
    let (mut time, mut unknown) = (1, 0);
    loop {
        let after = format!("{point}#{time}");
        let world = world_with(code, &["bash"]).await;
        let asked =
            world.steward(&["ask", "please"]).env(failpoint::VARIABLE, &after).output().await.unwrap();
        let died = asked.status.signal() == Some(9);
        if died {
            let ran = world.run(&["ask", "wake up"]).await;
            assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "after {after}: {ran:?}");
        }
        let tale = Tale::of(&world, &after).await;
        let doubtful = tale.check(&world, TOLD, &after);
        // A call is in doubt if it ran; none does where a program begins or ends.
        let calm = ["program.started", "program.ended"].iter().any(|calm| point.ends_with(calm));
        assert!(doubtful == 0 || (died && !calm), "{doubtful} outcomes unknown after {after}");
        tale.check_transcript(&world, &after);
        if !died {
            assert!(time > 1, "{point} was not reached: {asked:?}");
            return (time - 1, unknown);
        }
        (time, unknown) = (time + 1, unknown + doubtful);
    }
}

#[tokio::test]
async fn what_an_ended_program_left_behind_is_not_run_after_a_death() {
    let world = world_with(THROWS, &["bash"]).await;
    let mut asking = world.steward(&["ask", "please"]);
    let died = asking.env(failpoint::VARIABLE, "after:program.ended").output().await.unwrap();
    assert_eq!(died.status.signal(), Some(9));
    let ran = world.run(&["ask", "wake up"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    let tale = Tale::of(&world, "its end").await;
    tale.check_effects(&world, "its end");
    let unrun = tale.results.values().filter(|result| result.output == "Not run: the program had ended.");
    assert!(unrun.count() > 0, "{}", tale.receipts);
    assert_eq!(tale.results.len(), 42, "each call has its result");
    assert!(tale.receipts.starts_with("Failed in line 2: ToolError: "), "{}", tale.receipts);
}

#[tokio::test]
async fn at_every_point_around_two_screens() {
    let code = format!("{ACT}{TWO_SCREENS}");
    let asking = ["before:approval.requested", "after:approval.requested", "before:decide", "after:decide"];
    let points: Vec<&str> = failpoint::PROGRAMS.iter().copied().chain(asking).collect();
    let visits = points.iter().map(|point| visit_with_screens(&code, point));
    let reached: Vec<usize> = stream::iter(visits).buffered(AT_A_TIME).collect().await;
    for (point, reached) in points.iter().zip(reached) {
        assert!(reached > 0, "{point} was never reached");
    }
}

/// The process that asks dies at this point, or the one that takes the first decision, or the second. How many did.
async fn visit_with_screens(code: &str, point: &str) -> usize {
    let mut reached = 0;
    for mortal in 0..3 {
        let after = format!("{point} in process {mortal}");
        let world = world_with(code, &[]).await;
        let mut died = false;
        for process in 0..8 {
            let Some(words) = next_words(&world, process).await else { break };
            let mut command = world.steward(&words.iter().map(String::as_str).collect::<Vec<_>>());
            if process == mortal {
                command.env(failpoint::VARIABLE, point);
            }
            died |= command.output().await.unwrap().status.signal() == Some(9);
            // It does not come by this point.
            if process == mortal && !died {
                break;
            }
        }
        if died {
            let tale = Tale::of(&world, &after).await;
            assert!(tale.over, "after {after}");
            tale.check(&world, &["a done", "b done", "c done"], &after);
            tale.check_transcript(&world, &after);
            reached += 1;
        }
    }
    reached
}

/// What the owner does next: asks, says yes to what waits, wakes what was left, and is content when all is done.
async fn next_words(world: &World, process: usize) -> Option<Vec<String>> {
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    if process == 0 {
        return words(&["ask", "please"]);
    }
    let view = View::open(&world.path("data/steward.db"));
    if let Some(open) = view.open_approvals().await.unwrap().first() {
        return words(&["approvals", "approve", &open.approval.to_string()]);
    }
    let over = Tale::of(world, "a death").await.over;
    if over { None } else { words(&["ask", "wake up"]) }
}
