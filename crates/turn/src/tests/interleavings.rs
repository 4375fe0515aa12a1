//! Properties: whole turns under a random scheduler with crashes, and arbitrary facts in arbitrary order.

use super::world::*;
use crate::{Effect, Turn, fold, resume, step};
use proptest::prelude::*;
use protocol::*;
use std::collections::{HashMap, HashSet};

/// A driver that performs effects in whatever order the dice say, crashes now and then, and checks what a
/// driver may rely on.
struct Driver {
    log: Vec<Fact>,
    turn: Turn,
    pending: Vec<Effect>,
    started: HashMap<CallId, usize>,
    next_call: u128,
    aborted: bool,
    crashed_while_running: HashSet<CallId>,
    /// Calls a client has, whose results are to come.
    with_client: Vec<CallId>,
    /// Messages that joined, and those given back unsaid.
    joined: Vec<TurnId>,
    requeued: Vec<TurnId>,
    /// The calls each program asked for, and what it was told of them.
    programs: HashMap<CallId, Vec<CallId>>,
    told: HashMap<CallId, Vec<CallId>>,
}

impl Driver {
    fn new() -> Self {
        let mut driver = Driver {
            log: Vec::new(),
            turn: Turn::new(),
            pending: Vec::new(),
            started: HashMap::new(),
            next_call: 1,
            aborted: false,
            crashed_while_running: HashSet::new(),
            with_client: Vec::new(),
            joined: Vec::new(),
            requeued: Vec::new(),
            programs: HashMap::new(),
            told: HashMap::new(),
        };
        driver.write(started(4));
        driver
    }

    fn write(&mut self, fact: Fact) {
        if matches!(fact, Fact::TurnAborted { .. }) {
            self.aborted = true;
        }
        let (turn, effects) = step(std::mem::take(&mut self.turn), &fact);
        self.turn = turn;
        self.log.push(fact);
        check_conversation(&self.turn, false);
        for effect in effects {
            assert!(!self.aborted || !acts(&effect), "acts after abort: {effect:?}");
            self.pending.push(effect);
        }
        assert_eq!(self.turn, fold(&self.log), "the state is the fold of the log");
    }

    /// A message joins, unless the turn is over; then the store would not let it.
    fn join(&mut self, number: u128) {
        let message = turn_id(number);
        if self.turn.outcome().is_none() && !self.joined.contains(&message) {
            self.joined.push(message);
            self.write(Fact::TurnSteered { message, trigger: trigger(&format!("<{message}>")) });
        }
    }

    /// A client tells what came of a call. The store takes that once, and not from a turn that was stopped.
    fn client_answers(&mut self, pick: usize) {
        if self.with_client.is_empty() {
            return;
        }
        let call = self.with_client.swap_remove(pick % self.with_client.len());
        if !self.aborted {
            self.write(Fact::CallDone { result: CallResult::from_client(call, true, "done") });
        }
    }

    /// Everything in memory is lost; the log goes on.
    fn crash(&mut self) {
        self.crashed_while_running.extend(self.started.keys().filter(|call| self.turn.is_running(**call)));
        self.turn = fold(&self.log);
        assert_eq!(resume(&self.turn), resume(&self.turn));
        self.take_up();
    }

    fn take_up(&mut self) {
        self.pending = resume(&self.turn);
    }

    /// The results of a program's calls, in the order of the log.
    fn results_of(&self, program: CallId) -> Vec<CallId> {
        let asked = self.programs.get(&program).cloned().unwrap_or_default();
        let done = |fact: &Fact| match fact {
            Fact::CallDone { result } if asked.contains(&result.call) => Some(result.call),
            _ => None,
        };
        self.log.iter().filter_map(done).collect()
    }

    /// A program goes on: it asks for more as long as the dice let it, and ends when it waits for nothing.
    fn run_program(&mut self, program: CallId, dice: u8) {
        let results = self.results_of(program);
        let told = self.told.insert(program, results.clone()).unwrap_or_default();
        assert!(results.starts_with(&told), "results came in another order");
        let asked = self.programs.entry(program).or_default();
        let more = if asked.len() > 8 { 0 } else { u128::from(dice % 4) };
        let calls: Vec<u128> = (0..more).map(|n| self.next_call + n).collect();
        self.next_call += more;
        asked.extend(calls.iter().copied().map(call_id));
        let open = asked.len() - results.len();
        let number = program.to_string().parse::<uuid::Uuid>().unwrap().as_u128();
        if dice == 253 {
            // The owner is quicker than the log.
            self.write(Fact::TurnAborted { partial: vec![] });
        }
        match open == 0 || dice == 254 {
            true => self.write(program_ended(number)),
            false => self.write(program_asked(number, &calls, results.len() as u32)),
        }
    }

