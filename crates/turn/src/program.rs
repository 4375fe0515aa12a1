//! Programs in a turn. A program is handed in by a call, asks for calls of its own, and is told what came of them one by
//! one, in the order of the log. What it computes is nobody's business here; what it asks for goes the way of every call.

use crate::{
    effect::Effect,
    state::{OpenCall, Phase, Stage, Turn},
};
use protocol::{Call, CallId, CallResult, CallStatus, RUN_CODE};
use std::collections::{HashMap, HashSet};

/// How many calls of one program run at a time. They are requests and processes: beyond this they slow each other down.
const MAX_PARALLEL_CALLS: usize = 32;

/// How often in a row the model is told what is wrong with a program before it has run.
const MAX_CORRECTIONS: u32 = 3;

/// How far a program has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// How many results it had been told when it last fell quiet; none before it first did.
    pub told: Option<usize>,
    /// Whether it has come to its end.
    pub ended: bool,
}

impl Turn {
    pub(crate) fn program_started(&mut self, call: CallId) -> Vec<Effect> {
        // One that was stopped before is settled like any call.
        let acting = self.phase == Phase::Acting;
        match self.open_call(call, |stage| *stage == Stage::Started) {
            Some(open) if acting && open.run.is_none() => open.run = Some(Run::default()),
            _ => return Vec::new(),
        }
        vec![Effect::RunProgram { program: call }]
    }

    pub(crate) fn program_asked(&mut self, program: CallId, calls: &[Call], told: u32) -> Vec<Effect> {
        let Some(run) = self.live_run(program) else { return Vec::new() };
        run.told = run.told.max(Some(told as usize));
        let known = |turn: &Turn, call: &Call| turn.calls.iter().any(|open| open.call.id == call.id);
        let calls: Vec<Call> = calls.iter().filter(|call| !known(self, call)).cloned().collect();
        self.calls.extend(calls.iter().map(|call| OpenCall::new(call, Some(program))));
        if self.phase == Phase::Stopping {
            // It asked before it knew.
            let asked = |open: &&OpenCall| calls.iter().any(|call| call.id == open.call.id);
            return self.calls.iter().filter(asked).filter_map(OpenCall::aborted).collect();
        }
        let mut effects = Vec::new();
        if !calls.is_empty() {
            effects.push(Effect::Judge { calls });
        }
        effects.extend(self.find(program).and_then(|open| self.run_on(open)));
        effects.extend(self.asks());
        effects
    }

    /// It wants nothing any more: what has not run does not run. What runs comes to its end first.
    pub(crate) fn program_ended(&mut self, program: CallId) -> Vec<Effect> {
        let acting = self.phase == Phase::Acting;
        let Some(run) = self.live_run(program).filter(|_| acting) else { return Vec::new() };
        run.ended = true;
        let mut effects: Vec<Effect> =
            self.calls_of(program).filter_map(|open| self.left_behind(open)).collect();
        effects.extend(self.find(program).and_then(|open| self.run_on(open)));
        effects
    }

    /// Whether the program that asked for a call has ended: it wants nothing any more.
    pub(crate) fn is_left_behind(&self, open: &OpenCall) -> bool {
        let program = open.program.and_then(|program| self.find(program));
        program.and_then(|program| program.run.as_ref()).is_some_and(|run| run.ended)
    }

    /// What is answered to a call whose program has ended. One that runs here is waited for.
    pub(crate) fn left_behind(&self, open: &OpenCall) -> Option<Effect> {
        let output = match &open.stage {
            Stage::Done(_) | Stage::Started => return None,
            _ if !self.is_left_behind(open) => return None,
            Stage::HandedOver => "The program ended before this did; it may have had an effect.",
            _ => "Not run: the program had ended.",
        };
        Some(Effect::Settle { result: CallResult::new(open.call.id, CallStatus::Aborted, output) })
    }

    /// One of its calls has its result.
    pub(crate) fn told_of_call(&mut self, program: CallId) -> Vec<Effect> {
        let mut effects: Vec<Effect> =
            self.find(program).and_then(|open| self.run_on(open)).into_iter().collect();
        if self.phase == Phase::Acting {
            effects.extend(self.start_queued());
        }
        effects
    }

    /// What a program's call wants done now: to be run on, to be closed, or nothing.
    pub(crate) fn run_on(&self, open: &OpenCall) -> Option<Effect> {
        let run = open.run.as_ref().filter(|_| open.stage == Stage::Started)?;
        let program = open.call.id;
        let over = run.ended || self.phase == Phase::Stopping;
        if over {
            let all_done = self.calls_of(program).all(|open| matches!(open.stage, Stage::Done(_)));
            return all_done.then_some(Effect::CloseProgram { program });
        }
        (self.phase == Phase::Acting && run.told != Some(self.results_of(program)))
            .then_some(Effect::RunProgram { program })
    }

