//! How every door says no over HTTP: a status and `{error: {code, message, details}}`, in words that say what
//! to do.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::StoreError;
use tasks::OrdersError;

/// A refusal.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
    /// In a box, so that results with a fault in them stay small.
    pub details: Box<Value>,
    pub retry_after: Option<u64>,
}

/// The body of every answer that is not a success.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Envelope {
    pub error: EnvelopeError,
}

/// What went wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EnvelopeError {
    /// For programs.
    pub code: String,
    /// For people: what is wrong and what to do.
    pub message: String,
    /// Whatever else is known.
    pub details: Value,
}

impl Fault {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), details: Box::new(json!({})), retry_after: None }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    pub fn unauthorized() -> Self {
        let message = "this needs the token: send `Authorization: Bearer …` (`steward token show` prints it)";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    pub fn too_many(seconds: u64) -> Self {
        let message = "too many failed attempts; wait a minute";
        let fault = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message);
        Self { retry_after: Some(seconds), ..fault }
    }

    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }

    pub fn envelope(&self) -> Envelope {
        let (code, message) = (self.code.to_owned(), self.message.clone());
        Envelope { error: EnvelopeError { code, message, details: (*self.details).clone() } }
    }

    pub fn with(self, details: Value) -> Self {
        Self { details: Box::new(details), ..self }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let (status, code) = match &error {
            StoreError::QueueFull { .. } => {
                return Self::new(StatusCode::TOO_MANY_REQUESTS, "queue_full", error.to_string());
            }
            StoreError::NameTaken { .. } => return Self::conflict("name_taken", error.to_string()),
            StoreError::DiskFull => (StatusCode::INSUFFICIENT_STORAGE, "disk_full"),
            StoreError::Closed | StoreError::NotWritten => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        tracing::error!(%error, "the store failed a request");
        Self::new(status, code, error.to_string())
    }
}

impl From<OrdersError> for Fault {
    fn from(error: OrdersError) -> Self {
        match error {
            OrdersError::Store(error) => error.into(),
            OrdersError::Unknown { .. } => Self::not_found(error.to_string()),
            OrdersError::Refused(_) | OrdersError::Schedule(_) => Self::bad_request(error.to_string()),
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.envelope())).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