    fn perform(&mut self, pick: usize, dice: u8) {
        match self.pending.remove(pick) {
            Effect::AskModel { attempt } => {
                self.write(Fact::ModelAsked { attempt, model: "a/b".into() });
                let calls: Vec<u128> = (0..u128::from(dice % 4)).map(|n| self.next_call + n).collect();
                self.next_call += calls.len() as u128;
                self.write(match dice {
                    255 => failed(),
                    200.. if !calls.is_empty() => hands_in(calls[0]),
                    _ => says("text", &calls),
                });
            }
            Effect::RunProgram { program } => {
                // What came since may have ended it.
                if self.turn.is_live(program) {
                    self.run_program(program, dice);
                }
            }
            Effect::CloseProgram { program } if !self.turn.is_to_close(program) => {}
            Effect::CloseProgram { program } => {
                let result = CallResult::new(program, CallStatus::Succeeded, "receipts");
                self.write(Fact::CallDone { result });
            }
            Effect::Judge { calls } => {
                let verdict = |n: usize| match (dice as usize + n) % 4 {
                    0 => Verdict::Allow,
                    1 => ask(),
                    2 => client(),
                    _ => Verdict::Deny { reason: "no".into() },
                };
                let judge = |(n, call): (usize, &Call)| Judgement {
                    call: call.id,
                    verdict: verdict(n),
                    repeatable: dice.is_multiple_of(5),
                };
                self.write(Fact::CallsJudged { judgements: calls.iter().enumerate().map(judge).collect() });
            }
            Effect::Ask { mut calls, .. } => {
                calls.retain(|call| self.turn.is_to_ask(call.id));
                let approval = self.log.len() as u128;
                let numbers: Vec<u128> = calls.iter().map(number_of).collect();
                self.write(asked(approval, &numbers));
                for number in numbers {
                    self.write(decided(approval, number, dice.is_multiple_of(2), None));
                }
            }
            // Like an end, a hand-over is made of the turn as it stands.
            Effect::AwaitClient { .. } => {
                if let Some(Effect::AwaitClient { calls }) = self.turn.await_client() {
                    assert!(!self.aborted, "handed over after abort");
                    self.with_client.extend(calls.iter().map(|handed| handed.call.id));
                    self.write(Fact::ClientAsked { calls });
                }
            }
            Effect::RunCall { call, .. } if call.tool == RUN_CODE => {
                self.write(Fact::CallStarted { call: call.id });
                if self.turn.is_running(call.id) {
                    self.write(match dice % 4 {
                        0 => {
                            Fact::CallDone { result: CallResult::new(call.id, CallStatus::Failed, "misfit") }
                        }
                        _ => program_started(number_of(&call)),
                    });
                }
            }
            Effect::RunCall { call, .. } => {
                self.write(Fact::CallStarted { call: call.id });
                if self.turn.is_running(call.id) {
                    *self.started.entry(call.id).or_default() += 1;
                    // A slow call: its result arrives as a later choice of the scheduler.
                    let result = CallResult::new(call.id, CallStatus::Succeeded, "done");
                    self.pending.push(Effect::Settle { result });
                }
            }
            // A result that came meanwhile stands.
            Effect::Settle { result } if !self.turn.is_open(result.call) => {}
            Effect::Settle { result } => self.write(Fact::CallDone { result }),
            // What came since may have changed how the turn ends, or whether at all.
            Effect::Finish { .. } => {
                if let Some(Effect::Finish { outcome, requeue }) = self.turn.closing() {
                    self.requeued.extend(requeue);
                    self.write(Fact::TurnFinished { outcome });
                }
            }
        }
        // With nothing under way, the driver looks at what is outstanding.
        if self.pending.is_empty() {
            self.take_up();
        }
    }
}

fn check_started_once(driver: &Driver) {
    for (call, count) in &driver.started {
        if !driver.crashed_while_running.contains(call) {
            assert_eq!(*count, 1, "call {call} was started {count} times without a crash");
        }
    }
}

/// Each call that was handed over was handed over once, and did not run here as well.
fn check_handed_over_once(driver: &Driver) {
    let mut handed = HashSet::new();
    for fact in &driver.log {
        if let Fact::ClientAsked { calls } = fact {
            for call in calls.iter().map(|handed| handed.call.id) {
                assert!(handed.insert(call), "call {call} was handed over twice");
                assert!(!driver.started.contains_key(&call), "call {call} ran here and at a client");
            }
        }
    }
}

