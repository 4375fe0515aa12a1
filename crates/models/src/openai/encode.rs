//! A request as OpenAI's Chat Completions spells it. Putting the conversation in order is for `transcript`.

use crate::{
    dialect::WireRequest,
    names::ToolNames,
    request::{ModelRequest, SystemPrompt},
    transcript::{Transcript, Turn, UserTurn, WireResult, arguments_object, attachment_note},
};
use protocol::{Attachment, Block, ToolDefinition};
use serde_json::{Value, json};

/// The longest call id the provider takes back.
const MAX_ID_BYTES: usize = 40;

/// Spells a request.
pub(crate) fn encode(request: &ModelRequest) -> WireRequest {
    let names = ToolNames::new(&request.tools);
    let transcript = Transcript::new(&request.messages, may_be_replayed, is_accepted_id);
    let mut messages: Vec<Value> = system(&request.system).into_iter().collect();
    for turn in &transcript.turns {
        match turn {
            Turn::User(user) => push_user(user, &mut messages),
            Turn::Assistant(blocks) => messages.push(assistant(blocks, &transcript, &names)),
        }
    }
    let mut body = json!({
        "model": request.model.model,
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": messages,
    });
    // An empty list is refused.
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(|definition| tool(definition, &names)).collect();
    }
    WireRequest { path: "/chat/completions", key_header: ("authorization", "Bearer "), headers: &[], body }
}

/// Reasoning and blocks of other providers mean nothing here.
fn may_be_replayed(block: &Block) -> bool {
    matches!(block, Block::Text { .. } | Block::Attachment(_) | Block::Call(_))
}

fn is_accepted_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_ID_BYTES && !id.chars().any(|c| c.is_control() || c.is_whitespace())
}

fn system(prompt: &SystemPrompt) -> Option<Value> {
    let parts: Vec<&str> = [prompt.stable.as_str(), prompt.changing.as_str()]
        .into_iter()
        .filter(|it| !it.trim().is_empty())
        .collect();
    (!parts.is_empty()).then(|| json!({"role": "system", "content": parts.join("\n\n")}))
}

fn tool(definition: &ToolDefinition, names: &ToolNames) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": names.spelled(&definition.name),
            "description": definition.description,
            "parameters": definition.input_schema,
        },
    })
}

/// Results are messages of their own and hold only text, so their pictures follow in the user's message.
fn push_user(user: &UserTurn<'_>, messages: &mut Vec<Value>) {
    messages.extend(user.results.iter().map(tool_message));
    let mut parts = Vec::new();
    for result in &user.results {
        for attachment in result.attachments.iter().filter(|it| it.is_image()) {
            parts.push(text(&format!("Picture from the result of call `{}`:", result.wire_id)));
            parts.push(image(attachment));
        }
    }
    parts.extend(user.said.iter().filter_map(|block| match block.as_ref() {
        Block::Text { text: words } => Some(text(words)),
        Block::Attachment(attachment) if attachment.is_image() => Some(image(attachment)),
        Block::Attachment(attachment) => Some(text(&attachment_note(attachment))),
        _ => None,
    }));
    if !parts.is_empty() {
        messages.push(json!({"role": "user", "content": plain_or_parts(parts)}));
    }
}

/// Many local servers take only a string where there is no picture.
fn plain_or_parts(parts: Vec<Value>) -> Value {
    let words: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
    match words {
        Some(words) => Value::from(words.join("\n\n")),
        None => Value::Array(parts),
    }
}

fn tool_message(result: &WireResult<'_>) -> Value {
    let mut output = result.output.to_owned();
    for attachment in result.attachments {
        let note = if attachment.is_image() {
            "[the picture follows in the next message]".to_owned()
        } else {
            attachment_note(attachment)
        };
        if !output.is_empty() {
            output.push('\n');
        }
        output.push_str(&note);
    }
    // This wire has no other way to say that a call failed.
    if result.is_error {
        output.insert_str(0, "Error: ");
    }
    json!({"role": "tool", "tool_call_id": result.wire_id, "content": output})
}

fn assistant(blocks: &[&Block], transcript: &Transcript<'_>, names: &ToolNames) -> Value {
    let mut words: Vec<String> = Vec::new();
    let mut calls = Vec::new();
    for block in blocks {
        match block {
            Block::Text { text } => words.push(text.clone()),
            Block::Attachment(attachment) => words.push(attachment_note(attachment)),
            Block::Call(call) => calls.push(json!({
                "id": transcript.wire_id(call),
                "type": "function",
                "function": {
                    "name": names.spelled(&call.tool),
                    "arguments": arguments_object(call).to_string(),
                },
            })),
            _ => {}
        }
    }
    let content = if words.is_empty() { Value::Null } else { Value::from(words.join("\n\n")) };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    message
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn image(attachment: &Attachment) -> Value {
    let url = format!("data:{};base64,{}", attachment.mime_type, attachment.data);
    json!({"type": "image_url", "image_url": {"url": url}})
}
