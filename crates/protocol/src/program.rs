//! Programs: what the model hands in by `run_code`, what is needed to run one again the same way, and how it ended.
//! A program's calls are calls like any other; only who asked for them differs.

use crate::{call::Call, id::CallId};
use serde::{Deserialize, Serialize};

/// The tool by which the model hands in a program.
pub const RUN_CODE: &str = "run_code";

/// A program that passed its check, with all that makes a second run take the same way as the first. What the model wrote
/// stands in its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// What runs: the program without its types.
    pub javascript: String,
    /// For each line of it the line the model wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    /// The tools it can call.
    pub paths: Vec<String>,
    /// Where its random numbers start.
    pub seed: u64,
    /// The time it sees at first, in milliseconds since 1970. With each result it sees the time of that result.
    pub now_ms: i64,
    /// The engine it was made for; no other can run it again.
    pub engine: String,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ProgramEnd {
    /// It came to its end.
    Returned {
        /// What it gave back, as JSON; only the beginning if something was cut off.
        value: String,
        /// How many bytes were cut off.
        #[serde(default, skip_serializing_if = "is_zero")]
        cut_bytes: usize,
    },
    /// It failed.
    Failed {
        /// The error's name, such as `TypeError` or `OutOfTime`.
        name: String,
        /// What is wrong, in plain words.
        message: String,
        /// The line of the model's text where it happened.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
}

/// What a program seems about to do once it may go on, found by running it on with made-up results. It may turn out
/// otherwise, and nothing is approved by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// The call that handed the program in.
    pub program: CallId,
    /// The calls, in order; perhaps not all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Foreseen>,
}

/// One call that a program seems about to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreseen {
    /// The tool's dotted name.
    pub tool: String,
    /// What it would do, in one line, safe to show.
    pub summary: String,
}

/// The program a call of the model's hands in, as the model wrote it.
pub fn code_of(call: &Call) -> Option<String> {
    #[derive(Deserialize)]
    struct Arguments {
        code: String,
    }
    let is_program = call.tool == RUN_CODE;
    is_program.then(|| serde_json::from_str::<Arguments>(&call.arguments).ok()).flatten().map(|it| it.code)
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
