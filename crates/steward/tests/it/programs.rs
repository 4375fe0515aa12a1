//! Programs, end to end: a scripted model writes them, they are checked, their calls are judged and asked on one screen, and
//! the model is told what came of it.

use super::world::World;
use serde_json::{Value, json};
use testkit::Script;

/// Fifteen commands at once; those that are denied are counted.
const FIFTEEN: &str = r#"
const numbers = Array.from({ length: 15 }, (_, index) => index + 1);
let denied = 0;
const done = await Promise.all(numbers.map(async (number) => {
    try {
        await tools.bash({ command: `echo ${number} >> made.txt` });
        return number;
    } catch (error) {
        if (error instanceof Error && error.name === "ToolDenied") denied += 1;
        return 0;
    }
}));
console.log("denied", denied);
return { done: done.filter((number) => number > 0).length, denied };
"#;

fn program(code: &str) -> Script {
    Script::new().call("run_code", json!({ "code": code }).to_string())
}

/// The results the model was told last.
fn last_results(world: &World) -> Vec<(String, bool)> {
    let body = world.fake.requests().pop().unwrap().body;
    let blocks = body["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap().clone();
    let text = |result: &Value| match &result["content"] {
        Value::String(text) => text.clone(),
        content => content[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    let results = blocks.iter().filter(|block| block["type"] == "tool_result");
    results.map(|result| (text(result), result["is_error"].as_bool().unwrap_or(false))).collect()
}

#[tokio::test]
async fn a_wrong_program_is_corrected_asks_once_for_fifteen_calls_and_lives_with_a_partial_denial() {
    let world = World::new().await;
    world.fake.script(program("await tools.bash({ comand: 'echo 1' });"));
    world.fake.script(program(FIFTEEN));
    let ran = world.run(&["ask", "please"]).await;
    assert_eq!(ran.code, Some(3), "it waits for a decision: {ran:?}");
    let requests = world.fake.requests();
    assert_eq!(requests.len(), 2, "it was told of the type error and corrected itself");
    let [(told, true)] = last_results(&world).try_into().unwrap() else { panic!() };
    assert!(told.contains("1:20") && told.contains("comand") && told.contains("command"), "{told}");

    let listed = world.run(&["approvals", "list"]).await.out;
    let approval = listed.split(' ').next().unwrap().to_owned();
    assert_eq!(listed.matches("made.txt").count(), 15, "one screen has all: {listed}");
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
    let [(told, false)] = last_results(&world).try_into().unwrap() else {
        panic!("{:?}", last_results(&world))
    };
    assert!(told.starts_with(r#"Returned: {"done":13,"denied":2}"#), "{told}");
    assert!(told.contains("Console:\ndenied 2"), "{told}");
    assert_eq!(told.matches(": succeeded").count(), 13, "{told}");
    assert_eq!(told.matches(": denied: ").count(), 2, "{told}");
}
