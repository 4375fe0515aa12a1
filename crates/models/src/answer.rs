//! What the dialects share when they put an answer together: calls get their ids and dotted names, stop
//! reasons and blocks are made to agree.

use crate::{names::ToolNames, stream::ModelAnswer};
use protocol::{Block, Call, CallId, StopReason, Usage};
use std::collections::HashSet;
use uuid::Uuid;

/// Makes the calls of one answer.
#[derive(Debug)]
pub(crate) struct CallMaker {
    names: ToolNames,
    used: HashSet<String>,
}

impl CallMaker {
    /// For an answer to a request with these tools.
    pub(crate) fn new(names: ToolNames) -> Self {
        Self { names, used: HashSet::new() }
    }

    /// The dotted name of a tool.
    pub(crate) fn tool(&self, wire_name: &str) -> String {
        self.names.dotted(wire_name)
    }

    /// A call. Some servers give no id, or the same to every call: the result could not be told apart, so
    /// such a call gets one made here.
    pub(crate) fn call(&mut self, wire_id: &str, tool: String, arguments: &str) -> Block {
        let id = CallId::from(Uuid::now_v7());
        let wire_id = if wire_id.is_empty() || self.used.contains(wire_id) {
            fresh_wire_id(id)
        } else {
            wire_id.to_owned()
        };
        self.used.insert(wire_id.clone());
        // A call without arguments is written as nothing at all by some and as an empty object by others.
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        Block::Call(Call { id, wire_id, tool, arguments: arguments.to_owned() })
    }
}

/// A wire id no provider made, within the limits of both dialects.
pub(crate) fn fresh_wire_id(id: CallId) -> String {
    format!("call_{}", id.to_string().replace('-', ""))
}

/// The answer, its stop reason corrected by what it holds: some servers say `stop` after writing calls.
pub(crate) fn whole_answer(blocks: Vec<Block>, stop: StopReason, usage: Usage) -> ModelAnswer {
    let has_calls = blocks.iter().any(|block| matches!(block, Block::Call(_)));
    let stop = match (stop, has_calls) {
        (StopReason::EndTurn, true) => StopReason::ToolUse,
        (StopReason::ToolUse, false) => StopReason::EndTurn,
        (stop, _) => stop,
    };
    ModelAnswer { blocks, stop, usage }
}
