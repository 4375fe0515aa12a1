//! Where tools come in: what is offered to the model, whether a call may run, what its owner is shown, and
//! running it. The driver knows only this; `workbench` is the real thing.

use code::{Host, Recorded};
use futures::future::BoxFuture;
use jiff::Timestamp;
use policy::Taint;
use protocol::{
    Approved, AskedCall, Call, CallId, CallResult, Foreseen, Judgement, Program, SessionKey, ToolDefinition,
};
use store::TurnRef;

/// Where calls are made, and what the conversation already holds.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The turn.
    pub at: TurnRef,
    /// What came into the conversation before.
    pub taint: Taint,
    /// Whether a program asked for them: it is told results as data where a tool has such.
    pub program: bool,
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
    /// The tools a session's model is offered, who may be able to write programs.
    fn offered<'a>(
        &'a self,
        session: &'a SessionKey,
        writes_programs: bool,
    ) -> BoxFuture<'a, Vec<ToolDefinition>>;

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

    /// Checks the program a call hands in. The error tells the model what to put right.
    fn check<'a>(&'a self, scene: &'a Scene, call: &'a Call) -> BoxFuture<'a, Result<Program, String>>;

    /// Where programs run.
    fn host(&self) -> Host;

    /// What a program seems about to do after what it waits for: a trial run with made-up results.
    fn foresee<'a>(
        &'a self,
        program: &'a code::Program,
        recorded: &'a Recorded,
    ) -> BoxFuture<'a, Vec<Foreseen>>;

    /// The model has begun to write a call of this tool.
    fn expect(&self, tool: &str);

    /// Takes a rule the owner made with a decision.
    fn learn(&self, rule: &str);

    /// Gives up a rule the owner made with a decision and took back: it counts no more from now on.
    fn forget(&self, rule: &str);
}
