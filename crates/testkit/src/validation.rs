//! What the dialects' checks share: the words of a refusal and the shapes both vendors insist on.

use serde_json::Value;
use std::collections::HashSet;

/// Why a request is turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) message: String,
}

/// What a check gives.
pub(crate) type Checked = Result<(), Refusal>;

/// Turns a request away with status 400 unless the condition holds.
pub(crate) fn ensure(condition: bool, message: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { Err(Refusal { status: 400, message: message() }) }
}

/// Tool names are `^[a-zA-Z0-9_-]{1,64}$` for both vendors.
pub(crate) fn ensure_tool_name(place: &str, name: &Value) -> Checked {
    let is_good = name.as_str().is_some_and(|name| {
        (1..=64).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    });
    ensure(is_good, || format!("{place}: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$', got {name}"))
}

/// No two of the names are the same.
pub(crate) fn ensure_unique<'a>(place: &str, names: impl Iterator<Item = &'a str>) -> Checked {
    let mut seen = HashSet::new();
    for name in names {
        ensure(seen.insert(name), || format!("{place} must be unique: {name}"))?;
    }
    Ok(())
}

/// Bytes in base64, and at least one.
pub(crate) fn ensure_base64(place: &str, data: &str) -> Checked {
    let body = data.trim_end_matches('=');
    let is_good = !data.is_empty()
        && data.len().is_multiple_of(4)
        && data.len() - body.len() <= 2
        && body.chars().all(|c| c.is_ascii_alphanumeric() || c == '+' || c == '/');
    ensure(is_good, || format!("{place}: invalid base64 data"))
}

/// A tool's input is described by an object schema.
pub(crate) fn ensure_object_schema(place: &str, schema: &Value) -> Checked {
    ensure(schema["type"] == "object", || format!("{place}: Input should be an object schema, got {schema}"))
}

/// The items of an array, or none.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