/// Each call has one result in the log, not only in the fold; a program's calls, too.
fn check_written_once(driver: &Driver) {
    let mut written = HashSet::new();
    for fact in &driver.log {
        if let Fact::CallDone { result } = fact {
            assert!(written.insert(result.call), "call {} was written two results", result.call);
        }
    }
    for fact in &driver.log {
        if let Fact::ProgramAsked { calls, .. } = fact {
            let open = calls.iter().find(|call| !written.contains(&call.id));
            assert_eq!(open, None, "a program's call has no result, yet the turn is over");
        }
    }
}

/// Every message that joined was put to the model or given back.
fn check_nothing_unsaid(driver: &Driver) {
    let said: String = driver.turn.messages().iter().map(Message::text).collect();
    for message in &driver.joined {
        let put = said.contains(&format!("<{message}>"));
        assert!(put != driver.requeued.contains(message), "message {message}: put {put}\n{said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_turn_comes_to_its_end_whatever_the_order_and_the_crashes(
        script in prop::collection::vec((any::<u8>(), any::<u8>(), any::<usize>()), 1..120)
    ) {
        let mut driver = Driver::new();
        for (what, dice, pick) in script {
            match what % 16 {
                0 => driver.crash(),
                1 => driver.write(Fact::TurnAborted { partial: vec![Block::text("cut")] }),
                2 => driver.join(u128::from(dice)),
                3 | 4 => driver.client_answers(pick),
                _ if driver.pending.is_empty() && !driver.with_client.is_empty() => {
                    assert!(driver.turn.awaits_outside() || driver.turn.outcome().is_some());
                    driver.client_answers(pick);
                }
                _ if driver.pending.is_empty() => break,
                _ => { let pick = pick % driver.pending.len(); driver.perform(pick, dice) }
            }
        }
        // Left alone, it ends by itself.
        for _ in 0..200 {
            if driver.pending.is_empty() && driver.with_client.is_empty() { break }
            if driver.pending.is_empty() { driver.client_answers(0) } else { driver.perform(0, 0) }
        }
        prop_assert!(driver.turn.outcome().is_some(), "{:#?}", driver.turn);
        check_conversation(&driver.turn, true);
        check_started_once(&driver);
        check_written_once(&driver);
        check_handed_over_once(&driver);
        check_nothing_unsaid(&driver);
        let before = driver.turn.clone();
        driver.write(says("too late", &[99]));
        driver.write(Fact::TurnAborted { partial: vec![] });
        prop_assert_eq!(&driver.turn, &before, "a finished turn stays finished");
        prop_assert!(driver.pending.is_empty());
    }

    #[test]
    fn arbitrary_facts_in_arbitrary_order_never_break_the_conversation(
        facts in prop::collection::vec(any_fact(), 0..60)
    ) {
        let mut turn = Turn::new();
        let mut proposed = HashSet::new();
        for fact in facts {
            // The driver names every call itself, so a name comes up once.
            if let Fact::ModelDone { blocks, .. } = &fact
                && blocks.iter().any(|block| matches!(block, Block::Call(call) if !proposed.insert(call.id))) {
                continue;
            }
            let was = turn.outcome().cloned();
            let (next, effects) = step(turn, &fact);
            if was.is_some() {
                prop_assert_eq!(next.outcome(), was.as_ref());
                prop_assert!(effects.is_empty());
            }
            check_conversation(&next, false);
            let _effects = resume(&next);
            turn = next;
        }
    }
}

fn number_of(call: &Call) -> u128 {
    call.wire_id.trim_start_matches("call_").parse().unwrap()
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let n = 1u128..6;
    prop_oneof![
        (1u32..4).prop_map(started),
        (1u32..9).prop_map(|attempt| Fact::ModelAsked { attempt, model: "a/b".into() }),
        prop::collection::hash_set(1u128..30, 0..4)
            .prop_map(|calls| says("text", &calls.into_iter().collect::<Vec<_>>())),
        Just(failed()),
        n.clone().prop_map(|n| Fact::CallsJudged {
            judgements: vec![judged(n, Verdict::Allow), judged(n + 1, ask()), judged(n + 2, client())]
        }),
        n.clone().prop_map(|n| handed(&[n, n + 1])),
        n.clone().prop_map(|n| asked(n, &[n])),
        (n.clone(), any::<bool>()).prop_map(|(n, approved)| decided(n, n, approved, None)),
        n.clone().prop_map(|n| Fact::CallStarted { call: call_id(n) }),
        n.clone().prop_map(done),
        n.clone().prop_map(program_started),
        (n.clone(), 6u128..9, 0u32..4).prop_map(|(n, call, told)| program_asked(n, &[call], told)),
        n.clone().prop_map(program_ended),
        n.prop_map(|n| Fact::TurnSteered { message: turn_id(n), trigger: trigger("more") }),
        Just(Fact::TurnAborted { partial: vec![] }),
        Just(Fact::TurnFinished { outcome: Outcome::Completed }),
    ]
}
