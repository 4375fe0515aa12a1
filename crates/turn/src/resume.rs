//! How a turn goes on after the process died: fold its facts, then do what is still outstanding.

use crate::{
    effect::Effect,
    state::{OpenCall, Phase, Stage, Turn},
    step::step,
};
use protocol::{Call, CallResult, CallStatus, Fact};

/// The turn that these facts lead to. What the effects were no longer matters: they were performed, or
/// `resume` finds them outstanding.
pub fn fold<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> Turn {
    facts.into_iter().fold(Turn::new(), |turn, fact| step(turn, fact).0)
}

/// What is still to be done, for a driver that has nothing under way.
///
/// A model call is made again; a call that was started and has no outcome is run again if that does no
/// harm, and is otherwise answered with the truth: it may or may not have happened. A program is run on. A pending
/// approval and a call that a client was handed just wait.
pub fn resume(turn: &Turn) -> Vec<Effect> {
    match &turn.phase {
        Phase::Idle | Phase::Finished(_) => Vec::new(),
        Phase::Closing(_) => turn.closing().into_iter().collect(),
        Phase::Stopping => turn.stopping(),
        Phase::Thinking => vec![Effect::AskModel { attempt: turn.tally.attempts + 1 }],
        Phase::Acting => resume_calls(turn),
    }
}

fn resume_calls(turn: &Turn) -> Vec<Effect> {
    let mut effects = Vec::new();
    let proposed = |open: &&OpenCall| open.stage == Stage::Proposed && !turn.is_left_behind(open);
    let calls: Vec<Call> = turn.calls.iter().filter(proposed).map(|open| open.call.clone()).collect();
    if !calls.is_empty() {
        effects.push(Effect::Judge { calls });
    }
    effects.extend(turn.asks());
    effects.extend(turn.await_client());
    effects.extend(turn.calls.iter().filter_map(|open| resume_call(turn, open)));
    effects
}

fn resume_call(turn: &Turn, open: &OpenCall) -> Option<Effect> {
    if let Some(settled) = turn.left_behind(open) {
        return Some(settled);
    }
    match &open.stage {
        Stage::Allowed => Some(open.run_effect()),
        Stage::Started if open.run.is_some() => turn.run_on(open),
        Stage::Started if open.repeatable => Some(open.run_effect()),
        Stage::Started => Some(Effect::Settle { result: interrupted(open) }),
        Stage::Refused(reason) => Some(open.denied(reason)),
        // These are outstanding together with others, or wait for somebody outside.
        Stage::Proposed | Stage::ToAsk | Stage::Asked(_) | Stage::Queued => None,
        Stage::ToHandOver { .. } | Stage::HandedOver | Stage::Done(_) => None,
    }
}

fn interrupted(open: &OpenCall) -> CallResult {
    let output = "Interrupted: the process ended while this ran; it may or may not have happened. \
                  Check before doing it again.";
    CallResult::new(open.call.id, CallStatus::Interrupted, output)
}
