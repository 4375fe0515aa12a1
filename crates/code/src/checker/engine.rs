//! The TypeScript compiler in a QuickJS runtime of its own, with a memory limit and a deadline for every question put to
//! it. It has no files, no network and no clock to speak of. When it is started and dropped is left to the checker.

use crate::{bytecode::Compiler, declarations::Declarations};
use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Function, Object, Runtime, function::IntoArgs};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    time::{Duration, Instant},
};

/// Ordinary programs with the declarations they name need 30 MB to 90 MB; type-level puzzles want gigabytes.
const MEMORY_LIMIT_BYTES: usize = 256 << 20;

/// Processor time for one check: it takes some hundredths of a second once the declarations are parsed, and one or two
/// before that.
const CHECK_TIME: Duration = Duration::from_secs(5);

/// Loading takes a tenth of a second; this is for slow machines.
const LOAD_TIME: Duration = Duration::from_secs(10);

/// How often longer it may take by the clock, because the machine has other things to do.
const PATIENCE: u32 = 6;

/// The compiler descends into expressions by recursion, some twenty thousand calls deep at most. It is also the largest
/// limit there is: for a larger one rquickjs sets none, without a word.
const STACK_LIMIT_BYTES: usize = 16 << 20;

/// What the thread needs that runs an engine: the limit above and room for what lies below the engine.
pub(super) const THREAD_STACK_BYTES: usize = 24 << 20;

/// Declarations are kept parsed, at about forty bytes for each of their own; past this they are forgotten.
const MAX_PARSED_BYTES: usize = 1 << 20;

/// What was found out about types is kept from check to check, some megabytes for a tenth of a second. After so much work it
/// is let go: some five ordinary checks, or one that had a puzzle to solve.
const WORK_BETWEEN_RESTS: Duration = Duration::from_millis(150);

/// Looking for what can be let go takes as long as half a check, so it is not done during one but for programs that want
/// this much.
const GARBAGE_BYTES: usize = 128 << 20;

/// A program that takes `tools` as a value may reach all of them; the types of more than this take seconds to parse and
/// most of the memory there is.
const MAX_TOOLS_AT_ONCE: usize = 800;

/// An author puts right a few faults at a time, and many of them are echoes of the first.
const MAX_DIAGNOSTICS: usize = 20;

const LIBRARY: &str = include_str!("lib.d.ts");
const CHECKER: &str = include_str!("checker.js");

/// A started compiler and the declarations it has parsed.
pub(super) struct Engine {
    // Before the runtime, which must be dropped last.
    context: Context,
    pub(super) runtime: Runtime,
    deadline: Rc<Deadline>,
    check_time: Duration,
    parsed: BTreeMap<String, usize>,
    /// Those whose types the compiler knows.
    groups: BTreeSet<String>,
    worked: Duration,
}

/// What the compiler answered.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Good { javascript: String, lines: Vec<u32> },
    Bad { diagnostics: Vec<Found> },
}

/// The groups and types a program names, and the line and column where it may reach any group.
#[derive(Deserialize)]
struct Survey {
    groups: Vec<String>,
    types: Vec<String>,
    any: Option<(u32, u32)>,
}

/// A fault as the compiler words it.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) code: String,
    pub(super) message: String,
}

/// Why there is no answer. The engine is not to be asked again.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It took longer than it may.
    Deadline,
    /// It needed more memory than it may have.
    Memory,
    /// It is nested too deep.
    Depth,
    /// Something that should not happen.
    Broken(String),
}

impl Engine {
    /// Loads the compiler and parses the library.
    pub(super) fn start() -> Result<Engine, Fault> {
        Engine::start_with(MEMORY_LIMIT_BYTES, CHECK_TIME)
    }

    /// The same with other limits.
    pub(super) fn start_with(memory_limit_bytes: usize, check_time: Duration) -> Result<Engine, Fault> {
        let broken = |error: &dyn std::fmt::Display| Fault::Broken(error.to_string());
        let compiler = Compiler::unpack().map_err(|error| broken(&error))?;
        let runtime = Runtime::new().map_err(|error| broken(&error))?;
        runtime.set_memory_limit(memory_limit_bytes);
        runtime.set_gc_threshold(GARBAGE_BYTES.min(memory_limit_bytes / 2));
        runtime.set_max_stack_size(STACK_LIMIT_BYTES);
        let deadline = Rc::new(Deadline::after(LOAD_TIME));
        let handler = Rc::clone(&deadline);
        runtime.set_interrupt_handler(Some(Box::new(move || handler.has_passed())));
        let context = Context::full(&runtime).map_err(|error| broken(&error))?;
        let engine = Engine {
            context,
            runtime,
            deadline,
            check_time,
            parsed: BTreeMap::new(),
            groups: BTreeSet::new(),
            worked: Duration::ZERO,
        };
        engine.run(|ctx| {
            compiler.declare(ctx)?.eval()?.1.finish::<()>()?;
            ctx.eval::<(), _>(CHECKER)?;
            let start: Function = ctx.globals().get("startChecker")?;
            let checker: Object = start.call((LIBRARY,))?;
            ctx.globals().set("checker", checker)
        })?;
        Ok(engine)
    }

