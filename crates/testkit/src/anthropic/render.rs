//! A script as Anthropic streams it, event for event, and its error bodies.

use crate::{
    script::{Part, Script, Stop, pieces, wire_name},
    validation::items,
    wire::Frame,
};
use serde_json::{Value, json};

/// The frames of an answer to this request. `number` makes its ids unlike those of other answers.
pub(crate) fn render(script: &Script, request: &Value, number: usize) -> Vec<Frame> {
    let mut frames = vec![event("message_start", message_start(script, request, number))];
    let mut index = 0;
    for part in &script.parts {
        match part {
            Part::Comment(text) => frames.push(Frame::Bytes(format!(": {text}\n\n"))),
            Part::Ping => frames.push(event("ping", json!({"type": "ping"}))),
            Part::Stall(pause) => frames.push(Frame::Pause(*pause)),
            Part::Raw(text) => frames.push(Frame::Bytes(text.clone())),
            Part::Error { kind, message } => {
                frames.push(event("error", error_value(kind, message)));
                return frames;
            }
            _ => {
                let (block, deltas) = block(script, part, index, number);
                frames.push(event(
                    "content_block_start",
                    json!({"type": "content_block_start", "index": index, "content_block": block}),
                ));
                // The vendor pings once here in every answer.
                if index == 0 {
                    frames.push(event("ping", json!({"type": "ping"})));
                }
                for delta in deltas {
                    frames.push(event(
                        "content_block_delta",
                        json!({"type": "content_block_delta", "index": index, "delta": delta}),
                    ));
                }
                frames
                    .push(event("content_block_stop", json!({"type": "content_block_stop", "index": index})));
                index += 1;
            }
        }
    }
    frames.push(event("message_delta", message_delta(script)));
    frames.push(event("message_stop", json!({"type": "message_stop"})));
    frames
}

/// The body of an error response.
pub(crate) fn error_body(status: u16, kind: Option<&str>, message: &str) -> Value {
    let kind = kind.unwrap_or(match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    });
    let mut body = error_value(kind, message);
    body["request_id"] = json!("req_fake");
    body
}

/// The last text the user said, for answers that echo it.
pub(crate) fn last_user_text(request: &Value) -> String {
    let last = items(&request["messages"]).iter().rev().find(|message| message["role"] == "user");
    match last.map(|message| &message["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(content) => items(content)
            .iter()
            .rev()
            .find_map(|block| block["text"].as_str())
            .unwrap_or_default()
            .to_owned(),
        None => String::new(),
    }
}

fn event(name: &str, data: Value) -> Frame {
    Frame::Event(format!("event: {name}\ndata: {data}\n\n"))
}

fn error_value(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

fn message_start(script: &Script, request: &Value, number: usize) -> Value {
    let mut message = json!({
        "id": format!("msg_fake_{number}"),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
    });
    if script.usage.is_sent {
        message["usage"] = json!({
            "input_tokens": script.usage.input,
            "cache_creation_input_tokens": script.usage.cache_write,
            "cache_read_input_tokens": script.usage.cache_read,
            "output_tokens": 1,
            "service_tier": "standard",
        });
    }
    json!({"type": "message_start", "message": message})
}

fn message_delta(script: &Script) -> Value {
    let reason = match script.stop() {
        Stop::EndTurn => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Refusal => "refusal",
    };
    let mut data = json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}});
    if script.usage.is_sent {
        data["usage"] = json!({"output_tokens": script.usage.output});
    }
    data
}

/// A block as it starts, and the deltas that fill it.
fn block(script: &Script, part: &Part, index: usize, number: usize) -> (Value, Vec<Value>) {
    match part {
        Part::Text(text) => (
            json!({"type": "text", "text": ""}),
            pieces(text, script.wire.text_chars)
                .into_iter()
                .map(|piece| json!({"type": "text_delta", "text": piece}))
                .collect(),
        ),
        Part::Thinking { text, signature } => {
            let mut deltas: Vec<Value> = pieces(text, script.wire.text_chars)
                .into_iter()
                .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
                .collect();
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        Part::RedactedThinking(data) => (json!({"type": "redacted_thinking", "data": data}), Vec::new()),
        Part::Call { id, tool, arguments } => {
            let id = id.clone().unwrap_or_else(|| format!("toolu_fake_{number}_{index}"));
            // The vendor opens every call with an empty piece.
            let deltas = [String::new()]
                .into_iter()
                .chain(pieces(arguments, script.wire.argument_chars))
                .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
                .collect();
            (json!({"type": "tool_use", "id": id, "name": wire_name(tool), "input": {}}), deltas)
        }
        Part::UnknownBlock(block) => (block.clone(), Vec::new()),
        Part::Comment(_) | Part::Ping | Part::Stall(_) | Part::Error { .. } | Part::Raw(_) => {
            panic!("{part:?} is not a content block")
        }
    }
}
