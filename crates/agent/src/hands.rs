//! Where tools come in: what is offered to the model, whether a call may run, and running it.

use futures::future::BoxFuture;
use protocol::{Call, CallId, CallResult, CallStatus, Judgement, SessionKey, ToolDefinition};

/// What came of judging a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Judged {
    /// Policy has spoken.
    Verdict(Judgement),
    /// The call makes no sense, and this tells the model why.
    Senseless(CallResult),
}

impl Judged {
    /// The call this is about.
    pub fn call(&self) -> CallId {
        match self {
            Judged::Verdict(judgement) => judgement.call,
            Judged::Senseless(result) => result.call,
        }
    }
}

/// The agent's hands. Failures are results; nothing here panics or throws.
pub trait Hands: Send + Sync + 'static {
    /// The tools a session's model is offered.
    fn offered(&self, session: &SessionKey) -> Vec<ToolDefinition>;

    /// Judges calls proposed together; one answer for each.
    fn judge<'a>(&'a self, session: &'a SessionKey, calls: &'a [Call]) -> BoxFuture<'a, Vec<Judged>>;

    /// Runs one call that may run. Dropping the future stops it.
    fn run<'a>(&'a self, session: &'a SessionKey, call: &'a Call) -> BoxFuture<'a, CallResult>;
}

/// No tools at all: whatever the model calls does not exist.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHands;

impl Hands for NoHands {
    fn offered(&self, _session: &SessionKey) -> Vec<ToolDefinition> {
        Vec::new()
    }

    fn judge<'a>(&'a self, _session: &'a SessionKey, calls: &'a [Call]) -> BoxFuture<'a, Vec<Judged>> {
        Box::pin(async move { calls.iter().map(|call| Judged::Senseless(no_such_tool(call))).collect() })
    }

    fn run<'a>(&'a self, _session: &'a SessionKey, call: &'a Call) -> BoxFuture<'a, CallResult> {
        Box::pin(async move { no_such_tool(call) })
    }
}

fn no_such_tool(call: &Call) -> CallResult {
    let output = format!("There is no tool named `{}`.", call.tool);
    CallResult::new(call.id, CallStatus::Failed, output)
}
