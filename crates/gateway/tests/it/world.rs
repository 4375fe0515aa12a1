//! A gateway on a port of its own over a store of its own, a client that speaks WebSocket, and an agent's hands.

use futures::{FutureExt, SinkExt, StreamExt, future::BoxFuture};
use gateway::*;
use protocol::*;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};
use store::{Durability, Store, TurnRef};
use tasks::Orders;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream,
    tungstenite::{Error, Message, client::IntoClientRequest},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub const TOKEN: &str = "the-token";
pub const MODEL: &str = "fake/model";
pub const MAX_QUEUE: usize = 5;
const LEASE: Duration = Duration::from_secs(600);

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct World {
    pub store: Store,
    pub orders: Orders,
    pub gateway: Gateway,
    pub house: Arc<House>,
    pub port: u16,
    pub stop: CancellationToken,
    pub serving: JoinHandle<()>,
    pub dir: TempDir,
}

/// What stands behind the doors in these tests.
#[derive(Default)]
pub struct House {
    pub forgotten: Mutex<Vec<String>>,
    /// What was kept: keys by provider, models.
    pub kept: Mutex<Vec<(String, String)>>,
}

impl Backstage for House {
    fn agents(&self) -> Vec<AgentInfo> {
        let [id, name, description, model] = ["assistant", "Steward", "Helps.", MODEL].map(String::from);
        vec![AgentInfo { id, name, description, model }]
    }

    fn models(&self) -> Vec<String> {
        vec![MODEL.into()]
    }

    fn check_model(&self, model: &str) -> Result<(), String> {
        if model == MODEL { Ok(()) } else { Err(format!("there is no model {model}")) }
    }

    fn collides(&self, tool: &ClientTool) -> bool {
        tool.name == "bash"
    }

    fn redact(&self, text: &str) -> String {
        text.replace("hunter2", "[redacted]")
    }

    fn forget_rule(&self, rule: &str) {
        self.forgotten.lock().unwrap().push(rule.to_owned());
    }

    fn rebuild_transcripts(&self) -> BoxFuture<'_, Result<usize, String>> {
        async { Ok(3) }.boxed()
    }

    fn keep_token(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn toolbox(&self) -> BoxFuture<'_, Result<Toolbox, String>> {
        let labels = LabelInfo {
            brings_untrusted: false,
            reads_private: true,
            acts_outside: false,
            keeps: false,
            idempotent: true,
        };
        let tool = ToolInfo {
            name: "read".into(),
            description: "Reads.".into(),
            input_schema: json!({ "type": "object" }),
            output_schema: None,
            labels,
            usually: "allow",
            why: "it only reads".into(),
        };
        let primitive =
            PrimitiveInfo { name: "seccomp".into(), available: false, consequence: "more is asked".into() };
        let sandbox = SandboxInfo { enabled: true, primitives: vec![primitive] };
        let rules = OwnerRules { deny: vec!["webfetch".into()], ..OwnerRules::default() };
        async { Ok(Toolbox { preset: "guarded".into(), sandbox, tools: vec![tool], rules }) }.boxed()
    }

    fn cost(&self, model: &str, usage: &Usage) -> Option<f64> {
        (model == MODEL).then_some(usage.output_tokens as f64 * 0.5)
    }

    fn settings(&self) -> SettingsInfo {
        let provider = ProviderInfo {
            name: "fake".into(),
            kind: "openai",
            key_set: true,
            key_source: Some("the test".into()),
            base_url: "http://127.0.0.1:9/v1".into(),
        };
        SettingsInfo {
            version: "1".into(),
            home: "/home".into(),
            workspace: "/home/workspace".into(),
            model: MODEL.into(),
            models: vec![MODEL.into()],
            preset: "guarded".into(),
            providers: vec![provider],
            needs_setup: false,
        }
    }

    fn detect(&self) -> BoxFuture<'_, Detected> {
        let keys = vec![FoundKey { provider: "fake".into(), source: "the test".into() }];
        let base_url = "http://127.0.0.1:9/v1".into();
        let servers = vec![FoundServer { provider: "ollama".into(), base_url, models: vec!["m".into()] }];
        async { Detected { keys, servers } }.boxed()
    }

    fn try_key(&self, key: NewKey, keep: bool) -> BoxFuture<'_, Result<String, NotDone>> {
        async move {
            match (key.provider.as_str(), key.key.as_str()) {
                ("fake", "hunter2") => {}
                ("fake", _) => return Err(NotDone::Mistake("fake says: no such key".into())),
                _ => return Err(NotDone::Trouble("the disk is on fire".into())),
            }
            if keep {
                self.kept.lock().unwrap().push((key.provider, key.key));
            }
            Ok(key.model.unwrap_or(MODEL.into()))
        }
        .boxed()
    }

    fn set_model(&self, model: &str) -> BoxFuture<'_, Result<String, NotDone>> {
        let model = model.to_owned();
        async move {
            self.check_model(&model).map_err(NotDone::Mistake)?;
            self.kept.lock().unwrap().push(("model".into(), model.clone()));
            Ok(model)
        }
        .boxed()
    }
}

