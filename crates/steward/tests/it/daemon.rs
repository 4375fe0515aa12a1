//! `steward serve` and the commands that go through it: one home, a daemon that may be killed at any time, clients
//! that must not notice more of it than a pause.

use super::{ask::signal, doors::Daemon, world::World};
use serde_json::{Value, json};
use std::{os::unix::process::ExitStatusExt, time::Duration};
use store::failpoint;
use testkit::{Door, Script};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStdout},
};

/// Waits until the transcript has so many lines.
async fn transcript_of(world: &World, session: &str, lines: usize) -> Vec<String> {
    let path = world.path(&format!("data/sessions/{session}.jsonl"));
    let written = async {
        while std::fs::read_to_string(&path).unwrap_or_default().matches('\n').count() < lines {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), written).await.expect("the transcript is written");
    world.transcript(session).into_iter().map(|line| line.1).collect()
}

/// Reads what a command prints until it has printed this much.
async fn printed(child: &mut Child, expected: &str) -> ChildStdout {
    let mut out = child.stdout.take().unwrap();
    let mut seen = vec![0; expected.len()];
    out.read_exact(&mut seen).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&seen), expected);
    out
}

/// The rest of what a command prints, and how it ends.
async fn rest(mut child: Child, mut out: ChildStdout) -> (Option<i32>, String, String) {
    let (mut text, mut errors) = (String::new(), String::new());
    out.read_to_string(&mut text).await.unwrap();
    child.stderr.take().unwrap().read_to_string(&mut errors).await.unwrap();
    (child.wait().await.unwrap().code(), text, errors)
}

#[tokio::test]
async fn commands_go_through_the_daemon_and_transcripts_are_written_while_it_runs() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let ran = world.run(&["ask", "one"]).await;
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "You said: one\n", ""), "{ran:?}");
    let ran = world.run_with_input(&["chat"], "two\n/model openai/other\nthree\n").await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("You said: two") && ran.out.contains("You said: three"), "{ran:?}");
    let said = transcript_of(&world, "terminal--default", 6).await;
    assert_eq!(said[4..], ["three", "You said: three"]);
    world.run(&["ask", "four"]).await;
    assert_eq!(transcript_of(&world, "terminal--default", 8).await[7], "You said: four");
    let tail = world.run(&["audit", "tail", "--limit", "50"]).await.out;
    assert!(tail.contains("ws by token"), "who came in is noted: {tail}");
    let exported = world.run(&["sessions", "export"]).await;
    assert_eq!((exported.code, exported.out.as_str()), (Some(0), "2 files written\n"), "{exported:?}");
    let unknown = world.run(&["ask", "hi", "--model", "nobody/x"]).await;
    assert!(unknown.code == Some(1) && unknown.err.contains("No provider named `nobody`"), "{unknown:?}");
    assert_eq!(daemon.end().await, (Some(0), Vec::new()), "one line is all it prints");
    assert!(!world.path("data/daemon.json").exists());
    assert_eq!(world.run(&["ask", "alone"]).await.out, "You said: alone\n", "and it goes on without");
}

