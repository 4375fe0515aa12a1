//! What is sent: the fake turns away what the vendors would, so most of these need only be answered; the
//! rest is compared with the spelling itself.

use crate::bench::{Bench, DIALECTS, KEY, call_id, hello, request};
use models::{Dialect, ModelRequest};
use proptest::prelude::*;
use protocol::{Attachment, Block, Call, CallResult, CallStatus, Message};
use serde_json::{Value, json};
use testkit::Script;

const PNG: &str = "iVBORw0KGgo=";

fn past_call(number: u128, wire_id: &str, tool: &str, arguments: &str) -> Block {
    Block::Call(Call {
        id: call_id(number),
        wire_id: wire_id.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    })
}

fn result(number: u128, output: &str) -> Block {
    Block::Result(CallResult::new(call_id(number), CallStatus::Succeeded, output))
}

fn image() -> Attachment {
    Attachment { mime_type: "image/png".to_owned(), data: PNG.to_owned(), name: None }
}

/// Asks, expects to be answered, and gives the body that was sent.
async fn sent(dialect: Dialect, request: ModelRequest) -> Value {
    let bench = Bench::new(dialect).await;
    bench.ask(request, [Script::reply("ok")]).await.answer();
    bench.fake.requests().remove(0).body
}

/// A conversation with everything in it.
fn rich() -> Vec<Message> {
    let mut pictured = CallResult::new(call_id(2), CallStatus::Failed, "no such file");
    pictured.attachments.push(image());
    vec![
        Message::user(vec![Block::text("look"), Block::Attachment(image())]),
        Message::assistant(vec![
            Block::Thinking { text: "hm \u{1F980}".to_owned(), signature: Some("c2ln+/==".to_owned()) },
            Block::RedactedThinking { data: "ZGF0YQ==".to_owned() },
            Block::text("looking"),
            Block::Unknown { provider: "fake".to_owned(), json: r#"{"type":"odd","z":1,"a":2}"#.to_owned() },
            Block::Unknown { provider: "other".to_owned(), json: r#"{"type":"alien"}"#.to_owned() },
            past_call(1, "toolu_1", "memory.search", r#"{"query": "x"}"#),
            past_call(2, "toolu_2", "bash", "not json"),
        ]),
        Message::user(vec![Block::text("and hurry"), Block::Result(pictured), result(1, "found")]),
        Message::user(vec![Block::text("please")]),
    ]
}

#[tokio::test]
async fn anthropic_is_told_everything_in_its_spelling() {
    let body = sent(Dialect::Anthropic, request(rich())).await;
    let picture =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}});
    let marker = json!({"type": "ephemeral"});
    let schema = json!({"type": "object", "properties": {"query": {"type": "string"}}});
    let expected = json!({
        "model": "claude-or-gpt",
        "max_tokens": 32000,
        "stream": true,
        "system": [
            {"type": "text", "text": "You are a test.", "cache_control": marker},
            {"type": "text", "text": "It is today."},
        ],
        "tools": [
            {"name": "memory_search", "description": "does memory.search", "input_schema": schema},
            {"name": "bash", "description": "does bash", "input_schema": schema, "cache_control": marker},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "look"}, picture]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm \u{1F980}", "signature": "c2ln+/=="},
                {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                {"type": "text", "text": "looking"},
                {"type": "odd", "z": 1, "a": 2},
                {"type": "tool_use", "id": "toolu_1", "name": "memory_search", "input": {"query": "x"}},
                {"type": "tool_use", "id": "toolu_2", "name": "bash", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": true, "content": [
                    {"type": "text", "text": "no such file"},
                    picture,
                ]},
                {"type": "text", "text": "and hurry"},
                {"type": "text", "text": "please", "cache_control": marker},
            ]},
        ],
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn openai_is_told_everything_in_its_spelling() {
    let body = sent(Dialect::OpenAi, request(rich())).await;
    let picture = json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{PNG}")}});
    let schema = json!({"type": "object", "properties": {"query": {"type": "string"}}});
    let function = |name: &str, description: &str| json!({"type": "function", "function": {"name": name, "description": description, "parameters": schema}});
    let expected = json!({
        "model": "claude-or-gpt",
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "You are a test.\n\nIt is today."},
            {"role": "user", "content": [{"type": "text", "text": "look"}, picture]},
            {"role": "assistant", "content": "looking", "tool_calls": [
                {"id": "toolu_1", "type": "function",
                 "function": {"name": "memory_search", "arguments": "{\"query\":\"x\"}"}},
                {"id": "toolu_2", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "toolu_1", "content": "found"},
            {"role": "tool", "tool_call_id": "toolu_2",
             "content": "Error: no such file\n[the picture follows in the next message]"},
            {"role": "user", "content": [
                {"type": "text", "text": "Picture from the result of call `toolu_2`:"},
                picture,
                {"type": "text", "text": "and hurry"},
                {"type": "text", "text": "please"},
            ]},
        ],
        "tools": [function("memory_search", "does memory.search"), function("bash", "does bash")],
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn any_history_is_made_fit_to_send() {
    let text = |words: &str| Block::text(words);
    let histories: Vec<(&str, Vec<Message>)> = vec![
        ("nothing", vec![]),
        ("an empty message", vec![Message::user(vec![])]),
        ("blank text", vec![Message::user(vec![text("  \n"), text("x")])]),
        ("the model first", vec![Message::assistant(vec![text("hi")]), Message::user(vec![text("x")])]),
        ("the model last", vec![Message::user(vec![text("x")]), Message::assistant(vec![text("hi ")])]),
        (
            "a call without a result",
            vec![
                Message::user(vec![text("x")]),
                Message::assistant(vec![past_call(1, "a", "bash", "{}")]),
                Message::user(vec![text("y")]),
            ],
        ),
        (
            "a call at the end",
            vec![Message::user(vec![text("x")]), Message::assistant(vec![past_call(1, "a", "bash", "{}")])],
        ),
        ("a result without a call", vec![Message::user(vec![result(9, "stray"), text("x")])]),
        (
            "the same id in two turns, and one nobody takes",
            vec![
                Message::user(vec![text("x")]),
                Message::assistant(vec![past_call(1, "call_0", "bash", "{}")]),
                Message::user(vec![result(1, "one")]),
                Message::assistant(vec![past_call(2, "call_0", "bash", "[]")]),
                Message::user(vec![result(2, "two")]),
                Message::assistant(vec![past_call(3, "odd id: \u{fc}", "gone.tool\u{fc}", "3")]),
                Message::user(vec![result(3, "")]),
                Message::assistant(vec![past_call(4, &"x".repeat(50), &"long.".repeat(30), "")]),
                Message::user(vec![result(4, "four")]),
            ],
        ),
        (
            "reasoning that was cut",
            vec![
                Message::user(vec![text("x")]),
                Message::assistant(vec![Block::Thinking { text: "hm".to_owned(), signature: None }]),
                Message::user(vec![text("y")]),
                Message::assistant(vec![
                    Block::Thinking { text: "of another provider".to_owned(), signature: None },
                    text("so"),
                ]),
                Message::user(vec![text("y")]),
                Message::assistant(vec![Block::Thinking {
                    text: "hm".to_owned(),
                    signature: Some("s".to_owned()),
                }]),
                Message::user(vec![text("z")]),
            ],
        ),
        (
            "files and pictures of other kinds, also from the model",
            vec![
                Message::user(vec![Block::Attachment(Attachment {
                    mime_type: "text/csv".to_owned(),
                    data: PNG.to_owned(),
                    name: Some("a.csv".to_owned()),
                })]),
                Message::assistant(vec![Block::Attachment(image())]),
                Message::user(vec![Block::Attachment(image())]),
            ],
        ),
    ];
    for dialect in DIALECTS {
        for (name, messages) in &histories {
            let bench = Bench::new(dialect).await;
            let heard = bench.ask(request(messages.clone()), [Script::reply("ok")]).await;
            let blocks = without_failure(heard, name, dialect);
            assert_eq!(blocks, [Block::text("ok")], "{name}, {dialect:?}");
        }
    }
}

/// Any block a history could hold. Calls are numbered afterwards, for no two share an id.
fn any_block() -> impl Strategy<Value = Block> {
    let text = |text: &str| Block::text(text);
    let signature = proptest::option::of(Just("c2ln".to_owned()));
    prop_oneof![
        Just(text("words")),
        Just(text(" ")),
        signature.prop_map(|signature| Block::Thinking { text: "hm".to_owned(), signature }),
        Just(Block::RedactedThinking { data: "ZGF0YQ==".to_owned() }),
        Just(Block::Attachment(image())),
        ("(fake|other)", r#"\{"type":"odd"\}|odd"#)
            .prop_map(|(provider, json)| Block::Unknown { provider, json }),
        ("[ab:]{0,2}", "[a.]{0,3}", r#"\{\}|\[\]|\{"a":1\}|x"#)
            .prop_map(|(wire_id, tool, arguments)| past_call(0, &wire_id, &tool, &arguments)),
        (1_u128..8, "[a ]{0,2}").prop_map(|(number, output)| result(number, &output)),
    ]
}

fn any_message() -> impl Strategy<Value = Message> {
    (any::<bool>(), proptest::collection::vec(any_block(), 0..5)).prop_map(|(is_user, blocks)| {
        if is_user { Message::user(blocks) } else { Message::assistant(blocks) }
    })
}

fn number_calls(messages: &mut [Message]) {
    let mut number = 0;
    for block in messages.iter_mut().flat_map(|message| &mut message.blocks) {
        if let Block::Call(call) = block {
            number += 1;
            call.id = call_id(number);
        }
    }
}

proptest! {
    #[test]
    fn no_history_is_turned_away(mut messages in proptest::collection::vec(any_message(), 0..8)) {
        number_calls(&mut messages);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for dialect in DIALECTS {
            let heard = runtime.block_on(async {
                Bench::new(dialect).await.ask(request(messages.clone()), [Script::reply("ok")]).await
            });
            prop_assert_eq!(without_failure(heard, "any", dialect), [Block::text("ok")]);
        }
    }
}

fn without_failure(heard: crate::bench::Heard, name: &str, dialect: Dialect) -> Vec<Block> {
    match heard.last {
        models::ModelEvent::Done(answer) => answer.blocks,
        other => panic!("{name}, {dialect:?}: {other:?}"),
    }
}

#[tokio::test]
async fn what_was_answered_can_be_replayed() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let script = Script::new()
            .thinking("hm", "c2ln")
            .redacted_thinking("ZGF0YQ==")
            .text("looking")
            .unknown_block(json!({"type": "odd"}))
            .call_with_id("", "memory.search", "")
            .call_with_id("same", "bash", "{\"a\"")
            .call_with_id("same", "bash", "{}");
        let blocks = bench.ask(hello(), [script]).await.answer().blocks;
        let results = blocks
            .iter()
            .filter_map(|block| if let Block::Call(call) = block { Some(call.id) } else { None })
            .map(|id| Block::Result(CallResult::new(id, CallStatus::Denied, "Denied: no")))
            .collect();
        let messages = vec![
            Message::user(vec![Block::text("hello")]),
            Message::assistant(blocks),
            Message::user(results),
        ];
        let answer = bench.ask(request(messages), [Script::reply("ok")]).await.answer();
        assert_eq!(answer.blocks, [Block::text("ok")], "{dialect:?}");
    }
}

#[tokio::test]
async fn headers_carry_the_key_as_each_provider_wants_it() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        bench.ask(hello(), []).await.answer();
        let recorded = bench.fake.requests().remove(0);
        let bearer = format!("Bearer {KEY}");
        let expected = match dialect {
            Dialect::Anthropic => ("/v1/messages", Some(KEY), Some("2023-06-01"), None),
            Dialect::OpenAi => ("/v1/chat/completions", None, None, Some(bearer.as_str())),
        };
        let header = |name: &str| recorded.header(name);
        let actual = (
            recorded.path.as_str(),
            header("x-api-key"),
            header("anthropic-version"),
            header("authorization"),
        );
        assert_eq!(actual, expected);
        assert_eq!(header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn tools_whose_names_look_alike_stay_apart() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let mut asked = hello();
        asked.tools = ["a.b", "a_b", "a.b"].map(crate::bench::tool).to_vec();
        asked.tools.pop();
        let script = Script::new().call_with_id("1", "a_b", "{}").call_with_id("2", "a_b_2", "{}");
        let blocks = bench.ask(asked, [script]).await.answer().blocks;
        let tools: Vec<&str> = blocks
            .iter()
            .filter_map(|block| if let Block::Call(call) = block { Some(call.tool.as_str()) } else { None })
            .collect();
        assert_eq!(tools, ["a.b", "a_b"], "{dialect:?}");
    }
}
