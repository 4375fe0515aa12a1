//! The client against a service that misbehaves as networks do, over real sockets.

use super::*;
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

/// What the service does with one request.
enum Reply {
    Json(u16, Value),
    /// Some events, then the connection is cut.
    Cut(&'static str),
    /// Some events, then nothing, while the connection stays open.
    Silent(&'static str),
    /// The connection is closed without a word.
    Hangup,
}

#[derive(Debug, Clone)]
struct Seen {
    target: String,
    last_event_id: Option<String>,
    authorization: Option<String>,
    body: Value,
}

struct Outcome {
    /// What was printed, if the answer came to its end.
    result: Result<String>,
    seen: Vec<Seen>,
}

impl Outcome {
    fn of(&self, target: &str) -> Vec<&Seen> {
        self.seen.iter().filter(|seen| seen.target.starts_with(target)).collect()
    }
}

/// Runs the client against a service that opens sessions and takes results, and does the rest by the script.
async fn run(script: Vec<Reply>) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut service = tokio::spawn(serve(listener, seen.clone(), script));
    let arguments = Arguments { url: url.parse().unwrap(), token: "secret".into(), message: "Hello".into() };
    let result = tokio::select! {
        result = super::run(arguments) => result,
        ended = &mut service => panic!("the service ended: {ended:?}"),
    };
    service.abort();
    let seen = seen.lock().unwrap().clone();
    Outcome { result, seen }
}

async fn serve(listener: TcpListener, seen: Arc<Mutex<Vec<Seen>>>, script: Vec<Reply>) {
    let mut script = script.into_iter();
    let mut silent = Vec::new();
    loop {
        let mut socket = BufReader::new(listener.accept().await.unwrap().0);
        let request = read_request(&mut socket).await;
        seen.lock().unwrap().push(request.clone());
        let events = "text/event-stream\r\ntransfer-encoding: chunked";
        match request.target.as_str() {
            "POST /v1/sessions" => write(&mut socket, 200, &json!({"general_session_id": "g_1"})).await,
            target => match script.next().unwrap_or_else(|| panic!("nothing is scripted for {target}")) {
                Reply::Json(status, body) => write(&mut socket, status, &body).await,
                Reply::Hangup => {}
                Reply::Cut(text) => write_head_and(&mut socket, 200, events, &chunks(text)).await,
                Reply::Silent(text) => {
                    write_head_and(&mut socket, 200, events, &chunks(text)).await;
                    silent.push(socket);
                }
            },
        }
    }
}

async fn read_request(socket: &mut BufReader<TcpStream>) -> Seen {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        socket.read_line(&mut line).await.unwrap();
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let field = |name: &str| {
        let fields = head.iter().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|field| field.0.eq_ignore_ascii_case(name)).map(|field| field.1.to_owned())
    };
    let mut body = vec![0; field("content-length").map_or(0, |length| length.parse().unwrap())];
    socket.read_exact(&mut body).await.unwrap();
    Seen {
        target: head[0].trim_end_matches(" HTTP/1.1").to_owned(),
        last_event_id: field("last-event-id"),
        authorization: field("authorization"),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    }
}

/// Every byte in a chunk of its own, and no last chunk: characters come in halves and the body breaks.
fn chunks(text: &str) -> Vec<u8> {
    text.bytes().flat_map(|byte| [b'1', b'\r', b'\n', byte, b'\r', b'\n']).collect()
}

async fn write(socket: &mut BufReader<TcpStream>, status: u16, body: &Value) {
    let body = body.to_string();
    let kind = format!("application/json\r\ncontent-length: {}", body.len());
    write_head_and(socket, status, &kind, body.as_bytes()).await;
}

async fn write_head_and(socket: &mut BufReader<TcpStream>, status: u16, kind: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-type: {kind}\r\n\r\n");
    socket.write_all(&[head.as_bytes(), body].concat()).await.unwrap();
}

fn accepted() -> Reply {
    Reply::Json(200, json!({"accepted": true}))
}

const CLOCK: &str = "event: assistant.delta\ndata: {\"text\":\"One mo\"}\n\n\
    id: 7.1\nevent: tool.request\n\
    data: {\"id\":\"t1\",\"name\":\"clock\",\"arguments\":{},\"risk\":\"safe\",\"reason\":\"to know\"}\n\n";

const REST: &str = ": heartbeat\n\n\
    id: 7.1\r\nevent: tool.request\r\n\
    data: {\"id\":\"t1\",\"name\":\"clock\",\"arguments\":{},\"risk\":\"safe\",\"reason\":\"to know\"}\r\n\r\n\
    id:8\nevent:tool.result.ack\ndata:{\"id\":\"t1\"}\n\n\
    event: assistant.delta\ndata: {\"text\":\"It is\"}\n\n\
    id: 9\r\nevent: assistant.final\r\ndata: {\"text\":\"It is nine.\"}\r\n\r\n";

fn never(question: &str) -> bool {
    panic!("nobody was to be asked: {question}")
}

