//! `steward chat` without a terminal (the interactive side is `terminal`'s own tests) and `steward sessions`.

use super::world::World;

#[tokio::test]
async fn lines_from_a_pipe_are_messages_and_commands() {
    let world = World::new().await;
    let input = "hello\n\n/model openai/other\nwho are you?\n/nonsense\n/new\nfresh\n";
    let ran = world.run_with_input(&["chat"], input).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<&str> =
        ran.out.lines().filter(|line| line.starts_with("You said") || line.starts_with("There")).collect();
    assert_eq!(
        lines,
        [
            "You said: hello",
            "You said: who are you?",
            "There is no /nonsense. /help lists what there is.",
            "You said: fresh"
        ]
    );
    let requests = world.fake.requests();
    let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/v1/messages", "/v1/chat/completions", "/v1/chat/completions"]);
    assert_eq!(world.transcript("terminal--default").len(), 4, "/new began another conversation");
}

#[tokio::test]
async fn a_failure_ends_the_answer_not_the_conversation() {
    let world = World::new().await;
    world.fake.script(testkit::Script::http(400).message("no such model"));
    let ran = world.run_with_input(&["chat"], "one\ntwo\n").await;
    assert_eq!(ran.code, Some(1), "a script is told");
    assert!(ran.err.contains("no such model") && ran.out.contains("You said: two"), "{ran:?}");
}

#[tokio::test]
async fn sessions_are_listed_shown_and_exported() {
    let world = World::new().await;
    assert_eq!(
        world.run(&["sessions", "list"]).await.out,
        "No conversations yet. `steward chat` begins one.\n"
    );
    world.run(&["ask", "first question"]).await;
    world.run(&["ask", "elsewhere", "--session", "web--1"]).await;
    let list = world.run(&["sessions", "list"]).await.out;
    let titles: Vec<&str> = list.lines().map(|line| line.split("  ").next().unwrap().trim()).collect();
    assert_eq!(titles, ["web--1", "terminal--default"], "the latest first");
    assert!(list.contains("first question") && list.contains("1 turn"), "{list}");
    let shown = world.run(&["sessions", "show", "terminal--default"]).await.out;
    assert!(shown.contains("first question") && shown.contains("You said: first question"), "{shown}");
    let missing = world.run(&["sessions", "show", "nobody"]).await;
    assert!(
        missing.code == Some(1) && missing.err.contains("there is no conversation `nobody`"),
        "{missing:?}"
    );

    let before = std::fs::read(world.path("data/sessions/terminal--default.jsonl")).unwrap();
    std::fs::remove_dir_all(world.path("data/sessions")).unwrap();
    let exported = world.run(&["sessions", "export"]).await;
    assert_eq!((exported.code, exported.out.as_str()), (Some(0), "3 files written\n"));
    assert!(std::fs::read(world.path("data/sessions/terminal--default.jsonl")).unwrap() == before);
}

#[tokio::test]
async fn a_deleted_or_torn_transcript_is_mended_with_the_next_turn() {
    let world = World::new().await;
    world.run(&["ask", "one"]).await;
    let path = world.path("data/sessions/terminal--default.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{whole}{{\"role\":\"us")).unwrap();
    world.run(&["ask", "two"]).await;
    assert_eq!(world.transcript("terminal--default").len(), 4, "the torn tail is gone");
    std::fs::write(&path, &whole[..10]).unwrap();
    world.run(&["ask", "three"]).await;
    let said: Vec<String> = world.transcript("terminal--default").into_iter().map(|line| line.1).collect();
    assert_eq!(said, ["one", "You said: one", "two", "You said: two", "three", "You said: three"]);
}

#[tokio::test]
async fn a_reader_that_goes_away_is_no_failure() {
    let world = World::new().await;
    world.run(&["ask", "one"]).await;
    let mut child = world.steward(&["audit", "tail"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().await.unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(141), ""));
}
