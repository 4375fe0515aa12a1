//! Programs as the commands show them: the screen that waits, and what the model wrote.

use crate::world::World;
use protocol::*;
use std::time::Duration;
use store::{Durability, Store};
use uuid::Uuid;

const SESSION: &str = "terminal--default";

fn call(number: u128, tool: &str, arguments: &str) -> Call {
    let id = CallId::from(Uuid::from_u128(number));
    Call { id, wire_id: String::new(), tool: tool.into(), arguments: arguments.into() }
}

fn asked(call: &Call, summary: &str) -> AskedCall {
    AskedCall {
        call: call.id,
        tool: call.tool.clone(),
        summary: summary.into(),
        details: call.arguments.clone(),
        risk: Risk::Risky,
        reason: "it acts".into(),
        flags: Vec::new(),
        cwd: "/work".into(),
        confinement: "none".into(),
        rules: Vec::new(),
        fingerprint: "f".into(),
    }
}

/// Writes a turn in which the model hands in a program, as an agent would, and what the program asks for.
async fn play(world: &World, code: &str, after: Vec<Fact>) {
    assert_eq!(world.run(&["sessions", "list"]).await.code, Some(0), "it makes the home");
    let store = Store::open(&world.path("data/steward.db")).await.unwrap();
    let trigger = Trigger {
        source: "test".into(),
        external_id: "1".into(),
        session: SessionKey::new(SESSION).unwrap(),
        kind: TriggerKind::Message,
        content: vec![Block::text("close the old ones")],
        history: Vec::new(),
        model: None,
        steer: false,
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
    let (one, two) = (call(2, "issues.close", r#"{"number":1}"#), call(3, "issues.close", r#"{"number":2}"#));
    let program = CallId::from(Uuid::from_u128(1));
    let calls = vec![asked(&one, "Close issue 1"), asked(&two, "Close issue 2")];
    let foreseen = Foreseen { tool: "mail.send".into(), summary: "Tell \u{1b}[2JAnna".into() };
    let screen = Fact::ApprovalRequested {
        approval: ApprovalId::from(Uuid::from_u128(9)),
        calls,
        expires_at: jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1),
        forecast: Some(Forecast { program, calls: vec![foreseen] }),
    };
    let wants = Fact::ProgramAsked { program, calls: vec![one, two], told: 0, console: String::new() };
    play(&world, "…", vec![wants, screen]).await;
    let listed = world.run(&["approvals", "list"]).await;
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let places: Vec<Option<usize>> = [
        "A program asks for 2 calls before it goes on:",
        "  1. issues.close: Close issue 1",
        "  2. issues.close: Close issue 2",
        "After that it seems to want (a forecast, nothing is approved by it):",
        "  · mail.send: Tell \\u{1b}[2JAnna",
    ]
    .iter()
    .map(|line| listed.out.find(line))
    .collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{}", listed.out);
}

#[tokio::test]
async fn the_latest_program_is_shown_in_full() {
    let world = World::new().await;
    let code: String =
        (1..=40).map(|number| format!("await tools.issues.close({{ number: {number} }});\n")).collect();
    play(&world, &code, Vec::new()).await;
    let shown = world.run_with_input(&["chat"], "/code\n/new\n/code\n").await;
    let whole: String = code.lines().map(|line| format!("│ {line}\n")).collect();
    assert!(shown.out.contains(&whole), "{shown:?}");
    assert!(shown.out.ends_with("There is no program in this conversation yet.\n\n"), "{shown:?}");
}
