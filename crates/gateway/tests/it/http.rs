//! A plain HTTP client, and a reader of server-sent events that believes only what stands on the wire.

use crate::world::{Drive, MODEL, TOKEN, World, soon};
use protocol::*;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use store::Finish;

impl World {
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        client.request(method, self.url(path)).bearer_auth(TOKEN)
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::GET, path)).await
    }

    /// Posts and reads the events that come back.
    pub async fn post_stream(&self, path: &str, body: &Value) -> Events {
        Events::open(self.request(Method::POST, path).json(body)).await
    }

    pub async fn get_stream(&self, path: &str, last_event_id: Option<&str>) -> Events {
        let mut request = self.request(Method::GET, path);
        if let Some(id) = last_event_id {
            request = request.header("Last-Event-ID", id);
        }
        Events::open(request).await
    }
}

/// Status and body. Whatever is not a success must be in the envelope.
pub async fn answer(request: RequestBuilder) -> (u16, Value) {
    let response = soon(request.send()).await.unwrap();
    let status = response.status();
    let body: Value = response.json().await.unwrap();
    if !status.is_success() {
        let error = body["error"].as_object().unwrap_or_else(|| panic!("no envelope: {body}"));
        let keys: Vec<_> = error.keys().map(String::as_str).collect();
        assert_eq!(keys, ["code", "message", "details"]);
        assert!(error["code"].is_string() && error["message"].is_string() && error["details"].is_object());
    }
    (status.as_u16(), body)
}

/// One event as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Sse {
    pub event: String,
    pub id: String,
    pub data: String,
}

impl Sse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// A stream of events being read.
pub struct Events {
    response: Response,
    rest: String,
}

impl Events {
    pub async fn open(request: RequestBuilder) -> Self {
        let response = soon(request.send()).await.unwrap();
        assert_eq!(response.status(), 200);
        let kind = response.headers()["content-type"].to_str().unwrap();
        assert!(kind.starts_with("text/event-stream"), "{kind}");
        Self { response, rest: String::new() }
    }

    /// The next event; nothing when the stream has ended.
    pub async fn next(&mut self) -> Option<Sse> {
        // Heartbeats do not count.
        soon(self.read()).await
    }

    async fn read(&mut self) -> Option<Sse> {
        loop {
            while let Some((block, rest)) = self.rest.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.rest = rest;
                if let Some(event) = parse(&block) {
                    return Some(event);
                }
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.rest.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// The next so many events.
    pub async fn take(&mut self, count: usize) -> Vec<Sse> {
        let mut events = Vec::new();
        while events.len() < count {
            events.push(self.next().await.expect("more events"));
        }
        events
    }

    /// All events until the stream ends.
    pub async fn all(mut self) -> Vec<Sse> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        assert_eq!(self.rest, "", "nothing is cut off");
        events
    }

    /// The names and data of all events until the stream ends.
    pub async fn told(self) -> Vec<(String, Value)> {
        self.all().await.into_iter().map(|event| (event.event.clone(), event.json())).collect()
    }
}

/// A block of lines; nothing if it is only a comment.
fn parse(block: &str) -> Option<Sse> {
    let mut sse = Sse { event: String::new(), id: String::new(), data: String::new() };
    for line in block.lines().filter(|line| !line.starts_with(':')) {
        match line.split_once(": ").unwrap() {
            ("event", event) => sse.event = event.into(),
            ("id", id) => sse.id = id.into(),
            ("data", data) => sse.data = data.into(),
            other => panic!("{other:?}"),
        }
    }
    (!sse.data.is_empty()).then_some(sse)
}

impl Drive {
    /// All that happened in the turn.
    pub async fn events(&self) -> Vec<Event> {
        self.store.view().turn_events(self.at.turn, 0).await.unwrap()
    }

    /// What started it.
    pub async fn trigger(&self) -> Trigger {
        match self.events().await.remove(0).fact {
            Fact::TurnStarted { trigger, .. } => trigger,
            other => panic!("{other:?}"),
        }
    }

    /// The model's whole answer, with calls.
    pub async fn says(&mut self, text: &str, calls: &[Call], stop: StopReason) {
        let mut blocks = vec![Block::text(text)];
        blocks.extend(calls.iter().cloned().map(Block::Call));
        let usage = Usage { input_tokens: 10, output_tokens: 4, cache_read_tokens: 3, cache_write_tokens: 2 };
        self.fact(Fact::ModelDone { model: MODEL.into(), blocks, stop, usage }).await;
    }

    /// Hands calls to the client.
    pub async fn hands_over(&mut self, calls: &[Call]) {
        let handed =
            |call: &Call| ClientCall { call: call.clone(), risk: Risk::Risky, reason: "to help".into() };
        let calls = calls.iter().map(handed).collect();
        match self.store.hand_over(&self.at, self.seen, calls).await.unwrap() {
            Finish::Done(events) => self.seen = events.last().unwrap().seq,
            Finish::Stale(news) => panic!("not expected: {news:?}"),
        }
    }

    /// Answers and is done.
    pub async fn answers(&mut self, text: &str) {
        self.asks().await;
        self.says(text, &[], StopReason::EndTurn).await;
        self.ends(Outcome::Completed).await;
    }
}

/// A call with an id of its own.
pub fn call(number: u128, tool: &str) -> Call {
    let id = CallId::from(uuid::Uuid::from_u128(number));
    Call {
        id,
        wire_id: format!("w{number}"),
        tool: tool.into(),
        arguments: r#"{"app_id":"calendar"}"#.into(),
    }
}

/// A model that could not be asked.
pub fn failure() -> Outcome {
    let error = ModelError {
        kind: ModelErrorKind::Overloaded,
        provider: "fake".into(),
        message: "The model is busy.".into(),
    };
    Outcome::Failed { error }
}
