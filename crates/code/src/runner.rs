//! The house's side of a run: starts the process that runs a program, tells it what came of calls, and hears what the
//! program asks for.
//!
//! The process handles hostile code, so nothing it says is believed: calls come numbered and from the list of tools, or
//! it is as good as dead. Which calls may run, and running them, is for others; so is keeping the journal.

use crate::{
    frame::{self, Cause, Failure, FrameBuffer, Order, Report, Start},
    journal::{Beginning, Call, Delivery, Divergence, ErrorName, Next, Outcome, Recorded, Replay, sha256},
    limits::{Limits, MAX_DEPTH, MAX_MESSAGE_BYTES, MAX_PATH_BYTES, MAX_PATHS, MAX_PROGRAM_BYTES},
    process::Host,
    text,
};
use sandbox::{Finished, Running, SpawnError, Stream};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashSet},
    io,
    time::Duration,
};
use tokio::time::{Instant, timeout_at};

/// What the note on a cut console may add to its limit.
const CONSOLE_NOTE_BYTES: usize = 200;

/// What is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// A script that declares `async function program()`, as [`crate::Checked::Good`] has it.
    pub javascript: String,
    /// For each line of it the author's line; without any, they are the same.
    pub lines: Vec<u32>,
    /// The tools it can call.
    pub paths: Vec<String>,
}

/// A program that runs. Dropping it ends the process.
#[derive(Debug)]
pub struct Runner {
    running: Option<Running>,
    input: Stream,
    frames: FrameBuffer,
    limits: Limits,
    paths: HashSet<String>,
    lines: Vec<u32>,
    issued: u32,
    open: BTreeSet<u32>,
    console_bytes: usize,
    /// An order was given, and its answer has not been taken.
    asked: bool,
    answer_by: Instant,
}

/// Where a program has got to.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// It can do nothing more until it is told what came of a call. Calls it asked for before may still be open.
    Quiet {
        /// What it asked for since the last step.
        calls: Vec<Call>,
        /// What it wrote to the console since the last step.
        console: String,
    },
    /// It has ended, and every call it asked for is answered.
    Done {
        /// What it returned. If that was too long: the beginning of its JSON, as a string.
        value: Value,
        /// How much of the JSON was cut off.
        cut_bytes: usize,
        /// What it wrote to the console since the last step.
        console: String,
    },
    /// It has failed. Calls that are open are no longer of interest to it.
    Failed {
        /// Why.
        failure: Failure,
        /// What it wrote to the console since the last step.
        console: String,
    },
    /// The process ended in the middle, which says nothing about the program: [`Runner::resume`] takes the run up again. A
    /// program that kills its process twice at the same place will do so again.
    Died {
        /// How, for the log.
        why: String,
    },
}

/// Why a program could not be run or told something.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The sandbox did not start the process.
    #[error("the program cannot be run: {0}")]
    Spawn(#[from] SpawnError),
    /// The program or its list of tools is too long.
    #[error("the program cannot be run: {0}")]
    TooLong(String),
    /// The program is not the one that was recorded.
    #[error("this is not the program that was begun")]
    OtherProgram,
    /// It was begun by an engine that might take another way.
    #[error(
        "the program was begun by another version of the engine ({0}) and cannot be taken up; start it anew"
    )]
    OtherEngine(String),
    /// It took another way than recorded.
    #[error(transparent)]
    Divergence(#[from] Divergence),
    /// An answer to a call that is not open.
    #[error("call {0} is not open")]
    NotOpen(u32),
    /// The program is still busy with what it was told before: see [`Runner::next`] first.
    #[error("the program is busy")]
    Busy,
}

impl Runner {
    /// Starts a program. [`Runner::next`] says how far it got.
    pub async fn start(
        host: &Host,
        program: &Program,
        beginning: &Beginning,
        limits: &Limits,
    ) -> Result<Self, RunError> {
        check(program, beginning)?;
        let (running, input) = host.spawn(limits).await?;
        let mut runner = Self {
            running: Some(running),
            input,
            frames: FrameBuffer::new(limits.frame_bytes()),
            limits: limits.clone(),
            paths: program.paths.iter().cloned().collect(),
            lines: program.lines.clone(),
            issued: 0,
            open: BTreeSet::new(),
            console_bytes: 0,
            asked: false,
            answer_by: Instant::now(),
        };
        let start = Start {
            javascript: program.javascript.clone(),
            paths: program.paths.clone(),
            seed: beginning.seed,
            now_ms: beginning.now_ms,
            limits: limits.clone(),
            engine: beginning.engine.clone(),
        };
        runner.send(&Order::Start(start)).await;
        Ok(runner)
    }

