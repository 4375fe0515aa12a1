//! Frames, from text and to text: requests and the auth frame in, answers and pushes out. What they mean is for
//! others.

use super::{Ended, Incoming};
use crate::fault::Fault;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The largest frame taken, in bytes: room for a long text.
const MAX_FRAME_BYTES: usize = 4 << 20;

/// What a client may send.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    /// The first one.
    Auth { token: Option<String> },
    /// All others.
    Request(Request),
}

/// Something asked.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    /// A string or a number, given back with the answer.
    pub id: Value,
    pub method: String,
    pub params: Map<String, Value>,
}

/// Why something asked was not done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Problem {
    pub code: i32,
    pub message: String,
}

impl Problem {
    pub const NOT_JSON: i32 = -32700;
    pub const NOT_A_REQUEST: i32 = -32600;
    pub const UNKNOWN_METHOD: i32 = -32601;
    pub const BAD_PARAMS: i32 = -32602;
    pub const INTERNAL: i32 = -32603;
    pub const NOT_SIGNED_IN: i32 = -32001;
    pub const NOT_FOUND: i32 = -32004;
    pub const ALREADY_SETTLED: i32 = -32009;
    pub const EXPIRED: i32 = -32010;
    pub const TOO_LARGE: i32 = -32013;
    pub const UNAVAILABLE: i32 = -32028;
    pub const RATE_LIMITED: i32 = -32029;

    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let code = match fault.status.as_u16() {
            400 | 422 => Self::BAD_PARAMS,
            401 => Self::NOT_SIGNED_IN,
            404 => Self::NOT_FOUND,
            409 => Self::ALREADY_SETTLED,
            410 => Self::EXPIRED,
            413 => Self::TOO_LARGE,
            429 => Self::RATE_LIMITED,
            503 | 507 => Self::UNAVAILABLE,
            _ => Self::INTERNAL,
        };
        Self { code, message: fault.message }
    }
}

/// What is wrong with a frame, and the id it had.
pub(super) struct Refusal {
    pub id: Value,
    pub problem: Problem,
}

/// The frame in what a client sent. The inner error is for the client, which may try again.
pub(super) fn read(incoming: Incoming) -> Result<Result<Frame, Refusal>, Ended> {
    match incoming {
        Incoming::Text(text) => Ok(parse(&text)),
        Incoming::Binary => Ok(Err(not_a_request(Value::Null, "frames are texts, not bytes"))),
        Incoming::Broken(ended) => Err(ended),
    }
}

fn parse(text: &str) -> Result<Frame, Refusal> {
    if text.len() > MAX_FRAME_BYTES {
        let message = format!("the frame is larger than {} MiB; send less at once", MAX_FRAME_BYTES >> 20);
        return Err(Refusal { id: id_of(text), problem: Problem::new(Problem::TOO_LARGE, message) });
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let problem = Problem::new(Problem::NOT_JSON, format!("this is not JSON: {error}"));
        Refusal { id: Value::Null, problem }
    })?;
    let Value::Object(mut fields) = value else {
        return Err(not_a_request(
            Value::Null,
            "a frame is an object such as {\"id\", \"method\", \"params\"}",
        ));
    };
    if fields.get("type").is_some_and(|kind| kind == "auth") {
        return match fields.remove("token").unwrap_or_default() {
            Value::Null => Ok(Frame::Auth { token: None }),
            Value::String(token) => Ok(Frame::Auth { token: Some(token) }),
            _ => Err(not_a_request(Value::Null, "`token` must be a string")),
        };
    }
    let id = good_id(fields.remove("id"));
    if id.is_null() {
        return Err(not_a_request(id, "`id` must be a string or a number"));
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err(not_a_request(id, "`method` must be a string"));
    };
    match fields.remove("params").unwrap_or_default() {
        Value::Null => Ok(Frame::Request(Request { id, method, params: Map::new() })),
        Value::Object(params) => Ok(Frame::Request(Request { id, method, params })),
        _ => {
            let problem = Problem::new(Problem::BAD_PARAMS, "`params` must be an object");
            Err(Refusal { id, problem })
        }
    }
}

fn not_a_request(id: Value, message: &str) -> Refusal {
    Refusal { id, problem: Problem::new(Problem::NOT_A_REQUEST, message) }
}