#[tokio::test]
async fn clients_talk_at_the_same_time() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    // The first answer is not complete before the second was asked for and given.
    world.fake.reply_with(|request| match request.last_user_text().as_str() {
        "slow" => Script::new().text("Wait").stall(Duration::from_secs(3600)),
        other => Script::reply(format!("You said: {other}")),
    });
    let mut slow = world.steward(&["ask", "slow", "--session", "a"]).spawn().unwrap();
    let out = printed(&mut slow, "Wait").await;
    let (one, two) = tokio::join!(
        world.run(&["ask", "quick", "--session", "b"]),
        world.run(&["ask", "quicker", "--session", "c"])
    );
    assert_eq!((one.out.as_str(), two.out.as_str()), ("You said: quick\n", "You said: quicker\n"));
    signal(&slow, "INT").await;
    let (code, _, errors) = rest(slow, out).await;
    assert_eq!((code, errors.as_str()), (Some(130), "steward: stopped\n"), "Ctrl-C stops the turn");
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn approvals_and_rules_go_through_the_daemon() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let calls = || {
        let command = json!({ "command": "echo one >> made.txt" }).to_string();
        world.fake.script(Script::new().call("bash", command));
        world.fake.script(Script::reply("Done."));
    };
    calls();
    let asked = world.run(&["ask", "please"]).await;
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let (_, after) = asked.err.split_once("steward approvals approve ").unwrap();
    let approval = after.split('`').next().unwrap();
    let blocked = world.run(&["ask", "something else"]).await;
    assert_eq!(blocked.code, Some(3), "the conversation waits: {blocked:?}");
    let approved = world.run(&["approvals", "approve", approval, "--always", "1"]).await;
    assert_eq!((approved.code, approved.out.as_str()), (Some(0), "Done.\n"), "{approved:?}");
    let rule = world.run(&["rules", "list"]).await.out;
    calls();
    assert_eq!(world.run(&["ask", "again"]).await.out, "Done.\n", "the rule counts at once");
    let removed = world.run(&["rules", "remove", rule.trim()]).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    calls();
    assert_eq!(world.run(&["ask", "once more"]).await.code, Some(3), "and no more when it is taken back");
    assert_eq!(std::fs::read_to_string(world.path("workspace/made.txt")).unwrap(), "one\none\n");
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn a_question_at_the_terminal_is_answered_through_the_daemon() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    world.fake.script(Script::new().call("bash", json!({ "command": "echo no > made.txt" }).to_string()));
    world.fake.script(Script::reply("As you like."));
    let ran = world.run_in_terminal(&["ask", "please"], "n not now\n").await;
    assert!(ran.code == Some(0) && ran.out.contains("As you like."), "{ran:?}");
    assert!(!world.path("workspace/made.txt").exists());
    let told = world.fake.requests().pop().unwrap().body.to_string();
    assert!(told.contains("Denied: not now"), "{told}");
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn an_answer_goes_on_when_the_daemon_is_killed_and_started_again() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let address = daemon.door.address;
    world.fake.script(Script::new().text("One moment").stall(Duration::from_secs(3600)));
    let mut asking = world.steward(&["ask", "first"]).spawn().unwrap();
    let out = printed(&mut asking, "One moment").await;
    daemon.kill().await;
    let daemon = Daemon::start_at(&world, address).await;
    let (code, text, errors) = rest(asking, out).await;
    assert_eq!((code, text.as_str()), (Some(0), "\nYou said: first\n"), "{errors}");
    assert_eq!(errors.matches("the connection to Steward was lost; trying again").count(), 1, "{errors}");
    assert_eq!(transcript_of(&world, "terminal--default", 2).await, ["first", "You said: first"]);
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn a_message_is_taken_once_wherever_the_daemon_dies() {
    for point in ["before:accept", "after:accept"] {
        let world = World::new().await;
        let mut serve = world.steward(&["serve"]);
        let serve = serve.env("STEWARD_PORT", "0").env(failpoint::VARIABLE, point);
        let mut daemon = Daemon::with(world.home.path(), serve).await;
        let asking = world.steward(&["ask", "first"]).spawn().unwrap();
        let died = daemon.child.wait().await.unwrap();
        assert_eq!(died.signal(), Some(9), "{point}");
        let daemon = Daemon::start_at(&world, daemon.door.address).await;
        let asked = asking.wait_with_output().await.unwrap();
        assert_eq!(
            (asked.status.code(), asked.stdout.as_slice()),
            (Some(0), b"You said: first\n".as_slice())
        );
        assert_eq!(daemon.end().await.0, Some(0));
        let said: Vec<String> =
            world.transcript("terminal--default").into_iter().map(|line| line.1).collect();
        assert_eq!(said, ["first", "You said: first"], "{point}");
    }
}

#[tokio::test]
async fn commands_and_the_daemon_start_together() {
    let world = World::new().await;
    let asks = async {
        let (one, two, three) = tokio::join!(
            world.run(&["ask", "one", "--session", "a"]),
            world.run(&["ask", "two", "--session", "b"]),
            world.run(&["ask", "three", "--session", "c"])
        );
        [one.out, two.out, three.out]
    };
    let (daemon, said) = tokio::join!(Daemon::start(&world), asks);
    assert_eq!(said, ["You said: one\n", "You said: two\n", "You said: three\n"]);
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn what_a_dead_daemon_left_is_ignored() {
    let world = World::new().await;
    // Whoever listens there now must not be shown the token.
    let stranger = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", stranger.local_addr().unwrap());
    std::fs::create_dir_all(world.path("data")).unwrap();
    let left = json!({ "pid": std::process::id(), "address": address, "started_at": "2026-01-01T00:00:00Z" });
    for text in [left.to_string(), "{\"pid\"".into()] {
        std::fs::write(world.path("data/daemon.json"), text).unwrap();
        let ran = world.run(&["ask", "hi"]).await;
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "You said: hi\n", ""));
        assert!(!world.path("data/daemon.json").exists());
    }
    let nobody = tokio::time::timeout(Duration::ZERO, stranger.accept()).await;
    assert!(nobody.is_err(), "nobody came to the stranger");
    let open = world.run(&["open"]).await;
    assert_eq!(
        (open.code, open.err.as_str()),
        (Some(1), "steward: Steward is not running: start it with `steward serve`\n")
    );
}

