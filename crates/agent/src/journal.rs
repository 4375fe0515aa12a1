//! What the log says of a turn's programs: what is needed to run one on from where it stopped, and what the model is told
//! of it in the end. A fold of the turn's events, like the turn itself.

use jiff::Timestamp;
use protocol::{Call, CallId, CallResult, CallStatus, Event, Fact, Program, ProgramEnd};
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Write};

/// How many calls the model is told of one by one.
const MAX_RECEIPTS: usize = 60;
/// How much of what it wrote to its console; the rest is in the log.
const MAX_CONSOLE_BYTES: usize = 20_000;
/// How much of a call's arguments stands in its receipt, and how much of what went wrong.
const MAX_RECEIPT_CHARS: usize = 160;

/// The programs of a turn, by the calls that handed them in.
#[derive(Default)]
pub(crate) struct Journal {
    programs: HashMap<CallId, Entry>,
}

/// One program, as far as it came.
pub(crate) struct Entry {
    program: Program,
    calls: Vec<Call>,
    /// Results in the order of the log: which call, when, what.
    results: Vec<(usize, Timestamp, CallResult)>,
    /// How many of them the program had been told when it last fell quiet.
    told: usize,
    console: String,
    end: Option<ProgramEnd>,
}

impl Journal {
    pub fn take(&mut self, event: &Event) {
        match &event.fact {
            Fact::ProgramStarted { call, program } => {
                self.programs.entry(*call).or_insert_with(|| Entry::new(program.clone()));
            }
            Fact::ProgramAsked { program, calls, told, console } => {
                if let Some(entry) = self.programs.get_mut(program) {
                    entry.calls.extend_from_slice(calls);
                    entry.told = *told as usize;
                    entry.console.push_str(console);
                }
            }
            Fact::ProgramEnded { program, end, console } => {
                if let Some(entry) = self.programs.get_mut(program) {
                    entry.end = Some(end.clone());
                    entry.console.push_str(console);
                }
            }
            Fact::CallDone { result } => {
                let asked = |entry: &Entry| entry.calls.iter().position(|call| call.id == result.call);
                for entry in self.programs.values_mut() {
                    if let Some(number) = asked(entry) {
                        entry.results.push((number, event.at, result.clone()));
                    }
                }
            }
            _ => {}
        }
    }

    pub fn get(&self, program: CallId) -> Option<&Entry> {
        self.programs.get(&program)
    }
}

impl Entry {
    fn new(program: Program) -> Self {
        Self { program, calls: Vec::new(), results: Vec::new(), told: 0, console: String::new(), end: None }
    }

    /// What it wrote so far.
    pub fn console(&self) -> &str {
        &self.console
    }

    /// How many results it was told.
    pub fn told(&self) -> usize {
        self.told
    }

    /// What runs.
    pub fn runnable(&self) -> code::Program {
        let Program { javascript, lines, paths, .. } = self.program.clone();
        code::Program { javascript, lines, paths }
    }

    /// Its run up to where it last fell quiet.
    pub fn recorded(&self) -> code::Recorded {
        let Program { javascript, seed, now_ms, engine, .. } = &self.program;
        let beginning =
            code::Beginning { engine: engine.clone(), ..code::Beginning::new(javascript, *seed, *now_ms) };
        let call = |(id, call): (u32, &Call)| code::Call {
            id,
            path: call.tool.clone(),
            // What a program asked for was written as JSON.
            input: serde_json::from_str(&call.arguments).unwrap_or_default(),
        };
        let deliveries = self.results.iter().take(self.told).map(delivery).collect();
        code::Recorded { beginning, calls: (0..).zip(&self.calls).map(call).collect(), deliveries }
    }

    /// What came of its calls since.
    pub fn untold(&self) -> Vec<code::Delivery> {
        self.results.iter().skip(self.told).map(delivery).collect()
    }

