//! What a program can reach of the house: the functions behind `tools`, `console`, `Date` and `Math.random`, and what they
//! leave behind for `Engine`. `boot.js` puts them in their places.

use super::failure;
use crate::{alloc::Gauge, frame::Cause, journal::Call, limits::Limits, text};
use rquickjs::{
    Ctx, Function, Object, Persistent, Result, Value,
    function::{Constructor, Opt, Rest},
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

/// What a run is given.
pub(super) struct World<'a> {
    pub(super) paths: &'a [String],
    pub(super) seed: u64,
    pub(super) now_ms: i64,
    pub(super) limits: &'a Limits,
}

/// What the functions a program calls share with `Engine`.
pub(super) struct Shared {
    pub(super) gauge: Rc<Gauge>,
    pub(super) limits: Limits,
    pub(super) now_ms: Cell<i64>,
    /// The calls nobody has answered, by id.
    pub(super) waiting: RefCell<BTreeMap<u32, Waiting>>,
    /// Nothing the program does counts any more.
    pub(super) ended: Cell<bool>,
    dice: Cell<u64>,
    fresh: RefCell<Vec<Call>>,
    issued: Cell<u32>,
    input_bytes: Cell<usize>,
    console: RefCell<String>,
    console_bytes: Cell<usize>,
    error: RefCell<Option<Persistent<Constructor<'static>>>>,
}

/// A call that is to be answered.
pub(super) struct Waiting {
    pub(super) resolve: Persistent<Function<'static>>,
    pub(super) reject: Persistent<Function<'static>>,
    /// Where it was made: an error that comes back has no place of its own.
    pub(super) line: Option<u32>,
}

impl Shared {
    pub(super) fn new(gauge: Rc<Gauge>, world: &World<'_>) -> Rc<Self> {
        Rc::new(Self {
            gauge,
            limits: world.limits.clone(),
            now_ms: Cell::new(world.now_ms),
            waiting: RefCell::default(),
            ended: Cell::new(false),
            dice: Cell::new(world.seed),
            fresh: RefCell::default(),
            issued: Cell::new(0),
            input_bytes: Cell::new(0),
            console: RefCell::default(),
            console_bytes: Cell::new(0),
            error: RefCell::default(),
        })
    }

    /// The calls asked for since the last time.
    pub(super) fn take_calls(&self) -> Vec<Call> {
        self.fresh.take()
    }

    /// What was written to the console since the last time.
    pub(super) fn take_console(&self) -> String {
        self.console.take()
    }

    /// Drops every handle into the engine.
    pub(super) fn let_go(&self) {
        self.waiting.take();
        self.error.take();
    }

    /// An error as the program's own `new Error` would make it, with a name and a place.
    pub(super) fn error<'js>(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        message: &str,
        line: Option<u32>,
    ) -> Result<Value<'js>> {
        let constructor = self.error.borrow().clone().ok_or(rquickjs::Error::Unknown)?.restore(ctx)?;
        let error: Object<'js> = constructor.construct((message,))?;
        error.set("name", name)?;
        if let Some(line) = line {
            error.set("stack", format!("    at program:{line}\n"))?;
        }
        Ok(error.into_value())
    }

    /// An error, and nothing more is done, once the program was stopped: it may still catch errors ten thousand times
    /// before the engine notices, so each has to be cheap.
    fn goes_on(&self, ctx: &Ctx<'_>) -> Result<()> {
        match self.ended.get() || self.gauge.must_stop() {
            true => Err(ctx.throw(Value::new_null(ctx.clone()))),
            false => Ok(()),
        }
    }

    /// The next throw of the dice: splitmix64, of which 53 bits make a number below 1.
    fn throw_dice(&self) -> f64 {
        let state = self.dice.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.dice.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Keeps a line of the console, as far as there is room.
    fn print(&self, line: &str) {
        let used = self.console_bytes.get();
        if used >= self.limits.console_bytes {
            return;
        }
        let mut console = self.console.borrow_mut();
        let room = self.limits.console_bytes - used;
        console.push_str(text::cut(line, room));
        console.push('\n');
        self.console_bytes.set(used + line.len() + 1);
        if line.len() >= room {
            console.push_str("[the rest of the console is cut off]\n");
        }
    }
}

/// Puts what `boot.js` needs where it finds it.
pub(super) fn install(ctx: &Ctx<'_>, shared: &Rc<Shared>, world: &World<'_>) -> Result<()> {
    let error: Constructor<'_> = ctx.globals().get("Error")?;
    shared.error.replace(Some(Persistent::save(ctx, error)));
    // A tool that is also a group must be there before what is put into it.
    let mut paths: Vec<&String> = world.paths.iter().collect();
    paths.sort_by_key(|path| path.matches('.').count());
    let mut tools = Vec::with_capacity(paths.len());
    for path in &paths {
        tools.push(tool(ctx, shared, path)?);
    }
    let host = Object::new(ctx.clone())?;
    host.set("paths", paths)?;
    host.set("tools", tools)?;
    host.set("print", print(ctx, shared)?)?;
    let clock = shared.clone();
    host.set("now", Function::new(ctx.clone(), move || clock.now_ms.get() as f64)?.with_name("now")?)?;
    let dice = shared.clone();
    host.set("random", Function::new(ctx.clone(), move || dice.throw_dice())?.with_name("random")?)?;
    ctx.globals().set("host", host)
}

