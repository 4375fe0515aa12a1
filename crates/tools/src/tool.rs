//! The contract every tool keeps: its name, what it takes, what it may bring or do, and doing it.
//!
//! How a call is judged and recorded is left to others; `typed` spares an author most of this.

use crate::context::ToolContext;
use futures::future::BoxFuture;
use protocol::{Attachment, CallId, CallResult, CallStatus, Labels};
use serde::Serialize;
use serde_json::Value;

/// Something the assistant can do. Failures are outputs, never panics; dropping the future stops the work.
pub trait Tool: Send + Sync + 'static {
    /// The dotted name, such as `memory.search`.
    fn name(&self) -> &str;

    /// What it does, for the model to read.
    fn description(&self) -> &str;

    /// JSON Schema of the input; an object schema.
    fn input_schema(&self) -> Value;

    /// JSON Schema of the output where it is JSON, for programs that call tools.
    fn output_schema(&self) -> Option<Value> {
        None
    }

    /// What this call may bring in, see or touch.
    fn labels(&self, input: &Value) -> Labels;

    /// What a call would do, for the owner to read.
    fn present(&self, input: &Value) -> Presentation;

    /// Does it. The input has been checked against the schema.
    fn execute<'a>(&'a self, input: Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput>;
}

/// A call as it is put to the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presentation {
    /// A few words.
    pub title: String,
    /// Everything that matters, in full.
    pub detail: String,
}

impl Presentation {
    /// A title with its detail.
    pub fn new(title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { title: title.into(), detail: detail.into() }
    }
}

/// What a tool gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub output: String,
    /// Pictures and files.
    pub attachments: Vec<Attachment>,
    /// The same as data. A tool that has an output schema always sets it when it did what was asked.
    pub value: Option<Value>,
    /// A command's exit code.
    pub exit_code: Option<i32>,
    /// Whether the output was cut to fit a limit.
    pub truncated: bool,
    /// How it ended.
    pub status: CallStatus,
    /// Whether it holds words of strangers, though the tool's calls usually bring none.
    pub untrusted: bool,
}

impl ToolOutput {
    /// It went well, and this is what the model reads.
    pub fn text(output: impl Into<String>) -> Self {
        Self {
            output: output.into(),
            attachments: Vec::new(),
            value: None,
            exit_code: None,
            truncated: false,
            status: CallStatus::Succeeded,
            untrusted: false,
        }
    }

    /// It could not be done, and this tells the model why.
    pub fn failed(why: impl Into<String>) -> Self {
        Self { status: CallStatus::Failed, ..Self::text(why) }
    }

    /// The same with what a program is given: no more than the text says, and cut where that is cut.
    pub fn with(mut self, value: &impl Serialize) -> Self {
        // What is plain data can always be put as JSON.
        self.value = serde_json::to_value(value).ok();
        self
    }

    /// The same with the note that something was cut.
    pub fn truncated(mut self, truncated: bool) -> Self {
        self.truncated = truncated;
        self
    }

    /// As the result of a call.
    pub fn into_result(self, call: CallId) -> CallResult {
        CallResult {
            call,
            status: self.status,
            output: self.output,
            attachments: self.attachments,
            value: self.value,
            exit_code: self.exit_code,
            truncated: self.truncated,
            untrusted: self.untrusted,
            private: false,
        }
    }
}

/// Lets a tool use `?` on what the model can put right.
impl From<Result<ToolOutput, String>> for ToolOutput {
    fn from(result: Result<ToolOutput, String>) -> Self {
        result.unwrap_or_else(ToolOutput::failed)
    }
}
