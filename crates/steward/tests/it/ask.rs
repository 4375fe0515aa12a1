//! `steward ask`: answers, failures in plain words, history, signals.

use super::world::World;
use std::time::Duration;
use testkit::Script;

#[tokio::test]
async fn both_dialects_answer_and_exit_with_zero() {
    for model in ["anthropic/test", "openai/test"] {
        let world = World::new().await;
        let ran = world.run(&["ask", "hi", "--model", model]).await;
        assert_eq!(
            (ran.code, ran.out.as_str(), ran.err.as_str()),
            (Some(0), "You said: hi\n", ""),
            "{model}"
        );
        let request = &world.fake.requests()[0];
        assert!(request.byte_length <= 8 * 1024, "the request for `hi` has {} bytes", request.byte_length);
    }
}

#[tokio::test]
async fn a_wrong_key_is_named_with_the_place_to_set_it() {
    for (model, variable) in [("anthropic/test", "ANTHROPIC_API_KEY"), ("openai/test", "OPENAI_API_KEY")] {
        let world = World::new().await;
        world.fake.script(Script::http(401));
        let ran = world.run(&["ask", "hi", "--model", model]).await;
        assert_eq!(ran.code, Some(1));
        let file = world.path(".env").display().to_string();
        assert!(ran.err.contains(variable) && ran.err.contains(&file), "{}", ran.err);
        assert!(!ran.err.contains("0123456789"), "the key itself stays secret: {}", ran.err);
    }
}

#[tokio::test]
async fn a_missing_key_is_told_without_asking_anybody() {
    let world = World::new().await;
    let output = world.steward(&["ask", "hi"]).env_remove("ANTHROPIC_API_KEY").output().await.unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(err.contains("ANTHROPIC_API_KEY"), "{err}");
    assert_eq!(world.fake.requests().len(), 0);
}

#[tokio::test]
async fn a_dropped_stream_says_so_and_keeps_the_partial_text() {
    for model in ["anthropic/test", "openai/test"] {
        let world = World::new().await;
        let script = Script::reply("The answer is forty-two, of course.").text_chunks_of(5).hang_up_after(5);
        world.fake.script(script);
        let ran = world.run(&["ask", "hi", "--model", model]).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.out.starts_with("The a"), "what came is shown: {ran:?}");
        let transcript = world.transcript("terminal--default");
        let (role, content, error) = &transcript[1];
        assert_eq!((role.as_str(), format!("{content}\n")), ("assistant", ran.out.clone()));
        assert!(
            error.as_ref().is_some_and(|error| ran.err.contains(error.as_str())),
            "{transcript:?} {ran:?}"
        );
    }
}

