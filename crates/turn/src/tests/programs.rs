//! Programs, one property at a time.

use super::world::*;
use crate::{Effect, Turn, fold, resume, step};
use protocol::*;

/// The effects of the last fact, after all of them.
fn after(facts: &[Fact]) -> (Turn, Vec<Effect>) {
    let (last, before) = facts.split_last().unwrap();
    step(fold(before), last)
}

/// A turn in which program 1 runs and has just asked for these calls.
fn asking(calls: &[u128]) -> Vec<Fact> {
    vec![
        started(9),
        hands_in(1),
        Fact::CallsJudged { judgements: vec![judged(1, Verdict::Allow)] },
        Fact::CallStarted { call: call_id(1) },
        program_started(1),
        program_asked(1, calls, 0),
    ]
}

fn with(facts: &[Fact], more: impl IntoIterator<Item = Fact>) -> Vec<Fact> {
    facts.iter().cloned().chain(more).collect()
}

fn all_judged(calls: &[u128], verdict: &Verdict) -> Fact {
    Fact::CallsJudged { judgements: calls.iter().map(|n| judged(*n, verdict.clone())).collect() }
}

fn run_on() -> Effect {
    Effect::RunProgram { program: call_id(1) }
}

fn close() -> Effect {
    Effect::CloseProgram { program: call_id(1) }
}

fn ask_for(calls: &[u128]) -> Effect {
    Effect::Ask { calls: calls.iter().copied().map(call).collect(), program: Some(call_id(1)) }
}

#[test]
fn a_programs_calls_are_judged_and_run_and_it_goes_on_with_each_result() {
    let asking = asking(&[2, 3]);
    assert_eq!(after(&asking).1, [Effect::Judge { calls: vec![call(2), call(3)] }]);
    let judged = with(&asking, [all_judged(&[2, 3], &Verdict::Allow)]);
    assert_eq!(after(&judged).1, [run(2), run(3)]);
    let ran = with(&judged, [2, 3].map(|n| Fact::CallStarted { call: call_id(n) }));
    let first = with(&ran, [done(3)]);
    assert_eq!(after(&first).1, [run_on()]);
    let second = with(&first, [done(2), program_asked(1, &[], 1)]);
    assert_eq!(after(&second).1, [run_on()], "it was not told of the other yet");
    let ended = with(&second, [program_ended(1)]);
    assert_eq!(after(&ended).1, [close()]);
    let (turn, effects) = after(&with(&ended, [done(1)]));
    assert_eq!(effects, [Effect::AskModel { attempt: 1 }]);
    let results = turn.messages().last().unwrap().blocks.clone();
    assert_eq!(results.len(), 1, "the model is shown the program's result alone: {results:?}");
}

#[test]
fn what_a_program_waits_for_stands_on_one_screen_once_nothing_else_can_move_it() {
    let facts = with(
        &asking(&[2, 3, 4]),
        [Fact::CallsJudged {
            judgements: vec![judged(2, ask()), judged(3, Verdict::Allow), judged(4, ask())],
        }],
    );
    assert_eq!(after(&facts).1, [run(3)], "another call may still move it");
    let facts = with(&facts, [Fact::CallStarted { call: call_id(3) }, done(3)]);
    assert_eq!(after(&facts).1, [run_on()], "its result may still move it");
    let facts = with(&facts, [program_asked(1, &[5], 1), all_judged(&[5], &ask())]);
    assert_eq!(after(&facts).1, [ask_for(&[2, 4, 5])]);
    assert_eq!(resume(&fold(&facts)), [ask_for(&[2, 4, 5])], "a restart asks the same");
    let facts = with(&facts, [asked(9, &[2, 4, 5])]);
    assert!(fold(&facts).awaits_outside(), "it is parked");
    assert_eq!(resume(&fold(&facts)), []);
    let (turn, effects) = after(&with(&facts, [decided(9, 4, true, None)]));
    assert_eq!(effects, [run_approved(9, 4)], "decided call by call, the others stay open");
    assert!(!turn.awaits_outside());
}

#[test]
fn at_most_so_many_calls_of_a_program_run_at_a_time() {
    let numbers: Vec<u128> = (2..50).collect();
    let facts = with(&asking(&numbers), [all_judged(&numbers, &Verdict::Allow)]);
    let effects = after(&facts).1;
    assert_eq!(effects, (2..34).map(run).collect::<Vec<_>>());
    let started = numbers[..32].iter().map(|n| Fact::CallStarted { call: call_id(*n) });
    let facts = with(&with(&facts, started), [done(7)]);
    assert_eq!(after(&facts).1, [run_on(), run(34)]);
}

#[test]
fn a_program_that_ended_leaves_nothing_to_be_run_and_waits_for_what_runs() {
    let facts = with(
        &asking(&[2, 3]),
        [
            Fact::CallsJudged { judgements: vec![judged(2, Verdict::Allow), judged(3, ask())] },
            Fact::CallStarted { call: call_id(2) },
            program_ended(1),
        ],
    );
    let left = CallResult::new(call_id(3), CallStatus::Aborted, "Not run: the program had ended.");
    assert_eq!(after(&facts).1, [Effect::Settle { result: left.clone() }]);
    let turn = fold(&facts);
    assert!(turn.is_running(call_id(1)) && !turn.is_live(call_id(1)), "it is not run on");
    let facts = with(&facts, [Fact::CallDone { result: left }]);
    assert_eq!(after(&facts).1, []);
    let facts = with(&facts, [done(2)]);
    assert_eq!(after(&facts).1, [close()]);
    assert_eq!(resume(&fold(&facts)), [close()]);
}

