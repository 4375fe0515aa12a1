//! The door for OpenAI's clients: requests as they send them, answers as they expect them.

use crate::{
    http::{Events, answer, call, failure},
    world::{Drive, MODEL, World},
};
use protocol::{ApprovalId, Block, Fact, Message, Outcome, StopReason};
use reqwest::Method;
use serde_json::{Value, json};

const PATH: &str = "/v1/chat/completions";

fn ask(text: &str) -> Value {
    json!({ "model": "steward", "messages": [{ "role": "user", "content": text }] })
}

fn streamed(mut request: Value) -> Value {
    request["stream"] = true.into();
    request
}

/// What is known only afterwards, taken out of an answer.
fn checked(mut body: Value, player: &Drive) -> Value {
    let body_object = body.as_object_mut().unwrap();
    assert_eq!(body_object.remove("id"), Some(json!(format!("chatcmpl-{}", player.at.turn))));
    assert!(body_object.remove("created").unwrap().as_i64().unwrap() > 1_700_000_000);
    body
}

fn tokens() -> Value {
    json!({
        "prompt_tokens": 15, "completion_tokens": 4, "total_tokens": 19,
        "prompt_tokens_details": { "cached_tokens": 3 },
    })
}

#[tokio::test]
async fn an_answer_comes_as_a_completion() {
    let world = World::new().await;
    let (found, player) = tokio::join!(world.post(PATH, ask("Hello")), async {
        let mut player = world.drive().await;
        player.answers("Hi.").await;
        player
    });
    assert_eq!(found.0, 200);
    let message = json!({ "role": "assistant", "content": "Hi." });
    let expected = json!({
        "object": "chat.completion",
        "model": "steward",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": tokens(),
    });
    assert_eq!(checked(found.1, &player), expected);
}

#[tokio::test]
async fn an_answer_streams_as_openai_streams() {
    let world = World::new().await;
    let check = async |include_usage: bool| {
        let mut request = streamed(ask("Hello"));
        request["model"] = MODEL.into();
        request["stream_options"] = json!({ "include_usage": include_usage });
        let events = world.post_stream(PATH, &request).await;
        let mut player = world.drive().await;
        assert_eq!(player.trigger().await.model.as_deref(), Some(MODEL));
        player.asks().await;
        player.streams(0, "Hi ");
        player.streams(3, "there");
        player.says("Hi there.", &[], StopReason::MaxTokens).await;
        player.ends(Outcome::Completed).await;
        let mut events = events.all().await;
        assert!(events.iter().all(|event| event.event.is_empty() && event.id.is_empty()));
        assert_eq!(events.pop().unwrap().data, "[DONE]");
        let chunk = |choices: Value, usage: Value| {
            let mut chunk = json!({ "object": "chat.completion.chunk", "model": MODEL, "choices": choices });
            if include_usage {
                chunk["usage"] = usage;
            }
            chunk
        };
        let piece = |delta: Value, finish: Option<&str>| {
            chunk(json!([{ "index": 0, "delta": delta, "finish_reason": finish }]), Value::Null)
        };
        let mut expected = vec![
            piece(json!({ "role": "assistant", "content": "" }), None),
            piece(json!({ "content": "Hi " }), None),
            piece(json!({ "content": "there" }), None),
            piece(json!({ "content": "." }), None),
            piece(json!({}), Some("length")),
        ];
        if include_usage {
            expected.push(chunk(json!([]), tokens()));
        }
        let found: Vec<_> = events.iter().map(|event| checked(event.json(), &player)).collect();
        assert_eq!(found, expected);
    };
    check(true).await;
    check(false).await;
}

/// The text a client puts together, and the last piece before the end.
async fn put_together(events: Events) -> (String, Value) {
    let mut events = events.all().await;
    assert_eq!(events.pop().unwrap().data, "[DONE]");
    let last = events.last().unwrap().json();
    let pieces = events.iter().map(|event| event.json()["choices"][0]["delta"]["content"].clone());
    (pieces.filter_map(|piece| piece.as_str().map(str::to_owned)).collect(), last)
}

