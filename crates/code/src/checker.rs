//! Checks programs: TypeScript against the tools' declarations, in a thread of its own that is started when it is first
//! needed and ends when it has had nothing to do for a while. What the tools are is left to `declarations`; that a call's
//! input fits its schema is checked again by whoever runs it.

mod engine;
mod messages;
#[cfg(test)]
mod tests;

use crate::{bytecode::give_back_memory, declarations::Declarations};
use engine::{Answer, Engine, Fault, Found, THREAD_STACK_BYTES};
use std::{
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

/// The compiler with parsed declarations holds tens of megabytes, and loading it again takes a fifth of a second.
const IDLE: Duration = Duration::from_secs(60);

/// A program is a screen or two; what is longer is data, which belongs into a file.
const MAX_PROGRAM_BYTES: usize = 100_000;

/// Checks programs. Cheap to clone; all clones share one compiler.
#[derive(Clone)]
pub struct Checker {
    worker: Arc<Mutex<Option<Worker>>>,
    idle: Duration,
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The program fits the tools.
    Good {
        /// A script that declares `async function program()`: the program without its types.
        javascript: String,
        /// For each line of `javascript` the line of the program it came from, counted from 1.
        lines: Vec<u32>,
        /// The groups of tools the program names.
        groups: Vec<String>,
    },
    /// The author has something to put right.
    Bad {
        /// The faults in the order of the text, never empty.
        diagnostics: Vec<Diagnostic>,
    },
    /// The check could not be finished.
    GaveUp {
        /// The reason, in words for the author.
        why: String,
    },
}

/// One fault of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The author's line, counted from 1.
    pub line: u32,
    /// The column in UTF-16 units, counted from 1.
    pub column: u32,
    /// `TS` and the compiler's number, or the name of one of this room's own rules.
    pub code: String,
    /// What is wrong, in plain words.
    pub message: String,
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{} {} {}", self.line, self.column, self.code, self.message)
    }
}

impl Checker {
    /// Loads nothing yet.
    pub fn new() -> Checker {
        Checker::with_idle(IDLE)
    }

    fn with_idle(idle: Duration) -> Checker {
        Checker { worker: Arc::default(), idle }
    }

    /// Checks one program. Blocks for about a hundredth of a second, the first time for a few tenths, and never for
    /// longer than the limits allow; programs that are checked at the same time wait for each other.
    pub fn check(&self, declarations: &Declarations, program: &str) -> Checked {
        let refused = match program {
            _ if program.len() > MAX_PROGRAM_BYTES => Some("too-long"),
            _ if program.trim_start().starts_with("```") => Some("fenced"),
            _ => None,
        };
        if let Some(code) = refused {
            let found = Found { line: 1, column: 1, code: code.to_owned(), message: String::new() };
            return Checked::Bad { diagnostics: vec![told(found)] };
        }
        // A worker may end for lack of work at the very moment it is asked; its successor has work to begin with.
        for _ in 0..2 {
            let (reply, answer) = mpsc::channel();
            let question =
                Question { declarations: declarations.clone(), program: program.to_owned(), reply };
            if self.send(Request::Check(question))
                && let Ok(checked) = answer.recv()
            {
                return checked;
            }
        }
        gave_up(&Fault::Broken("its thread ended".to_owned()))
    }

    /// Loads the compiler, in its own thread, so that the first check finds it ready. Returns at once. If it is loaded or
    /// being loaded, this only puts off its end, as a check does: a minute after the last of either the thread ends, with all
    /// it holds, and the next check or `warm` starts another.
    pub fn warm(&self) {
        self.send(Request::Warm);
    }

    fn send(&self, request: Request) -> bool {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let unsent = match worker.as_ref() {
            Some(worker) => worker.send(request),
            None => Some(request),
        };
        let Some(request) = unsent else { return true };
        *worker = Worker::start(self.idle);
        worker.as_ref().is_some_and(|it| it.send(request).is_none())
    }
}

impl Default for Checker {
    fn default() -> Checker {
        Checker::new()
    }
}

/// The thread that holds the compiler.
struct Worker {
    requests: mpsc::Sender<Request>,
    thread: thread::JoinHandle<()>,
}

enum Request {
    Warm,
    Check(Question),
}

struct Question {
    declarations: Declarations,
    program: String,
    reply: mpsc::Sender<Checked>,
}

impl Worker {
    fn start(idle: Duration) -> Option<Worker> {
        let (requests, waiting) = mpsc::channel();
        let thread = thread::Builder::new().name("checker".to_owned()).stack_size(THREAD_STACK_BYTES);
        let thread = thread.spawn(move || work(&waiting, idle)).ok()?;
        Some(Worker { requests, thread })
    }

    /// Gives the request back if the thread has ended.
    fn send(&self, request: Request) -> Option<Request> {
        match self.thread.is_finished() {
            true => Some(request),
            false => self.requests.send(request).err().map(|unsent| unsent.0),
        }
    }
}

/// Answers until there was nothing to do for `idle`, or nobody is left to ask.
fn work(waiting: &mpsc::Receiver<Request>, idle: Duration) {
    let mut engine: Option<Engine> = None;
    while let Ok(request) = waiting.recv_timeout(idle) {
        match request {
            Request::Warm if engine.is_none() => engine = Engine::start().ok(),
            Request::Warm => {}
            Request::Check(question) => {
                let checked = answer(&mut engine, &question);
                // Who asked may have gone away.
                question.reply.send(checked).ok();
                if engine.as_mut().is_some_and(|engine| engine.rest().is_err()) {
                    engine = None;
                }
            }
        }
    }
    drop(engine);
    give_back_memory();
}

/// An engine that failed is not asked again: what it holds may be half made.
fn answer(engine: &mut Option<Engine>, question: &Question) -> Checked {
    let asked = match engine.take() {
        Some(kept) => Ok(kept),
        None => Engine::start(),
    };
    let answered = asked.and_then(|mut asked| {
        let answer = asked.check(&question.declarations, &question.program)?;
        *engine = Some(asked);
        Ok(answer)
    });
    match answered {
        Ok((Answer::Good { javascript, lines }, groups)) => Checked::Good { javascript, lines, groups },
        Ok((Answer::Bad { diagnostics }, _)) => {
            Checked::Bad { diagnostics: diagnostics.into_iter().map(told).collect() }
        }
        Err(fault) => {
            give_back_memory();
            gave_up(&fault)
        }
    }
}

fn told(found: Found) -> Diagnostic {
    let message = messages::plain(&found.code, &found.message);
    Diagnostic { line: found.line, column: found.column, code: found.code, message }
}

fn gave_up(fault: &Fault) -> Checked {
    let why = match fault {
        Fault::Deadline => "checking the program took too long: use simpler types".to_owned(),
        Fault::Memory => "checking the program needs too much memory: use simpler types".to_owned(),
        Fault::Depth => "the program is nested too deep to be checked: split it up".to_owned(),
        Fault::Broken(words) => format!("the program could not be checked: {words}"),
    };
    Checked::GaveUp { why }
}
