//! Runs programs on: a stretch takes one from where it fell quiet to where it does so again, or to its end. The process in
//! which it runs is kept between stretches, and made anew from the journal if it is gone.

use crate::journal::Entry;
use code::{Host, Limits, Runner, Step};
use protocol::{Call, CallId, Fact, ProgramEnd};
use std::{collections::VecDeque, sync::Arc};
use store::failpoint;
use tokio::sync::Mutex;

/// How often a program's process may end by itself before the program is given up.
const MAX_DEATHS: u32 = 3;

/// A program of a turn under way.
#[derive(Clone, Default)]
pub(crate) struct Running {
    /// Its process; none before it is first run, and after the process died.
    process: Arc<Mutex<Option<Runner>>>,
    deaths: u32,
}

impl Running {
    /// Its process died. Whether it may have another.
    pub fn died(&mut self) -> bool {
        self.deaths += 1;
        self.deaths < MAX_DEATHS
    }
}

/// How a program ends whose process dies again and again.
pub(crate) fn given_up(program: CallId) -> Fact {
    let message = format!("the process that ran the program died {MAX_DEATHS} times");
    failed(program, "ProcessDied", message, None, String::new())
}

/// What one stretch needs.
pub(crate) struct Stretch {
    id: CallId,
    host: Host,
    running: Running,
    /// How to make a process that has come as far as the program had, if there is none.
    anew: Option<(code::Program, code::Recorded)>,
    written: usize,
    untold: VecDeque<code::Delivery>,
    told: usize,
}

impl Stretch {
    pub fn new(id: CallId, entry: &Entry, host: Host, running: Running) -> Self {
        // Nobody holds the process between stretches.
        let gone = running.process.try_lock().is_ok_and(|process| process.is_none());
        Self {
            id,
            host,
            running,
            anew: gone.then(|| (entry.runnable(), entry.recorded())),
            written: entry.console().len(),
            untold: entry.untold().into(),
            told: entry.told(),
        }
    }

    /// Runs it on; `ProgramAsked` or `ProgramEnded`. Nothing if its process died, which says nothing of the program.
    pub async fn run(mut self) -> Option<Fact> {
        let process = self.running.process.clone();
        let mut process = process.lock().await;
        let (mut calls, mut console) = (Vec::new(), String::new());
        let mut step = Step::Quiet { calls: Vec::new(), console: String::new() };
        if let Some((program, recorded)) = self.anew.take() {
            let started = self.start(&program, &recorded).await;
            match started {
                Ok((runner, first)) => (*process, step) = (Some(runner), first),
                Err(error) => return Some(failed(self.id, "CannotRun", error.to_string(), None, console)),
            }
        }
        loop {
            match step {
                Step::Quiet { calls: more, console: wrote } => {
                    calls.extend(more.into_iter().map(named));
                    console.push_str(&wrote);
                }
                Step::Done { value, cut_bytes, console: wrote } => {
                    console.push_str(&wrote);
                    let end = ProgramEnd::Returned { value: shown(value, cut_bytes), cut_bytes };
                    return Some(Fact::ProgramEnded { program: self.id, end, console });
                }
                Step::Failed { failure, console: wrote } => {
                    console.push_str(&wrote);
                    return Some(failed(self.id, &failure.name, failure.message, failure.line, console));
                }
                Step::Died { why } => {
                    tracing::warn!(program = %self.id, why, "the process of a program died");
                    *process = None;
                    return None;
                }
            }
            let (Some(runner), Some(delivery)) = (process.as_mut(), self.untold.pop_front()) else {
                let told = u32::try_from(self.told).unwrap_or(u32::MAX);
                return Some(Fact::ProgramAsked { program: self.id, calls, told, console });
            };
            if let Err(error) = runner.deliver(&delivery).await {
                return Some(failed(self.id, "CannotRun", error.to_string(), None, console));
            }
            failpoint::hit("program.told");
            self.told += 1;
            step = runner.next().await;
        }
    }

    /// A process that has come as far as the program had, and what it did beyond.
    async fn start(
        &self,
        program: &code::Program,
        recorded: &code::Recorded,
    ) -> Result<(Runner, Step), code::RunError> {
        let (runner, step) = Runner::resume(&self.host, program, recorded, &Limits::default()).await?;
        // What it wrote before is in the log.
        let rest = |console: String| console.get(self.written..).unwrap_or_default().to_owned();
        let step = match step {
            Step::Quiet { calls, console } => Step::Quiet { calls, console: rest(console) },
            Step::Done { value, cut_bytes, console } => {
                Step::Done { value, cut_bytes, console: rest(console) }
            }
            Step::Failed { failure, console } => Step::Failed { failure, console: rest(console) },
            died @ Step::Died { .. } => died,
        };
        Ok((runner, step))
    }
}

fn failed(program: CallId, name: &str, message: String, line: Option<u32>, console: String) -> Fact {
    let end = ProgramEnd::Failed { name: name.to_owned(), message, line };
    Fact::ProgramEnded { program, end, console }
}

/// A call a program asks for, with a name in this house.
fn named(call: code::Call) -> Call {
    Call {
        id: uuid::Uuid::now_v7().into(),
        wire_id: String::new(),
        tool: call.path,
        arguments: call.input.to_string(),
    }
}

/// What a program gave back, as JSON. If it was too long, it comes as the beginning of that.
fn shown(value: serde_json::Value, cut_bytes: usize) -> String {
    match value {
        serde_json::Value::String(beginning) if cut_bytes > 0 => beginning,
        value => value.to_string(),
    }
}