impl World {
    pub async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("steward.db")).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, stop, house) =
            (listener.local_addr().unwrap().port(), CancellationToken::new(), Arc::new(House::default()));
        let zone = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
        let orders = Orders::new(store.clone(), Arc::new(tasks::SystemClock), zone);
        let gateway = Gateway::new(GatewayParts {
            store: store.clone(),
            memory: memory::Memory::new(
                memory::MemorySettings::new(dir.path().into(), dir.path().join("memory.db")),
                Arc::new(memory::NoVectors),
            ),
            orders: orders.clone(),
            backstage: house.clone(),
            token: TOKEN.into(),
            host: "127.0.0.1".into(),
            port,
            allowed_hosts: Vec::new(),
            stop: stop.clone(),
            max_queue_size: MAX_QUEUE,
        });
        let serving = tokio::spawn({
            let gateway = gateway.clone();
            async move { gateway.serve(listener).await }
        });
        Self { store, orders, gateway, house, port, stop, serving, dir }
    }

    /// A plain HTTP request with the token; gives the whole answer as text.
    pub async fn http(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let (port, length) = (self.port, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}\
             Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {TOKEN}\r\n")
    }

    /// A socket that is not signed in; `headers` go with the upgrade.
    pub async fn socket(&self, headers: &[(&'static str, &str)]) -> Result<Socket, Error> {
        let mut request = format!("ws://127.0.0.1:{}/ws", self.port).into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let (stream, _) = tokio_tungstenite::connect_async(request).await?;
        Ok(Socket { stream, held: VecDeque::new(), last_id: 0 })
    }

    /// A socket that is signed in.
    pub async fn client(&self) -> Socket {
        let mut socket = self.socket(&[]).await.unwrap();
        socket.send(json!({ "type": "auth", "token": TOKEN })).await;
        assert_eq!(socket.next().await, json!({ "type": "auth", "ok": true }));
        socket
    }

    /// Says something from elsewhere.
    pub async fn say(&self, session: &str, text: &str) -> TurnId {
        let trigger = Trigger {
            source: "test".into(),
            external_id: Uuid::now_v7().to_string(),
            session: SessionKey::new(session).unwrap(),
            kind: TriggerKind::Message,
            content: vec![Block::text(text)],
            history: Vec::new(),
            model: None,
            steer: false,
        };
        self.store.accept(trigger).await.unwrap().turn
    }

    /// Takes up the next turn, as an agent would, as soon as there is one.
    pub async fn drive(&self) -> Drive {
        let limits = TurnLimits { max_iterations: 9 };
        let claim = soon(async {
            loop {
                if let Some(claim) = self.store.claim("test", LEASE, limits, store::Lane::Any).await.unwrap()
                {
                    return claim;
                }
                self.store.inbox_changed().await;
            }
        })
        .await;
        Drive {
            store: self.store.clone(),
            seen: claim.events.last().unwrap().seq,
            at: claim.turn,
            attempt: 0,
        }
    }
}

/// A turn in the hands of a test.
pub struct Drive {
    pub store: Store,
    pub at: TurnRef,
    pub seen: u64,
    attempt: u32,
}

impl Drive {
    pub fn run_id(&self) -> Value {
        json!(self.at.turn)
    }

    /// Writes a fact; gives its place in the log.
    pub async fn fact(&mut self, fact: Fact) -> u64 {
        let events = self.store.append(&self.at, self.seen, Durability::Flushed, vec![fact]).await.unwrap();
        self.seen = events.last().unwrap().seq;
        self.seen
    }

    /// Asks the model once more.
    pub async fn asks(&mut self) {
        self.attempt += 1;
        self.fact(Fact::ModelAsked { attempt: self.attempt, model: MODEL.into() }).await;
    }

    /// The model says a piece.
    pub fn streams(&self, offset: usize, text: &str) {
        self.publish(DeltaKind::Text, self.attempt, offset, text, None);
    }

    /// A tool reports.
    pub fn progresses(&self, tool: &str, text: &str) {
        self.publish(DeltaKind::Progress, 0, 0, text, Some(tool));
    }

    fn publish(&self, kind: DeltaKind, attempt: u32, offset: usize, text: &str, tool: Option<&str>) {
        let TurnRef { session, turn } = self.at.clone();
        let (text, tool) = (text.to_owned(), tool.map(str::to_owned));
        self.store.publish(Delta { session, turn, attempt, offset, kind, text, tool });
    }

    /// The model has said all of an answer.
    pub async fn said(&mut self, text: &str) -> u64 {
        let usage = Usage { input_tokens: 10, output_tokens: 2, ..Usage::default() };
        let blocks = vec![Block::text(text)];
        self.fact(Fact::ModelDone { model: MODEL.into(), blocks, stop: StopReason::EndTurn, usage }).await
    }

    /// Asks the owner about calls, on one screen.
    pub async fn wants(&mut self, commands: &[&str], expires_in_ms: i64) -> ApprovalId {
        let approval = ApprovalId::from(Uuid::now_v7());
        let expires_at = jiff::Timestamp::now() + jiff::SignedDuration::from_millis(expires_in_ms);
        let calls = commands.iter().map(|command| asked(command)).collect();
        self.fact(Fact::ApprovalRequested { approval, calls, expires_at, forecast: None }).await;
        approval
    }

    pub async fn ends(&self, outcome: Outcome) {
        self.store.finish(&self.at, u64::MAX >> 1, outcome, Vec::new()).await.unwrap();
    }
}

pub fn asked(command: &str) -> AskedCall {
    AskedCall {
        call: CallId::from(Uuid::now_v7()),
        tool: "bash".into(),
        summary: format!("Run {command}"),
        details: command.into(),
        risk: Risk::Risky,
        reason: "it runs a command".into(),
        flags: vec![],
        cwd: "/work".into(),
        confinement: "none".into(),
        rules: vec![format!("bash({command})"), "bash".into()],
        fingerprint: "f".into(),
    }
}

/// A client.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Pushes that came while something else was waited for.
    held: VecDeque<Value>,
    last_id: u64,
}

