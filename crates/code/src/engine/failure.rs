//! Puts into words why a program ended: a limit, an error nobody caught, a result that is no JSON. What happened is
//! found out by `Engine`.

use super::globals::{self, Shared};
use crate::{
    frame::{Cause, Failure},
    limits::{Limits, MAX_MESSAGE_BYTES},
    text,
};
use rquickjs::{Ctx, Object, Value};

pub(super) fn failure(cause: Cause, name: &str, message: &str) -> Failure {
    Failure { cause, name: name.to_owned(), message: message.to_owned(), line: None }
}

pub(super) fn failure_of(error: &rquickjs::Error) -> Failure {
    failure(Cause::Engine, "Engine", &error.to_string())
}

pub(super) fn not_json(why: &str) -> Failure {
    failure(
        Cause::Value,
        "NotJson",
        &format!("the program ran to its end, but what it returned is not JSON: {why}"),
    )
}

/// What is said of a limit.
pub(super) fn limit(cause: Cause, limits: &Limits) -> Failure {
    let (name, message) = match cause {
        Cause::Time => {
            ("OutOfTime", format!("the program used more than {} ms of processor time", limits.cpu_ms))
        }
        Cause::Memory => {
            ("OutOfMemory", format!("the program used more than {} bytes of memory", limits.memory_bytes))
        }
        Cause::Calls => (
            "TooManyCalls",
            format!(
                "the program asked for more than {} calls, or for more than {} bytes with all of them",
                limits.calls, limits.all_inputs_bytes
            ),
        ),
        Cause::Thrown | Cause::Stuck | Cause::Value | Cause::Engine => {
            ("Engine", "the program was stopped".to_owned())
        }
    };
    failure(cause, name, &message)
}

/// What is said of an error that nobody caught.
pub(super) fn thrown<'js>(ctx: &Ctx<'js>, shared: &Shared, error: Value<'js>) -> Failure {
    let failure = described(ctx, error);
    let starved = shared.gauge.refused() && failure.message == "out of memory";
    if starved { Failure { line: failure.line, ..limit(Cause::Memory, &shared.limits) } } else { failure }
}

/// An error in words, whatever was thrown. Asking may run the program's own code, so every answer may be missing.
pub(super) fn described<'js>(ctx: &Ctx<'js>, error: Value<'js>) -> Failure {
    let field = |object: &Object<'js>, name: &str| match object.get::<_, Value<'js>>(name) {
        Ok(value) if value.is_string() => globals::text_of(ctx, &value),
        Ok(_) => None,
        Err(_) => {
            ctx.catch();
            None
        }
    };
    let (name, message, stack) = match error.as_object() {
        Some(object) => (field(object, "name"), field(object, "message"), field(object, "stack")),
        None => (None, None, None),
    };
    let message = message.filter(|message| !message.is_empty() || error.is_error());
    let message = message
        .or_else(|| globals::text_of(ctx, &error))
        .unwrap_or_else(|| "something without words".to_owned());
    Failure {
        cause: Cause::Thrown,
        name: text::cut(name.as_deref().filter(|name| !name.is_empty()).unwrap_or("Thrown"), 100).to_owned(),
        message: text::cut(&message, MAX_MESSAGE_BYTES).to_owned(),
        line: stack.as_deref().and_then(line_in),
    }
}

/// The first line of the program that a stack trace names.
pub(super) fn line_in(stack: &str) -> Option<u32> {
    let at = stack.find("program:")? + "program:".len();
    let digits: String = stack[at..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
