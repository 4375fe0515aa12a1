//! Whole answers: whatever a provider says, and however the wire cuts it up, the same blocks come out.

use crate::bench::{Bench, DIALECTS, call, hello, without_ids};
use models::{Dialect, ModelEvent};
use protocol::{Block, StopReason, Usage};
use serde_json::json;
use std::{collections::HashSet, time::Duration};
use testkit::Script;

async fn check(name: &str, script: Script, expected: impl Fn(Dialect) -> (Vec<Block>, StopReason)) {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let answer = bench.ask(hello(), [script.clone()]).await.answer();
        assert_eq!((without_ids(answer.blocks), answer.stop), expected(dialect), "{name}, {dialect:?}");
    }
}

fn thinking(dialect: Dialect, text: &str, signature: &str) -> Block {
    let signature = (dialect == Dialect::Anthropic).then(|| signature.to_owned());
    Block::Thinking { text: text.to_owned(), signature }
}

#[tokio::test]
async fn an_answer_arrives_whole() {
    check("text", Script::reply("Hello."), |_| (vec![Block::text("Hello.")], StopReason::EndTurn)).await;
    check("nothing", Script::new(), |_| (vec![], StopReason::EndTurn)).await;
    check("cut at the limit", Script::reply("He").max_tokens(), |_| {
        (vec![Block::text("He")], StopReason::MaxTokens)
    })
    .await;
    check("refusal", Script::reply("I will not.").refusal(), |_| {
        (vec![Block::text("I will not.")], StopReason::Refusal)
    })
    .await;
    check("reasoning", Script::new().thinking("Hm, hm.", "c2ln+/=").text("Yes."), |dialect| {
        (vec![thinking(dialect, "Hm, hm.", "c2ln+/="), Block::text("Yes.")], StopReason::EndTurn)
    })
    .await;
    check("a call", Script::reply("Look:").call_with_id("a1", "memory.search", r#"{"query": "x"}"#), |_| {
        (vec![Block::text("Look:"), call("a1", "memory.search", r#"{"query": "x"}"#)], StopReason::ToolUse)
    })
    .await;
    check("a call without arguments", Script::new().call_with_id("a1", "bash", ""), |_| {
        (vec![call("a1", "bash", "{}")], StopReason::ToolUse)
    })
    .await;
    check("arguments that are no JSON", Script::new().call_with_id("a1", "bash", "{\"a\": "), |_| {
        (vec![call("a1", "bash", "{\"a\": ")], StopReason::ToolUse)
    })
    .await;
    check("a tool that was not offered", Script::new().call_with_id("a1", "no_such_tool", "{}"), |_| {
        (vec![call("a1", "no_such_tool", "{}")], StopReason::ToolUse)
    })
    .await;
    let several = Script::new()
        .call_with_id("a1", "bash", r#"{"query":"ü"}"#)
        .call_with_id("a2", "memory.search", r#"{"query":"🦀"}"#)
        .call_with_id("a3", "bash", "{}");
    check("several calls", several, |_| {
        (
            vec![
                call("a1", "bash", r#"{"query":"ü"}"#),
                call("a2", "memory.search", r#"{"query":"🦀"}"#),
                call("a3", "bash", "{}"),
            ],
            StopReason::ToolUse,
        )
    })
    .await;
}

#[tokio::test]
async fn the_wire_may_cut_an_answer_anywhere() {
    let script = || {
        Script::new()
            .comment("keep-alive")
            .thinking("Grüße überlegen", "c2ln")
            .ping()
            .text("Grüße, 世界! 🦀\r\n\n\u{2028}ende")
            .call_with_id("a1", "memory.search", r#"{"query": "🦀 und ü"}"#)
    };
    let expected = |dialect| {
        (
            vec![
                thinking(dialect, "Grüße überlegen", "c2ln"),
                Block::text("Grüße, 世界! 🦀\r\n\n\u{2028}ende"),
                call("a1", "memory.search", r#"{"query": "🦀 und ü"}"#),
            ],
            StopReason::ToolUse,
        )
    };
    check("one piece", script(), expected).await;
    check("CRLF", script().crlf(), expected).await;
    for size in [1, 2, 3, 7, 64] {
        check("small events", script().text_chunks_of(size).argument_chunks_of(size), expected).await;
        check("small packets", script().tcp_chunks_of(size), expected).await;
        check("small packets with CRLF", script().tcp_chunks_of(size).crlf().text_chunks_of(2), expected)
            .await;
    }
}

#[tokio::test]
async fn pieces_are_told_in_order_and_as_they_arrive() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let script = Script::new()
            .thinking("hm", "sig")
            .text("abcd")
            .call("memory.search", "{}")
            .call("bash", "{}")
            .text_chunks_of(2);
        let heard = bench.ask(hello(), [script]).await;
        let expected = [
            ModelEvent::Thinking("hm".to_owned()),
            ModelEvent::Text("ab".to_owned()),
            ModelEvent::Text("cd".to_owned()),
            ModelEvent::CallStarted { tool: "memory.search".to_owned() },
            ModelEvent::CallStarted { tool: "bash".to_owned() },
        ];
        assert_eq!(heard.pieces, expected, "{dialect:?}");
    }
}

#[tokio::test]
async fn what_a_server_leaves_out_is_done_without() {
    let hello_text = |_| (vec![Block::text("Hello.")], StopReason::EndTurn);
    check("no usage", Script::reply("Hello.").without_usage(), hello_text).await;
    check("no [DONE]", Script::reply("Hello.").without_done(), hello_text).await;
    check("neither", Script::reply("Hello.").without_done().without_usage(), hello_text).await;
    check(
        "unknown event",
        Script::new().raw("event: news\ndata: {\"type\":\"news\"}\n\n").text("Hello."),
        hello_text,
    )
    .await;
    check("odd fields", Script::new().raw("retry: 5\nid: 7\nodd\n\n").text("Hello."), hello_text).await;
    check("a slow writer", Script::reply("Hello.").stall(Duration::from_millis(50)), hello_text).await;
}

#[tokio::test]
async fn ids_are_made_up_where_a_provider_gives_none_or_repeats_one() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let script = Script::new()
            .call_with_id("", "bash", "{}")
            .call_with_id("same", "bash", r#"{"a":1}"#)
            .call_with_id("same", "bash", r#"{"a":2}"#);
        let blocks = bench.ask(hello(), [script]).await.answer().blocks;
        let wire_ids: Vec<&str> = blocks
            .iter()
            .map(
                |block| {
                    if let Block::Call(call) = block { call.wire_id.as_str() } else { panic!("{block:?}") }
                },
            )
            .collect();
        assert_eq!(wire_ids.len(), 3, "{dialect:?}");
        assert_eq!(wire_ids.iter().collect::<HashSet<_>>().len(), 3, "{dialect:?}: {wire_ids:?}");
        assert_eq!(wire_ids[1], "same");
        assert!(wire_ids.iter().all(|id| !id.is_empty() && id.len() <= 40), "{wire_ids:?}");
    }
}

#[tokio::test]
async fn tokens_are_counted_without_those_the_cache_served() {
    for (dialect, cache_write_tokens) in [(Dialect::Anthropic, 7), (Dialect::OpenAi, 0)] {
        let bench = Bench::new(dialect).await;
        let answer = bench.ask(hello(), [Script::reply("x").usage(100, 20).cached(900, 7)]).await.answer();
        let expected =
            Usage { input_tokens: 100, output_tokens: 20, cache_read_tokens: 900, cache_write_tokens };
        assert_eq!(answer.usage, expected, "{dialect:?}");
        let answer = bench.ask(hello(), [Script::reply("x").without_usage()]).await.answer();
        assert_eq!(answer.usage, Usage::default(), "{dialect:?}");
    }
}

#[tokio::test]
async fn blocks_only_anthropic_has_are_kept() {
    let bench = Bench::new(Dialect::Anthropic).await;
    let block = json!({"type": "server_news", "items": [1, {"b": 1, "a": 2}]});
    let script = Script::new().redacted_thinking("EncRypt+/==").unknown_block(block.clone()).text("ok");
    let answer = bench.ask(hello(), [script]).await.answer();
    let expected = vec![
        Block::RedactedThinking { data: "EncRypt+/==".to_owned() },
        Block::Unknown { provider: "fake".to_owned(), json: block.to_string() },
        Block::text("ok"),
    ];
    assert_eq!(answer.blocks, expected);
}

#[tokio::test]
async fn a_local_server_needs_no_key() {
    let bench = Bench::new(Dialect::OpenAi).await;
    let mut settings = crate::bench::provider(Dialect::OpenAi, &bench.fake.openai_url());
    settings.credential = None;
    let models = models::Models::new(vec![settings], crate::bench::QUICK);
    let answer = crate::bench::hear(models.ask(hello())).await.answer();
    assert_eq!(answer.blocks, [Block::text("You said: hello")]);
    assert_eq!(bench.fake.requests()[0].header("authorization"), None);
}

#[test]
fn a_proxy_is_not_asked_for_a_server_on_this_machine() {
    // A process of its own, for the environment cannot safely be changed in this one.
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "answers::a_local_server_needs_no_key"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, "http://127.0.0.1:9");
    }
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}
