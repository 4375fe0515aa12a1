//! Checks a request as strictly as Anthropic does, so that a test fails here and not at the vendor.

use crate::{
    fake_model::RecordedRequest,
    validation::{
        Checked, Refusal, ensure, ensure_base64, ensure_object_schema, ensure_tool_name, ensure_unique, items,
    },
};
use serde_json::Value;
use std::collections::HashSet;

/// How many cache markers a request may have.
const MAX_CACHE_MARKERS: usize = 4;

/// Says why the vendor would turn the request away.
pub(crate) fn validate(request: &RecordedRequest) -> Checked {
    if request.header("x-api-key").is_none_or(|key| key.trim().is_empty()) {
        return Err(Refusal { status: 401, message: "x-api-key header is required".to_owned() });
    }
    ensure(request.header("anthropic-version") == Some("2023-06-01"), || {
        "anthropic-version: header is required".to_owned()
    })?;
    ensure(request.header("content-type").is_some_and(|it| it.starts_with("application/json")), || {
        "content-type: must be application/json".to_owned()
    })?;
    let body = &request.body;
    ensure(body["model"].as_str().is_some_and(|it| !it.is_empty()), || "model: Field required".to_owned())?;
    ensure(body["max_tokens"].as_u64().is_some_and(|it| it > 0), || "max_tokens: Field required".to_owned())?;
    ensure(body["stream"] == true, || "stream: this fake only streams".to_owned())?;
    let mut markers = 0;
    count_cache_markers(body, &mut markers);
    ensure(markers <= MAX_CACHE_MARKERS, || {
        format!("A maximum of 4 blocks with cache_control may be provided. Found {markers}.")
    })?;
    for (index, block) in items(&body["system"]).iter().enumerate() {
        ensure_text(&format!("system.{index}"), block)?;
    }
    validate_tools(&body["tools"])?;
    validate_messages(items(&body["messages"]))
}

fn validate_tools(tools: &Value) -> Checked {
    for (index, tool) in items(tools).iter().enumerate() {
        ensure_tool_name(&format!("tools.{index}.custom.name"), &tool["name"])?;
        ensure_object_schema(&format!("tools.{index}.custom.input_schema"), &tool["input_schema"])?;
    }
    ensure_unique("tools: Tool names", items(tools).iter().filter_map(|tool| tool["name"].as_str()))
}

fn validate_messages(messages: &[Value]) -> Checked {
    ensure(!messages.is_empty(), || "messages: at least one message is required".to_owned())?;
    let mut waiting: Vec<&str> = Vec::new();
    let mut seen_calls = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let place = format!("messages.{index}");
        let role = if index % 2 == 0 { "user" } else { "assistant" };
        ensure(message["role"] == role, || {
            format!(
                "{place}: roles must alternate between \"user\" and \"assistant\", starting with \"user\""
            )
        })?;
        let content = items(&message["content"]);
        ensure(!content.is_empty(), || format!("{place}: all messages must have non-empty content"))?;
        if role == "user" {
            validate_user(&place, content, &waiting)?;
            waiting.clear();
        } else {
            waiting = validate_assistant(&place, content)?;
            for id in &waiting {
                ensure(seen_calls.insert(*id), || format!("{place}: `tool_use` ids must be unique: {id}"))?;
            }
        }
    }
    ensure(messages.len() % 2 == 1, || {
        "This model does not support assistant message prefill. The conversation must end with a user message."
            .to_owned()
    })
}

fn validate_user(place: &str, content: &[Value], waiting: &[&str]) -> Checked {
    let mut answered = HashSet::new();
    let mut said_something = false;
    for (index, block) in content.iter().enumerate() {
        let place = format!("{place}.content.{index}");
        match block["type"].as_str() {
            Some("tool_result") => {
                ensure(!said_something, || format!("{place}: `tool_result` blocks must come first"))?;
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                ensure(waiting.contains(&id), || {
                    format!("{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}")
                })?;
                ensure(answered.insert(id), || {
                    format!("{place}: each `tool_use` must have a single result. Found multiple: {id}")
                })?;
                for part in items(&block["content"]) {
                    validate_said(&place, part)?;
                }
            }
            _ => {
                said_something = true;
                validate_said(&place, block)?;
            }
        }
    }
    let missing: Vec<&str> = waiting.iter().filter(|id| !answered.contains(**id)).copied().collect();
    ensure(missing.is_empty(), || {
        format!(
            "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
             `tool_use` block must have a corresponding `tool_result` block in the next message.",
            missing.join(", ")
        )
    })
}

fn validate_said(place: &str, block: &Value) -> Checked {
    match block["type"].as_str() {
        Some("text") => ensure_text(place, block),
        Some("image") => {
            let media_type = block["source"]["media_type"].as_str().unwrap_or_default();
            ensure(block["source"]["type"] == "base64", || {
                format!("{place}.source: Input should be 'base64'")
            })?;
            ensure(["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&media_type), || {
                format!("{place}.source.media_type: unsupported image type {media_type}")
            })?;
            ensure_base64(place, block["source"]["data"].as_str().unwrap_or_default())
        }
        Some("document") => ensure_base64(place, block["source"]["data"].as_str().unwrap_or_default()),
        other => ensure(false, || format!("{place}: Input tag '{other:?}' is not allowed in a user message")),
    }
}

/// Gives the ids of the calls.
fn validate_assistant<'a>(place: &str, content: &'a [Value]) -> Result<Vec<&'a str>, Refusal> {
    let mut calls = Vec::new();
    for (index, block) in content.iter().enumerate() {
        let place = format!("{place}.content.{index}");
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match text("type") {
            "text" => ensure_text(&place, block)?,
            "thinking" => {
                ensure(block["thinking"].is_string() && !text("signature").is_empty(), || {
                    format!("{place}.thinking.signature: Field required")
                })?;
                ensure(block["cache_control"].is_null(), || {
                    format!("{place}.thinking.cache_control: Extra inputs are not permitted")
                })?;
            }
            "redacted_thinking" => {
                ensure(!text("data").is_empty(), || format!("{place}.data: Field required"))?
            }
            "tool_use" => {
                let id = block["id"].as_str().unwrap_or_default();
                let is_good_id =
                    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
                ensure(is_good_id, || {
                    format!("{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
                })?;
                ensure_tool_name(&format!("{place}.tool_use.name"), &block["name"])?;
                ensure(block["input"].is_object(), || {
                    format!("{place}.tool_use.input: Input should be a valid dictionary")
                })?;
                calls.push(id);
            }
            "tool_result" | "image" | "" => {
                ensure(false, || format!("{place}: not allowed in an assistant message"))?;
            }
            _ => {}
        }
    }
    let ends_thinking =
        content.last().and_then(|it| it["type"].as_str()).is_some_and(|it| it.contains("thinking"));
    ensure(!ends_thinking, || {
        format!("{place}: The final block in an assistant message cannot be `thinking`.")
    })?;
    Ok(calls)
}

fn ensure_text(place: &str, block: &Value) -> Checked {
    ensure(block["text"].as_str().is_some_and(|it| !it.trim().is_empty()), || {
        format!("{place}: text content blocks must contain non-whitespace text")
    })
}

fn count_cache_markers(value: &Value, count: &mut usize) {
    match value {
        Value::Object(fields) => {
            *count += usize::from(fields.get("cache_control").is_some_and(|it| !it.is_null()));
            fields.values().for_each(|it| count_cache_markers(it, count));
        }
        Value::Array(list) => list.iter().for_each(|it| count_cache_markers(it, count)),
        _ => {}
    }
}
