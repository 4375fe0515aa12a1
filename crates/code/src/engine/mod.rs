//! Runs one program in an engine of its own: takes what came of a call, lets the program run until it can do nothing
//! more, and says what it asks for. Knows no process and no pipe; `host` puts it into one.
//!
//! What makes a run repeatable: exactly one promise is settled at a time, then everything that follows from it runs;
//! calls are numbered as they are asked for; time stands still in between; dice start from the seed. The engine that
//! runs the program has no compiler, so no text can become code; `Compiled` brings the program in.

mod failure;
mod globals;
#[cfg(test)]
mod tests;

use crate::{
    alloc::{Counted, Gauge},
    bytecode::Compiled,
    frame::{Cause, Failure, Report, Start},
    journal::{Delivery, ErrorName, Outcome, sha256},
    limits::{Limits, MAX_MESSAGE_BYTES, MAX_PROGRAM_BYTES},
    text,
};
use failure::{failure, failure_of, limit, not_json, thrown};
use globals::{Shared, World};
use rquickjs::{
    Context, Ctx, Function, Persistent, Promise, Runtime, Value, context::intrinsic, promise::PromiseState,
};
use serde_json::Value as Json;
use std::{rc::Rc, time::Duration};

/// What a program finds, except a compiler.
type Intrinsics = (
    intrinsic::Date,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// Changes whenever the same program could behave differently in spite of the same engine and the same `boot.js`.
const BEHAVIOUR: u32 = 1;
const BOOT: &str = include_str!("boot.js");
/// How deep a program may call itself, some thousand levels; the process has 8 MB.
const STACK_BYTES: usize = 1 << 20;
/// How many continuations run between two looks at the clock; each is short, or the engine looks itself.
const JOBS_BETWEEN_LOOKS: usize = 64;
/// The name under which a program's lines appear in its stack traces.
const PROGRAM: &str = "program";

/// Which engine runs programs. A run that another one began cannot be taken up: it might take another way.
pub fn engine_version() -> String {
    let boot = sha256(BOOT.as_bytes());
    format!("rquickjs 0.14.0, quickjs-ng 0.16.2, boot {}, behaviour {BEHAVIOUR}", &boot[..16])
}

/// One run of a program.
pub(crate) struct Engine {
    // Handles into the runtime; they go first, see `Drop`.
    main: Option<Persistent<Promise<'static>>>,
    /// What the program returned, as JSON, and how much of it was cut off.
    returned: Option<(Json, usize)>,
    shared: Rc<Shared>,
    context: Context,
    runtime: Runtime,
}

impl Engine {
    /// Starts a program and lets it run as far as it can. Without an engine it has already ended.
    pub(crate) fn start(start: &Start) -> (Option<Self>, Report) {
        let failed = |failure: Failure| (None, Report::Failed { failure, console: String::new() });
        let mut engine = match Self::prepare(start) {
            Ok(engine) => engine,
            Err(failure) => return failed(failure),
        };
        let report = engine.go_on();
        (Some(engine), report)
    }

    /// Tells the program what came of a call and lets it run as far as it can.
    pub(crate) fn deliver(&mut self, delivery: &Delivery) -> Report {
        self.shared.now_ms.set(delivery.now_ms);
        let Some(waiting) = self.shared.waiting.borrow_mut().remove(&delivery.call) else {
            return self.failed(failure(
                Cause::Engine,
                "NoSuchCall",
                "an answer came to a call that was not asked for",
            ));
        };
        let settled = self.context.with(|ctx| {
            let answer = match &delivery.outcome {
                Outcome::Ok { value } => ctx.json_parse(value.to_string()),
                Outcome::Error { name, message } => {
                    let error = self.shared.error(
                        &ctx,
                        word(*name),
                        text::cut(message, MAX_MESSAGE_BYTES),
                        waiting.line,
                    );
                    error.and_then(|error| Err(ctx.throw(error)))
                }
            };
            match answer {
                Ok(value) => waiting.resolve.restore(&ctx)?.call::<_, ()>((value,)),
                Err(_) => waiting.reject.restore(&ctx)?.call::<_, ()>((ctx.catch(),)),
            }
        });
        if settled.is_err() && self.shared.gauge.stopped().is_none() {
            // Without memory even for this the program cannot be told anything any more.
            self.shared.gauge.stop(Cause::Memory);
        }
        self.go_on()
    }

    fn prepare(start: &Start) -> Result<Self, Failure> {
        if start.engine != engine_version() {
            let why = format!("this run was begun by another engine ({})", start.engine);
            return Err(failure(Cause::Engine, "OtherEngine", &why));
        }
        if start.javascript.len() > MAX_PROGRAM_BYTES {
            let why = format!("the program is longer than {MAX_PROGRAM_BYTES} bytes");
            return Err(failure(Cause::Thrown, "SyntaxError", &why));
        }
        let gauge = Gauge::new(start.limits.memory_bytes, Duration::from_millis(start.limits.cpu_ms));
        let (boot, program) = compile(&start.javascript, &start.limits)?;
        let broken = |error: rquickjs::Error| {
            failure(Cause::Engine, "Engine", &format!("the engine did not start: {error}"))
        };
        let runtime = runtime(&gauge).map_err(broken)?;
        let context = Context::custom::<Intrinsics>(&runtime).map_err(broken)?;
        let world =
            World { paths: &start.paths, seed: start.seed, now_ms: start.now_ms, limits: &start.limits };
        let shared = Shared::new(gauge, &world);
        let main = context.with(|ctx| {
            globals::install(&ctx, &shared, &world).map_err(broken)?;
            let booted = boot.load(ctx.clone()).and_then(|module| module.eval()).map_err(broken)?;
            if booted.1.state() == PromiseState::Rejected {
                return Err(failure(Cause::Engine, "Engine", "the program's surroundings could not be made"));
            }
            let begun = begin(&ctx, &program);
            match begun {
                Ok(main) => Ok(Some(Persistent::save(&ctx, main))),
                Err(_) if shared.gauge.must_stop() => {
                    ctx.catch();
                    Ok(None)
                }
                Err(_) => Err(thrown(&ctx, &shared, ctx.catch())),
            }
        });
        // Whatever was begun must be let go of before the runtime is.
        let engine = |main| Self {
            main,
            returned: None,
            shared: shared.clone(),
            context: context.clone(),
            runtime: runtime.clone(),
        };
        match main {
            Ok(main) => Ok(engine(main)),
            Err(failure) => {
                drop(engine(None));
                Err(failure)
            }
        }
    }

    /// Runs everything that can run, and says where that led.
    fn go_on(&mut self) -> Report {
        self.drain();
        let state = self.state();
        if state == Some(PromiseState::Resolved)
            && self.returned.is_none()
            && self.shared.gauge.stopped().is_none()
        {
            if let Err(failure) = self.keep_value() {
                return self.failed(failure);
            }
            // Asking for the value may have run more of the program.
            self.drain();
        }
        if let Some(cause) = self.shared.gauge.stopped() {
            return self.failed(limit(cause, &self.shared.limits));
        }
        let console = self.shared.take_console();
        match (state, self.returned.take()) {
            (Some(PromiseState::Rejected), _) => {
                let failure = self.context.with(|ctx| {
                    self.shared.ended.set(true);
                    let main = self.main(&ctx)?;
                    main.result::<Value<'_>>();
                    Ok::<_, rquickjs::Error>(thrown(&ctx, &self.shared, ctx.catch()))
                });
                let failure = failure.unwrap_or_else(|error| failure_of(&error));
                let failure = match self.shared.gauge.stopped() {
                    Some(cause) => limit(cause, &self.shared.limits),
                    None => failure,
                };
                Report::Failed { failure, console: console + &self.shared.take_console() }
            }
            (_, Some((value, cut_bytes))) if self.shared.waiting.borrow().is_empty() => {
                self.shared.ended.set(true);
                Report::Done { value, cut_bytes, console }
            }
            (_, None) if self.shared.waiting.borrow().is_empty() => {
                let why =
                    "the program waits for nothing: it awaits a promise that no tool call will ever settle";
                Report::Failed { failure: failure(Cause::Stuck, "Stuck", why), console }
            }
            (_, returned) => {
                self.returned = returned;
                Report::Quiet { calls: self.shared.take_calls(), console }
            }
        }
    }

    fn drain(&self) {
        let mut jobs = 0_usize;
        loop {
            jobs += 1;
            let look = jobs.is_multiple_of(JOBS_BETWEEN_LOOKS);
            if self.shared.gauge.stopped().is_some() || (look && self.shared.gauge.must_stop()) {
                return;
            }
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => return,
                // What a continuation throws becomes a rejection, so this is the engine being stopped.
                Err(stopped) => stopped.0.with(|ctx| drop(ctx.catch())),
            }
        }
    }

    fn state(&self) -> Option<PromiseState> {
        self.context.with(|ctx| self.main(&ctx).ok().map(|main| main.state()))
    }

    fn main<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Promise<'js>> {
        match &self.main {
            Some(main) => main.clone().restore(ctx),
            None => Err(rquickjs::Error::Unknown),
        }
    }

    /// Turns what the program returned into JSON.
    fn keep_value(&mut self) -> Result<(), Failure> {
        let most = self.shared.limits.value_bytes;
        let json = self.context.with(|ctx| {
            let value = self.main(&ctx).ok().and_then(|main| main.result::<Value<'_>>());
            let json =
                value.transpose().and_then(|value| value.map_or(Ok(None), |value| ctx.json_stringify(value)));
            match json.and_then(|json| json.map(|json| json.to_string()).transpose()) {
                Ok(json) => Ok(json),
                Err(_) if self.shared.gauge.must_stop() => {
                    ctx.catch();
                    Err(limit(self.shared.gauge.stopped().unwrap_or(Cause::Time), &self.shared.limits))
                }
                Err(_) => Err(not_json(&thrown(&ctx, &self.shared, ctx.catch()).message)),
            }
        })?;
        let json = json.unwrap_or_else(|| "null".to_owned());
        self.returned = Some(if json.len() <= most {
            (text::value_of(&json).map_err(|why| not_json(&why))?, 0)
        } else {
            let kept = text::cut(&json, most);
            (Json::String(kept.to_owned()), json.len() - kept.len())
        });
        Ok(())
    }

    fn failed(&self, failure: Failure) -> Report {
        self.shared.ended.set(true);
        Report::Failed { failure, console: self.shared.take_console() }
    }
}