#[tokio::test]
async fn the_next_question_sees_the_history_of_its_session_only() {
    let world = World::new().await;
    world.run(&["ask", "my name is Ada"]).await;
    world.run(&["ask", "elsewhere", "--session", "other"]).await;
    world.run(&["ask", "who am I?"]).await;
    let body = world.fake.requests().pop().unwrap().body;
    let texts: Vec<String> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            format!(
                "{}: {}",
                message["role"].as_str().unwrap(),
                message["content"][0]["text"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(texts, ["user: my name is Ada", "assistant: You said: my name is Ada", "user: who am I?"]);
}

#[tokio::test]
async fn the_convention_files_stand_in_the_prompt() {
    let world = World::new().await;
    world.run(&["ask", "hi"]).await;
    std::fs::write(world.path("workspace/USER.md"), "The owner is called Ada.").unwrap();
    world.run(&["ask", "hi"]).await;
    let system = world.fake.requests().pop().unwrap().body["system"].to_string();
    assert!(system.contains("# USER.md\\n\\nThe owner is called Ada."), "{system}");
    assert!(system.contains("Today is "), "{system}");
    let kept = std::fs::read_to_string(world.path("workspace/USER.md")).unwrap();
    assert_eq!(kept, "The owner is called Ada.", "what the owner wrote is never overwritten");
}

#[tokio::test]
async fn standard_input_is_added_to_the_question() {
    let world = World::new().await;
    let ran = world.run_with_input(&["ask", "review", "this"], "fn main() {}\n").await;
    assert_eq!(ran.out, "You said: review this\n\nfn main() {}\n");
    let nothing = world.run(&["ask"]).await;
    assert_eq!(
        (nothing.code, nothing.err.as_str()),
        (Some(1), "steward: nothing to ask: try `steward ask \"hello\"`\n")
    );
}

#[tokio::test]
async fn standard_input_that_stays_open_and_silent_is_not_waited_for() {
    let world = World::new().await;
    let mut child = world.steward(&["ask", "hi"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let open = child.stdin.take();
    let output = child.wait_with_output().await.unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"You said: hi\n".as_slice()));
    assert!(String::from_utf8(output.stderr).unwrap().contains("asking without it"));
    drop(open);
}

#[tokio::test]
async fn json_is_one_object() {
    let world = World::new().await;
    world.fake.script(Script::reply("42").usage(7, 2));
    let ran = world.run(&["ask", "hi", "--json"]).await;
    let mut object: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(object["runId"].take().is_string());
    assert_eq!(
        object,
        serde_json::json!({
            "sessionKey": "terminal--default", "runId": null, "text": "42",
            "usage": { "inputTokens": 7, "outputTokens": 2 }, "outcome": { "status": "completed" },
        })
    );
}

#[tokio::test]
async fn the_iteration_limit_is_told_and_ends_the_turn_cleanly() {
    let world = World::new().await;
    world.fake.reply_with(|_| Script::new().text("Trying. ").call("no.such.tool", "{}"));
    let output =
        world.steward(&["ask", "hi"]).env("STEWARD_AGENT_MAX_ITERATIONS", "2").output().await.unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(err.contains("stopped after 2 steps, the limit for one turn"), "{err}");
    let roles: Vec<String> = world.transcript("terminal--default").into_iter().map(|line| line.0).collect();
    assert_eq!(
        roles,
        ["user", "assistant", "tool_use", "tool_result", "assistant", "tool_use", "tool_result", "assistant"]
    );
}

#[tokio::test]
async fn ctrl_c_stops_the_turn_and_keeps_what_was_said() {
    let world = World::new().await;
    world.fake.script(Script::new().text("One moment").stall(Duration::from_secs(60)));
    let mut child = world.steward(&["ask", "hi"]).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut seen = vec![0; 10];
    tokio::io::AsyncReadExt::read_exact(&mut out, &mut seen).await.unwrap();
    assert_eq!(seen, b"One moment");
    signal(&child, "INT").await;
    let status = child.wait().await.unwrap();
    assert_eq!(status.code(), Some(130));
    let transcript = world.transcript("terminal--default");
    assert_eq!(transcript[1], ("assistant".into(), "One moment".into(), Some("stopped by the owner".into())));
    assert!(world.run(&["ask", "again"]).await.out.contains("You said: again"));
}

#[tokio::test]
async fn a_graceful_stop_leaves_the_turn_to_the_next_start() {
    let world = World::new().await;
    world.fake.script(Script::new().text("One moment").stall(Duration::from_secs(60)));
    let mut child = world.steward(&["ask", "first"]).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    tokio::io::AsyncReadExt::read_exact(&mut out, &mut [0; 10]).await.unwrap();
    signal(&child, "TERM").await;
    assert_eq!(child.wait().await.unwrap().code(), Some(1));
    world.run(&["ask", "second"]).await;
    let said: Vec<String> = world.transcript("terminal--default").into_iter().map(|line| line.1).collect();
    assert_eq!(said, ["first", "You said: first", "second", "You said: second"]);
}

#[tokio::test]
async fn two_at_once_wait_for_each_other() {
    let world = World::new().await;
    let (first, second) = tokio::join!(world.run(&["ask", "one"]), world.run(&["ask", "two"]));
    assert_eq!((first.code, second.code), (Some(0), Some(0)), "{first:?} {second:?}");
    assert_eq!(world.transcript("terminal--default").len(), 4);
}

pub async fn signal(child: &tokio::process::Child, name: &str) {
    let pid = child.id().unwrap().to_string();
    let killed = tokio::process::Command::new("kill").args(["-s", name, &pid]).status().await.unwrap();
    assert!(killed.success());
}
