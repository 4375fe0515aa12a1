//! How much a program may use. Values only: `alloc` and `engine` keep to them inside, `runner` outside.

use serde::{Deserialize, Serialize};

/// The longest program, as JavaScript. Models write pages, not volumes, and the engine's parser cannot be interrupted.
pub const MAX_PROGRAM_BYTES: usize = 256 * 1024;
/// The most tools one program can be offered; each is an object in the engine.
pub const MAX_PATHS: usize = 10_000;
/// The longest path of a tool; it comes back with every call.
pub const MAX_PATH_BYTES: usize = 512;
/// The longest text of an error, whether thrown by a program or told to it.
pub const MAX_MESSAGE_BYTES: usize = 4096;
/// How deep what goes into or out of a program may be nested. Parsers of JSON recurse, and 128 is where they stop.
pub const MAX_DEPTH: usize = 100;

/// How much one run of a program may use. A run that is taken up again starts counting anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// What all its values may take in memory.
    pub memory_bytes: usize,
    /// Processor time.
    pub cpu_ms: u64,
    /// How long the process may take to answer, however busy the machine is.
    pub answer_ms: u64,
    /// Calls of tools.
    pub calls: u32,
    /// The input of one call, as JSON.
    pub input_bytes: usize,
    /// The inputs of all calls together, as JSON: they are kept to run the program again.
    pub all_inputs_bytes: usize,
    /// What a tool gives back, as JSON.
    pub outcome_bytes: usize,
    /// What the program gives back, as JSON. The rest is cut off.
    pub value_bytes: usize,
    /// What it writes to the console. The rest is cut off.
    pub console_bytes: usize,
}

impl Default for Limits {
    /// Enough to walk through thousands of records, too little to be noticed on the machine.
    fn default() -> Self {
        Self {
            memory_bytes: 64 << 20,
            cpu_ms: 10_000,
            answer_ms: 120_000,
            calls: 1000,
            input_bytes: 1 << 20,
            all_inputs_bytes: 8 << 20,
            outcome_bytes: 8 << 20,
            value_bytes: 100_000,
            console_bytes: 100_000,
        }
    }
}

impl Limits {
    /// The longest frame that makes sense in either direction. Everything in it has a limit of its own; console text
    /// can grow sixfold when it is escaped.
    pub(crate) fn frame_bytes(&self) -> usize {
        let most = self.all_inputs_bytes.max(self.outcome_bytes).max(self.value_bytes);
        most + 6 * self.console_bytes + 2 * MAX_PROGRAM_BYTES + (4 << 20)
    }
}
