//! Single steps by example: what each fact leads to.

use super::world::*;
use crate::{Effect, Turn, fold, resume, step};
use protocol::*;

/// Folds `facts`, steps the last one and compares the effects it gave.
fn check(facts: &[Fact], expected: &[Effect]) -> Turn {
    let (last, before) = facts.split_last().expect("at least one fact");
    let (turn, effects) = step(fold(before), last);
    assert_eq!(effects, expected, "after {last:?}");
    turn
}

fn finish(outcome: Outcome) -> Effect {
    Effect::Finish { outcome, requeue: Vec::new() }
}

fn settle(n: u128, status: CallStatus, output: &str) -> Effect {
    Effect::Settle { result: CallResult::new(call_id(n), status, output) }
}

#[test]
fn a_message_asks_the_model_and_its_answer_ends_the_turn() {
    check(&[started(5)], &[Effect::AskModel { attempt: 1 }]);
    let facts = [started(5), says("hi", &[])];
    let turn = check(&facts, &[finish(Outcome::Completed)]);
    assert_eq!(turn.messages().len(), 2);
    let finished = Fact::TurnFinished { outcome: Outcome::Completed };
    let turn = fold(facts.iter().chain([&finished]));
    assert_eq!(turn.outcome(), Some(&Outcome::Completed));
    assert_eq!(resume(&turn), vec![]);
}

#[test]
fn calls_are_judged_together_and_run_side_by_side() {
    let proposal = [started(5), says("", &[1, 2, 3])];
    check(&proposal, &[Effect::Judge { calls: vec![call(1), call(2), call(3)] }]);
    let judgements =
        vec![judged(1, Verdict::Allow), judged(2, ask()), judged(3, Verdict::Deny { reason: "no".into() })];
    let facts = [proposal[0].clone(), proposal[1].clone(), Fact::CallsJudged { judgements }];
    let turn = check(
        &facts,
        &[
            settle(3, CallStatus::Denied, "Denied: no"),
            run(1),
            Effect::Ask { calls: vec![call(2)], program: None },
        ],
    );
    assert!(!turn.awaits_outside(), "call 1 still runs");
}

#[test]
fn one_screen_holds_every_call_asked_in_a_step_and_is_decided_call_by_call() {
    let on_screen = [
        started(5),
        says("", &[1, 2]),
        Fact::CallsJudged { judgements: vec![judged(1, ask()), judged(2, ask())] },
        asked(9, &[1, 2]),
    ];
    assert!(fold(&on_screen).awaits_outside());
    assert_eq!(resume(&fold(&on_screen)), vec![], "a pending approval just waits");
    let mut facts = on_screen.to_vec();
    facts.push(decided(9, 1, true, None));
    check(&facts, &[run_approved(9, 1)]);
    facts.push(decided(9, 2, false, Some("not now")));
    check(&facts, &[settle(2, CallStatus::Denied, "Denied: not now")]);
    facts.push(decided(9, 2, true, None));
    check(&facts, &[]);
}

#[test]
fn calls_for_a_client_are_handed_over_together_and_wait_for_its_results() {
    let judged_facts = [
        started(5),
        says("", &[1, 2, 3]),
        Fact::CallsJudged { judgements: vec![judged(1, client()), judged(2, ask()), judged(3, client())] },
    ];
    let hand_over = Effect::AwaitClient { calls: vec![client_call(1), client_call(3)] };
    let turn =
        check(&judged_facts, &[hand_over.clone(), Effect::Ask { calls: vec![call(2)], program: None }]);
    assert!(!turn.awaits_outside(), "nobody outside knows yet");
    let mut facts = judged_facts.to_vec();
    facts.push(asked(9, &[2]));
    assert_eq!(resume(&fold(&facts)), vec![hand_over], "it is handed over after a crash");
    facts.push(handed(&[1, 3]));
    let turn = check(&facts, &[]);
    assert!(turn.awaits_outside());
    assert_eq!(resume(&turn), vec![], "a call a client has just waits");
    facts.push(done(1));
    assert!(check(&facts, &[]).awaits_outside());
    facts.push(handed(&[1]));
    check(&facts, &[]);
    facts.extend([decided(9, 2, true, None), done(2), done(3)]);
    check(&facts, &[Effect::AskModel { attempt: 1 }]);
}

#[test]
fn abort_answers_calls_a_client_has_or_should_have_had() {
    let judgements = vec![judged(1, client()), judged(2, client())];
    let abort = Fact::TurnAborted { partial: vec![] };
    let mut facts =
        vec![started(5), says("", &[1, 2]), Fact::CallsJudged { judgements }, handed(&[1]), abort];
    let while_it_ran = "Aborted: the owner stopped this while it ran; it may have had an effect.";
    let before = "Aborted: the owner stopped the turn before this was run.";
    let turn = check(
        &facts,
        &[settle(1, CallStatus::Aborted, while_it_ran), settle(2, CallStatus::Aborted, before)],
    );
    assert_eq!(turn.await_client(), None, "nothing is handed over any more");
    facts.extend([done(1), done(2)]);
    check(&facts, &[finish(Outcome::Aborted)]);
}

#[test]
fn brought_history_stands_before_what_is_said() {
    let history = vec![Message::user(vec![Block::text("one")]), Message::assistant(vec![Block::text("two")])];
    let trigger = Trigger { history: history.clone(), ..trigger("three") };
    let limits = TurnLimits { max_iterations: 1 };
    let turn = check(&[Fact::TurnStarted { trigger, limits }], &[Effect::AskModel { attempt: 1 }]);
    assert!(turn.brings_history() && !fold(&[started(1)]).brings_history());
    assert_eq!(turn.messages()[..2], history);
    assert_eq!(turn.messages()[2].text(), "three");
}

