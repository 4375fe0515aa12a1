//! The programs of a turn: which calls are whose, and what came of them. Pure; a part of the story.

use protocol::{Call, CallId, CallResult, CallStatus, ProgramEnd};
use std::collections::HashMap;

/// How much of a result a receipt keeps, in characters: a glance. The result itself was told before.
const MAX_PREVIEW_CHARS: usize = 120;

/// All programs of a turn that are under way.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    runs: HashMap<CallId, Run>,
    /// The program of each call that one asked for.
    parents: HashMap<CallId, CallId>,
}

/// What came of a program; empty if it never ran.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Run {
    /// The calls it asked for, in its order.
    pub receipts: Vec<Receipt>,
    /// How it ended, if it did.
    pub end: Option<ProgramEnd>,
}

/// One call of a program.
#[derive(Debug, PartialEq)]
pub(crate) struct Receipt {
    pub call: CallId,
    pub tool: String,
    /// None while it has no result.
    pub status: Option<CallStatus>,
    /// The beginning of its result.
    pub preview: String,
}

impl Programs {
    /// The program that asked for a call.
    pub fn parent(&self, call: CallId) -> Option<CallId> {
        self.parents.get(&call).copied()
    }

    /// A program asks for calls.
    pub fn asked(&mut self, program: CallId, calls: &[Call]) {
        let receipt = |call: &Call| Receipt {
            call: call.id,
            tool: call.tool.clone(),
            status: None,
            preview: String::new(),
        };
        self.parents.extend(calls.iter().map(|call| (call.id, program)));
        self.runs.entry(program).or_default().receipts.extend(calls.iter().map(receipt));
    }

    /// A call has its result; it may be one of a program's.
    pub fn done(&mut self, result: &CallResult) {
        let run = self.parent(result.call).and_then(|program| self.runs.get_mut(&program));
        let receipt = run.and_then(|run| run.receipts.iter_mut().find(|receipt| receipt.call == result.call));
        if let Some(receipt) = receipt {
            receipt.status = Some(result.status);
            receipt.preview = result.output.chars().take(MAX_PREVIEW_CHARS).collect();
        }
    }

    /// A program came to its end.
    pub fn ended(&mut self, program: CallId, end: &ProgramEnd) {
        self.runs.entry(program).or_default().end = Some(end.clone());
    }

    /// All that came of a program, once its own call has its result.
    pub fn close(&mut self, program: CallId) -> Run {
        self.runs.remove(&program).unwrap_or_default()
    }
}
