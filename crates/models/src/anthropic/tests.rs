//! Answers no fake would give: what servers that imitate this wire do, and what a hostile one could.

use super::{Decoder, encode};
use crate::{
    dialect::{Decode, Progress},
    request::{ModelRef, ModelRequest, SystemPrompt},
    sse::SseEvent,
    stream::ModelEvent,
};
use proptest::prelude::*;
use protocol::{Block, Message};
use serde_json::{Value, json};

fn take(decoder: &mut Decoder, data: &Value) -> Vec<ModelEvent> {
    let mut out = Vec::new();
    let event = SseEvent { name: String::new(), data: data.to_string() };
    decoder.take(&event, &mut out).unwrap();
    out
}

#[test]
fn what_stands_in_a_blocks_start_counts() {
    let mut decoder = Decoder::new("fake", &[]);
    let start = |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    assert_eq!(
        take(&mut decoder, &start(json!({"type": "text", "text": "Hi"}))),
        [ModelEvent::Text("Hi".to_owned())]
    );
    take(
        &mut decoder,
        &json!({"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": {}}}),
    );
    take(&mut decoder, &start(json!({"type": "tool_use", "id": "a", "name": "bash", "input": {"x": 1}})));
    take(&mut decoder, &json!({"type": "message_stop"}));
    assert_eq!(decoder.progress(), Progress::Finished);
    let blocks = decoder.answer().blocks;
    assert_eq!(blocks[0], Block::text("Hi"));
    let Block::Call(call) = &blocks[1] else { panic!("{blocks:?}") };
    assert_eq!((call.tool.as_str(), call.arguments.as_str()), ("bash", r#"{"x":1}"#));
}

#[test]
fn the_input_of_an_unknown_block_is_put_together() {
    let mut decoder = Decoder::new("fake", &[]);
    let block = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    take(&mut decoder, &json!({"type": "content_block_start", "content_block": block}));
    for piece in ["{\"query\":", "\"x\"}"] {
        let delta = json!({"type": "input_json_delta", "partial_json": piece});
        take(&mut decoder, &json!({"type": "content_block_delta", "delta": delta}));
    }
    take(&mut decoder, &json!({"type": "content_block_stop"}));
    let expected =
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}});
    assert_eq!(
        decoder.partial(),
        [Block::Unknown { provider: "fake".to_owned(), json: expected.to_string() }]
    );
}

#[test]
fn the_output_limit_fits_the_model() {
    let check = |model: &str, expected: u64| {
        let request = ModelRequest {
            model: ModelRef { provider: "anthropic".to_owned(), model: model.to_owned() },
            system: SystemPrompt::default(),
            messages: vec![Message::user(vec![Block::text("x")])],
            tools: vec![],
        };
        let body = encode("anthropic", &request).body;
        assert_eq!(body["max_tokens"], expected, "{model}");
        assert_eq!((&body["system"], &body["tools"]), (&Value::Null, &Value::Null));
    };
    check("claude-3-haiku-20240307", 4_096);
    check("claude-3-5-sonnet-latest", 8_192);
    check("claude-3-7-sonnet-latest", 32_000);
    check("claude-opus-4-1", 32_000);
    check("claude-sonnet-4-5", 32_000);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z{}\"]{0,6}".prop_map(Value::from),
        proptest::sample::select(WORDS).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((proptest::sample::select(WORDS), inner), 0..6).prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

const WORDS: &[&str] = &[
    "type",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "content_block",
    "delta",
    "text",
    "text_delta",
    "thinking",
    "input_json_delta",
    "partial_json",
    "tool_use",
    "input",
    "id",
    "name",
    "usage",
    "odd",
    "index",
];

proptest! {
    #[test]
    fn no_events_make_it_panic(events in proptest::collection::vec((proptest::sample::select(WORDS), any_json(), any_json()), 0..12)) {
        let mut decoder = Decoder::new("fake", &[]);
        let mut out = Vec::new();
        for (kind, block, delta) in events {
            let data = json!({"type": kind, "content_block": block, "delta": delta, "usage": block}).to_string();
            if decoder.take(&SseEvent { name: String::new(), data }, &mut out).is_err() {
                break;
            }
        }
        decoder.partial();
    }
}
