//! The state of a turn: a fold over its facts, nothing else. How it moves is in `step`.

use crate::{effect::Effect, program::Run};
use protocol::{
    ApprovalId, Approved, Block, Call, CallId, CallResult, ClientCall, Message, Outcome, Risk, TriggerKind,
    TurnId, TurnLimits, Usage,
};

/// One turn, from its trigger to its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub(crate) phase: Phase,
    pub(crate) limits: TurnLimits,
    pub(crate) tally: Tally,
    /// What was said in this turn, as the model is shown it.
    pub(crate) messages: Vec<Message>,
    /// Whether the trigger brought the earlier messages along, so that `messages` begins with them.
    pub(crate) brings_history: bool,
    /// Messages that joined and wait for the next model call.
    pub(crate) steered: Vec<Steered>,
    /// The calls of the model's latest answer, in its order, then those of its programs.
    pub(crate) calls: Vec<OpenCall>,
    /// The model the trigger asked for.
    pub(crate) model: Option<String>,
    /// What kind of thing started it.
    pub(crate) kind: TriggerKind,
    /// How many messages before it stay in view after it, if that was said in it.
    pub(crate) kept: Option<usize>,
}

/// What is counted in a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tally {
    /// Model calls begun, answered or not.
    pub attempts: u32,
    /// Model calls answered.
    pub iterations: u32,
    /// What they cost.
    pub usage: Usage,
    /// Programs in a row that did not pass their check.
    pub misfits: u32,
}

/// Where a turn stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Phase {
    /// No trigger yet.
    Idle,
    /// The model is being asked.
    Thinking,
    /// Calls are being judged, asked and run.
    Acting,
    /// Aborted while calls were open; they are being settled.
    Stopping,
    /// All is done but for writing down that it is.
    Closing(Outcome),
    /// Over.
    Finished(Outcome),
}

/// A message that joined the turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Steered {
    pub message: TurnId,
    pub content: Vec<Block>,
}

/// A call on its way from proposal to result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenCall {
    pub call: Call,
    pub stage: Stage,
    pub repeatable: bool,
    /// The program that asked for it; none if the model did.
    pub program: Option<CallId>,
    /// How far the program has come that it handed in, if it did.
    pub run: Option<Run>,
    /// The approval it was put on, which it runs under once the owner said yes.
    pub approved: Option<Approved>,
}

/// How far a call has come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stage {
    /// The model wants it.
    Proposed,
    /// Policy wants the owner asked; the screen is not up yet.
    ToAsk,
    /// On a screen before the owner.
    Asked(ApprovalId),
    /// A client is to run it, and has not been told yet.
    ToHandOver { risk: Risk, reason: String },
    /// A client has it; its result comes from there.
    HandedOver,
    /// It may run, but enough others of its program do.
    Queued,
    /// It may run.
    Allowed,
    /// It does not run; the result that says so is not written yet.
    Refused(String),
    /// It runs.
    Started,
    /// It has its result.
    Done(CallResult),
}

impl Default for Turn {
    fn default() -> Self {
        Self {
            phase: Phase::Idle,
            limits: TurnLimits { max_iterations: 0 },
            tally: Tally::default(),
            messages: Vec::new(),
            brings_history: false,
            steered: Vec::new(),
            calls: Vec::new(),
            model: None,
            kind: TriggerKind::Message,
            kept: None,
        }
    }
}

impl Turn {
    /// A turn in which nothing has happened yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was said in this turn so far, to be sent to the model after the session's earlier messages, unless the
    /// turn brings its own.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What kind of thing started it.
    pub fn kind(&self) -> TriggerKind {
        self.kind
    }

    /// How many of the messages before this turn stay in view after it; all that fit if nothing was said of it.
    pub fn kept(&self) -> Option<usize> {
        self.kept
    }

    /// Whether the trigger brought the earlier messages along: `messages` begins with them, and they stand in place
    /// of the session's own.
    pub fn brings_history(&self) -> bool {
        self.brings_history
    }

    /// The model this turn's trigger asked for, if it named one.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// What the turn has cost so far.
    pub fn usage(&self) -> Usage {
        self.tally.usage
    }

    /// How the turn ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.phase {
            Phase::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Whether the model's answer is what the turn waits for.
    pub fn awaits_model(&self) -> bool {
        self.phase == Phase::Thinking
    }

    /// How the turn is to be ended, as it stands now: what came after the wish to end it may have changed how,
    /// or whether at all.
    pub fn closing(&self) -> Option<Effect> {
        match &self.phase {
            Phase::Closing(outcome) => Some(self.finish_effect(outcome.clone())),
            _ => None,
        }
    }

    /// Whether this call still lacks its result.
    pub fn is_open(&self, call: CallId) -> bool {
        self.calls.iter().any(|open| open.call.id == call && !matches!(open.stage, Stage::Done(_)))
    }

    /// Whether this call was started and has no result yet: the only time it may act.
    pub fn is_running(&self, call: CallId) -> bool {
        self.phase == Phase::Acting
            && self.calls.iter().any(|open| open.call.id == call && open.stage == Stage::Started)
    }

    /// Whether this call handed in a program that runs and has not ended: the only time it may be run on.
    pub fn is_live(&self, program: CallId) -> bool {
        let live = |open: &OpenCall| open.run.as_ref().is_some_and(|run| !run.ended);
        self.is_running(program) && self.calls.iter().any(|open| open.call.id == program && live(open))
    }

    /// The calls that wait for policy's word.
    pub fn unjudged(&self) -> Vec<CallId> {
        match self.phase {
            Phase::Acting => {
                self.calls_at(|stage| *stage == Stage::Proposed).iter().map(|call| call.id).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The hand-over that is called for as the turn stands now: what came after the wish to make it may have
    /// changed that.
    pub fn await_client(&self) -> Option<Effect> {
        let handed = |open: &OpenCall| match &open.stage {
            Stage::ToHandOver { risk, reason } if !self.is_left_behind(open) => {
                Some(ClientCall { call: open.call.clone(), risk: *risk, reason: reason.clone() })
            }
            _ => None,
        };
        let calls: Vec<ClientCall> = self.calls.iter().filter_map(handed).collect();
        (self.phase == Phase::Acting && !calls.is_empty()).then_some(Effect::AwaitClient { calls })
    }

    /// Whether a word from outside is the only thing that can move the turn on: the owner's decision, or a
    /// client's result.
    pub fn awaits_outside(&self) -> bool {
        let waits = |open: &OpenCall| match open.stage {
            Stage::Asked(_) | Stage::HandedOver | Stage::Done(_) => true,
            Stage::Started => self.is_quiet(open),
            _ => false,
        };
        self.phase == Phase::Acting && self.calls.iter().all(waits)
    }

    /// Whether this call is to be put to the owner, and is on no screen yet.
    pub fn is_to_ask(&self, call: CallId) -> bool {
        self.phase == Phase::Acting
            && self.calls.iter().any(|open| open.call.id == call && open.stage == Stage::ToAsk)
    }

    /// The program that asked for this call, if one did.
    pub fn program_of(&self, call: CallId) -> Option<CallId> {
        self.calls.iter().find(|open| open.call.id == call)?.program
    }

    /// Results that the model was not shown yet: of calls that ended while others of the same answer had not, and of
    /// a running program's.
    pub fn fresh_results(&self) -> impl Iterator<Item = &CallResult> {
        self.calls.iter().filter_map(|open| match &open.stage {
            Stage::Done(result) => Some(result),
            _ => None,
        })
    }
}
