//! Checks a request as strictly as OpenAI and the strictest of its imitators do, so that a test fails here
//! and not at the vendor.

use crate::{
    fake_model::RecordedRequest,
    validation::{
        Checked, Refusal, ensure, ensure_base64, ensure_object_schema, ensure_tool_name, ensure_unique, items,
    },
};
use serde_json::Value;

/// The longest call id.
const MAX_ID_BYTES: usize = 40;

/// Says why the vendor would turn the request away.
pub(crate) fn validate(request: &RecordedRequest) -> Checked {
    if request.header("authorization").is_some_and(|it| !it.starts_with("Bearer ") || it.len() < 8) {
        return Err(Refusal { status: 401, message: "Incorrect API key provided.".to_owned() });
    }
    ensure(request.header("content-type").is_some_and(|it| it.starts_with("application/json")), || {
        "you must provide a JSON body".to_owned()
    })?;
    let body = &request.body;
    ensure(body["model"].as_str().is_some_and(|it| !it.is_empty()), || {
        "you must provide a model parameter".to_owned()
    })?;
    ensure(body["stream"] == true, || "stream: this fake only streams".to_owned())?;
    validate_tools(&body["tools"])?;
    validate_messages(items(&body["messages"]))
}

fn validate_tools(tools: &Value) -> Checked {
    ensure(tools.is_null() || !items(tools).is_empty(), || {
        "Invalid 'tools': empty array. Expected an array with minimum length 1.".to_owned()
    })?;
    for (index, tool) in items(tools).iter().enumerate() {
        ensure(tool["type"] == "function", || format!("Invalid value: 'tools[{index}].type'"))?;
        ensure_tool_name(&format!("Invalid 'tools[{index}].function.name'"), &tool["function"]["name"])?;
        ensure_object_schema(
            &format!("Invalid schema for 'tools[{index}].function'"),
            &tool["function"]["parameters"],
        )?;
    }
    let names = items(tools).iter().filter_map(|tool| tool["function"]["name"].as_str());
    ensure_unique("Invalid 'tools': function names", names)
}

fn validate_messages(messages: &[Value]) -> Checked {
    ensure(!messages.is_empty(), || "Invalid 'messages': empty array.".to_owned())?;
    let mut waiting: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let place = format!("messages[{index}]");
        let role = message["role"].as_str().unwrap_or_default();
        ensure(role == "tool" || waiting.is_empty(), || unanswered(&waiting))?;
        match role {
            "system" | "developer" => ensure(message["content"].is_string(), || {
                format!("Invalid value for 'content': {place} expected a string")
            })?,
            "user" => validate_content(&place, &message["content"])?,
            "assistant" => waiting = validate_assistant(&place, message)?,
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                ensure(waiting.contains(&id), || {
                    format!(
                        "Invalid parameter: {place}: messages with role 'tool' must be a response to a \
                         preceding message with 'tool_calls'."
                    )
                })?;
                ensure(message["content"].is_string(), || format!("{place}.content: expected a string"))?;
                waiting.retain(|it| *it != id);
            }
            _ => ensure(false, || format!("Invalid value: '{role}' in {place}.role"))?,
        }
    }
    ensure(waiting.is_empty(), || unanswered(&waiting))
}

fn unanswered(waiting: &[&str]) -> String {
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
         'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        waiting.join(", ")
    )
}

/// Gives the ids of the calls.
fn validate_assistant<'a>(place: &str, message: &'a Value) -> Result<Vec<&'a str>, Refusal> {
    let calls = items(&message["tool_calls"]);
    ensure(message["content"].is_string() || !calls.is_empty(), || {
        format!("Invalid value for 'content': expected a string, got null in {place}")
    })?;
    let mut ids = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let place = format!("{place}.tool_calls[{index}]");
        let id = call["id"].as_str().unwrap_or_default();
        ensure((1..=MAX_ID_BYTES).contains(&id.len()), || {
            format!(
                "Invalid '{place}.id': string too long. Expected a string with maximum length {MAX_ID_BYTES}"
            )
        })?;
        ensure(call["type"] == "function", || format!("Invalid value: '{place}.type'"))?;
        ensure_tool_name(&format!("Invalid '{place}.function.name'"), &call["function"]["name"])?;
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        ensure(serde_json::from_str::<Value>(arguments).is_ok_and(|it| it.is_object()), || {
            format!("{place}.function.arguments: not a JSON object")
        })?;
        ids.push(id);
    }
    ensure_unique(&format!("{place}.tool_calls ids"), ids.iter().copied())?;
    Ok(ids)
}

fn validate_content(place: &str, content: &Value) -> Checked {
    if content.is_string() {
        return Ok(());
    }
    ensure(!items(content).is_empty(), || format!("Invalid value for 'content' in {place}"))?;
    for (index, part) in items(content).iter().enumerate() {
        let place = format!("{place}.content[{index}]");
        match part["type"].as_str() {
            Some("text") => {
                ensure(part["text"].is_string(), || format!("Missing required parameter: '{place}.text'"))?
            }
            Some("image_url") => {
                let url = part["image_url"]["url"].as_str().unwrap_or_default();
                let data = url.strip_prefix("data:image/").and_then(|it| it.split_once(";base64,"));
                ensure(data.is_some(), || {
                    format!("Invalid '{place}.image_url.url': not a data URL of an image")
                })?;
                ensure_base64(&place, data.map(|(_, data)| data).unwrap_or_default())?;
            }
            other => ensure(false, || format!("Invalid value: {other:?} in {place}.type"))?,
        }
    }
    Ok(())
}