    /// Takes up a run where its record ends, by running the program again with what was recorded. The step is the
    /// first that goes beyond the record; if it is quiet, its calls are new ones, and those the record has open
    /// ([`Recorded::open`]) are open still. The console is that of the whole run.
    pub async fn resume(
        host: &Host,
        program: &Program,
        recorded: &Recorded,
        limits: &Limits,
    ) -> Result<(Self, Step), RunError> {
        let mut runner = Self::start(host, program, &recorded.beginning, limits).await?;
        let mut replay = Replay::new(recorded);
        let mut all = String::new();
        loop {
            match runner.next().await {
                Step::Quiet { calls, console } => {
                    all += &console;
                    match replay.asked(calls)? {
                        Next::Deliver(delivery) => runner.deliver(delivery).await?,
                        Next::CaughtUp(calls) => return Ok((runner, Step::Quiet { calls, console: all })),
                    }
                }
                Step::Done { value, cut_bytes, console } => {
                    replay.ended()?;
                    return Ok((runner, Step::Done { value, cut_bytes, console: all + &console }));
                }
                Step::Failed { failure, console } => {
                    // A machine that is slower this time is no sign that the program took another way.
                    if !matches!(failure.cause, Cause::Time | Cause::Engine) {
                        replay.ended()?;
                    }
                    return Ok((runner, Step::Failed { failure, console: all + &console }));
                }
                died @ Step::Died { .. } => return Ok((runner, died)),
            }
        }
    }

    /// Waits until the program can do nothing more. May be dropped and called again without losing anything. A program that
    /// was told nothing since is as quiet as it was.
    pub async fn next(&mut self) -> Step {
        if !self.asked && self.running.is_some() {
            return Step::Quiet { calls: Vec::new(), console: String::new() };
        }
        loop {
            match self.frames.take::<Report>() {
                Ok(Some(report)) => return self.believed(report).unwrap_or_else(|why| self.bury(why)),
                Ok(None) => {}
                Err(error) => return self.bury(format!("it spoke nonsense: {error}")),
            }
            let Some(running) = &mut self.running else { return self.bury("it has ended before".to_owned()) };
            match timeout_at(self.answer_by, running.next()).await {
                Ok(Some(piece)) => self.frames.push(&piece),
                Ok(None) => return self.ended().await,
                Err(_) => {
                    self.running = None;
                    let message = format!("the program did not answer within {} ms", self.limits.answer_ms);
                    return limited(Cause::Time, "OutOfTime", message);
                }
            }
        }
    }

    /// Tells the program what came of a call, which must be open; [`Runner::next`] says how far that got it. An answer too
    /// long or too deep for the program is told as an error.
    pub async fn deliver(&mut self, delivery: &Delivery) -> Result<(), RunError> {
        if self.asked {
            return Err(RunError::Busy);
        }
        if !self.open.remove(&delivery.call) {
            return Err(RunError::NotOpen(delivery.call));
        }
        let outcome = fitting(&delivery.outcome, &self.limits);
        self.send(&Order::Deliver(Delivery { outcome, ..*delivery })).await;
        Ok(())
    }

    /// The calls that nobody has answered.
    pub fn open(&self) -> impl Iterator<Item = u32> {
        self.open.iter().copied()
    }

    /// The process in which the program runs, while it does.
    pub fn process_id(&self) -> Option<u32> {
        self.running.as_ref()?.id()
    }