#[tokio::test]
async fn what_a_reader_must_know_is_said_in_the_text() {
    let world = World::new().await;
    let events = world.post_stream(PATH, &streamed(ask("Hello"))).await;
    let mut player = world.drive().await;
    player.asks().await;
    player.streams(0, "Hi the");
    player.asks().await;
    player.streams(0, "Hello");
    player.says("Hello.", &[call(1, "bash")], StopReason::ToolUse).await;
    let approval = ApprovalId::from(uuid::Uuid::from_u128(9));
    let expires_at = jiff::Timestamp::now();
    player.fact(Fact::ApprovalRequested { approval, calls: Vec::new(), expires_at, forecast: None }).await;
    player.asks().await;
    player.says("Done.", &[], StopReason::EndTurn).await;
    player.ends(failure()).await;
    let (text, last) = put_together(events).await;
    let expected = "Hi the\n\n(The answer was cut off. It begins anew.)\n\nHello.\
                    \n\n(This waits for the owner's decision: `steward approvals list` shows it.)\n\n\n\nDone.";
    assert_eq!(text, expected);
    let error = json!({ "code": "model_failed", "message": "The model is busy.", "details": {} });
    assert_eq!(last, json!({ "error": error }));
}

#[tokio::test]
async fn a_turn_that_ends_badly_is_no_completion() {
    let world = World::new().await;
    let check = async |outcome: Outcome, status: u16, code: &str| {
        let (found, _) = tokio::join!(world.post(PATH, ask("Hello")), async {
            world.drive().await.ends(outcome).await;
        });
        assert_eq!((found.0, &found.1["error"]["code"]), (status, &json!(code)));
    };
    check(failure(), 502, "model_failed").await;
    check(Outcome::Aborted, 409, "aborted").await;
    check(Outcome::LimitReached { reason: "enough".into() }, 502, "limit_reached").await;
}

#[tokio::test]
async fn the_conversation_is_brought_along() {
    let world = World::new().await;
    let picture = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } });
    let request = json!({
        "temperature": 0.3,
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Hello" },
            { "role": "assistant", "content": null, "tool_calls": [] },
            { "role": "tool", "tool_call_id": "x", "content": "42" },
            { "role": "assistant", "content": [{ "type": "text", "text": "It is 42." }] },
            { "role": "developer", "content": "Be kind." },
            { "role": "user", "content": [{ "type": "text", "text": "And this?" }, picture] },
        ],
    });
    let events = world.post_stream(PATH, &streamed(request)).await;
    let mut player = world.drive().await;
    let found = player.trigger().await;
    let text = |text: &str| vec![Block::text(text)];
    let expected = vec![
        Message::user(text("Be brief.")),
        Message::user(text("Hello")),
        Message::user(text("42")),
        Message::assistant(text("It is 42.")),
        Message::user(text("Be kind.")),
    ];
    assert_eq!((found.history, found.model), (expected, None));
    assert!(matches!(&found.content[..], [Block::Text { .. }, Block::Attachment(it)] if it.data == "aGk="));
    // SHA-256 of "Hello".
    assert_eq!(found.session.as_str(), "chat--185f8db32271fe25f561a6fc938b2e26");
    player.answers("A cat.").await;
    assert_eq!(put_together(events).await.0, "A cat.");

    // The same words again, with nothing before them, are another conversation in the same place.
    let (_, found) = tokio::join!(world.post(PATH, ask("Hello")), async {
        let mut player = world.drive().await;
        player.answers("Hi.").await;
        player.trigger().await
    });
    assert_eq!(found.session.as_str(), "chat--185f8db32271fe25f561a6fc938b2e26");
    assert_eq!(found.history, [Message::user(Vec::new())], "what followed on them before is not brought up");
}

