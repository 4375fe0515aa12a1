//! How a turn moves: one fact in, the new state and the effects it calls for out.

use crate::{
    effect::Effect,
    state::{OpenCall, Phase, Stage, Steered, Turn},
};
use jiff::Timestamp;
use protocol::{
    ApprovalId, Approved, AskedCall, Block, Call, CallId, CallResult, CallStatus, ClientCall, Decision, Fact,
    Judgement, Message, Outcome, Trigger, TurnId, TurnLimits, Usage, Verdict,
};

/// How many calls of one answer are considered. A model that proposes more is confused or hostile; the
/// rest are answered with an error it can read.
const MAX_CALLS_PER_ANSWER: usize = 64;

/// How often one model call may be begun without coming to an end. A process that dies this often over the
/// same question would die over it for ever.
const MAX_UNANSWERED_ATTEMPTS: u32 = 50;

/// Takes one fact into the turn. Total: a fact that makes no sense now changes nothing.
pub fn step(mut turn: Turn, fact: &Fact) -> (Turn, Vec<Effect>) {
    let effects = match fact {
        Fact::TurnStarted { trigger, limits } => turn.start(trigger, *limits),
        Fact::ModelAsked { attempt, .. } => turn.asked(*attempt),
        Fact::ModelDone { blocks, usage, .. } => turn.answered(blocks, *usage),
        Fact::ModelFailed { error, partial } => {
            turn.cut_short(partial, Outcome::Failed { error: error.clone() })
        }
        Fact::CallsJudged { judgements } => turn.judged(judgements),
        Fact::ApprovalRequested { approval, calls, expires_at, .. } => {
            turn.on_screen(*approval, calls, *expires_at)
        }
        Fact::ApprovalDecided { approval, decisions, .. } => turn.decided(*approval, decisions),
        Fact::ClientAsked { calls } => turn.handed_over(calls),
        Fact::CallStarted { call } => turn.call_started(*call),
        Fact::CallDone { result } => turn.call_done(result),
        Fact::ProgramStarted { call, .. } => turn.program_started(*call),
        Fact::ProgramAsked { program, calls, told, .. } => turn.program_asked(*program, calls, *told),
        Fact::ProgramEnded { program, .. } => turn.program_ended(*program),
        Fact::TurnSteered { message, trigger } => turn.steer(*message, trigger),
        Fact::TurnAborted { partial } => turn.abort(partial),
        Fact::TurnFinished { outcome } => turn.finish(outcome),
        Fact::HistoryCut { kept } => {
            turn.kept = Some(*kept);
            Vec::new()
        }
        // What happens at the doors is no turn's concern.
        Fact::AuthAccepted { .. }
        | Fact::AuthRefused { .. }
        | Fact::AuthRotated
        | Fact::Noticed { .. }
        | Fact::TaskChanged { .. } => Vec::new(),
    };
    (turn, effects)
}

impl Turn {
    fn start(&mut self, trigger: &Trigger, limits: TurnLimits) -> Vec<Effect> {
        if self.phase != Phase::Idle {
            return Vec::new();
        }
        self.limits = limits;
        self.model.clone_from(&trigger.model);
        self.kind = trigger.kind;
        self.brings_history = !trigger.history.is_empty();
        self.messages.clone_from(&trigger.history);
        self.messages.push(Message::user(trigger.content.clone()));
        self.think()
    }

    fn asked(&mut self, attempt: u32) -> Vec<Effect> {
        if self.phase != Phase::Thinking {
            return Vec::new();
        }
        self.tally.attempts = self.tally.attempts.max(attempt);
        let unanswered = self.tally.attempts.saturating_sub(self.tally.iterations);
        if unanswered <= MAX_UNANSWERED_ATTEMPTS {
            return Vec::new();
        }
        let tried = unanswered - 1;
        self.close(Outcome::LimitReached {
            reason: format!("given up after {tried} attempts that were cut off before the model answered"),
        })
    }

    fn answered(&mut self, blocks: &[Block], usage: Usage) -> Vec<Effect> {
        if self.phase != Phase::Thinking {
            return Vec::new();
        }
        self.tally.iterations += 1;
        self.tally.usage += usage;
        if !blocks.is_empty() {
            self.messages.push(Message::assistant(blocks.to_vec()));
        }
        let called = |block: &Block| {
            if let Block::Call(call) = block { Some(OpenCall::new(call, None)) } else { None }
        };
        self.calls = blocks.iter().filter_map(called).collect();
        if self.calls.is_empty() {
            return self.after_answer();
        }
        self.phase = Phase::Acting;
        let mut effects = Vec::new();
        for open in self.calls.iter_mut().skip(MAX_CALLS_PER_ANSWER) {
            effects.push(open.refuse(format!("at most {MAX_CALLS_PER_ANSWER} calls can be made at once")));
        }
        let calls = self.calls_at(|stage| *stage == Stage::Proposed);
        effects.insert(0, Effect::Judge { calls });
        effects
    }

