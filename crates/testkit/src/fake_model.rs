//! A model provider that is none: a real HTTP server on this machine that records and checks every request
//! and answers it from a queue of scripts, in the dialect of the path it came in on.

use crate::{
    anthropic, openai,
    script::{HttpAnswer, Script},
    validation::{Checked, Refusal},
    wire::{self, Abandoned, Frame},
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Response, StatusCode, header},
    routing::{get, post},
    serve::ListenerExt,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

/// The largest request taken; the vendors take 32 MB.
const MAX_REQUEST_BYTES: usize = 32 * 1024 * 1024;

/// A running fake. It stops when dropped.
pub struct FakeModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// The path, such as `/v1/messages`.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body; null if it was not JSON.
    pub body: Value,
    /// How long the body was.
    pub byte_length: usize,
}

impl RecordedRequest {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The last text the user said, in either dialect.
    pub fn last_user_text(&self) -> String {
        match dialect_of(&self.path).name {
            DialectName::Anthropic => anthropic::last_user_text(&self.body),
            DialectName::OpenAi => openai::last_user_text(&self.body),
        }
    }
}

type DefaultReply = Arc<dyn Fn(&RecordedRequest) -> Script + Send + Sync>;

struct Shared {
    state: Mutex<FakeState>,
    abandoned: Abandoned,
}

struct FakeState {
    scripts: VecDeque<Script>,
    requests: Vec<RecordedRequest>,
    default_reply: DefaultReply,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().expect("no test holds the fake's state while it panics")
    }
}

impl FakeModel {
    /// Starts a fake on a free port.
    pub async fn start() -> Self {
        Self::start_on(0).await
    }

    /// Starts a fake on this port; zero means a free one.
    pub async fn start_on(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.expect("the port is free");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            state: Mutex::new(FakeState {
                scripts: VecDeque::new(),
                requests: Vec::new(),
                default_reply: Arc::new(|request| {
                    Script::reply(format!("You said: {}", request.last_user_text()))
                }),
            }),
            abandoned: watch::Sender::new(0),
        });
        let router = Router::new()
            .route("/v1/messages", post(answer))
            .route("/v1/chat/completions", post(answer))
            .route("/v1/models", get(models))
            .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
            .with_state(Arc::clone(&shared));
        let listener = listener.tap_io(|stream| {
            stream.set_nodelay(true).expect("TCP_NODELAY can be set on a fresh connection");
        });
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the server runs until it is stopped");
        });
        Self { address, shared, server }
    }

    /// The base URL for the Anthropic dialect, without `/v1`.
    pub fn anthropic_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for the OpenAI dialect, with `/v1`.
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Answers the next request that has no script yet with this one.
    pub fn script(&self, script: Script) {
        self.shared.state().scripts.push_back(script);
    }

    /// Answers requests for which no script is queued with what this makes of them.
    pub fn reply_with(&self, reply: impl Fn(&RecordedRequest) -> Script + Send + Sync + 'static) {
        self.shared.state().default_reply = Arc::new(reply);
    }

    /// Everything asked so far, also what was turned away.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.state().requests.clone()
    }

    /// How many scripts wait for a request.
    pub fn scripts_left(&self) -> usize {
        self.shared.state().scripts.len()
    }

    /// Waits until this many answers were given up by their readers before the end.
    pub async fn until_abandoned(&self, count: usize) {
        let mut abandoned = self.shared.abandoned.subscribe();
        abandoned.wait_for(|it| *it >= count).await.expect("the sender lives as long as the fake");
    }

    /// Serves until the process ends.
    pub async fn serve_forever(mut self) {
        (&mut self.server).await.expect("the server does not panic");
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

struct FakeDialect {
    name: DialectName,
    validate: fn(&RecordedRequest) -> Checked,
    render: fn(&Script, &Value, usize) -> Vec<Frame>,
    error_body: fn(u16, Option<&str>, &str) -> Value,
}

enum DialectName {
    Anthropic,
    OpenAi,
}

fn dialect_of(path: &str) -> FakeDialect {
    if path.ends_with("/messages") {
        FakeDialect {
            name: DialectName::Anthropic,
            validate: anthropic::validate,
            render: anthropic::render,
            error_body: anthropic::error_body,
        }
    } else {
        FakeDialect {
            name: DialectName::OpenAi,
            validate: openai::validate,
            render: openai::render,
            error_body: openai::error_body,
        }
    }
}

/// The models it says it has; it answers for any.
async fn models() -> axum::Json<Value> {
    axum::Json(json!({ "object": "list", "data": [{ "id": "fake-small" }, { "id": "fake-large" }] }))
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    uri: axum::http::Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let request = record(uri.path(), &headers, &body);
    let dialect = dialect_of(uri.path());
    let (number, queued, default_reply) = {
        let mut state = shared.state();
        state.requests.push(request.clone());
        let queued = match (dialect.validate)(&request) {
            Err(refusal) => Some(refuse(refusal)),
            Ok(()) => state.scripts.pop_front(),
        };
        (state.requests.len(), queued, Arc::clone(&state.default_reply))
    };
    let script = queued.unwrap_or_else(|| default_reply(&request));
    match &script.http {
        Some(http) => plain_response(http, &dialect),
        None => {
            let frames = (dialect.render)(&script, &request.body, number);
            let body = wire::body(&script, frames, shared.abandoned.clone());
            Response::builder()
                .header(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")
                .header(header::CACHE_CONTROL, "no-cache")
                .body(Body::from_stream(body))
                .expect("fixed headers are valid")
        }
    }
}

fn refuse(refusal: Refusal) -> Script {
    Script::http(refusal.status).message(refusal.message)
}

fn record(path: &str, headers: &HeaderMap, body: &[u8]) -> RecordedRequest {
    RecordedRequest {
        path: path.to_owned(),
        headers: headers
            .iter()
            .map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect(),
        body: serde_json::from_slice(body).unwrap_or_default(),
        byte_length: body.len(),
    }
}

fn plain_response(http: &HttpAnswer, dialect: &FakeDialect) -> Response<Body> {
    let status = StatusCode::from_u16(http.status).expect("a script's status is a valid one");
    let (content_type, body) = http.body.clone().unwrap_or_else(|| {
        let reason = status.canonical_reason().unwrap_or("Overloaded");
        let message = http.message.as_deref().unwrap_or(reason);
        let body = (dialect.error_body)(http.status, http.kind.as_deref(), message);
        ("application/json".to_owned(), body.to_string())
    });
    let mut response = Response::builder().status(status).header(header::CONTENT_TYPE, content_type);
    for (name, value) in &http.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).expect("a script's headers are valid")
}
