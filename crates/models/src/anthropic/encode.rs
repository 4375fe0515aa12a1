//! A request as Anthropic's Messages spells it. Putting the conversation in order is for `transcript`.

use crate::{
    dialect::WireRequest,
    names::ToolNames,
    request::{ModelRequest, SystemPrompt},
    transcript::{Transcript, Turn, UserTurn, WireResult, arguments_object, attachment_note},
};
use protocol::{Attachment, Block, ToolDefinition};
use serde_json::{Value, json};

/// The picture formats a model can be shown.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Spells a request. `provider` is the configured name: blocks only that provider understands go back to it
/// and to no other.
pub(crate) fn encode(provider: &str, request: &ModelRequest) -> WireRequest {
    let names = ToolNames::new(&request.tools);
    let transcript =
        Transcript::new(&request.messages, |block| may_be_replayed(provider, block), is_accepted_id);
    let mut messages: Vec<Value> =
        transcript.turns.iter().map(|turn| message(turn, &transcript, &names)).collect();
    // The conversation up to here is the prefix of the next request, so the next one finds it cached.
    if let Some(last) =
        messages.last_mut().and_then(|it| it["content"].as_array_mut()).and_then(|it| it.last_mut())
    {
        mark_cacheable(last);
    }
    let mut body = json!({
        "model": request.model.model,
        "max_tokens": max_tokens(&request.model.model),
        "stream": true,
    });
    let system = system(&request.system);
    if !system.is_empty() {
        body["system"] = Value::Array(system);
    }
    if !request.tools.is_empty() {
        body["tools"] = Value::Array(tools(&request.tools, &names));
    }
    body["messages"] = Value::Array(messages);
    WireRequest {
        path: "/v1/messages",
        key_header: ("x-api-key", ""),
        headers: &[("anthropic-version", "2023-06-01")],
        body,
    }
}

/// The most the model may write. The provider insists on a number and refuses one above the model's limit.
fn max_tokens(model: &str) -> u32 {
    let is = |part: &str| model.contains(part);
    if is("claude-3-5") {
        8_192
    } else if is("claude-3-") && !is("claude-3-7") || is("claude-2") {
        4_096
    } else {
        32_000
    }
}

fn may_be_replayed(provider: &str, block: &Block) -> bool {
    match block {
        Block::Thinking { signature, .. } => signature.is_some(),
        Block::Unknown { provider: origin, json } => {
            origin == provider && serde_json::from_str::<Value>(json).is_ok_and(|block| block.is_object())
        }
        Block::Result(_) => false,
        Block::Text { .. } | Block::RedactedThinking { .. } | Block::Attachment(_) | Block::Call(_) => true,
    }
}

fn is_accepted_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 256 && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn mark_cacheable(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

fn system(prompt: &SystemPrompt) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !prompt.stable.trim().is_empty() {
        let mut stable = text(&prompt.stable);
        mark_cacheable(&mut stable);
        blocks.push(stable);
    }
    if !prompt.changing.trim().is_empty() {
        blocks.push(text(&prompt.changing));
    }
    blocks
}

fn tools(tools: &[ToolDefinition], names: &ToolNames) -> Vec<Value> {
    let mut spelled: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "name": names.spelled(&tool.name),
                "description": tool.description,
                "input_schema": tool.input_schema,
            })
        })
        .collect();
    if let Some(last) = spelled.last_mut() {
        mark_cacheable(last);
    }
    spelled
}

fn message(turn: &Turn<'_>, transcript: &Transcript<'_>, names: &ToolNames) -> Value {
    match turn {
        Turn::User(user) => json!({"role": "user", "content": user_content(user)}),
        Turn::Assistant(blocks) => {
            let content: Vec<Value> =
                blocks.iter().filter_map(|block| assistant_block(block, transcript, names)).collect();
            json!({"role": "assistant", "content": content})
        }
    }
}

fn user_content(user: &UserTurn<'_>) -> Vec<Value> {
    let said = user.said.iter().filter_map(|block| match block.as_ref() {
        Block::Text { text: words } => Some(text(words)),
        Block::Attachment(attachment) => Some(attachment_block(attachment)),
        _ => None,
    });
    user.results.iter().map(tool_result).chain(said).collect()
}

fn tool_result(result: &WireResult<'_>) -> Value {
    let content = if result.attachments.is_empty() {
        Value::from(result.output)
    } else {
        let words = (!result.output.trim().is_empty()).then(|| text(result.output));
        words.into_iter().chain(result.attachments.iter().map(attachment_block)).collect()
    };
    let mut block = json!({"type": "tool_result", "tool_use_id": result.wire_id, "content": content});
    if result.is_error {
        block["is_error"] = Value::Bool(true);
    }
    block
}

fn assistant_block(block: &Block, transcript: &Transcript<'_>, names: &ToolNames) -> Option<Value> {
    match block {
        Block::Text { text: words } => Some(text(words)),
        Block::Thinking { text, signature } => {
            Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
        }
        Block::RedactedThinking { data } => Some(json!({"type": "redacted_thinking", "data": data})),
        // The model cannot be shown pictures in its own messages.
        Block::Attachment(attachment) => Some(text(&attachment_note(attachment))),
        Block::Call(call) => Some(json!({
            "type": "tool_use",
            "id": transcript.wire_id(call),
            "name": names.spelled(&call.tool),
            "input": arguments_object(call),
        })),
        Block::Unknown { json, .. } => serde_json::from_str(json).ok(),
        Block::Result(_) => None,
    }
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn attachment_block(attachment: &Attachment) -> Value {
    let kind = match attachment.mime_type.as_str() {
        mime_type if IMAGE_TYPES.contains(&mime_type) => "image",
        "application/pdf" => "document",
        _ => return text(&attachment_note(attachment)),
    };
    json!({
        "type": kind,
        "source": {"type": "base64", "media_type": attachment.mime_type, "data": attachment.data},
    })
}