impl Drop for Engine {
    /// The engine ends the process if anything outlives its runtime.
    fn drop(&mut self) {
        self.main = None;
        self.shared.let_go();
    }
}

fn runtime(gauge: &Rc<Gauge>) -> rquickjs::Result<Runtime> {
    let runtime = Runtime::new_with_alloc(Counted(gauge.clone()))?;
    runtime.set_max_stack_size(STACK_BYTES);
    let gauge = gauge.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || gauge.must_stop())));
    Ok(runtime)
}

/// Compiles what is to run, in an engine that has a compiler and runs nothing.
fn compile(javascript: &str, limits: &Limits) -> Result<(Compiled, Compiled), Failure> {
    let broken = |error: rquickjs::Error| {
        failure(Cause::Engine, "Engine", &format!("the compiler did not start: {error}"))
    };
    let gauge = Gauge::new(limits.memory_bytes, Duration::from_millis(limits.cpu_ms));
    let runtime = runtime(&gauge).map_err(broken)?;
    type Compiler = (intrinsic::Eval, intrinsic::RegExpCompiler, intrinsic::Promise);
    let context = Context::custom::<Compiler>(&runtime).map_err(broken)?;
    context.with(|ctx| {
        let boot = Compiled::new(&ctx, "boot", BOOT, true).map_err(broken)?;
        let source = format!("{javascript}\nexport {{ program as default }};");
        let program = Compiled::new(&ctx, PROGRAM, &source, false).map_err(|_| {
            let error = failure::described(&ctx, ctx.catch());
            Failure { cause: if gauge.refused() { Cause::Memory } else { Cause::Thrown }, ..error }
        })?;
        Ok((boot, program))
    })
}

/// Starts the program; what it waits for comes later.
fn begin<'js>(ctx: &Ctx<'js>, program: &Compiled) -> rquickjs::Result<Promise<'js>> {
    let (module, _) = program.load(ctx.clone())?.eval()?;
    module.get::<_, Function<'_>>("default")?.call(())
}

fn word(name: ErrorName) -> &'static str {
    match name {
        ErrorName::ToolDenied => "ToolDenied",
        ErrorName::ToolError => "ToolError",
        ErrorName::ToolUnknown => "ToolUnknown",
    }
}