/// A string, or anything else as far as it has words, as the house's text.
pub(super) fn text_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    let json = match ctx.json_stringify(value.clone()) {
        Ok(json) => json?.to_string().ok()?,
        Err(_) => {
            ctx.catch();
            return None;
        }
    };
    if !value.is_string() {
        return Some(json);
    }
    // By way of JSON, because it may hold halves of characters.
    text::value_of(&json).ok()?.as_str().map(str::to_owned)
}

fn tool<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>, path: &str) -> Result<Function<'js>> {
    let (shared, name) = (shared.clone(), path.rsplit('.').next().unwrap_or(path));
    let path = path.to_owned();
    let call = move |ctx: Ctx<'js>, input: Opt<Value<'js>>| issue(&ctx, &shared, &path, input.0);
    Function::new(ctx.clone(), call)?.with_name(name)?.with_length(1)
}

/// The program asks for a call. What is wrong with it rejects the promise, like everything that comes of a call.
fn issue<'js>(ctx: &Ctx<'js>, shared: &Shared, path: &str, input: Option<Value<'js>>) -> Result<Value<'js>> {
    shared.goes_on(ctx)?;
    let json = match input.filter(|input| !input.is_undefined()) {
        None => Ok("{}".to_owned()),
        Some(input) => match ctx.json_stringify(input) {
            Ok(Some(json)) => Ok(json.to_string()?),
            Ok(None) => Err("it is a function or a symbol".to_owned()),
            Err(error) => {
                let thrown = ctx.catch();
                if shared.gauge.must_stop() || thrown.is_uncatchable_error() {
                    ctx.throw(thrown);
                    return Err(error);
                }
                return rejected(ctx, thrown);
            }
        },
    };
    let line = line_here(ctx, shared);
    // Until here the program's own code may have run, even other calls of it.
    shared.goes_on(ctx)?;
    let json = json.and_then(|json| match json.len() {
        length if length > shared.limits.input_bytes => {
            Err(format!("it has {length} bytes, and {} are allowed", shared.limits.input_bytes))
        }
        _ => Ok(json),
    });
    let bytes = json.as_ref().map_or(0, String::len);
    let input = match json.and_then(|json| text::value_of(&json)) {
        Ok(input) => input,
        Err(why) => {
            let message = format!("the input of `{path}` cannot be sent: {why}");
            return rejected(ctx, shared.error(ctx, "TypeError", &message, None)?);
        }
    };
    let id = shared.issued.get();
    let all_bytes = shared.input_bytes.get() + bytes;
    if id >= shared.limits.calls || all_bytes > shared.limits.all_inputs_bytes {
        shared.gauge.stop(Cause::Calls);
        shared.goes_on(ctx)?;
    }
    let (promise, resolve, reject) = ctx.promise()?;
    shared.issued.set(id + 1);
    shared.input_bytes.set(all_bytes);
    let waiting =
        Waiting { resolve: Persistent::save(ctx, resolve), reject: Persistent::save(ctx, reject), line };
    shared.waiting.borrow_mut().insert(id, waiting);
    shared.fresh.borrow_mut().push(Call { id, path: path.to_owned(), input });
    Ok(promise.into_value())
}

/// Which line of the program runs.
fn line_here(ctx: &Ctx<'_>, shared: &Shared) -> Option<u32> {
    let stack = shared
        .error(ctx, "Error", "", None)
        .and_then(|error| error.get::<Object<'_>>()?.get::<_, Value<'_>>("stack"));
    let Ok(stack) = stack else {
        ctx.catch();
        return None;
    };
    failure::line_in(&stack.as_string()?.to_string().ok()?)
}

fn rejected<'js>(ctx: &Ctx<'js>, error: Value<'js>) -> Result<Value<'js>> {
    let (promise, _, reject) = ctx.promise()?;
    reject.call::<_, ()>((error,))?;
    Ok(promise.into_value())
}

fn print<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> Result<Function<'js>> {
    let shared = shared.clone();
    let print = move |ctx: Ctx<'js>, words: Rest<Value<'js>>| {
        shared.goes_on(&ctx)?;
        let words: Vec<String> = words.0.iter().map(|word| shown(&ctx, word)).collect();
        shared.print(&words.join(" "));
        Ok::<(), rquickjs::Error>(())
    };
    Function::new(ctx.clone(), print)?.with_name("log")
}

/// A value as the console shows it.
fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    if value.is_error() {
        let failure = failure::described(ctx, value.clone());
        return format!("{}: {}", failure.name, failure.message);
    }
    let other =
        || if value.is_undefined() { "undefined".to_owned() } else { format!("[{}]", value.type_name()) };
    text_of(ctx, value).unwrap_or_else(other)
}
