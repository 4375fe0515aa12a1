//! Programs, end to end: a scripted model writes them, they are checked, their calls are judged and asked on one screen, and
//! the model is told what came of it.

mod crash;
mod hostile;
mod kills;
mod later;
mod processes;
mod tale;

use super::{doors::Daemon, world::World};
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
const { text } = await tools.read({ path: "made.txt" });
return { lines: text.trim().split("\n").length, done: done.filter((number) => number > 0).length, denied };
"#;

fn program(code: &str) -> Script {
    Script::new().call("run_code", json!({ "code": code }).to_string())
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

/// The result a request tells the model last, and whether it is a failure.
fn result_in(body: &Value) -> (String, bool) {
    let blocks = body["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap();
    let result = blocks.iter().find(|block| block["type"] == "tool_result").expect("a result was sent");
    let text = match &result["content"] {
        Value::String(text) => text.clone(),
        content => content[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    (text, result["is_error"].as_bool().unwrap_or(false))
}

/// A model that writes a program with a mistake, and corrects it when it is told.
fn writes_a_program(world: &World) {
    world.fake.script(program("await tools.bash({ comand: 'echo 1' });"));
    world.fake.script(program(FIFTEEN));
    world.fake.script(Script::reply("Done."));
}

/// It was told of its mistake; what was approved ran once, the rest not at all; it was told what came of each call.
fn check_thirteen_of_fifteen(world: &World) {
    let body = world.fake.requests().swap_remove(1).body;
    let (told, failed) = result_in(&body);
    assert!(
        failed && told.contains("1:20") && told.contains("'comand'") && told.contains("'command'"),
        "{told}"
    );
    let made = std::fs::read_to_string(world.path("workspace/made.txt")).unwrap();
    let mut lines: Vec<u32> = made.lines().map(|line| line.parse().unwrap()).collect();
    lines.sort_unstable();
    assert_eq!(lines, (1..=13).collect::<Vec<u32>>());
    let body = world.fake.requests().swap_remove(2).body;
    let (told, failed) = result_in(&body);
    assert!(!failed && told.starts_with(r#"Returned: {"lines":13,"done":13,"denied":2}"#), "{told}");
    assert!(told.contains("Console:\ndenied 2"), "{told}");
    assert_eq!(told.matches(": succeeded").count(), 14, "{told}");
    assert_eq!(told.matches(": denied: ").count(), 2, "{told}");
}

#[tokio::test]
async fn fifteen_calls_stand_on_one_screen_at_the_terminal() {
    let world = World::new().await;
    writes_a_program(&world);
    let keys = "y 1 2 3 4 5 6 7 8 9 10 11 12 13\n";
    let ran = world.run_in_terminal(&["ask", "please"], keys).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.trim_end().ends_with("Done."), "{ran:?}");
    check_thirteen_of_fifteen(&world);
}

#[tokio::test]
async fn a_program_waits_for_its_screen_without_a_process_and_goes_on_in_another() {
    let world = World::new().await;
    writes_a_program(&world);
    let ran = world.run(&["ask", "please"]).await;
    assert_eq!(ran.code, Some(3), "it waits for a decision: {ran:?}");
    assert!(!world.path("workspace/made.txt").exists(), "nothing ran yet");
    let listed = world.run(&["approvals", "list"]).await.out;
    assert_eq!(listed.matches(">> made.txt\n").count(), 15, "one screen has all: {listed}");
    let (asked, forecast) = listed.split_once("After that it seems to want").expect("there is a forecast");
    assert!(asked.contains("A program asks for 15 calls before it goes on:"), "{listed}");
    assert!(forecast.contains("· read: ") && forecast.contains("made.txt"), "{listed}");
    // The same over the WebSocket of a daemon that was not there when the program was begun.
    let daemon = Daemon::start(&world).await;
    let approval = listed.split(' ').next().unwrap();
    let mut words = vec!["approvals", "approve", approval];
    let numbers: Vec<String> = (1..=13).map(|number: u32| number.to_string()).collect();
    numbers.iter().for_each(|number| words.extend(["--only", number]));
    let ran = world.run(&words).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.ends_with("Done.\n"), "{ran:?}");
    check_thirteen_of_fifteen(&world);
    let shown = world.run_with_input(&["chat"], "/code\n/new\n/code\n").await;
    let whole: String = FIFTEEN.trim().lines().map(|line| format!("│ {line}\n")).collect();
    assert!(shown.out.contains(&whole), "{shown:?}");
    assert!(shown.out.ends_with("There is no program in this conversation yet.\n\n"), "{shown:?}");
    assert_eq!(daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn calls_of_a_program_are_decided_one_by_one_over_rest_and_told_in_the_stream() {
    let world = World::new().await;
    writes_a_program(&world);
    let daemon = Daemon::start(&world).await;
    let task = daemon.post("/api/tasks", json!({ "prompt": "please" })).await;
    let path = format!("/api/tasks/{}/events", task["id"].as_str().unwrap());
    let mut listening = daemon.door.listen(&path, None).await.unwrap();
    let mut asked = Vec::new();
    while asked.len() < 15 {
        let told = listening.event().await.unwrap().json();
        if told["type"] == "approval_request" {
            asked.push(told["id"].as_str().unwrap().to_owned());
        }
    }
    for (number, call) in asked.iter().enumerate() {
        let waiting = daemon.get("/api/approvals").await;
        assert_eq!(
            waiting["approvals"][0]["calls"].as_array().unwrap().len(),
            15 - number,
            "the others wait"
        );
        let decision = if number < 13 { "approved" } else { "denied" };
        daemon.post(&format!("/api/approvals/{call}"), json!({ "decision": decision })).await;
    }
    let all: Vec<Value> = listening.until("(the end)").await.iter().map(testkit::Sent::json).collect();
    check_thirteen_of_fifteen(&world);
    let all_over = daemon.door.listen(&path, None).await.unwrap().until("(the end)").await;
    let all_over: Vec<Value> = all_over.iter().map(testkit::Sent::json).collect();
    assert!(all_over.ends_with(&all), "whoever comes later is told the same");
    let of = |kind: &str| all_over.iter().filter(move |told| told["type"] == kind).collect::<Vec<_>>();
    let written: Vec<&str> = of("code_generated").iter().map(|told| told["code"].as_str().unwrap()).collect();
    assert_eq!(written, ["await tools.bash({ comand: 'echo 1' });", FIFTEEN]);
    let results = of("tool_result");
    let statuses = |status: &str| results.iter().filter(|told| told["status"] == status).count();
    assert_eq!((statuses("succeeded"), statuses("denied"), statuses("failed")), (15, 2, 1), "{results:#?}");
    assert_eq!(of("agent_message")[0]["text"], "Done.");
    assert_eq!(daemon.end().await.0, Some(0));
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
    let mut helper = world.steward(&["ask", "remember that the key is with Karla"]);
    helper.env("STEWARD_AGENT_CODE_MODE", "on").env("STEWARD_MODEL", "offline");
    let told = helper.output().await.unwrap();
    assert!(
        String::from_utf8_lossy(&told.stdout).contains("Noted"),
        "who writes no programs has the tools: {told:?}"
    );
    let wrong = world.steward(&["ask", "hi"]).env("STEWARD_AGENT_CODE_MODE", "maybe").output().await.unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("STEWARD_AGENT_CODE_MODE"), "{wrong:?}");
}

#[tokio::test]
async fn an_owner_who_wants_to_is_asked_about_every_program() {
    let world = World::new().await;
    std::fs::write(world.path("config.toml"), "[policy]\nask = [\"run_code\"]\n").unwrap();
    world.fake.script(program("return 6 * 7;"));
    world.fake.script(Script::reply("Done."));
    let ran = world.run(&["ask", "please"]).await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let listed = world.run(&["approvals", "list"]).await.out;
    assert!(listed.contains("run_code: Run a program") && listed.contains("│ return 6 * 7;"), "{listed}");
    let ran = world.run(&["approvals", "approve", listed.split(' ').next().unwrap()]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (told, failed) = result_in(&world.fake.requests().pop().unwrap().body);
    assert!(!failed && told.starts_with("Returned: 42"), "{told}");
}