/// An id that can be given back, or null.
fn good_id(id: Option<Value>) -> Value {
    id.filter(|id| id.is_string() || id.is_number()).unwrap_or_default()
}

/// The id of a frame that is not read otherwise, so that the client knows which of its requests failed.
fn id_of(text: &str) -> Value {
    #[derive(Deserialize)]
    struct OnlyId {
        id: Option<Value>,
    }
    good_id(serde_json::from_str(text).ok().and_then(|frame: OnlyId| frame.id))
}

/// An answer.
pub(super) fn answer(id: &Value, result: &Value) -> String {
    json!({ "id": id, "result": result }).to_string()
}

/// An answer that is none.
pub(super) fn problem(id: &Value, problem: &Problem) -> String {
    json!({ "id": id, "error": { "code": problem.code, "message": problem.message } }).to_string()
}

/// The answer to the auth frame.
pub(super) fn signed_in(result: Result<(), &Problem>) -> String {
    match result {
        Ok(()) => json!({ "type": "auth", "ok": true }),
        Err(problem) => {
            let error = json!({ "code": problem.code, "message": problem.message });
            json!({ "type": "auth", "ok": false, "error": error })
        }
    }
    .to_string()
}

/// Something told unasked.
pub(super) fn push(event: &str, data: Value) -> String {
    json!({ "event": event, "data": data }).to_string()
}

/// Reads a frame and writes it again, or what would be answered to a bad one. For fuzzing.
#[doc(hidden)]
pub fn reread(text: &str) -> Result<String, String> {
    match parse(text) {
        Ok(Frame::Auth { token }) => Ok(json!({ "type": "auth", "token": token }).to_string()),
        Ok(Frame::Request(Request { id, method, params })) => {
            Ok(json!({ "id": id, "method": method, "params": params }).to_string())
        }
        Err(refusal) => Err(problem(&refusal.id, &refusal.problem)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_or_refused_with_their_id() {
        let request = |id: Value, params: Value| {
            let Value::Object(params) = params else { panic!("an object") };
            Ok(Frame::Request(Request { id, method: "m".into(), params }))
        };
        let refused = |id: Value, code: i32| Err((id, code));
        let check = |text: &str, expected: Result<Frame, (Value, i32)>| {
            let found = parse(text).map_err(|refusal| (refusal.id, refusal.problem.code));
            assert_eq!(found, expected, "{:.80}", text);
        };
        check(r#"{"id":"a","method":"m","params":{"x":1}}"#, request(json!("a"), json!({ "x": 1 })));
        check(r#"{"id":7,"method":"m"}"#, request(json!(7), json!({})));
        check(r#"{"id":7,"method":"m","params":null}"#, request(json!(7), json!({})));
        check(r#"{"type":"auth","token":"t"}"#, Ok(Frame::Auth { token: Some("t".into()) }));
        check(r#"{"type":"auth"}"#, Ok(Frame::Auth { token: None }));
        check(r#"{"type":"auth","token":5}"#, refused(Value::Null, Problem::NOT_A_REQUEST));
        for bad in ["", "{", "hello", "{\"id\":1}x", &"[".repeat(500)] {
            check(bad, refused(Value::Null, Problem::NOT_JSON));
        }
        for bad in ["null", "[]", "1", r#""m""#, "{}", r#"{"method":"m"}"#, r#"{"id":null,"method":"m"}"#] {
            check(bad, refused(Value::Null, Problem::NOT_A_REQUEST));
        }
        check(r#"{"id":[1],"method":"m"}"#, refused(Value::Null, Problem::NOT_A_REQUEST));
        check(r#"{"id":1}"#, refused(json!(1), Problem::NOT_A_REQUEST));
        check(r#"{"id":1,"method":5}"#, refused(json!(1), Problem::NOT_A_REQUEST));
        check(r#"{"id":1,"method":"m","params":[]}"#, refused(json!(1), Problem::BAD_PARAMS));
        let long =
            format!(r#"{{"id":"big","method":"m","params":{{"x":"{}"}}}}"#, "x".repeat(MAX_FRAME_BYTES));
        check(&long, refused(json!("big"), Problem::TOO_LARGE));
        check(&"x".repeat(MAX_FRAME_BYTES + 1), refused(Value::Null, Problem::TOO_LARGE));
    }
}
