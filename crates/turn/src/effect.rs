//! What a turn wants done. Effects are data: derived from facts, performed by `agent`, never stored.

use protocol::{Approved, Call, CallId, CallResult, ClientCall, Outcome, TurnId};

/// One thing to do. Each leads to a fact that is written and stepped in its turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the model for its next words about `Turn::messages`. Leads to `ModelAsked`, then `ModelDone` or
    /// `ModelFailed`.
    AskModel {
        /// Which attempt this is.
        attempt: u32,
    },
    /// Have policy judge these calls. Leads to `CallsJudged`, or straight to `CallDone` for a call that
    /// cannot be judged because its tool or its arguments make no sense.
    Judge {
        /// All calls the model proposed in one answer.
        calls: Vec<Call>,
    },
    /// Put these calls to the owner on one screen. Leads to `ApprovalRequested`.
    Ask {
        /// All calls asked in one step.
        calls: Vec<Call>,
        /// The program whose calls they are, if they are a program's.
        program: Option<CallId>,
    },
    /// Hand these calls to the client that has their tools. Leads to `ClientAsked`; each call's `CallDone` then
    /// comes as a signal.
    AwaitClient {
        /// All calls handed over in one step.
        calls: Vec<ClientCall>,
    },
    /// Run this call. Leads to `CallStarted`, written before anything is done, then `CallDone`.
    RunCall {
        /// The call.
        call: Call,
        /// The approval it runs under; none if policy let it run unasked.
        approved: Option<Approved>,
    },
    /// Run a program on, with whatever came of its calls since. Leads to `ProgramAsked` or `ProgramEnded`.
    RunProgram {
        /// The call that handed it in.
        program: CallId,
    },
    /// Record what came of a program. Leads to `CallDone` of the call that handed it in.
    CloseProgram {
        /// That call.
        program: CallId,
    },
    /// Record this result of a call that is not to be run. Leads to `CallDone`.
    Settle {
        /// The result.
        result: CallResult,
    },
    /// End the turn. Leads to `TurnFinished`.
    Finish {
        /// How it ended.
        outcome: Outcome,
        /// Messages that joined this turn and were never put to the model: they start turns of their own.
        requeue: Vec<TurnId>,
    },
}