    /// Parses what the program names and was not parsed before, then checks it and takes its types away.
    pub(super) fn check(
        &mut self,
        declarations: &Declarations,
        program: &str,
    ) -> Result<(Answer, Vec<String>), Fault> {
        let began = processor_time();
        self.deadline.set(self.check_time);
        let survey: Survey = self.ask("survey", (program,))?;
        if let Some((line, column)) = survey.any
            && declarations.paths().count() > MAX_TOOLS_AT_ONCE
        {
            let found = Found { line, column, code: "any-tool".to_owned(), message: String::new() };
            return Ok((Answer::Bad { diagnostics: vec![found] }, Vec::new()));
        }
        let named = survey.any.is_none().then_some(survey.groups.as_slice());
        let groups = declarations.groups_among(named, &survey.types);
        // With those of the programs before, the compiler need not start anew for every other group.
        self.groups.extend(groups.iter().cloned());
        self.groups.retain(|group| declarations.file_of(group).is_some());
        let all: Vec<String> = self.groups.iter().cloned().collect();
        let mut names = Vec::with_capacity(all.len() + 1);
        let files = all.iter().map(|group| declarations.file_of(group));
        for (name, text) in std::iter::once(declarations.table_for(&all)).chain(files.flatten()) {
            if !self.parsed.contains_key(&name) {
                self.tell("declare", (name.as_str(), &*text))?;
                self.parsed.insert(name.clone(), text.len());
            }
            names.push(name);
        }
        let request = serde_json::json!({ "names": names, "most": MAX_DIAGNOSTICS }).to_string();
        let answer = self.ask("check", (request,))?;
        self.worked += processor_time().saturating_sub(began);
        Ok((answer, groups))
    }

    /// Lets go of what has grown over several checks. Takes as long as a check, so it is done when one has been answered.
    pub(super) fn rest(&mut self) -> Result<(), Fault> {
        let crowded = self.parsed.values().sum::<usize>() > MAX_PARSED_BYTES;
        match self.worked >= WORK_BETWEEN_RESTS || crowded {
            true => self.let_go(crowded),
            false => Ok(()),
        }
    }

    /// Lets go of what was found out about types, and of the parsed declarations if they too are to be forgotten.
    pub(super) fn let_go(&mut self, declarations: bool) -> Result<(), Fault> {
        self.deadline.set(self.check_time);
        self.tell("rest", ())?;
        if declarations {
            for name in std::mem::take(&mut self.parsed).into_keys() {
                self.tell("forget", (name,))?;
            }
            self.groups.clear();
        }
        self.worked = Duration::ZERO;
        self.runtime.run_gc();
        Ok(())
    }

    fn ask<T: DeserializeOwned>(&self, what: &str, with: impl for<'js> IntoArgs<'js>) -> Result<T, Fault> {
        let json: String = self.run(|ctx| {
            let checker: Object = ctx.globals().get("checker")?;
            checker.get::<_, Function>(what)?.call(with)
        })?;
        serde_json::from_str(&json).map_err(|error| Fault::Broken(error.to_string()))
    }

    fn tell(&self, what: &str, with: impl for<'js> IntoArgs<'js>) -> Result<(), Fault> {
        self.run(|ctx| {
            let checker: Object = ctx.globals().get("checker")?;
            checker.get::<_, Function>(what)?.call(with)
        })
    }

    fn run<T>(&self, act: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<T>) -> Result<T, Fault> {
        self.context.with(|ctx| act(&ctx).catch(&ctx).map_err(|error| self.fault(&error)))
    }

    /// An engine that ran out of something says so in many ways, and at times cannot even make the error.
    fn fault(&self, error: &CaughtError<'_>) -> Fault {
        let words = error.to_string();
        if self.deadline.has_passed() {
            return Fault::Deadline;
        }
        match error {
            CaughtError::Exception(_) if words.contains("stack") => Fault::Depth,
            CaughtError::Exception(_) if words.contains("out of memory") => Fault::Memory,
            CaughtError::Value(value) if value.is_null() => Fault::Memory,
            _ => Fault::Broken(words.chars().take(300).collect()),
        }
    }
}

impl Drop for Engine {
    /// Nothing may run while the runtime is torn down.
    fn drop(&mut self) {
        self.runtime.set_interrupt_handler(None);
    }
}

/// When a question has taken too long.
struct Deadline {
    processor: Cell<Duration>,
    clock: Cell<Instant>,
}

impl Deadline {
    fn after(time: Duration) -> Deadline {
        let deadline = Deadline { processor: Cell::default(), clock: Cell::new(Instant::now()) };
        deadline.set(time);
        deadline
    }

    fn set(&self, time: Duration) {
        self.processor.set(processor_time() + time);
        self.clock.set(Instant::now() + time * PATIENCE);
    }

    fn has_passed(&self) -> bool {
        processor_time() >= self.processor.get() || Instant::now() >= self.clock.get()
    }
}

/// What this thread has used.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or(0))
}