    /// What the model is told of it: how it ended, what it wrote, and what came of each of its calls. What strangers said
    /// to it, it may have repeated.
    pub fn receipts(&self, call: CallId) -> CallResult {
        let mut output = match &self.end {
            Some(ProgramEnd::Returned { value, cut_bytes: 0 }) => format!("Returned: {value}\n"),
            Some(ProgramEnd::Returned { value, cut_bytes }) => {
                format!("Returned ({cut_bytes} more bytes were cut off): {value}\n")
            }
            Some(ProgramEnd::Failed { name, message, line }) => {
                let place = line.map(|line| format!(" in line {line}")).unwrap_or_default();
                format!("Failed{place}: {name}: {message}\nWhat its calls did stays done.\n")
            }
            None => "Aborted: the owner stopped the program. What its calls did stays done.\n".to_owned(),
        };
        if !self.console.is_empty() {
            // Writing to a string cannot fail.
            let shown = &self.console[..self.console.floor_char_boundary(MAX_CONSOLE_BYTES)];
            let cut = if shown.len() < self.console.len() { "\n… (cut)" } else { "" };
            write!(output, "Console:\n{}{cut}\n", shown.trim_end()).ok();
        }
        self.write_calls(&mut output);
        let status = match &self.end {
            Some(ProgramEnd::Returned { .. }) => CallStatus::Succeeded,
            Some(ProgramEnd::Failed { .. }) => CallStatus::Failed,
            None => CallStatus::Aborted,
        };
        let results = || self.results.iter().map(|(_, _, result)| result);
        CallResult {
            truncated: matches!(self.end, Some(ProgramEnd::Returned { cut_bytes: 1.., .. })),
            untrusted: results().any(|result| result.untrusted),
            private: results().any(|result| result.private),
            ..CallResult::new(call, status, output.trim_end())
        }
    }

    fn write_calls(&self, output: &mut String) {
        if self.calls.is_empty() {
            output.push_str("It called no tool.");
            return;
        }
        let results: HashMap<usize, &CallResult> =
            self.results.iter().map(|(number, _, result)| (*number, result)).collect();
        writeln!(output, "Calls: {}", self.calls.len()).ok();
        for (number, call) in self.calls.iter().enumerate().take(MAX_RECEIPTS) {
            let arguments = short(&call.arguments);
            let came = results.get(&number).map_or_else(|| "no result".to_owned(), |result| receipt(result));
            writeln!(output, "{}. {} {arguments}: {came}", number + 1, call.tool).ok();
        }
        let rest = self.calls.len().saturating_sub(MAX_RECEIPTS);
        if rest > 0 {
            let well = (MAX_RECEIPTS..self.calls.len())
                .filter(|number| results.get(number).is_some_and(|result| !result.is_error()))
                .count();
            writeln!(output, "… and {rest} more, of which {well} succeeded.").ok();
        }
    }
}

/// What came of a call, in a few words.
fn receipt(result: &CallResult) -> String {
    let word = match result.status {
        CallStatus::Succeeded => return "succeeded".to_owned(),
        CallStatus::Failed => "failed",
        CallStatus::Denied => "denied",
        CallStatus::Interrupted => "outcome unknown",
        CallStatus::Aborted => "not finished",
    };
    // The words for it stand at the beginning of some results, too.
    let why = result.output.strip_prefix("Denied: ").or(result.output.strip_prefix("Interrupted: "));
    format!("{word}: {}", short(why.unwrap_or(&result.output)))
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_RECEIPT_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A result as the program is told it, at the time it came.
fn delivery((number, at, result): &(usize, Timestamp, CallResult)) -> code::Delivery {
    let error = |name, message: String| code::Outcome::Error { name, message };
    let outcome = match result.status {
        CallStatus::Succeeded => code::Outcome::Ok { value: value(result) },
        CallStatus::Denied => error(code::ErrorName::ToolDenied, result.output.clone()),
        CallStatus::Interrupted => {
            error(code::ErrorName::ToolError, format!("outcome unknown. {}", result.output))
        }
        CallStatus::Failed | CallStatus::Aborted => error(code::ErrorName::ToolError, result.output.clone()),
    };
    let call = u32::try_from(*number).unwrap_or(u32::MAX);
    code::Delivery { call, now_ms: at.as_millisecond(), outcome }
}

/// What a tool gave, as data. Without any it is its text, as declarations say.
fn value(result: &CallResult) -> Value {
    let text = || match result.exit_code {
        Some(code) => json!({ "output": result.output, "exitCode": code }),
        None => json!({ "output": result.output }),
    };
    result.value.clone().unwrap_or_else(text)
}
