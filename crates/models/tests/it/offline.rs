//! The helper that answers without a model comes through the same stream as any model, calls and all.

use crate::bench::{QUICK, hear, hello};
use models::{ModelEvent, ModelRequest, Models};
use protocol::{Block, Call, CallResult, CallStatus, Message, StopReason, ToolDefinition, Usage};
use serde_json::{Value, json};

#[tokio::test]
async fn without_a_model_the_answer_says_so() {
    let heard = hear(models().ask(request("hello", &[]))).await;
    let says =
        |piece: &ModelEvent| matches!(piece, ModelEvent::Text(text) if text.contains("No language model"));
    assert!(heard.pieces.iter().any(says), "{:?}", heard.pieces);
    let answer = heard.answer();
    assert_eq!((answer.stop, answer.usage), (StopReason::EndTurn, Usage::default()));
}

#[tokio::test]
async fn a_reminder_is_set_and_told_of() {
    let mut request = request("remind me in 20 minutes to take the pizza out", &["cron"]);
    let heard = hear(models().ask(request.clone())).await;
    assert_eq!(heard.pieces, [ModelEvent::CallStarted { tool: "cron".into() }]);
    let answer = heard.answer();
    assert_eq!(answer.stop, StopReason::ToolUse);
    let [Block::Call(call)] = answer.blocks.as_slice() else { panic!("{answer:?}") };
    let input: Value = serde_json::from_str(&call.arguments).unwrap();
    assert_eq!((&input["action"], &input["message"]), (&json!("add"), &json!("take the pizza out")));
    assert_eq!(input["schedule"]["kind"], "at");

    go_on(&mut request, call, CallStatus::Succeeded, "{}");
    let text = Block::text_of(&hear(models().ask(request)).await.answer().blocks);
    assert!(text.starts_with("The reminder is set: take the pizza out."), "{text}");
    assert!(text.contains("in 20 minutes") || text.contains("in 19 minutes"), "{text}");
}

#[tokio::test]
async fn what_the_owner_forbids_is_told_and_not_tried_again() {
    let mut request = request("run rm -rf build", &["bash"]);
    let answer = hear(models().ask(request.clone())).await.answer();
    let [Block::Call(call)] = answer.blocks.as_slice() else { panic!("{answer:?}") };
    assert_eq!(call.arguments, json!({ "command": "rm -rf build" }).to_string());

    go_on(&mut request, call, CallStatus::Denied, "The owner said no.");
    let answer = hear(models().ask(request)).await.answer();
    assert_eq!(answer.stop, StopReason::EndTurn);
    assert!(Block::text_of(&answer.blocks).contains("The owner said no."), "{answer:?}");
}

fn models() -> Models {
    Models::new(vec![], QUICK)
}

fn request(said: &str, tools: &[&str]) -> ModelRequest {
    let tool = |name: &&str| ToolDefinition {
        name: (*name).into(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
    };
    ModelRequest {
        model: "offline".parse().unwrap(),
        messages: vec![Message::user(vec![Block::text(said)])],
        tools: tools.iter().map(tool).collect(),
        ..hello()
    }
}

/// What the house adds when a call is over.
fn go_on(request: &mut ModelRequest, call: &Call, status: CallStatus, output: &str) {
    let result = CallResult::new(call.id, status, output);
    request.messages.push(Message::assistant(vec![Block::Call(call.clone())]));
    request.messages.push(Message::user(vec![Block::Result(result)]));
}
