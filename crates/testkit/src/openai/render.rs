//! A script as OpenAI streams it, chunk for chunk, and its error bodies.

use crate::{
    script::{Part, Script, Stop, pieces, wire_name},
    validation::items,
    wire::Frame,
};
use serde_json::{Value, json};

/// The frames of an answer to this request. `number` makes its ids unlike those of other answers.
pub(crate) fn render(script: &Script, request: &Value, number: usize) -> Vec<Frame> {
    let writer = Writer { script, request, number };
    let mut frames = vec![writer.delta(json!({"role": "assistant", "content": "", "refusal": null}))];
    let mut call_index = 0;
    for part in &script.parts {
        match part {
            Part::Text(text) => {
                let field = if script.stop == Some(Stop::Refusal) { "refusal" } else { "content" };
                frames.extend(
                    pieces(text, script.wire.text_chars)
                        .iter()
                        .map(|piece| writer.delta(json!({field: piece}))),
                );
            }
            Part::Thinking { text, .. } => frames.extend(
                pieces(text, script.wire.text_chars)
                    .iter()
                    .map(|piece| writer.delta(json!({"reasoning_content": piece}))),
            ),
            Part::Call { id, tool, arguments } => {
                frames.extend(writer.call(call_index, id.as_deref(), tool, arguments));
                call_index += 1;
            }
            Part::Comment(text) => frames.push(Frame::Bytes(format!(": {text}\n\n"))),
            Part::Ping => frames.push(Frame::Bytes(": ping\n\n".to_owned())),
            Part::Stall(pause) => frames.push(Frame::Pause(*pause)),
            Part::Raw(text) => frames.push(Frame::Bytes(text.clone())),
            Part::Error { kind, message } => {
                frames.push(event(&error_value(kind, message)));
                return frames;
            }
            Part::RedactedThinking(_) | Part::UnknownBlock(_) => {}
        }
    }
    frames.push(writer.chunk(json!([
        {"index": 0, "delta": {}, "logprobs": null, "finish_reason": finish_reason(script)}
    ])));
    if script.usage.is_sent && request["stream_options"]["include_usage"] == true {
        frames.push(writer.usage());
    }
    if !script.wire.lacks_done {
        frames.push(Frame::Event("data: [DONE]\n\n".to_owned()));
    }
    frames
}

/// The body of an error response.
pub(crate) fn error_body(status: u16, kind: Option<&str>, message: &str) -> Value {
    let kind = kind.unwrap_or(match status {
        400 | 401 | 404 => "invalid_request_error",
        403 => "insufficient_permissions",
        429 => "requests",
        _ => "server_error",
    });
    let mut body = error_value(kind, message);
    body["error"]["code"] = match status {
        401 => json!("invalid_api_key"),
        404 => json!("model_not_found"),
        429 => json!("rate_limit_exceeded"),
        _ => Value::Null,
    };
    body
}

/// The last text the user said, for answers that echo it.
pub(crate) fn last_user_text(request: &Value) -> String {
    let last = items(&request["messages"]).iter().rev().find(|message| message["role"] == "user");
    match last.map(|message| &message["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(content) => {
            items(content).iter().rev().find_map(|part| part["text"].as_str()).unwrap_or_default().to_owned()
        }
        None => String::new(),
    }
}

struct Writer<'a> {
    script: &'a Script,
    request: &'a Value,
    number: usize,
}

impl Writer<'_> {
    fn chunk(&self, choices: Value) -> Frame {
        event(&self.chunk_value(choices))
    }

    fn chunk_value(&self, choices: Value) -> Value {
        let mut chunk = json!({
            "id": format!("chatcmpl-fake-{}", self.number),
            "object": "chat.completion.chunk",
            "created": 1_700_000_000,
            "model": self.request["model"],
            "service_tier": "default",
            "system_fingerprint": "fp_fake",
            "choices": choices,
        });
        if self.script.usage.is_sent {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn delta(&self, delta: Value) -> Frame {
        self.chunk(json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}]))
    }

    fn call(&self, index: usize, id: Option<&str>, tool: &str, arguments: &str) -> Vec<Frame> {
        let id = id.map_or_else(|| format!("call_fake_{}_{index}", self.number), str::to_owned);
        let start = json!({"tool_calls": [{
            "index": index,
            "id": id,
            "type": "function",
            "function": {"name": wire_name(tool), "arguments": ""},
        }]});
        let rest = pieces(arguments, self.script.wire.argument_chars).into_iter().map(|piece| {
            self.delta(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
        });
        [self.delta(start)].into_iter().chain(rest).collect()
    }

    fn usage(&self) -> Frame {
        let usage = &self.script.usage;
        let prompt = usage.input + usage.cache_read;
        let mut chunk = self.chunk_value(json!([]));
        chunk["usage"] = json!({
            "prompt_tokens": prompt,
            "completion_tokens": usage.output,
            "total_tokens": prompt + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        });
        event(&chunk)
    }
}

fn event(data: &Value) -> Frame {
    Frame::Event(format!("data: {data}\n\n"))
}

fn error_value(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}

fn finish_reason(script: &Script) -> &'static str {
    match script.stop() {
        Stop::EndTurn => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refusal => "content_filter",
    }
}