#[tokio::test]
async fn a_broken_stream_is_taken_up_where_it_stopped() {
    for first in [Reply::Cut(CLOCK), Reply::Silent(CLOCK)] {
        let outcome = run(vec![first, accepted(), Reply::Hangup, Reply::Cut(""), Reply::Cut(REST)]).await;
        assert_eq!(outcome.result.as_ref().unwrap(), "One moIt is\nIt is nine.\n");
        assert!(outcome.seen.iter().all(|seen| seen.authorization.as_deref() == Some("Bearer secret")));

        let sessions = outcome.of("POST /v1/sessions");
        let risks: Vec<_> =
            sessions[0].body["tools"].as_array().unwrap().iter().map(|it| &it["risk"]).collect();
        assert_eq!(risks, ["safe", "risky"]);
        let chats = outcome.of("POST /v1/chat");
        assert_eq!(chats.len(), 1, "what was accepted is not sent again");
        assert_eq!(chats[0].body["message"], json!({"parts": [{"type": "text", "text": "Hello"}]}));
        let results = outcome.of("POST /v1/tools/result");
        assert_eq!(results.len(), 1, "a request seen twice is answered once");
        assert_eq!(results[0].body["general_session_id"], "g_1");
        assert_eq!(results[0].body["tool_result"]["ok"], true);
        let streams = outcome.of("GET /v1/stream?general_session_id=g_1");
        assert_eq!(streams.len(), 3);
        assert!(streams.iter().all(|seen| seen.last_event_id.as_deref() == Some("7.1")));
    }
}

#[tokio::test]
async fn a_text_goes_on_in_the_middle_and_cannot_steer_the_terminal() {
    let first = "event: assistant.delta\nid: 4+1.6\ndata: {\"text\":\"Grüß \\u001b[2J\"}\n\nid: 4+1.9\n";
    let rest = "event: assistant.delta\nid: 4+1.10\ndata: {\"text\":\"Gott\"}\n\n\
        event: assistant.final\nid: 5\ndata: {\"text\":\"Grüß \\u001b[2JGott\"}\n\n";
    let outcome = run(vec![Reply::Cut(first), Reply::Cut(rest)]).await;
    assert_eq!(outcome.of("GET /v1/stream")[0].last_event_id.as_deref(), Some("4+1.6"));
    assert_eq!(outcome.result.unwrap(), "Grüß [2JGott\n");
}

#[tokio::test]
async fn a_message_nobody_took_is_sent_again_under_the_same_id() {
    let unavailable = Reply::Json(503, json!({"error": {"code": "busy", "message": "later", "details": {}}}));
    let done = Reply::Cut("id: 1\nevent: assistant.final\ndata: {\"text\":\"Hi.\"}\n\n");
    let outcome = run(vec![Reply::Hangup, unavailable, done]).await;
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    let chats = outcome.of("POST /v1/chat");
    assert_eq!(chats.len(), 3);
    assert!(chats[0].body["client_message_id"].as_str().is_some_and(|id| !id.is_empty()));
    assert!(chats.iter().all(|seen| seen.body == chats[0].body));
}

#[tokio::test]
async fn a_stream_without_any_event_is_taken_up_from_the_start() {
    let done = Reply::Cut("id: 1\nevent: assistant.final\ndata: {\"text\":\"Hi.\"}\n\n");
    let outcome = run(vec![Reply::Cut(": heartbeat\n\nid: 1\nevent: assistant.final\n"), done]).await;
    assert_eq!(outcome.of("GET /v1/stream")[0].last_event_id.as_deref(), Some("0"));
    assert_eq!(outcome.result.unwrap(), "\nHi.\n");
}

#[tokio::test]
async fn a_result_is_delivered_once_and_may_come_too_late() {
    let conflict = Reply::Json(409, json!({"error": {"code": "settled", "message": "already settled"}}));
    let outcome = run(vec![Reply::Cut(CLOCK), Reply::Hangup, conflict, Reply::Cut(REST)]).await;
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    let results = outcome.of("POST /v1/tools/result");
    assert_eq!(results.len(), 2);
    assert_eq!(results[0].body, results[1].body, "the tool ran once");
}

#[tokio::test]
async fn a_refusal_or_an_error_ends_the_run_in_words() {
    let check = async |script: Vec<Reply>, expected: &str| {
        let error = run(script).await.result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let refusal = json!({"error": {"code": "unauthorized", "message": "the token is wrong"}});
    check(vec![Reply::Json(401, refusal)], "the token is wrong").await;
    let error = "id: 3\nevent: error\ndata: {\"code\":\"provider\",\"message\":\"no model\"}\n\n";
    check(vec![Reply::Cut(error)], "no model").await;
}

#[tokio::test]
async fn the_desktop_decides_what_runs() {
    let check = async |name: &str, risk: &str, ask: fn(&str) -> bool, expected: Result<&str, &str>| {
        let arguments = json!({"app_id": "notion"});
        let request =
            json!({"id": "t1", "name": name, "arguments": arguments, "risk": risk, "reason": "why"});
        let result = perform(&request, ask);
        let (filled, empty, text) = match expected {
            Ok(text) => ("result", "error", text),
            Err(text) => ("error", "result", text),
        };
        assert_eq!(result["ok"], expected.is_ok(), "{name} {risk}: {result}");
        assert!(result[filled].as_str().is_some_and(|it| it.contains(text)), "{name} {risk}: {result}");
        assert_eq!(result[empty], Value::Null);
    };
    check("clock", "safe", never, Ok("-")).await;
    check("clock", "risky", |_| false, Err("denied")).await;
    check("open_app", "risky", |question| question.contains("notion"), Ok("opened \"notion\"")).await;
    check("open_app", "safe", |_| false, Err("denied")).await;
    check("open_app", "forbidden", never, Err("denied")).await;
    check("format_disk", "safe", |_| true, Err("no such tool")).await;
}