#[tokio::test]
async fn the_token_is_made_shown_replaced_and_kept_out_of_transcripts() {
    let world = World::new().await;
    let first = world.run(&["token", "show"]).await.out;
    assert_eq!(first.trim().len(), 64, "{first}");
    let daemon = Daemon::start(&world).await;
    let links = async |token: &str| {
        let door = Door { token: token.trim().to_owned(), ..daemon.door.clone() };
        door.ask("POST", "/api/login-links", None).await.status
    };
    assert_eq!(links(&first).await, 200);

    world.fake.script(Script::new().text("One ").stall(Duration::from_millis(500)).text("moment"));
    let mut asking = world.steward(&["ask", "hi"]).spawn().unwrap();
    let out = printed(&mut asking, "One ").await;
    let rotated = world.run(&["token", "rotate"]).await;
    assert_eq!(rotated.code, Some(0), "{rotated:?}");
    let (code, text, errors) = rest(asking, out).await;
    assert_eq!((code, text.as_str(), errors.as_str()), (Some(0), "moment\n", ""), "clients come in anew");
    let second = world.run(&["token", "show"]).await.out;
    assert_ne!(first, second);
    assert_eq!((links(&first).await, links(&second).await), (401, 200));

    let link = world.run(&["open"]).await.out;
    assert!(link.starts_with(&format!("http://{}/login/", daemon.door.address)), "{link}");
    assert_eq!(daemon.end().await.0, Some(0));
    world.run(&["token", "rotate"]).await;
    assert_ne!(world.run(&["token", "show"]).await.out, second, "without a daemon, too");

    let own = |args: &[&str]| {
        let mut command = world.steward(args);
        command.env("STEWARD_TOKEN", "my-own-token-0123456789");
        command
    };
    assert_eq!(own(&["token", "show"]).output().await.unwrap().stdout, b"my-own-token-0123456789\n");
    let fixed = String::from_utf8(own(&["token", "rotate"]).output().await.unwrap().stderr).unwrap();
    assert!(fixed.contains("set by the environment variable STEWARD_TOKEN"), "{fixed}");
    own(&["ask", "I say my-own-token-0123456789"]).output().await.unwrap();
    let transcript = std::fs::read_to_string(world.path("data/sessions/terminal--default.jsonl")).unwrap();
    assert!(!transcript.contains("my-own-token"), "{transcript}");
}

#[tokio::test]
async fn a_wrong_token_is_told_and_where_it_comes_from() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let asked =
        world.steward(&["ask", "hi"]).env("STEWARD_TOKEN", "wrong-0123456789").output().await.unwrap();
    let errors = String::from_utf8(asked.stderr).unwrap();
    assert_eq!(asked.status.code(), Some(1), "{errors}");
    assert!(errors.contains("does not take the token of the environment variable STEWARD_TOKEN"), "{errors}");
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn the_daemon_says_where_it_is_to_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let file = world.path("data/daemon.json");
    let told: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let address = format!("http://{}", daemon.door.address);
    assert!(daemon.ready.starts_with(&format!("Steward is ready at {address} · open {address}/login/")));
    assert_eq!((&told["address"], &told["pid"]), (&json!(address), &json!(daemon.child.id().unwrap())));
    assert!(told["started_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{told}");
    for name in ["daemon.json", "token"] {
        let mode = std::fs::metadata(world.path("data").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let second = world.run(&["serve"]).await;
    let expected = format!("steward: Steward runs already, at {address} (process {})\n", told["pid"]);
    assert_eq!((second.code, second.err), (Some(1), expected));
    signal(&daemon.child, "INT").await;
    assert_eq!(daemon.end().await.0, Some(0), "Ctrl-C ends it as well");
}

#[tokio::test]
async fn a_port_in_use_and_an_open_host_are_told() {
    let world = World::new().await;
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let refused = world.steward(&["serve"]).env("STEWARD_PORT", &port).output().await.unwrap();
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors.contains(&format!("127.0.0.1:{port}")) && errors.contains("`gateway.port`"), "{errors}");

    let mut command = world.steward(&["serve"]);
    let mut child = command.env("STEWARD_PORT", "0").env("STEWARD_HOST", "0.0.0.0").spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = out.next_line().await.unwrap().unwrap();
    assert!(ready.starts_with("Steward is ready at http://127.0.0.1:"), "{ready}");
    signal(&child, "TERM").await;
    let ended = child.wait_with_output().await.unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert!(errors.contains("Warning (gateway.host): other machines can reach 0.0.0.0:"), "{errors}");
}
