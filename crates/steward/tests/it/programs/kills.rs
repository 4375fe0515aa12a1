//! `kill -9` at random moments, and of the processes in which programs run.

use super::{
    processes::{hosts_below, until},
    tale::{ACT, Tale},
    world_with,
};
use crate::{doors::Daemon, world::World};
use protocol::{CallStatus, Fact, ProgramEnd, SessionKey};
use serde_json::json;
use std::{process::Stdio, time::Duration};
use store::View;
use testkit::Script;

const RANDOM_KILLS: u64 = 200;
/// How many messages may wait while more are sent.
const MAX_WAITING: usize = 3;

/// Twelve calls, some together and some after another, that take their time.
const TWELVE: &str = r#"
const told: string[] = [];
for (const round of [1, 2, 3]) {
    await tools.bash({ command: "sleep 0.01" }).catch(() => null);
    told.push(...await Promise.all([1, 2].map((number) => act(`round${round}.${number}`))));
    told.push(await act(`after${round}`));
    console.log("round", round, Math.random());
}
return told;
"#;

#[tokio::test]
async fn at_two_hundred_random_moments() {
    // Acting takes its time, before and after.
    let act = ACT.replace("`echo", "`sleep 0.04; echo").replace("effects.txt`", "effects.txt; sleep 0.04`");
    let world = world_with(&format!("{act}{TWELVE}"), &["bash"]).await;
    // The same moments in every run; the machine adds its own.
    let mut dice: u64 = 0x5EED;
    for number in 0..RANDOM_KILLS {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let moment = Duration::from_micros(20_000 + (dice >> 33) % 380_000);
        // Every other time it is the daemon that takes up what was left.
        let words: &[&str] = match waiting(&world).await {
            0 => &["ask", "please"],
            1..=MAX_WAITING if number % 2 == 0 => &["ask", "wake up"],
            _ => &["serve"],
        };
        let mut command = world.steward(words);
        let command = command.env("STEWARD_PORT", "0").stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Most of the time a program is to run; its check may be longer than any moment.
        if number % 4 != 0 {
            until("a program", async || (waiting(&world).await == 0 || runs(&world).await).then_some(()))
                .await;
        }
        tokio::time::sleep(moment).await;
        child.kill().await.unwrap();
    }
    let daemon = Daemon::start(&world).await;
    until("the end", async || (waiting(&world).await == 0).then_some(())).await;
    assert_eq!(daemon.end().await.0, Some(0));
    let verified = world.run(&["audit", "verify"]).await;
    assert!(verified.code == Some(0) && verified.out.contains("the chain is whole"), "{verified:?}");
    let tale = Tale::of(&world, "random kills").await;
    tale.check_effects(&world, "random kills");
    let unknown = tale.results.values().filter(|it| it.status == CallStatus::Interrupted).count();
    println!("{} programs, {} calls, {unknown} outcomes unknown", tale.ends.len(), tale.calls.len());
    assert!(tale.ends.len() > 2 && unknown > 5, "the kills come too early or too late");
    assert_eq!(tale.calls.len(), 12 * tale.ends.len());
    let caught = |end: &ProgramEnd| match end {
        ProgramEnd::Returned { value, .. } => value.matches(r#" ToolError: outcome unknown""#).count(),
        ProgramEnd::Failed { .. } => panic!("{end:?}"),
    };
    let caught: usize = tale.ends.iter().map(caught).sum();
    let naps = tale.calls.iter().filter(|call| !call.arguments.contains("echo"));
    let lost_naps = naps.filter(|call| tale.results[&call.id].status == CallStatus::Interrupted).count();
    assert_eq!(caught + lost_naps, unknown, "programs are told what nobody can know");
}

/// How many messages have no answer yet.
async fn waiting(world: &World) -> usize {
    let session = SessionKey::new("terminal--default").unwrap();
    let database = world.path("data/steward.db");
    if !database.exists() {
        return 0;
    }
    // It may be killed before it has made its tables.
    let turns = View::open(&database).turns(&session, None, 1000).await.unwrap_or_default();
    turns.iter().filter(|turn| !turn.over).count()
}

/// Whether a program has begun and not ended.
async fn runs(world: &World) -> bool {
    let events = View::open(&world.path("data/steward.db")).events_after(0, usize::MAX >> 1).await;
    let last = events.unwrap_or_default().into_iter().rev().find_map(|event| match event.fact {
        Fact::ProgramStarted { .. } => Some(true),
        Fact::ProgramEnded { .. } => Some(false),
        _ => None,
    });
    last.unwrap_or(false)
}

/// A program in a daemon, from the moment it runs.
async fn begun(code: &str) -> (World, Daemon) {
    let world = world_with(&format!("{ACT}{code}"), &["bash"]).await;
    let daemon = Daemon::start(&world).await;
    daemon.post("/api/tasks", json!({ "prompt": "please" })).await;
    (world, daemon)
}

async fn tale_of(world: &World) -> Tale {
    until("the end", async || Some(Tale::of(world, "it").await).filter(|tale| tale.over)).await
}

#[tokio::test]
async fn a_program_whose_process_is_killed_goes_on_in_another() {
    let waits = r#"
const told = [await act("a")];
await tools.bash({ command: "touch here; until test -e go; do sleep 0.01; done" });
told.push(await act("b"));
return told;
"#;
    let computes = r#"
const told = [await act("a")];
await tools.bash({ command: "touch here go" });
let sum = 0;
for (let number = 0; number < 5_000_000; number += 1) sum = (sum + number) % 1000;
told.push(await act("b"));
return told;
"#;
    for code in [waits, computes] {
        let (world, daemon) = begun(code).await;
        until("its call", async || world.path("workspace/here").exists().then_some(())).await;
        let pid = daemon.child.id().unwrap();
        let hosts = until("its process", async || Some(hosts_below(pid)).filter(|it| !it.is_empty())).await;
        for host in &hosts {
            host.kill().await;
        }
        std::fs::write(world.path("workspace/go"), "").unwrap();
        let tale = tale_of(&world).await;
        tale.check(&world, &["a done", "b done"], "the death of its process");
        assert!(hosts.iter().all(|host| !host.lives()) && hosts_below(pid).is_empty(), "no process is left");
        assert_eq!(daemon.end().await.0, Some(0));
    }
}

#[tokio::test]
async fn a_program_whose_process_always_dies_is_given_up() {
    let (world, daemon) = begun(
        r#"
await act("a");
while (true);
"#,
    )
    .await;
    let made = world.path("workspace/effects.txt");
    until("its call", async || made.exists().then_some(())).await;
    let pid = daemon.child.id().unwrap();
    let tale = until("the end", async || {
        for host in hosts_below(pid) {
            host.kill().await;
        }
        Some(Tale::of(&world, "its deaths").await).filter(|tale| tale.over)
    })
    .await;
    let [ProgramEnd::Failed { name, message, .. }] = tale.ends.as_slice() else { panic!("{:?}", tale.ends) };
    assert_eq!(name, "ProcessDied", "{message}");
    assert_eq!(message, "the process that ran the program died 3 times");
    assert!(tale.receipts.starts_with("Failed: ProcessDied: the process"), "{}", tale.receipts);
    assert!(tale.receipts.contains("1. bash") && tale.receipts.contains(": succeeded"), "{}", tale.receipts);
    tale.check_effects(&world, "its deaths");
    world.fake.script(Script::reply("All well."));
    assert_eq!(world.run(&["ask", "how are you?"]).await.out, "All well.\n");
    assert_eq!(daemon.end().await.0, Some(0));
}
