//! The home: private, seeded once, its mistakes named; long sessions stay cheap.

use super::world::World;
use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn the_first_run_makes_a_private_home() {
    let world = World::new().await;
    world.run(&["ask", "hi"]).await;
    let mode = |path: &str| std::fs::metadata(world.path(path)).unwrap().permissions().mode() & 0o777;
    for folder in ["", "data", "workspace", "data/sessions", "data/logs"] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
    let files =
        ["config.toml", "data/steward.db", "data/sessions/terminal--default.jsonl", "workspace/SOUL.md"];
    for file in files {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    let log = std::fs::read_dir(world.path("data/logs")).unwrap().next().unwrap().unwrap().path();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[tokio::test]
async fn a_mistake_in_the_configuration_names_line_and_fix_and_loses_nothing() {
    let world = World::new().await;
    std::fs::write(world.path("config.toml"), "[agent]\nmax_iteration = 3\n").unwrap();
    let ran = world.run(&["ask", "hi"]).await;
    assert_eq!(ran.code, Some(1));
    let expected = "line 2: there is no key `max_iteration` here; did you mean `max_iterations`?";
    assert!(ran.err.contains(expected), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(world.path("config.toml")).unwrap(), "[agent]\nmax_iteration = 3\n");
}

#[tokio::test]
async fn without_a_key_the_offline_helper_answers() {
    let world = World::new().await;
    let mut command = world.steward(&["ask", "hello"]);
    command.env_remove("ANTHROPIC_API_KEY").env_remove("OPENAI_API_KEY").env_remove("STEWARD_MODEL");
    let output = command.output().await.unwrap();
    assert_eq!(output.status.code(), Some(0));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("language model"), "it says what it is: {out}");
}

#[tokio::test]
async fn keys_may_stand_in_the_homes_env_file() {
    let world = World::new().await;
    std::fs::write(world.path(".env"), "ANTHROPIC_API_KEY=sk-from-the-file-12345\n").unwrap();
    let output = world.steward(&["ask", "hi"]).env_remove("ANTHROPIC_API_KEY").output().await.unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(world.fake.requests()[0].header("x-api-key"), Some("sk-from-the-file-12345"));
}

#[tokio::test]
async fn a_session_of_ten_thousand_events_is_not_read_whole() {
    let world = World::new().await;
    world.run(&["ask", "hi", "--session", "other"]).await;
    testkit::fill_session(&world.path("data/steward.db"), "long", 2500).await;
    world.run(&["ask", "and now?", "--session", "long"]).await;
    let request = world.fake.requests().pop().unwrap();
    let messages = request.body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 101, "a hundred earlier messages and the new one");
    assert_eq!(messages[0]["content"][0]["text"], "question 2450");
}
