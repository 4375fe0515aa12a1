//! What a provider says went wrong, whatever the shape it says it in, and which kind of failure that is. Words
//! for the owner are for `failure`.

use protocol::ModelErrorKind;
use reqwest::StatusCode;
use serde_json::Value;
use std::time::Duration;

/// What a provider said went wrong, in its own words, or what could not be understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The provider's `type` and `code`, joined by a space; empty when it gave none.
    pub(crate) code: String,
    /// The provider's words; empty when there were none.
    pub(crate) words: String,
}

impl Fault {
    /// The provider sent what cannot be read.
    pub(crate) fn unreadable(what: impl std::fmt::Display) -> Self {
        Self { code: String::new(), words: format!("sent what cannot be understood: {what}") }
    }
}

/// What a provider's JSON says went wrong.
pub(crate) fn fault_in(data: &Value) -> Fault {
    // One provider wraps the error in a list.
    let data = data.as_array().and_then(|list| list.first()).unwrap_or(data);
    let error = if data["error"].is_null() { data } else { &data["error"] };
    let field = |name: &str| match &error[name] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let words = [error.as_str().map(str::to_owned).unwrap_or_default(), field("message"), field("detail")]
        .into_iter()
        .find(|words| !words.is_empty())
        .unwrap_or_default();
    let code = [field("type"), field("code"), field("status")].join(" ");
    Fault { code: code.trim().to_owned(), words }
}

/// What the body of a response says went wrong.
pub(crate) fn fault_in_text(body: &str) -> Fault {
    match serde_json::from_str::<Value>(body) {
        Ok(data) => fault_in(&data),
        // A web page from a proxy says nothing an owner can use.
        Err(_) if body.trim_start().starts_with('<') => Fault::default(),
        Err(_) => Fault { code: String::new(), words: body.trim().to_owned() },
    }
}

/// What kind of failure this is, by status where there is one and else by what was said.
pub(crate) fn classify(status: Option<StatusCode>, after: Option<Duration>, fault: &Fault) -> ModelErrorKind {
    let said = format!("{} {}", fault.code, fault.words).to_lowercase();
    let says = |signs: &[&str]| signs.iter().any(|sign| said.contains(sign));
    let retry_after_ms = after.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
    let rate_limited = ModelErrorKind::RateLimited { retry_after_ms };
    match status.map(|it| it.as_u16()) {
        Some(401 | 403) => return ModelErrorKind::Auth,
        Some(429) => return rate_limited,
        Some(503 | 529) => return ModelErrorKind::Overloaded,
        Some(408 | 504) => return ModelErrorKind::TimedOut,
        Some(413) => return ModelErrorKind::ContextTooLong,
        _ => {}
    }
    let is_client_error = status.is_none_or(|it| it.is_client_error());
    if says(CONTEXT_SIGNS) {
        ModelErrorKind::ContextTooLong
    } else if is_client_error && says(REFUSAL_SIGNS) {
        ModelErrorKind::Refused
    } else if status.is_some_and(|it| it.is_client_error()) {
        ModelErrorKind::BadRequest
    } else if says(&["overloaded", "no capacity", "unavailable"]) {
        ModelErrorKind::Overloaded
    } else if says(&["rate_limit", "rate limit", "insufficient_quota"]) {
        rate_limited
    } else if says(&["authentication_error", "permission_error", "invalid_api_key"]) {
        ModelErrorKind::Auth
    } else if says(&["invalid_request_error", "not_found_error"]) {
        ModelErrorKind::BadRequest
    } else {
        ModelErrorKind::Provider
    }
}

/// How providers and local servers say that a conversation does not fit.
const CONTEXT_SIGNS: &[&str] = &[
    "prompt is too long",
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "context limit",
    "maximum context",
    "too many tokens",
    "request_too_large",
    "exceed_context",
];

/// How providers say that they refuse content.
const REFUSAL_SIGNS: &[&str] =
    &["content_policy", "content policy", "content_filter", "content management policy", "safety system"];

/// Whether the account, not the moment, is what is in the way: waiting will not help.
pub(crate) fn is_out_of_credit(fault: &Fault) -> bool {
    fault.code.contains("insufficient_quota") || fault.code.contains("billing")
}