impl Socket {
    pub async fn send(&mut self, frame: Value) {
        self.send_raw(Message::text(frame.to_string())).await;
    }

    pub async fn send_raw(&mut self, message: Message) {
        soon(self.stream.send(message)).await.unwrap();
    }

    /// Writes past the client's own idea of a frame.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).await.unwrap();
    }

    /// The next frame of any kind.
    pub async fn next(&mut self) -> Value {
        match self.held.pop_front() {
            Some(held) => held,
            None => self.read().await.unwrap_or_else(|code| panic!("closed with {code}")),
        }
    }

    /// The next frame on the wire, or the code it was closed with.
    async fn read(&mut self) -> Result<Value, u16> {
        let reading = async {
            loop {
                match self.stream.next().await {
                    Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                    Some(Ok(Message::Close(frame))) => {
                        return Err(frame.map_or(1005, |frame| frame.code.into()));
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Err(1006),
                }
            }
        };
        // The pings that come meanwhile do not count.
        soon(reading).await
    }

    /// Asks and waits for the answer; what is pushed meanwhile is held.
    pub async fn call(&mut self, method: &str, params: Value) -> Result<Value, i64> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(json!({ "id": id, "method": method, "params": params })).await;
        loop {
            let mut frame = self.read().await.unwrap_or_else(|code| panic!("closed with {code}"));
            if frame["id"] != id {
                assert!(frame["event"].is_string(), "not an answer to {method}: {frame}");
                self.held.push_back(frame);
                continue;
            }
            assert_eq!(frame["result"].is_null(), !frame["error"].is_null(), "{frame}");
            if frame["error"].is_null() {
                return Ok(frame["result"].take());
            }
            assert!(!frame["error"]["message"].as_str().unwrap().is_empty(), "{frame}");
            return Err(frame["error"]["code"].as_i64().unwrap());
        }
    }

    /// The next push, which must be this one.
    pub async fn push(&mut self, event: &str) -> Value {
        let mut frame = self.next().await;
        assert_eq!(frame["event"], event, "{frame}");
        frame["data"].take()
    }

    /// Pushes until this one; gives its data and drops the others.
    pub async fn push_after_others(&mut self, event: &str) -> Value {
        loop {
            let mut frame = self.next().await;
            if frame["event"] == event {
                return frame["data"].take();
            }
        }
    }

    /// Everything up to the end, and the code it was closed with.
    pub async fn rest(mut self) -> (Vec<Value>, u16) {
        let mut frames = Vec::from(std::mem::take(&mut self.held));
        loop {
            match self.read().await {
                Ok(frame) => frames.push(frame),
                Err(code) => return (frames, code),
            }
        }
    }
}

/// Waits, but not forever.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.expect("it takes too long")
}
