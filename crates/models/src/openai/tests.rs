//! Answers no fake would give: what servers that imitate this wire do, and what a hostile one could.

use super::Decoder;
use crate::{
    dialect::{Decode, Progress},
    sse::SseEvent,
    stream::ModelAnswer,
};
use proptest::prelude::*;
use protocol::{Block, StopReason, Usage};
use serde_json::{Value, json};

fn take(decoder: &mut Decoder, data: &str) {
    let event = SseEvent { name: String::new(), data: data.to_owned() };
    decoder.take(&event, &mut Vec::new()).unwrap();
}

fn answer(deltas: &[Value], finish: &str) -> ModelAnswer {
    let mut decoder = Decoder::new(&[]);
    for delta in deltas {
        take(&mut decoder, &json!({"choices": [{"delta": delta, "finish_reason": null}]}).to_string());
    }
    assert_eq!(decoder.progress(), Progress::Writing);
    take(&mut decoder, &json!({"choices": [{"finish_reason": finish}]}).to_string());
    assert_eq!(decoder.progress(), Progress::Whole);
    take(&mut decoder, "[DONE]");
    assert_eq!(decoder.progress(), Progress::Finished);
    decoder.answer()
}

/// The tools and arguments of an answer's calls.
fn check_calls(name: &str, deltas: &[Value], expected: &[(&str, &str)]) {
    let answer = answer(deltas, "stop");
    let calls: Vec<(&str, &str)> = answer
        .blocks
        .iter()
        .filter_map(
            |block| if let Block::Call(call) = block { Some((&*call.tool, &*call.arguments)) } else { None },
        )
        .collect();
    assert_eq!(calls, expected, "{name}");
    assert_eq!(answer.stop, StopReason::ToolUse, "{name}: calls were made, whatever the server says");
}

#[test]
fn calls_are_told_apart_however_a_server_numbers_them() {
    let delta = |index: Value, id: &str, name: &str, arguments: Value| {
        let mut call = json!({"id": id, "function": {"name": name, "arguments": arguments}});
        if !index.is_null() {
            call["index"] = index;
        }
        json!({"tool_calls": [call]})
    };
    let none = || Value::Null;
    check_calls(
        "no index, each whole",
        &[delta(none(), "1", "a", json!("{}")), delta(none(), "2", "b", json!("{\"x\":1}"))],
        &[("a", "{}"), ("b", "{\"x\":1}")],
    );
    check_calls(
        "no index, in pieces",
        &[
            delta(none(), "1", "a", json!("{\"x\"")),
            delta(none(), "", "", json!(":1}")),
            delta(none(), "2", "b", json!("{")),
            delta(none(), "2", "b", json!("}")),
        ],
        &[("a", "{\"x\":1}"), ("b", "{}")],
    );
    check_calls(
        "no index and no id",
        &[delta(none(), "", "a", json!("{}")), delta(none(), "", "a", json!("{}"))],
        &[("a", "{}"), ("a", "{}")],
    );
    check_calls(
        "every index zero",
        &[delta(json!(0), "1", "a", json!("{}")), delta(json!(0), "2", "b", json!("{}"))],
        &[("a", "{}"), ("b", "{}")],
    );
    check_calls(
        "pieces of two calls by turns",
        &[
            delta(json!(0), "1", "a", json!("")),
            delta(json!(1), "2", "b", json!("")),
            delta(json!(0), "", "", json!("{\"x\":")),
            delta(json!(1), "", "", json!("{}")),
            delta(json!(0), "", "", json!("1}")),
        ],
        &[("a", "{\"x\":1}"), ("b", "{}")],
    );
    check_calls(
        "the name with every piece",
        &[delta(json!(0), "1", "a", json!("{")), delta(json!(0), "1", "a", json!("}"))],
        &[("a", "{}")],
    );
    check_calls(
        "arguments as an object",
        &[delta(json!(0), "1", "a", json!({"x": 1}))],
        &[("a", "{\"x\":1}")],
    );
    check_calls("an index from nowhere", &[delta(json!(u64::MAX), "1", "a", json!("{}"))], &[("a", "{}")]);
}

#[test]
fn text_and_reasoning_come_in_several_forms() {
    let check = |deltas: &[Value], expected: &[Block]| assert_eq!(answer(deltas, "stop").blocks, expected);
    let thinking = |text: &str| Block::Thinking { text: text.to_owned(), signature: None };
    check(
        &[json!({"content": null}), json!({"content": "a"}), json!({"content": "b"})],
        &[Block::text("ab")],
    );
    check(&[json!({"content": [{"type": "text", "text": "a"}]})], &[Block::text("a")]);
    check(
        &[json!({"reasoning": "h"}), json!({"reasoning": "m", "content": "a"})],
        &[thinking("hm"), Block::text("a")],
    );
    check(&[json!({"reasoning": "hm", "reasoning_content": "hm"})], &[thinking("hm")]);
}

#[test]
fn usage_may_come_with_any_chunk() {
    let mut decoder = Decoder::new(&[]);
    let usage =
        json!({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}});
    take(
        &mut decoder,
        &json!({"choices": [{"delta": {}, "finish_reason": "length"}], "usage": usage}).to_string(),
    );
    take(&mut decoder, &json!({"choices": [], "usage": null}).to_string());
    let expected = Usage { input_tokens: 6, output_tokens: 2, cache_read_tokens: 4, cache_write_tokens: 0 };
    let answer = decoder.answer();
    assert_eq!((answer.usage, answer.stop), (expected, StopReason::MaxTokens));
}

#[test]
fn done_without_a_finish_reason_is_no_whole_answer() {
    let mut decoder = Decoder::new(&[]);
    take(&mut decoder, &json!({"choices": [{"delta": {"content": "Half"}}]}).to_string());
    take(&mut decoder, "[DONE]");
    assert_eq!(decoder.progress(), Progress::Writing);
    assert_eq!(decoder.partial(), [Block::text("Half")]);
}

proptest! {
    #[test]
    fn no_chunks_make_it_panic(
        chunks in proptest::collection::vec(
            (proptest::option::of(any::<u64>()), "[ab]{0,1}", "[ab]{0,1}", "[{}\"]{0,4}", any::<bool>()), 0..12,
        ),
    ) {
        let mut decoder = Decoder::new(&[]);
        let mut written = 0;
        for (index, id, name, arguments, odd) in chunks {
            let function = if odd { json!([arguments]) } else { json!({"name": name, "arguments": arguments}) };
            let call = json!({"index": index, "id": id, "function": function});
            written += 1;
            take(&mut decoder, &json!({"choices": [{"delta": {"tool_calls": [call]}}]}).to_string());
        }
        prop_assert!(decoder.answer().blocks.len() <= written);
    }
}
