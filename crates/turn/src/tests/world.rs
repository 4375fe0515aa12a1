//! Shorthand for building facts, and the invariants every turn must keep.

use crate::{Effect, Turn};
use protocol::*;
use std::collections::HashMap;
use uuid::Uuid;

pub fn call_id(n: u128) -> CallId {
    CallId::from(Uuid::from_u128(n))
}

pub fn turn_id(n: u128) -> TurnId {
    TurnId::from(Uuid::from_u128(n))
}

pub fn approval_id(n: u128) -> ApprovalId {
    ApprovalId::from(Uuid::from_u128(n))
}

pub fn call(n: u128) -> Call {
    Call { id: call_id(n), wire_id: format!("call_{n}"), tool: "bash".into(), arguments: "{}".into() }
}

/// A call that hands in a program.
pub fn program_call(n: u128) -> Call {
    Call { tool: RUN_CODE.into(), ..call(n) }
}

pub fn program() -> Program {
    let (javascript, engine) = ("async function program() {}".into(), "test".into());
    Program { javascript, lines: vec![], paths: vec![], seed: 1, now_ms: 0, engine }
}

pub fn program_started(n: u128) -> Fact {
    Fact::ProgramStarted { call: call_id(n), program: program() }
}

pub fn program_asked(n: u128, calls: &[u128], told: u32) -> Fact {
    let calls = calls.iter().copied().map(call).collect();
    Fact::ProgramAsked { program: call_id(n), calls, told, console: String::new() }
}

pub fn program_ended(n: u128) -> Fact {
    let end = ProgramEnd::Returned { value: "1".into(), cut_bytes: 0 };
    Fact::ProgramEnded { program: call_id(n), end, console: String::new() }
}

/// The model hands in a program.
pub fn hands_in(n: u128) -> Fact {
    Fact::ModelDone {
        model: "a/b".into(),
        blocks: vec![Block::Call(program_call(n))],
        stop: StopReason::ToolUse,
        usage: Usage::default(),
    }
}

pub fn trigger(text: &str) -> Trigger {
    Trigger {
        source: "test".into(),
        external_id: text.into(),
        session: SessionKey::new("test--1").unwrap(),
        kind: TriggerKind::Message,
        content: vec![Block::text(text)],
        history: Vec::new(),
        model: None,
        steer: false,
    }
}

pub fn started(max_iterations: u32) -> Fact {
    Fact::TurnStarted { trigger: trigger("hello"), limits: TurnLimits { max_iterations } }
}

pub fn says(text: &str, calls: &[u128]) -> Fact {
    let mut blocks = vec![Block::text(text)];
    blocks.extend(calls.iter().map(|n| Block::Call(call(*n))));
    let stop = if calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    Fact::ModelDone {
        model: "a/b".into(),
        blocks,
        stop,
        usage: Usage { input_tokens: 1, output_tokens: 1, ..Usage::default() },
    }
}

pub fn failed() -> Fact {
    let kind = ModelErrorKind::Truncated;
    let error = ModelError { kind, provider: "test".into(), message: "the stream was cut".into() };
    Fact::ModelFailed { error, partial: vec![Block::text("so far")] }
}

pub fn judged(n: u128, verdict: Verdict) -> Judgement {
    Judgement { call: call_id(n), verdict, repeatable: false }
}

pub fn ask() -> Verdict {
    Verdict::Ask { risk: Risk::Risky, reason: "it acts".into() }
}

pub fn client() -> Verdict {
    Verdict::Client { risk: Risk::Safe, reason: "to look".into() }
}

pub fn client_call(n: u128) -> ClientCall {
    ClientCall { call: call(n), risk: Risk::Safe, reason: "to look".into() }
}

pub fn handed(calls: &[u128]) -> Fact {
    Fact::ClientAsked { calls: calls.iter().copied().map(client_call).collect() }
}

pub fn done(n: u128) -> Fact {
    Fact::CallDone { result: CallResult::new(call_id(n), CallStatus::Succeeded, format!("result {n}")) }
}

/// Every result follows its call and stands once; in a turn that is over, every call has one.
pub fn check_conversation(turn: &Turn, over: bool) {
    let mut results: HashMap<CallId, usize> = HashMap::new();
    for message in turn.messages() {
        assert!(!message.blocks.is_empty(), "an empty message cannot be sent: {:?}", turn.messages());
        for block in &message.blocks {
            match block {
                Block::Call(call) => {
                    assert_eq!(message.role, Role::Assistant);
                    assert!(results.insert(call.id, 0).is_none(), "call {} proposed twice", call.id);
                }
                Block::Result(result) => {
                    assert_eq!(message.role, Role::User);
                    let count = results.get_mut(&result.call).expect("a result without its call");
                    *count += 1;
                    assert_eq!(*count, 1, "call {} has two results", result.call);
                }
                _ => {}
            }
        }
    }
    if over {
        for (call, count) in results {
            assert_eq!(count, 1, "call {call} has no result, yet the turn is over");
        }
    }
}

/// Whether performing this effect could change something outside the log.
pub fn acts(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::AskModel { .. }
            | Effect::RunCall { .. }
            | Effect::Ask { .. }
            | Effect::AwaitClient { .. }
            | Effect::Judge { .. }
            | Effect::RunProgram { .. }
    )
}

pub fn asked(approval: u128, calls: &[u128]) -> Fact {
    let asked = |n: &u128| AskedCall {
        call: call_id(*n),
        tool: "bash".into(),
        summary: String::new(),
        details: String::new(),
        risk: Risk::Risky,
        reason: "it acts".into(),
        flags: vec![],
        cwd: "/".into(),
        confinement: String::new(),
        rules: vec![],
        fingerprint: format!("print {n}"),
    };
    let calls = calls.iter().map(asked).collect();
    Fact::ApprovalRequested {
        approval: approval_id(approval),
        calls,
        expires_at: jiff::Timestamp::UNIX_EPOCH,
        forecast: None,
    }
}

pub fn decided(approval: u128, call: u128, approved: bool, reason: Option<&str>) -> Fact {
    let decision = Decision { call: call_id(call), approved, reason: reason.map(Into::into), rule: None };
    Fact::ApprovalDecided { approval: approval_id(approval), decisions: vec![decision], by: "test".into() }
}

/// Runs a call nobody had to be asked about.
pub fn run(n: u128) -> Effect {
    Effect::RunCall { call: call(n), approved: None }
}

/// Runs a call the owner approved on this screen.
pub fn run_approved(approval: u128, n: u128) -> Effect {
    let (approval, fingerprint) = (approval_id(approval), format!("print {n}"));
    let approved = Approved { approval, fingerprint, expires_at: jiff::Timestamp::UNIX_EPOCH };
    Effect::RunCall { call: call(n), approved: Some(approved) }
}