    /// The model's call did not come to its end: what it had said is kept as far as it can be replayed.
    fn cut_short(&mut self, partial: &[Block], outcome: Outcome) -> Vec<Effect> {
        if self.phase != Phase::Thinking {
            return Vec::new();
        }
        let text = Block::text_of(partial);
        if !text.is_empty() {
            self.messages.push(Message::assistant(vec![Block::Text { text }]));
        }
        self.close(outcome)
    }

    fn judged(&mut self, judgements: &[Judgement]) -> Vec<Effect> {
        if self.phase != Phase::Acting {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for judgement in judgements {
            let Some(open) = self.open_call(judgement.call, |stage| *stage == Stage::Proposed) else {
                continue;
            };
            open.repeatable = judgement.repeatable;
            match &judgement.verdict {
                Verdict::Allow => open.stage = Stage::Queued,
                Verdict::Deny { reason } => effects.push(open.refuse(reason.clone())),
                Verdict::Ask { .. } => open.stage = Stage::ToAsk,
                Verdict::Client { risk, reason } => {
                    open.stage = Stage::ToHandOver { risk: *risk, reason: reason.clone() };
                }
            }
        }
        effects.extend(self.start_queued());
        effects.extend(self.await_client());
        effects.extend(self.asks());
        effects
    }

    fn on_screen(&mut self, approval: ApprovalId, calls: &[AskedCall], expires_at: Timestamp) -> Vec<Effect> {
        for asked in calls {
            if let Some(open) = self.open_call(asked.call, |stage| *stage == Stage::ToAsk) {
                open.stage = Stage::Asked(approval);
                open.approved =
                    Some(Approved { approval, fingerprint: asked.fingerprint.clone(), expires_at });
            }
        }
        Vec::new()
    }

    fn decided(&mut self, approval: ApprovalId, decisions: &[Decision]) -> Vec<Effect> {
        if self.phase != Phase::Acting {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for decision in decisions {
            let Some(open) = self.open_call(decision.call, |stage| *stage == Stage::Asked(approval)) else {
                continue;
            };
            match decision.approved {
                true => open.stage = Stage::Queued,
                false => effects
                    .push(open.refuse(decision.reason.clone().unwrap_or_else(|| "the owner said no".into()))),
            }
        }
        effects.extend(self.start_queued());
        effects
    }

    fn handed_over(&mut self, calls: &[ClientCall]) -> Vec<Effect> {
        for handed in calls {
            if let Some(open) =
                self.open_call(handed.call.id, |stage| matches!(stage, Stage::ToHandOver { .. }))
            {
                open.stage = Stage::HandedOver;
            }
        }
        Vec::new()
    }

    fn call_started(&mut self, call: CallId) -> Vec<Effect> {
        if self.phase == Phase::Acting
            && let Some(open) = self.open_call(call, |stage| *stage == Stage::Allowed)
        {
            open.stage = Stage::Started;
        }
        Vec::new()
    }

    fn call_done(&mut self, result: &CallResult) -> Vec<Effect> {
        if !matches!(self.phase, Phase::Acting | Phase::Stopping) {
            return Vec::new();
        }
        let Some(open) = self.open_call(result.call, |stage| !matches!(stage, Stage::Done(_))) else {
            return Vec::new();
        };
        open.stage = Stage::Done(result.clone());
        if let Some(program) = open.program {
            return self.told_of_call(program);
        }
        self.count_misfit(result);
        if !self.calls.iter().all(|open| matches!(open.stage, Stage::Done(_))) {
            return Vec::new();
        }
        let results = self.calls.drain(..).filter_map(OpenCall::into_result).map(Block::Result).collect();
        self.messages.push(Message::user(results));
        match self.phase {
            Phase::Stopping => self.close(Outcome::Aborted),
            _ => self.after_results(),
        }
    }

    fn steer(&mut self, message: TurnId, trigger: &Trigger) -> Vec<Effect> {
        if matches!(self.phase, Phase::Idle | Phase::Finished(_)) {
            return Vec::new();
        }
        self.steered.push(Steered { message, content: trigger.content.clone() });
        match &self.phase {
            // The last word was spoken, but not yet written down as the last: there is one more question.
            Phase::Closing(Outcome::Completed) => self.after_answer(),
            Phase::Closing(outcome) => self.close(outcome.clone()),
            _ => Vec::new(),
        }
    }

    fn abort(&mut self, partial: &[Block]) -> Vec<Effect> {
        match self.phase {
            Phase::Thinking => self.cut_short(partial, Outcome::Aborted),
            Phase::Acting => {
                self.phase = Phase::Stopping;
                self.stopping()
            }
            // Nothing is left to stop, but a message that joins now must not set the turn going again.
            Phase::Closing(Outcome::Completed) => self.close(Outcome::Aborted),
            _ => Vec::new(),
        }
    }

    fn finish(&mut self, outcome: &Outcome) -> Vec<Effect> {
        if !matches!(self.phase, Phase::Idle | Phase::Finished(_)) {
            self.phase = Phase::Finished(outcome.clone());
        }
        Vec::new()
    }

    /// The model said all it wanted; unless somebody joined meanwhile, that was it.
    fn after_answer(&mut self) -> Vec<Effect> {
        match self.steered.is_empty() {
            true => self.close(Outcome::Completed),
            false => self.after_results(),
        }
    }

    fn after_results(&mut self) -> Vec<Effect> {
        if let Some(reason) = self.misfit_limit() {
            return self.close(Outcome::LimitReached { reason });
        }
        if self.tally.iterations < self.limits.max_iterations {
            return self.think();
        }
        let steps = self.limits.max_iterations;
        self.close(Outcome::LimitReached {
            reason: format!("stopped after {steps} steps, the limit for one turn"),
        })
    }

    fn think(&mut self) -> Vec<Effect> {
        for steered in self.steered.drain(..) {
            match self.messages.last_mut().filter(|last| last.role == protocol::Role::User) {
                Some(last) => last.blocks.extend(steered.content),
                None => self.messages.push(Message::user(steered.content)),
            }
        }
        self.phase = Phase::Thinking;
        vec![Effect::AskModel { attempt: self.tally.attempts + 1 }]
    }

    pub(crate) fn close(&mut self, outcome: Outcome) -> Vec<Effect> {
        self.phase = Phase::Closing(outcome.clone());
        vec![self.finish_effect(outcome)]
    }

    pub(crate) fn finish_effect(&self, outcome: Outcome) -> Effect {
        Effect::Finish { outcome, requeue: self.steered.iter().map(|steered| steered.message).collect() }
    }

    pub(crate) fn open_call(&mut self, call: CallId, at: impl Fn(&Stage) -> bool) -> Option<&mut OpenCall> {
        self.calls.iter_mut().find(|open| open.call.id == call && at(&open.stage))
    }

    pub(crate) fn calls_at(&self, at: impl Fn(&Stage) -> bool) -> Vec<Call> {
        self.calls.iter().filter(|open| at(&open.stage)).map(|open| open.call.clone()).collect()
    }
}

impl OpenCall {
    pub(crate) fn new(call: &Call, program: Option<CallId>) -> Self {
        Self {
            call: call.clone(),
            stage: Stage::Proposed,
            repeatable: false,
            program,
            run: None,
            approved: None,
        }
    }

    pub(crate) fn allow(&mut self) -> Effect {
        self.stage = Stage::Allowed;
        self.run_effect()
    }

    pub(crate) fn run_effect(&self) -> Effect {
        Effect::RunCall { call: self.call.clone(), approved: self.approved.clone() }
    }

    fn refuse(&mut self, reason: String) -> Effect {
        let effect = self.denied(&reason);
        self.stage = Stage::Refused(reason);
        effect
    }

    pub(crate) fn denied(&self, reason: &str) -> Effect {
        let result = CallResult::new(self.call.id, CallStatus::Denied, format!("Denied: {reason}"));
        Effect::Settle { result }
    }

    /// What an aborted turn answers a call that has no result yet. A program is answered when its calls are.
    pub(crate) fn aborted(&self) -> Option<Effect> {
        let output = match &self.stage {
            Stage::Done(_) => return None,
            _ if self.run.is_some() => return None,
            Stage::Started | Stage::HandedOver => {
                "Aborted: the owner stopped this while it ran; it may have had an effect."
            }
            _ => "Aborted: the owner stopped the turn before this was run.",
        };
        Some(Effect::Settle { result: CallResult::new(self.call.id, CallStatus::Aborted, output) })
    }

    /// What the model is shown of it; a program's calls are told in the program's result.
    fn into_result(self) -> Option<CallResult> {
        match self.stage {
            Stage::Done(result) if self.program.is_none() => Some(result),
            _ => None,
        }
    }
}