#[test]
fn a_decision_for_another_screen_moves_nothing() {
    let facts = [
        started(5),
        says("", &[1]),
        Fact::CallsJudged { judgements: vec![judged(1, ask())] },
        asked(9, &[1]),
        decided(8, 1, true, None),
    ];
    check(&facts, &[]);
}

#[test]
fn results_go_back_in_the_order_of_the_calls() {
    let allow = Fact::CallsJudged { judgements: vec![judged(1, Verdict::Allow), judged(2, Verdict::Allow)] };
    let facts = [started(5), says("", &[1, 2]), allow, done(2), done(1)];
    let turn = check(&facts, &[Effect::AskModel { attempt: 1 }]);
    let results: Vec<_> = turn.messages()[2].blocks.iter().collect();
    assert!(
        matches!(results[..], [Block::Result(a), Block::Result(b)] if a.call == call_id(1) && b.call == call_id(2))
    );
}

#[test]
fn the_iteration_limit_ends_the_turn_after_the_results_are_in() {
    let allow = Fact::CallsJudged { judgements: vec![judged(1, Verdict::Allow)] };
    let reason = "stopped after 1 steps, the limit for one turn".into();
    check(&[started(1), says("", &[1]), allow, done(1)], &[finish(Outcome::LimitReached { reason })]);
}

#[test]
fn a_failed_model_call_keeps_the_text_that_had_arrived() {
    let facts = [started(5), failed()];
    let (turn, effects) = step(fold(&facts[..1]), &facts[1]);
    assert!(matches!(effects[..], [Effect::Finish { outcome: Outcome::Failed { .. }, .. }]));
    assert_eq!(turn.messages()[1], Message::assistant(vec![Block::text("so far")]));
}

#[test]
fn abort_answers_every_open_call_before_it_ends() {
    let allow = Fact::CallsJudged { judgements: vec![judged(1, Verdict::Allow), judged(2, ask())] };
    let abort = Fact::TurnAborted { partial: vec![] };
    let mut facts = vec![started(5), says("", &[1, 2]), allow, Fact::CallStarted { call: call_id(1) }, abort];
    check(
        &facts,
        &[
            settle(
                1,
                CallStatus::Aborted,
                "Aborted: the owner stopped this while it ran; it may have had an effect.",
            ),
            settle(2, CallStatus::Aborted, "Aborted: the owner stopped the turn before this was run."),
        ],
    );
    facts.extend([done(1), done(2)]);
    check(&facts, &[finish(Outcome::Aborted)]);
}

#[test]
fn a_message_may_join_between_two_model_calls() {
    let steer = |n| Fact::TurnSteered { message: turn_id(n), trigger: trigger("also this") };
    let turn = check(&[started(5), steer(7), says("one", &[])], &[Effect::AskModel { attempt: 1 }]);
    assert_eq!(turn.messages()[2].text(), "also this");
    // It joins even after the last word, as long as the turn is not written down as finished.
    check(&[started(5), says("one", &[]), steer(7)], &[Effect::AskModel { attempt: 1 }]);
}

#[test]
fn a_message_that_joined_too_late_starts_a_turn_of_its_own() {
    let steer = Fact::TurnSteered { message: turn_id(7), trigger: trigger("also this") };
    let abort = Fact::TurnAborted { partial: vec![] };
    let expected = Effect::Finish { outcome: Outcome::Aborted, requeue: vec![turn_id(7)] };
    check(&[started(5), steer.clone(), abort.clone()], std::slice::from_ref(&expected));
    check(&[started(5), abort, steer], &[expected]);
}

#[test]
fn an_interrupted_call_is_repeated_only_when_that_does_no_harm() {
    let facts = |repeatable| {
        let judgement = Judgement { call: call_id(1), verdict: Verdict::Allow, repeatable };
        let judged = Fact::CallsJudged { judgements: vec![judgement] };
        [started(5), says("", &[1]), judged, Fact::CallStarted { call: call_id(1) }]
    };
    assert_eq!(resume(&fold(&facts(true))), vec![run(1)]);
    let effects = resume(&fold(&facts(false)));
    assert!(matches!(&effects[..], [Effect::Settle { result }] if result.status == CallStatus::Interrupted));
}

#[test]
fn a_question_the_process_keeps_dying_over_is_given_up() {
    let mut facts = vec![started(5)];
    for attempt in 1..=50 {
        facts.push(Fact::ModelAsked { attempt, model: "a/b".into() });
    }
    assert_eq!(resume(&fold(&facts)), vec![Effect::AskModel { attempt: 51 }]);
    let (turn, effects) = step(fold(&facts), &Fact::ModelAsked { attempt: 51, model: "a/b".into() });
    assert!(!turn.awaits_model(), "it is not asked again");
    let [Effect::Finish { outcome, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert!(
        matches!(outcome, Outcome::LimitReached { reason } if reason.starts_with("given up after 50 attempts"))
    );
}

#[test]
fn too_many_calls_in_one_answer_are_refused_one_by_one() {
    let calls: Vec<u128> = (1..=70).collect();
    let (_, effects) = step(fold(&[started(5)]), &says("", &calls));
    let [Effect::Judge { calls }, settled @ ..] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((calls.len(), settled.len()), (64, 6));
}
