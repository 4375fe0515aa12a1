//! What happened in a turn. Facts are the inputs of the turn machine and the bodies of events: each is
//! written to the log before it is acted on, so a turn's state is always the fold of its facts.

use crate::{
    approval::{AskedCall, Decision},
    call::{Call, CallResult, Verdict},
    client::ClientCall,
    id::{ApprovalId, CallId, TurnId},
    message::Block,
    model::{ModelError, StopReason, Usage},
    notice::Notice,
    program::{Forecast, Program, ProgramEnd},
    trigger::Trigger,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One thing that happened in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Fact {
    /// The turn was taken from the inbox.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// What started it.
        trigger: Trigger,
        /// The limits in force for all of it.
        limits: TurnLimits,
    },
    /// A model call is about to be made. Attempts count up over the whole turn, restarts included.
    #[serde(rename = "model.asked")]
    ModelAsked {
        /// Which attempt this is, from 1.
        attempt: u32,
        /// The model asked, `provider/model`.
        model: String,
    },
    /// The model answered.
    #[serde(rename = "model.done")]
    ModelDone {
        /// The model that answered, `provider/model`.
        model: String,
        /// The answer, in order.
        blocks: Vec<Block>,
        /// Why it stopped.
        stop: StopReason,
        /// What it cost.
        usage: Usage,
    },
    /// The model call failed for good.
    #[serde(rename = "model.failed")]
    ModelFailed {
        /// How.
        error: ModelError,
        /// What had arrived before.
        partial: Vec<Block>,
    },
    /// Policy has spoken on calls that were proposed together.
    #[serde(rename = "calls.judged")]
    CallsJudged {
        /// One for each call.
        judgements: Vec<Judgement>,
    },
    /// The owner was asked about calls, on one screen.
    #[serde(rename = "approval.requested")]
    ApprovalRequested {
        /// The screen.
        approval: ApprovalId,
        /// The calls on it, as they are shown.
        calls: Vec<AskedCall>,
        /// When it counts as denied.
        expires_at: Timestamp,
        /// Whose calls these are, if a program asked for them, and what it seems about to do after them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forecast: Option<Forecast>,
    },
    /// The owner decided about some or all calls of a screen.
    #[serde(rename = "approval.decided")]
    ApprovalDecided {
        /// The screen.
        approval: ApprovalId,
        /// One for each call decided.
        decisions: Vec<Decision>,
        /// Who decided: a client, or the clock.
        by: String,
    },
    /// Calls were handed to the client that has their tools; each waits for its result.
    #[serde(rename = "client.asked")]
    ClientAsked {
        /// All calls handed over in one step.
        calls: Vec<ClientCall>,
    },
    /// A call is about to run: the intent.
    #[serde(rename = "call.started")]
    CallStarted {
        /// Which.
        call: CallId,
    },
    /// A call has its result: the outcome.
    #[serde(rename = "call.done")]
    CallDone {
        /// The result.
        result: CallResult,
    },
    /// A call hands in a program, which passed its check and is about to run.
    #[serde(rename = "program.started")]
    ProgramStarted {
        /// The call.
        call: CallId,
        /// The program.
        program: Program,
    },
    /// A program asks for calls, and can do nothing more until it is told what came of one.
    #[serde(rename = "program.asked")]
    ProgramAsked {
        /// The call that handed the program in.
        program: CallId,
        /// What it asks for, in its order.
        calls: Vec<Call>,
        /// How many results it had been told by then. It is told them one by one, in the order of the log.
        told: u32,
        /// What it wrote to its console meanwhile.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        console: String,
    },
    /// A program has come to its end. Its call has its result as soon as all calls it asked for have theirs.
    #[serde(rename = "program.ended")]
    ProgramEnded {
        /// The call that handed the program in.
        program: CallId,
        /// How it ended.
        #[serde(flatten)]
        end: ProgramEnd,
        /// What it wrote to its console meanwhile.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        console: String,
    },
    /// A message joined the running turn.
    #[serde(rename = "turn.steered")]
    TurnSteered {
        /// The turn the message would have started by itself, and starts after all if this one ends unsaid.
        message: TurnId,
        /// What was said.
        trigger: Trigger,
    },
    /// The owner stopped the turn.
    #[serde(rename = "turn.aborted")]
    TurnAborted {
        /// What the model had said in the call that was cut.
        partial: Vec<Block>,
    },
    /// Somebody was let in at a door. Like the two below it belongs to no turn.
    #[serde(rename = "auth.accepted")]
    AuthAccepted {
        /// Which door, and how: `ws by token`, `link`, ….
        door: String,
    },
    /// Somebody was turned away at a door.
    #[serde(rename = "auth.refused")]
    AuthRefused {
        /// Which door.
        door: String,
        /// Why.
        reason: String,
    },
    /// The token was replaced; whoever was in by the old one is out.
    #[serde(rename = "auth.rotated")]
    AuthRotated,
    /// From the next turn on the model is shown only the latest of what was said before this one.
    #[serde(rename = "history.cut")]
    HistoryCut {
        /// How many messages before this turn stay in view.
        kept: usize,
    },
    /// The owner was told something in this conversation, outside of any turn.
    #[serde(rename = "notice")]
    Noticed {
        /// What.
        notice: Notice,
    },
    /// A standing order of this conversation became something else: `active`, `paused`, `completed`, `cancelled`.
    /// It belongs to no turn.
    #[serde(rename = "task.changed")]
    TaskChanged {
        /// What it is now.
        status: String,
        /// Why, if somebody said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The turn is over; nothing follows.
    #[serde(rename = "turn.finished")]
    TurnFinished {
        /// How it ended.
        outcome: Outcome,
    },
}

impl Fact {
    /// The version new facts are written with; older ones are upcast when read.
    pub const VERSION: u32 = 1;

    /// The event kind, such as `model.done`.
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::TurnStarted { .. } => "turn.started",
            Fact::ModelAsked { .. } => "model.asked",
            Fact::ModelDone { .. } => "model.done",
            Fact::ModelFailed { .. } => "model.failed",
            Fact::CallsJudged { .. } => "calls.judged",
            Fact::ApprovalRequested { .. } => "approval.requested",
            Fact::ApprovalDecided { .. } => "approval.decided",
            Fact::ClientAsked { .. } => "client.asked",
            Fact::CallStarted { .. } => "call.started",
            Fact::CallDone { .. } => "call.done",
            Fact::ProgramStarted { .. } => "program.started",
            Fact::ProgramAsked { .. } => "program.asked",
            Fact::ProgramEnded { .. } => "program.ended",
            Fact::TurnSteered { .. } => "turn.steered",
            Fact::TurnAborted { .. } => "turn.aborted",
            Fact::TurnFinished { .. } => "turn.finished",
            Fact::AuthAccepted { .. } => "auth.accepted",
            Fact::AuthRefused { .. } => "auth.refused",
            Fact::AuthRotated => "auth.rotated",
            Fact::HistoryCut { .. } => "history.cut",
            Fact::Noticed { .. } => "notice",
            Fact::TaskChanged { .. } => "task.changed",
        }
    }
}

/// The limits a turn runs under, fixed when it starts so that replay decides alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLimits {
    /// How many model calls may succeed in one turn.
    pub max_iterations: u32,
}

/// Policy's word on one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Which call.
    pub call: CallId,
    /// What policy says.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether running the call twice does no more than running it once, so that a crash in between needs
    /// no question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Outcome {
    /// The model had its last word.
    Completed,
    /// The owner stopped it.
    Aborted,
    /// A limit ended it.
    LimitReached {
        /// Which, in plain words.
        reason: String,
    },
    /// The model could not be asked.
    Failed {
        /// Why.
        error: ModelError,
    },
}
