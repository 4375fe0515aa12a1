//! Tools that a client has and runs itself: how it declares them, and what it is handed.

use crate::call::{Call, Risk};
use serde::{Deserialize, Serialize};

/// The longest name of a tool: providers accept no longer ones.
const MAX_NAME_CHARS: usize = 64;

/// A tool of a client's. The model is offered it; the client runs it and is the one that asks its user first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientTool {
    /// Its name: letters, digits, `_`, `.` and `-`.
    pub name: String,
    /// What it does, for the model to read.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the input; an object schema.
    pub input_schema: serde_json::Value,
    /// How dangerous it is; risky unless the client says otherwise.
    #[serde(default = "risky")]
    pub risk: Risk,
}

fn risky() -> Risk {
    Risk::Risky
}

impl ClientTool {
    /// Whether it can be offered to a model. The error says in plain words what to put right.
    pub fn check(&self) -> Result<(), String> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        if !(1..=MAX_NAME_CHARS).contains(&self.name.len()) || !self.name.bytes().all(fits) {
            return Err(format!(
                "{:?} is not a tool name: it must have 1 to {MAX_NAME_CHARS} letters, digits, `_`, `.` or `-`",
                self.name
            ));
        }
        match self.input_schema.get("type").and_then(serde_json::Value::as_str) {
            Some("object") => Ok(()),
            _ => Err(format!(
                "the input schema of `{}` must describe an object: set its `type` to `object`",
                self.name
            )),
        }
    }
}

/// A call as it is handed to the client that is to run it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientCall {
    /// The call.
    pub call: Call,
    /// How dangerous it is.
    pub risk: Risk,
    /// Why it is wanted, in plain words, safe to show.
    pub reason: String,
}