    /// Sends an order. A process that does not take it is found dead by `next`.
    async fn send(&mut self, order: &Order) {
        self.asked = true;
        self.answer_by = Instant::now() + Duration::from_millis(self.limits.answer_ms);
        let sent = match frame::encode(order) {
            Ok(bytes) => timeout_at(self.answer_by, self.input.write_all(&bytes)).await,
            Err(error) => Ok(Err(error)),
        };
        if let Ok(Err(error)) = sent
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            tracing::warn!(%error, "a program's process could not be spoken to");
        }
    }

    /// What the process says, if it can be true.
    fn believed(&mut self, report: Report) -> Result<Step, String> {
        self.asked = false;
        let (Report::Quiet { console, .. } | Report::Done { console, .. } | Report::Failed { console, .. }) =
            &report;
        self.console_bytes += console.len();
        if self.console_bytes > self.limits.console_bytes + CONSOLE_NOTE_BYTES {
            return Err("it wrote more than it may".to_owned());
        }
        match report {
            Report::Quiet { calls, console } => {
                for call in &calls {
                    if call.id != self.issued
                        || call.id >= self.limits.calls
                        || !self.paths.contains(&call.path)
                    {
                        return Err(format!("it asked for call {} of `{}`", call.id, call.path));
                    }
                    self.issued += 1;
                    self.open.insert(call.id);
                }
                if self.open.is_empty() {
                    return Err("it waits for nothing".to_owned());
                }
                Ok(Step::Quiet { calls, console })
            }
            Report::Done { .. } if !self.open.is_empty() => Err("it ended with calls open".to_owned()),
            Report::Done { value, cut_bytes, console } => {
                self.running = None;
                Ok(Step::Done { value, cut_bytes, console })
            }
            Report::Failed { mut failure, console } => {
                self.running = None;
                self.open.clear();
                failure.line = failure.line.map(|line| self.authors_line(line));
                Ok(Step::Failed { failure, console })
            }
        }
    }

    fn authors_line(&self, line: u32) -> u32 {
        let index = line.saturating_sub(1) as usize;
        self.lines.get(index).or(self.lines.last()).copied().unwrap_or(line)
    }

    /// The process is gone without a word; how it went may still say why.
    async fn ended(&mut self) -> Step {
        let Some(running) = self.running.take() else { return self.bury("it has ended before".to_owned()) };
        let finished = running.finish().await;
        let signal = |name: rustix::process::Signal| finished.signal == Some(name.as_raw());
        if signal(rustix::process::Signal::XCPU) {
            let message = format!("the program used more than {} ms of processor time", self.limits.cpu_ms);
            return limited(Cause::Time, "OutOfTime", message);
        }
        // The engine gives up where it cannot even throw an error.
        if signal(rustix::process::Signal::ABORT) {
            let message = format!("the program used more than {} bytes of memory", self.limits.memory_bytes);
            return limited(Cause::Memory, "OutOfMemory", message);
        }
        self.bury(how(&finished))
    }

    fn bury(&mut self, why: String) -> Step {
        self.running = None;
        self.asked = false;
        self.open.clear();
        Step::Died { why }
    }
}

fn check(program: &Program, beginning: &Beginning) -> Result<(), RunError> {
    if program.javascript.len() > MAX_PROGRAM_BYTES {
        return Err(RunError::TooLong(format!("it is longer than {MAX_PROGRAM_BYTES} bytes")));
    }
    if program.paths.len() > MAX_PATHS {
        return Err(RunError::TooLong(format!("there are more than {MAX_PATHS} tools")));
    }
    if let Some(path) = program.paths.iter().find(|path| path.len() > MAX_PATH_BYTES) {
        let path = text::cut(path, 50);
        return Err(RunError::TooLong(format!(
            "the path of `{path}…` is longer than {MAX_PATH_BYTES} bytes"
        )));
    }
    if sha256(program.javascript.as_bytes()) != beginning.program_sha256 {
        return Err(RunError::OtherProgram);
    }
    if beginning.engine != crate::engine_version() {
        return Err(RunError::OtherEngine(beginning.engine.clone()));
    }
    Ok(())
}

/// What came of a call, as far as a program can be told.
fn fitting(outcome: &Outcome, limits: &Limits) -> Outcome {
    let error = |message: String| Outcome::Error { name: ErrorName::ToolError, message };
    match outcome {
        Outcome::Ok { value } => {
            let json = value.to_string();
            if json.len() > limits.outcome_bytes {
                let (has, may) = (json.len(), limits.outcome_bytes);
                return error(format!("the tool ran, but its answer has {has} bytes, and {may} are allowed"));
            }
            if text::depth(&json) > MAX_DEPTH {
                return error(format!(
                    "the tool ran, but its answer is nested more than {MAX_DEPTH} levels deep"
                ));
            }
            outcome.clone()
        }
        Outcome::Error { name, message } => {
            Outcome::Error { name: *name, message: text::cut(message, MAX_MESSAGE_BYTES).to_owned() }
        }
    }
}

fn limited(cause: Cause, name: &str, message: String) -> Step {
    Step::Failed {
        failure: Failure { cause, name: name.to_owned(), message, line: None },
        console: String::new(),
    }
}

fn how(finished: &Finished) -> String {
    match (finished.exit, finished.signal) {
        (Some(code), _) => format!("the process ended with code {code}"),
        (None, Some(signal)) => format!("signal {signal} ended the process"),
        (None, None) => "the process ended".to_owned(),
    }
}
