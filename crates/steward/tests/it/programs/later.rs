//! Decisions that come when the process is long gone, and programs that cannot be taken up any more.

use super::{
    processes::{Process, hosts_below, until},
    tale::{ACT, Tale},
    world_with,
};
use crate::{doors::Daemon, world::World};
use serde_json::json;
use std::{collections::HashSet, os::unix::process::ExitStatusExt};
use store::{OpenApproval, View, failpoint};

const ONE_AFTER_ANOTHER: &str = r#"
const told = [await act("a")];
console.log("half way", Math.random());
told.push(await act("b"));
return told;
"#;

async fn open_approvals(world: &World) -> Vec<OpenApproval> {
    View::open(&world.path("data/steward.db")).open_approvals().await.unwrap_or_default()
}

/// The screen that waits in a daemon.
async fn screen(world: &World) -> OpenApproval {
    until("a screen", async || open_approvals(world).await.pop()).await
}

/// Asks in a process of its own; gives the processes of programs it had.
async fn ask_and_watch(world: &World) -> HashSet<Process> {
    let mut child = world.steward(&["ask", "please"]).spawn().unwrap();
    let pid = child.id().unwrap();
    let mut hosts = HashSet::new();
    let ended = until("its end", async || {
        hosts.extend(hosts_below(pid));
        child.try_wait().unwrap()
    });
    assert_eq!(ended.await.code(), Some(3), "it waits for a decision");
    hosts
}

#[tokio::test]
async fn a_decision_is_taken_when_no_process_of_the_program_is_left() {
    for (daemon_between, word, told) in [
        (false, "approve", ["a done", "b done"]),
        (false, "deny", ["a done", "b ToolDenied: Denied: the own"]),
        (true, "approve", ["a done", "b done"]),
        (true, "deny", ["a done", "b ToolDenied: Denied: the own"]),
    ] {
        let world = world_with(&format!("{ACT}{ONE_AFTER_ANOTHER}"), &[]).await;
        let hosts = ask_and_watch(&world).await;
        assert!(!hosts.is_empty(), "it had one");
        assert!(hosts.iter().all(|host| !host.lives()), "it is gone");
        let daemon = match daemon_between {
            true => {
                let first = Daemon::start(&world).await;
                assert_eq!(hosts_below(first.child.id().unwrap()), [], "what waits has no process");
                assert_eq!(first.end().await.0, Some(0));
                Some(Daemon::start(&world).await)
            }
            false => None,
        };
        let first = screen(&world).await.approval.to_string();
        let ran = world.run(&["approvals", "approve", &first]).await;
        assert_eq!(ran.code, Some(3), "the next one waits: {ran:?}");
        let second = screen(&world).await.approval.to_string();
        assert_ne!(first, second);
        let ran = world.run(&["approvals", word, &second]).await;
        assert_eq!((ran.code, ran.out.ends_with("Done.\n")), (Some(0), true), "{ran:?}");
        let after = format!("{word}, daemon between: {daemon_between}");
        Tale::of(&world, &after).await.check(&world, &told, &after);
        if let Some(daemon) = daemon {
            assert_eq!(daemon.end().await.0, Some(0));
        }
    }
}

#[tokio::test]
async fn a_screen_is_decided_call_by_call_with_the_daemon_killed_in_between() {
    let code = format!("{ACT}return await Promise.all([\"a\", \"b\", \"c\"].map(act));");
    let world = world_with(&code, &[]).await;
    let mut daemon = Daemon::start(&world).await;
    daemon.post("/api/tasks", json!({ "prompt": "please" })).await;
    let calls = screen(&world).await.calls;
    assert_eq!(calls.len(), 3, "one screen has all");
    for (asked, decision) in calls.iter().zip(["approved", "denied", "approved"]) {
        daemon.post(&format!("/api/approvals/{}", asked.call), json!({ "decision": decision })).await;
        let address = daemon.door.address;
        daemon.kill().await;
        daemon = Daemon::start_at(&world, address).await;
    }
    let tale = until("the end", async || Some(Tale::of(&world, "it").await).filter(|tale| tale.over)).await;
    tale.check(&world, &["a done", "b ToolDenied: Denied: the own", "c done"], "decisions and deaths");
    assert_eq!(open_approvals(&world).await, []);
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn a_screen_goes_away_with_the_program_that_waits_for_it() {
    let code = format!(
        "{ACT}const others = [\"b\", \"c\"].map(act);
        await tools.bash({{ command: \"echo a >> effects.txt\" }});
        return await Promise.all(others);"
    );
    let world = world_with(&code, &[]).await;
    let daemon = Daemon::start(&world).await;
    daemon.post("/api/tasks", json!({ "prompt": "please" })).await;
    let calls = screen(&world).await.calls;
    let unwanted = calls.iter().find(|asked| asked.details.contains("echo a")).unwrap().call;
    daemon.post(&format!("/api/approvals/{unwanted}"), json!({ "decision": "denied" })).await;
    let tale = until("the end", async || Some(Tale::of(&world, "it").await).filter(|tale| tale.over)).await;
    assert!(tale.receipts.starts_with("Failed in line "), "{}", tale.receipts);
    assert!(tale.receipts.contains("ToolDenied: Denied: the owner said no"), "{}", tale.receipts);
    assert_eq!(tale.receipts.matches("not finished: Not run: the program had ended.").count(), 2);
    tale.check_effects(&world, "a denial nobody caught");
    assert_eq!(open_approvals(&world).await, []);
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn a_program_of_another_engine_is_not_run_on() {
    let world = world_with(&format!("{ACT}{ONE_AFTER_ANOTHER}"), &["bash"]).await;
    let mut asking = world.steward(&["ask", "please"]);
    let died = asking.env(failpoint::VARIABLE, "after:call.done").output().await.unwrap();
    assert_eq!(died.status.signal(), Some(9));
    let database = rusqlite::Connection::open(world.path("data/steward.db")).unwrap();
    let sql = r#"UPDATE events SET body = replace(body, '"engine":"', '"engine":"older than ')
                 WHERE kind = 'program.started'"#;
    assert_eq!(database.execute(sql, []).unwrap(), 1);
    drop(database);
    let ran = world.run(&["ask", "wake up"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    let view = View::open(&world.path("data/steward.db"));
    let tale = Tale::read(&view.events_after(0, usize::MAX >> 1).await.unwrap(), "another engine");
    let said = "Failed: CannotRun: the program was begun by another version of the engine (older than ";
    assert!(tale.receipts.starts_with(said), "{}", tale.receipts);
    assert!(tale.receipts.contains("What its calls did stays done."), "{}", tale.receipts);
    assert!(tale.receipts.contains("Calls: 1\n1. bash") && tale.receipts.ends_with(": succeeded"));
    let told = world.fake.requests();
    assert!(told.iter().any(|request| request.body.to_string().contains(said)), "the model is told");
    tale.check_effects(&world, "another engine");
    assert_eq!(std::fs::read_to_string(world.path("workspace/effects.txt")).unwrap().lines().count(), 1);
}