#[tokio::test]
async fn a_repeated_request_is_one_turn() {
    let world = World::new().await;
    let send = |key: &str, stream: bool| {
        let request = if stream { streamed(ask("Hello")) } else { ask("Hello") };
        world.request(Method::POST, PATH).json(&request).header("Idempotency-Key", key)
    };
    let ((first, player), second) = tokio::join!(
        async {
            tokio::join!(answer(send("k", false)), async {
                let mut player = world.drive().await;
                player.answers("Hi.").await;
                player
            })
        },
        answer(send("k", false))
    );
    let expected = checked(first.1, &player);
    assert_eq!(checked(second.1, &player), expected);
    assert_eq!(put_together(Events::open(send("k", true)).await).await.0, "Hi.");
    let turns = world.store.view().turns(&player.at.session, None, 10).await.unwrap();
    assert_eq!(turns.len(), 1);
    assert_eq!(answer(send(&"k".repeat(300), false)).await.0, 400);
}

#[tokio::test]
async fn what_is_wrong_is_refused_in_the_envelope() {
    let world = World::new().await;
    let check = async |request: Value, status: u16, code: &str, part: &str| {
        let (found, body) = world.post(PATH, request.clone()).await;
        let message = body["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((found, body["error"]["code"].as_str()), (status, Some(code)), "{request}");
        assert!(message.contains(part), "{message}");
    };
    let with = |key: &str, value: Value| {
        let mut request = ask("Hello");
        request[key] = value;
        request
    };
    let said = |messages: Value| json!({ "messages": messages });
    let part = |part: Value| said(json!([{ "role": "user", "content": [part] }]));
    let bad = "bad_request";
    check(json!({}), 400, bad, "messages").await;
    check(said(json!([])), 400, bad, "must be the user's").await;
    check(said(json!([{ "role": "assistant", "content": "x" }])), 400, bad, "must be the user's").await;
    check(said(json!([{ "role": "user", "content": " " }])), 400, bad, "is empty").await;
    check(said(json!([{ "role": "user", "content": 7 }])), 400, bad, "must be text or a list of parts").await;
    let alien = json!([{ "role": "robot", "content": "x" }, { "role": "user", "content": "x" }]);
    check(said(alien), 400, bad, "messages[0]: \"robot\" is no role").await;
    check(part(json!({ "type": "input_audio" })), 400, bad, "messages[0]: parts of type").await;
    let url = |url: &str| json!({ "type": "image_url", "image_url": { "url": url } });
    check(part(url("https://example.com/cat.png")), 400, bad, "only as `data:image").await;
    check(part(url("data:text/html;base64,aGk=")), 400, bad, "not the type of a picture").await;
    check(with("stream", "yes".into()), 400, bad, "`stream`: invalid type").await;
    check(with("n", 2.into()), 400, bad, "`n` can only be 1").await;
    check(with("tools", json!([{ "type": "function" }])), 400, bad, "POST /v1/sessions").await;
    check(with("model", "gpt-none".into()), 404, "model_not_found", "there is no model gpt-none").await;
    check(ask(&"x".repeat((1 << 20) + 1)), 413, "too_large", "1 MiB").await;
    check(ask(&"x".repeat(9 << 20)), 413, "too_large", "8 MiB").await;
    assert!(world.store.view().sessions(10).await.unwrap().is_empty(), "nothing was accepted");
}

#[tokio::test]
async fn models_are_listed() {
    let world = World::new().await;
    let (status, mut body) = world.get("/v1/models").await;
    assert_eq!(status, 200);
    for model in body["data"].as_array_mut().unwrap() {
        assert!(model.as_object_mut().unwrap().remove("created").unwrap().is_i64());
    }
    let model = |id: &str, owned_by: &str| json!({ "id": id, "object": "model", "owned_by": owned_by });
    let expected = [model("steward", "steward"), model(MODEL, "fake")];
    assert_eq!(body, json!({ "object": "list", "data": expected }));
}