    /// Whether what came of a program is to be recorded now: it is over, and each of its calls has its result.
    pub fn is_to_close(&self, program: CallId) -> bool {
        let effect = self.find(program).and_then(|open| self.run_on(open));
        matches!(effect, Some(Effect::CloseProgram { .. }))
    }

    /// Whether a program knows all there is to know, and waits.
    pub(crate) fn is_quiet(&self, open: &OpenCall) -> bool {
        open.run.as_ref().is_some_and(|run| !run.ended && run.told == Some(self.results_of(open.call.id)))
    }

    /// The screens that are called for as the turn stands now. The model's own calls are asked as soon as they are judged,
    /// a program's when nothing else can move it on, so that all of them stand on one screen.
    pub(crate) fn asks(&self) -> Vec<Effect> {
        let stuck = self.calls.iter().filter(|open| self.is_stuck(open)).map(|open| Some(open.call.id));
        let screen = |program: Option<CallId>| {
            let asked = |open: &&OpenCall| open.program == program && open.stage == Stage::ToAsk;
            let calls: Vec<Call> = self.calls.iter().filter(asked).map(|open| open.call.clone()).collect();
            (!calls.is_empty()).then_some(Effect::Ask { calls, program })
        };
        std::iter::once(None).chain(stuck).filter_map(screen).collect()
    }

    /// Whether a program is quiet and none of its calls will end without a word from outside.
    fn is_stuck(&self, open: &OpenCall) -> bool {
        let waits = |open: &OpenCall| {
            matches!(open.stage, Stage::ToAsk | Stage::Asked(_) | Stage::HandedOver | Stage::Done(_))
        };
        self.is_quiet(open) && self.calls_of(open.call.id).all(waits)
    }

    /// Starts what may run, as far as there is room for it: each program has its own.
    pub(crate) fn start_queued(&mut self) -> Vec<Effect> {
        let mut running: HashMap<CallId, usize> = HashMap::new();
        for open in &self.calls {
            if let (Some(program), Stage::Allowed | Stage::Started) = (open.program, &open.stage) {
                *running.entry(program).or_default() += 1;
            }
        }
        let mut effects = Vec::new();
        let ended: HashSet<CallId> =
            self.calls.iter().filter(|open| self.is_left_behind(open)).map(|open| open.call.id).collect();
        let queued = |open: &&mut OpenCall| open.stage == Stage::Queued && !ended.contains(&open.call.id);
        for open in self.calls.iter_mut().filter(queued) {
            if let Some(program) = open.program {
                let running = running.entry(program).or_default();
                if *running == MAX_PARALLEL_CALLS {
                    continue;
                }
                *running += 1;
            }
            effects.push(open.allow());
        }
        effects
    }

    /// What is left to do in a turn that was aborted while calls were open.
    pub(crate) fn stopping(&self) -> Vec<Effect> {
        let settled = self.calls.iter().filter_map(OpenCall::aborted);
        settled.chain(self.calls.iter().filter_map(|open| self.run_on(open))).collect()
    }

    /// Counts programs in a row that did not pass their check.
    pub(crate) fn count_misfit(&mut self, result: &CallResult) {
        let Some(open) = self.find(result.call).filter(|open| open.call.tool == RUN_CODE) else { return };
        match (&open.run, result.status) {
            (None, CallStatus::Failed) => self.tally.misfits += 1,
            (None, _) => {}
            (Some(_), _) => self.tally.misfits = 0,
        }
    }

    pub(crate) fn misfit_limit(&self) -> Option<String> {
        let tries = self.tally.misfits;
        (tries > MAX_CORRECTIONS).then(|| {
            format!(
                "stopped after {tries} programs in a row that do not fit the tools; nothing of them was run"
            )
        })
    }

    fn live_run(&mut self, program: CallId) -> Option<&mut Run> {
        let under_way = matches!(self.phase, Phase::Acting | Phase::Stopping);
        let open = self.open_call(program, |stage| *stage == Stage::Started)?;
        open.run.as_mut().filter(|run| under_way && !run.ended)
    }

    fn find(&self, call: CallId) -> Option<&OpenCall> {
        self.calls.iter().find(|open| open.call.id == call)
    }

    fn calls_of(&self, program: CallId) -> impl Iterator<Item = &OpenCall> {
        self.calls.iter().filter(move |open| open.program == Some(program))
    }

    fn results_of(&self, program: CallId) -> usize {
        self.calls_of(program).filter(|open| matches!(open.stage, Stage::Done(_))).count()
    }
}
