//! What is done: a tool's definition as the model sees it, a call, the verdict on it, its result.

use crate::{id::CallId, message::Attachment};
use serde::{Deserialize, Serialize};

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The dotted name, such as `memory.search`. `models` spells it for each provider.
    pub name: String,
    /// What it does, for the model to read.
    pub description: String,
    /// JSON Schema of the input; always an object schema.
    pub input_schema: serde_json::Value,
}

/// What calls of a tool may bring in, see or touch. Policy draws its conclusions from these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Labels {
    /// The output may hold words of strangers.
    pub brings_untrusted: bool,
    /// The output may hold what is the owner's alone.
    pub reads_private: bool,
    /// It changes something or sends something out.
    pub acts_outside: bool,
    /// It changes what the assistant itself keeps: notes, standing orders.
    pub keeps: bool,
    /// Twice does no more than once.
    pub idempotent: bool,
}

impl Labels {
    /// Nothing of the kind, as a start for what a tool's calls do.
    pub const NONE: Self = Self {
        brings_untrusted: false,
        reads_private: false,
        acts_outside: false,
        keeps: false,
        idempotent: false,
    };
}

/// One tool call, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// This house's name for the call.
    pub id: CallId,
    /// The provider's name for it, replayed to the provider with call and result.
    pub wire_id: String,
    /// The tool's dotted name; it may name a tool that does not exist.
    pub tool: String,
    /// The arguments byte for byte as the model wrote them; it may not be valid JSON.
    pub arguments: String,
}

/// How dangerous a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Changes nothing and reveals nothing outside the house.
    Safe,
    /// Acts, or could; the owner may allow it.
    Risky,
    /// Never runs.
    Forbidden,
}

/// What policy says of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It may run.
    Allow,
    /// The owner is asked first.
    Ask {
        /// How dangerous it is.
        risk: Risk,
        /// Why it is asked, in plain words.
        reason: String,
    },
    /// The client that has the tool runs it, and asks its user if that is called for.
    Client {
        /// How dangerous it is.
        risk: Risk,
        /// Why it is wanted, in plain words.
        reason: String,
    },
    /// It does not run.
    Deny {
        /// Why, in plain words.
        reason: String,
    },
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The tool did what was asked.
    Succeeded,
    /// The tool says it could not.
    Failed,
    /// Policy or the owner said no; nothing was run.
    Denied,
    /// The process died while it ran: it may or may not have happened.
    Interrupted,
    /// The owner stopped the turn before it ended.
    Aborted,
}

/// What a call gave back. Every call gets exactly one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    /// The call this answers.
    pub call: CallId,
    /// How it ended.
    pub status: CallStatus,
    /// What the model reads.
    pub output: String,
    /// Pictures and files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The same as data, for the program that asked for it; only where the tool says what its output looks like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// A command's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Whether the output was cut to fit a limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Whether it may hold words of strangers. From then on every acting call of the conversation asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// Whether it may hold what is the owner's alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

impl CallResult {
    /// A result that is only text.
    pub fn new(call: CallId, status: CallStatus, output: impl Into<String>) -> Self {
        Self {
            call,
            status,
            output: output.into(),
            attachments: Vec::new(),
            value: None,
            exit_code: None,
            truncated: false,
            untrusted: false,
            private: false,
        }
    }

    /// What a client says of a call it ran. What it saw nobody here can know, so it counts as the words of
    /// strangers and as private.
    pub fn from_client(call: CallId, ok: bool, output: impl Into<String>) -> Self {
        let status = if ok { CallStatus::Succeeded } else { CallStatus::Failed };
        Self { untrusted: true, private: true, ..Self::new(call, status, output) }
    }

    /// Whether the model is told this as an error.
    pub fn is_error(&self) -> bool {
        self.status != CallStatus::Succeeded
    }
}