#[test]
fn what_a_program_left_behind_is_not_run_after_a_crash_either() {
    let numbers: Vec<u128> = (2..40).collect();
    let verdict = |n: u128| match n {
        37 => ask(),
        38 => client(),
        _ => Verdict::Allow,
    };
    let judgements = numbers[..37].iter().map(|n| judged(*n, verdict(*n))).collect();
    let started = numbers[..32].iter().map(|n| Fact::CallStarted { call: call_id(*n) });
    let facts = with(&asking(&numbers), [Fact::CallsJudged { judgements }]);
    let facts = with(&with(&facts, started), [program_ended(1)]);
    let effects = resume(&fold(&facts));
    let settled: Vec<(CallId, CallStatus)> = effects
        .iter()
        .map(|effect| match effect {
            Effect::Settle { result } => (result.call, result.status),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = numbers
        .iter()
        .map(|n| (call_id(*n), if *n < 34 { CallStatus::Interrupted } else { CallStatus::Aborted }));
    assert_eq!(settled, expected.collect::<Vec<_>>(), "unknown if it ran, otherwise not run");
    let results = effects.into_iter().filter_map(|effect| match effect {
        Effect::Settle { result } => Some(Fact::CallDone { result }),
        _ => None,
    });
    let mut turn = fold(&facts);
    for fact in results {
        let (next, effects) = step(turn, &fact);
        assert!(effects.iter().all(|effect| *effect == close()), "{effects:?}");
        turn = next;
    }
}

#[test]
fn a_program_that_passed_its_check_after_the_turn_was_stopped_is_settled_once() {
    let begun = &asking(&[])[..4];
    let stopped = with(begun, [Fact::TurnAborted { partial: vec![] }]);
    let settled = after(&stopped).1;
    assert!(
        matches!(settled.as_slice(), [Effect::Settle { result }] if result.call == call_id(1)),
        "{settled:?}"
    );
    let facts = with(&stopped, [program_started(1)]);
    assert_eq!(after(&facts).1, [], "that is under way");
    assert_eq!(resume(&fold(&facts)), settled, "and after a crash it still is");
}

#[test]
fn a_program_is_run_on_after_a_crash_and_told_what_nobody_knows() {
    let facts = with(
        &asking(&[2, 3]),
        [
            all_judged(&[2, 3], &Verdict::Allow),
            Fact::CallStarted { call: call_id(2) },
            Fact::CallStarted { call: call_id(3) },
            done(3),
        ],
    );
    let effects = resume(&fold(&facts));
    assert_eq!(effects[0], run_on());
    assert!(
        matches!(&effects[1], Effect::Settle { result } if result.call == call_id(2)
            && result.status == CallStatus::Interrupted),
        "{effects:?}"
    );
}

#[test]
fn a_stopped_program_is_closed_when_its_calls_are_settled() {
    let asking = asking(&[2]);
    let facts = with(&asking, [all_judged(&[2], &ask()), Fact::TurnAborted { partial: vec![] }]);
    let (_, effects) = after(&facts);
    let [Effect::Settle { result }] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!((result.call, result.status), (call_id(2), CallStatus::Aborted));
    let facts = with(&facts, [Fact::CallDone { result: result.clone() }]);
    assert_eq!(after(&facts).1, [close()]);
    let (turn, _) = after(&with(&facts, [done(1)]));
    assert_eq!(turn.closing(), Some(Effect::Finish { outcome: Outcome::Aborted, requeue: vec![] }));
}

#[test]
fn what_a_program_asked_for_as_it_was_stopped_is_answered_before_it_is_closed() {
    let stopped = with(&asking(&[2])[..5], [Fact::TurnAborted { partial: vec![] }]);
    assert_eq!(after(&stopped).1, [close()], "nothing of it is open");
    let facts = with(&stopped, [program_asked(1, &[2], 0)]);
    let (turn, effects) = after(&facts);
    let [Effect::Settle { result }] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!((result.call, result.status), (call_id(2), CallStatus::Aborted));
    assert!(!turn.is_to_close(call_id(1)), "not any more");
    assert_eq!(resume(&turn), effects, "nor after a crash");
    assert_eq!(after(&with(&facts, [Fact::CallDone { result: result.clone() }])).1, [close()]);
}

#[test]
fn programs_that_do_not_fit_are_corrected_three_times() {
    let misfit = |n: u128| {
        [
            hands_in(n),
            Fact::CallsJudged { judgements: vec![judged(n, Verdict::Allow)] },
            Fact::CallStarted { call: call_id(n) },
            Fact::CallDone { result: CallResult::new(call_id(n), CallStatus::Failed, "3:1 no such tool") },
        ]
    };
    let mut facts = vec![started(99)];
    for n in 1..=3 {
        facts.extend(misfit(n));
        assert!(matches!(after(&facts).1.as_slice(), [Effect::AskModel { .. }]), "try {n}");
    }
    facts.extend(misfit(4));
    let (_, effects) = after(&facts);
    assert!(
        matches!(effects.as_slice(), [Effect::Finish { outcome: Outcome::LimitReached { reason }, .. }]
            if reason.contains("4 programs in a row")),
        "{effects:?}"
    );
}
