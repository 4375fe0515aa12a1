//! Programs as the commands show them: the screen that waits, and what the model wrote.

mod crash;
mod hostile;
mod kills;
mod later;
mod processes;
mod tale;

use super::world::World;
use serde_json::{Value, json};
use testkit::Script;

const SESSION: &str = "terminal--default";

fn call(number: u128, tool: &str, arguments: &str) -> Call {
    let id = CallId::from(Uuid::from_u128(number));
    Call { id, wire_id: String::new(), tool: tool.into(), arguments: arguments.into() }
}

/// A world whose model answers "please" with this program, and whatever comes after with "Done.". The rules are the
/// owner's.
async fn world_with(code: &str, allow: &[&str]) -> World {
    let world = World::new().await;
    std::fs::write(world.path("config.toml"), format!("[policy]\nallow = {}\n", json!(allow))).unwrap();
    std::fs::create_dir_all(world.path("workspace")).unwrap();
    std::fs::write(world.path("workspace/seed.txt"), "forty-two\n").unwrap();
    let script = program(code);
    world.fake.reply_with(move |request| match request.last_user_text().as_str() {
        "please" => script.clone(),
        _ => Script::reply("Done."),
    });
    world
}

/// The results the model was told last.
fn last_results(world: &World) -> Vec<(String, bool)> {
    let body = world.fake.requests().pop().unwrap().body;
    let blocks = body["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap().clone();
    let text = |result: &Value| match &result["content"] {
        Value::String(text) => text.clone(),
        content => content[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    store.accept(trigger).await.unwrap();
    let limits = TurnLimits { max_iterations: 9 };
    let claim =
        store.claim("test", Duration::from_secs(600), limits, store::Lane::Any).await.unwrap().unwrap();
    let written = call(1, RUN_CODE, &serde_json::json!({ "code": code }).to_string());
    let mut facts = vec![
        Fact::ModelAsked { attempt: 1, model: "fake/model".into() },
        Fact::ModelDone {
            model: "fake/model".into(),
            blocks: vec![Block::Call(written)],
            stop: StopReason::ToolUse,
            usage: Usage::default(),
        },
    ];
    let over = after.is_empty();
    facts.extend(after);
    let seen = claim.events.last().unwrap().seq;
    store.append(&claim.turn, seen, Durability::Flushed, facts).await.unwrap();
    if over {
        store.finish(&claim.turn, u64::MAX >> 1, Outcome::Completed, Vec::new()).await.unwrap();
    }
}

#[tokio::test]
async fn a_programs_screen_is_listed_with_what_may_come_after() {
    let world = World::new().await;
    world.fake.script(program("await tools.bash({ comand: 'echo 1' });"));
    world.fake.script(program(FIFTEEN));
    let ran = world.run(&["ask", "please"]).await;
    assert_eq!(ran.code, Some(3), "it waits for a decision: {ran:?}");
    let requests = world.fake.requests();
    assert_eq!(requests.len(), 2, "it was told of the type error and corrected itself");
    let results = last_results(&world);
    let [(told, true)] = results.as_slice() else { panic!("{results:?}") };
    assert!(told.contains("1:20") && told.contains("comand") && told.contains("command"), "{told}");

    let listed = world.run(&["approvals", "list"]).await.out;
    let approval = listed.split(' ').next().unwrap().to_owned();
    assert_eq!(listed.matches("│ echo ").count(), 15, "one screen has all: {listed}");
    assert!(!world.path("workspace/made.txt").exists(), "nothing ran yet");

    world.fake.script(Script::reply("Done."));
    let only = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"];
    let mut words = vec!["approvals", "approve", &approval];
    only.iter().for_each(|number| words.extend(["--only", number]));
    let ran = world.run(&words).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.ends_with("Done.\n"), "{ran:?}");
    let made = std::fs::read_to_string(world.path("workspace/made.txt")).unwrap();
    let mut lines: Vec<u32> = made.lines().map(|line| line.parse().unwrap()).collect();
    lines.sort_unstable();
    assert_eq!(lines, (1..=13).collect::<Vec<u32>>(), "what was approved ran once, the rest not at all");
    let results = last_results(&world);
    let [(told, false)] = results.as_slice() else { panic!("{results:?}") };
    assert!(told.starts_with(r#"Returned: {"done":13,"denied":2}"#), "{told}");
    assert!(told.contains("Console:\ndenied 2"), "{told}");
    assert_eq!(told.matches(": succeeded").count(), 13, "{told}");
    assert_eq!(told.matches(": denied: ").count(), 2, "{told}");
}

#[tokio::test]
async fn a_model_that_calls_by_programs_only_is_shown_an_index_and_may_search() {
    let world = World::new().await;
    let ask = async |mode: &str| {
        let ran = world.steward(&["ask", "hi"]).env("STEWARD_AGENT_CODE_MODE", mode).output().await.unwrap();
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        let tools = world.fake.requests().pop().unwrap().body["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let off = ask("off").await;
    assert!(off.contains(&"bash".to_owned()) && !off.contains(&"run_code".to_owned()), "{off:?}");
    let auto = ask("auto").await;
    assert_eq!(auto.len(), off.len() + 1, "{auto:?}");
    world.fake.script(Script::new().call("tools_search", r#"{"query":"shell command"}"#));
    world.fake.script(Script::new().call("tools_describe", r#"{"path":"bash"}"#));
    assert_eq!(ask("on").await, ["run_code", "tools_search", "tools_describe"]);
    let requests = world.fake.requests();
    let [.., asked, found, described] = requests.as_slice() else { panic!() };
    let index = asked.body["tools"][0]["description"].as_str().unwrap();
    assert!(index.contains("memory: get, search, write"), "{index}");
    let (found, failed) = result_in(&found.body);
    assert!(!failed && found.contains("bash: Run a shell command"), "{found}");
    let (described, failed) = result_in(&described.body);
    assert!(!failed && described.contains("tools.bash(input: BashInput): Promise<ToolText>"), "{described}");
    let wrong = world.steward(&["ask", "hi"]).env("STEWARD_AGENT_CODE_MODE", "maybe").output().await.unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("STEWARD_AGENT_CODE_MODE"), "{wrong:?}");
}
