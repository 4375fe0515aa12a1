//! The fake turns away what the vendors would turn away: a fake that takes everything proves nothing.
#![allow(clippy::unwrap_used, reason = "a test says what it expects by panicking")]

use serde_json::{Value, json};
use testkit::{FakeModel, RecordedRequest, Script};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Posts as plainly as possible, so that nothing but the fake is tested, and gives the whole response.
async fn post(fake: &FakeModel, path: &str, headers: &str, body: &Value) -> String {
    let url = fake.anthropic_url();
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    String::from_utf8_lossy(&response).into_owned()
}

const ANTHROPIC: &str = "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n";

async fn check(path: &str, headers: &str, body: Value, expected: &[&str]) {
    let fake = FakeModel::start().await;
    let response = post(&fake, path, headers, &body).await;
    for words in expected {
        assert!(response.contains(words), "{words:?} is not in the response to {body}: {response}");
    }
    let recorded: Vec<RecordedRequest> = fake.requests();
    assert_eq!((recorded.len(), &recorded[0].body), (1, &body));
}

#[tokio::test]
async fn anthropic_requests_are_checked() {
    let path = "/v1/messages";
    let body = |messages: Value| json!({"model": "m", "max_tokens": 1, "stream": true, "messages": messages});
    let text = |words: &str| json!([{"type": "text", "text": words}]);
    let user = |content: Value| json!({"role": "user", "content": content});
    let assistant = |content: Value| json!({"role": "assistant", "content": content});
    let call = || json!([{"type": "tool_use", "id": "t1", "name": "bash", "input": {}}]);
    let good = body(json!([user(text("hi"))]));
    check(
        path,
        ANTHROPIC,
        good.clone(),
        &["200 OK", "text/event-stream", "event: message_stop", "You said: hi"],
    )
    .await;
    check(path, "", good.clone(), &["401 Unauthorized", "authentication_error"]).await;
    check(path, "x-api-key: k\r\n", good.clone(), &["400 Bad Request", "anthropic-version"]).await;
    let refused: Vec<(Value, &str)> = vec![
        (json!({"model": "m", "stream": true, "messages": [user(text("x"))]}), "max_tokens"),
        (body(json!([])), "at least one message"),
        (body(json!([user(text("a")), user(text("b"))])), "roles must alternate"),
        (body(json!([assistant(text("a"))])), "roles must alternate"),
        (body(json!([user(text(" "))])), "non-whitespace"),
        (body(json!([user(text("a")), assistant(text("b"))])), "prefill"),
        (body(json!([user(text("a")), assistant(call()), user(text("b"))])), "without `tool_result`"),
        (
            body(json!([user(json!([{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]))])),
            "unexpected `tool_use_id`",
        ),
        (
            body(json!([
                user(text("a")),
                assistant(call()),
                user(json!([
                    {"type": "text", "text": "b"},
                    {"type": "tool_result", "tool_use_id": "t1", "content": "x"},
                ]))
            ])),
            "must come first",
        ),
        (
            body(json!([
                user(text("a")),
                assistant(json!([{"type": "tool_use", "id": "t1", "name": "a.b", "input": {}}])),
                user(text("b"))
            ])),
            "should match pattern",
        ),
        (
            body(json!([
                user(text("a")),
                assistant(json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "b"}])),
                user(text("c"))
            ])),
            "signature",
        ),
        (
            body(json!([user(
                json!([{"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "aaaa"}}])
            )])),
            "unsupported image type",
        ),
        (
            body(json!([user(
                json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "a-b!"}}])
            )])),
            "invalid base64",
        ),
    ];
    for (body, words) in refused {
        check(path, ANTHROPIC, body, &["400 Bad Request", "invalid_request_error", words]).await;
    }
}

#[tokio::test]
async fn openai_requests_are_checked() {
    let path = "/v1/chat/completions";
    let body = |messages: Value| json!({"model": "m", "stream": true, "messages": messages});
    let user = || json!({"role": "user", "content": "hi"});
    let call = |id: &str, arguments: &str| {
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}}
        ]})
    };
    check(
        path,
        "",
        body(json!([user()])),
        &["200 OK", "You said: hi", "\"finish_reason\":\"stop\"", "data: [DONE]"],
    )
    .await;
    check(path, "authorization: k\r\n", body(json!([user()])), &["401 Unauthorized", "invalid_api_key"])
        .await;
    let refused: Vec<(Value, &str)> = vec![
        (body(json!([])), "empty array"),
        (body(json!([{"role": "assistant", "content": null}])), "expected a string, got null"),
        (body(json!([user(), call("1", "{}"), user()])), "did not have response messages: 1"),
        (body(json!([user(), call("1", "{}")])), "did not have response messages: 1"),
        (body(json!([user(), {"role": "tool", "tool_call_id": "1", "content": "x"}])), "preceding message"),
        (body(json!([user(), call("1", "{")])), "not a JSON object"),
        (body(json!([user(), call(&"1".repeat(41), "{}")])), "maximum length 40"),
        (json!({"model": "m", "stream": true, "messages": [user()], "tools": []}), "minimum length 1"),
        (
            body(
                json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///x"}}]}]),
            ),
            "not a data URL",
        ),
    ];
    for (body, words) in refused {
        check(path, "", body, &["400 Bad Request", "invalid_request_error", words]).await;
    }
}

#[tokio::test]
async fn scripts_are_answered_in_order_and_then_the_default() {
    let fake = FakeModel::start().await;
    fake.script(Script::reply("one"));
    fake.script(Script::http(529).message("Overloaded").header("retry-after", "3"));
    fake.reply_with(|request| Script::reply(format!("echo {}", request.last_user_text())));
    let body = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    for words in ["one", "retry-after: 3", "echo hi"] {
        let response = post(&fake, "/v1/chat/completions", "", &body).await;
        assert!(response.contains(words), "{words:?} is not in {response}");
    }
}
