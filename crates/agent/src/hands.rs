//! Where tools come in: what is offered to the model, whether a call may run, what its owner is shown, and
//! running it. The driver knows only this; `workbench` is the real thing.

use futures::future::BoxFuture;
use jiff::Timestamp;
use policy::Taint;
use protocol::{
    Approved, AskedCall, Call, CallId, CallResult, CallStatus, Judgement, SessionKey, ToolDefinition,
};
use store::TurnRef;

/// Where calls are made, and what the conversation already holds.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The turn.
    pub at: TurnRef,
    /// What came into the conversation before.
    pub taint: Taint,
}

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
    fn judge<'a>(&'a self, scene: &'a Scene, calls: &'a [Call]) -> BoxFuture<'a, Vec<Judged>>;

    /// What the owner is shown of calls that are asked together, bound to what would run now.
    fn show<'a>(
        &'a self,
        scene: &'a Scene,
        calls: &'a [Call],
        expires_at: Timestamp,
    ) -> BoxFuture<'a, Vec<AskedCall>>;

    /// Runs one call, if what runs is still what was allowed or approved. Dropping the future stops it.
    fn run<'a>(
        &'a self,
        scene: &'a Scene,
        call: &'a Call,
        approved: Option<&'a Approved>,
    ) -> BoxFuture<'a, CallResult>;

    /// Takes a rule the owner made.
    fn learn(&self, rule: &str);
}

/// No tools at all: whatever the model calls does not exist.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHands;

impl Hands for NoHands {
    fn offered(&self, _session: &SessionKey) -> Vec<ToolDefinition> {
        Vec::new()
    }

    fn judge<'a>(&'a self, _scene: &'a Scene, calls: &'a [Call]) -> BoxFuture<'a, Vec<Judged>> {
        Box::pin(async move { calls.iter().map(|call| Judged::Senseless(no_such_tool(call))).collect() })
    }

    fn show<'a>(
        &'a self,
        _scene: &'a Scene,
        _calls: &'a [Call],
        _expires_at: Timestamp,
    ) -> BoxFuture<'a, Vec<AskedCall>> {
        Box::pin(async { Vec::new() })
    }

    fn run<'a>(
        &'a self,
        _scene: &'a Scene,
        call: &'a Call,
        _approved: Option<&'a Approved>,
    ) -> BoxFuture<'a, CallResult> {
        Box::pin(async move { no_such_tool(call) })
    }

    fn learn(&self, _rule: &str) {}
}

fn no_such_tool(call: &Call) -> CallResult {
    let output = format!("There is no tool named `{}`.", call.tool);
    CallResult::new(call.id, CallStatus::Failed, output)
}
