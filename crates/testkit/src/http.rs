//! A small HTTP/1.1 client over plain sockets: what a test or a benchmark says to a gateway is exactly what is
//! written here, and thousands of it cost next to nothing.

use serde_json::Value;
use std::{io, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// Where a gateway is, and what it wants to be shown.
#[derive(Debug, Clone)]
pub struct Door {
    /// Its address.
    pub address: SocketAddr,
    /// Its token.
    pub token: String,
}

/// An answer that was read whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The header lines.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Door {
    /// The text of a request with the token.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> String {
        let bearer = format!("Bearer {}", self.token);
        let headers: Vec<(&str, &str)> =
            [("authorization", bearer.as_str())].iter().chain(headers).copied().collect();
        self.bare_request(method, path, &headers, body)
    }

    /// The text of a request with these headers and no others than it needs.
    pub fn bare_request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> String {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            text.push_str(&format!("host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        match body {
            None => text.push_str("\r\n"),
            Some(body) => {
                let body = body.to_string();
                text.push_str(&format!(
                    "content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                ));
            }
        }
        text
    }

    /// Asks with the token and reads the whole answer.
    pub async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.send(&self.request(method, path, &[("connection", "close")], body)).await
    }

    /// Sends these bytes on a new connection and reads until it ends.
    pub async fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // A refusal may come before everything was sent.
        stream.write_all(request.as_bytes()).await.ok();
        let mut bytes = Vec::new();
        if let Err(error) = stream.read_to_end(&mut bytes).await {
            assert!(!bytes.is_empty(), "no answer: {error}");
        }
        parse(&bytes)
    }

    /// Opens a stream of events.
    pub async fn listen(&self, path: &str, last_event_id: Option<&str>) -> io::Result<Events> {
        let headers: Vec<(&str, &str)> = last_event_id.map(|id| ("last-event-id", id)).into_iter().collect();
        self.stream(&self.request("GET", path, &headers, None)).await
    }

    /// Sends a request whose answer is a stream of events.
    pub async fn stream(&self, request: &str) -> io::Result<Events> {
        let socket = TcpSocket::new_v4()?;
        // A size that is set does not grow: who does not read fills it and is noticed.
        socket.set_recv_buffer_size(64 << 10)?;
        let mut stream = socket.connect(self.address).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut events =
            Events { stream, raw: Vec::new(), text: Vec::new(), head: String::new(), ended: false };
        while events.head.is_empty() {
            events.fill().await?;
            let Some(end) = find(&events.raw, b"\r\n\r\n") else { continue };
            events.head = String::from_utf8_lossy(&events.raw[..end]).into_owned();
            events.raw.drain(..end + 4);
        }
        Ok(events)
    }
}

fn parse(bytes: &[u8]) -> Answer {
    let end =
        find(bytes, b"\r\n\r\n").unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut body = bytes[end + 4..].to_vec();
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        let mut text = Vec::new();
        take_chunks(&mut body, &mut text);
        body = text;
    }
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    Answer { status, head, body: String::from_utf8_lossy(&body).into_owned() }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Moves the whole chunks among `raw` to `text`. Whether the last one came.
fn take_chunks(raw: &mut Vec<u8>, text: &mut Vec<u8>) -> bool {
    loop {
        let Some(line) = find(raw, b"\r\n") else { return false };
        let size = usize::from_str_radix(std::str::from_utf8(&raw[..line]).unwrap().trim(), 16).unwrap();
        if raw.len() < line + 2 + size + 2 {
            return false;
        }
        text.extend_from_slice(&raw[line + 2..line + 2 + size]);
        raw.drain(..line + 2 + size + 2);
        if size == 0 {
            return true;
        }
    }
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sent {
    /// Its id; empty if it has none.
    pub id: String,
    /// Its name; empty if it has none.
    pub event: String,
    /// What it says.
    pub data: String,
    /// For a comment, what it says.
    pub comment: String,
}

impl Sent {
    /// The data as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {}", self.data))
    }
}

/// A stream of events being read.
pub struct Events {
    stream: TcpStream,
    raw: Vec<u8>,
    text: Vec<u8>,
    /// The head of the answer.
    pub head: String,
    ended: bool,
}

impl Events {
    async fn fill(&mut self) -> io::Result<()> {
        let mut piece = [0; 4096];
        let count = self.stream.read(&mut piece).await?;
        self.raw.extend_from_slice(&piece[..count]);
        if count == 0 {
            self.ended = true;
            return if self.head.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) };
        }
        Ok(())
    }

    /// The next event or comment; none at the end, however it came.
    pub async fn next(&mut self) -> Option<Sent> {
        loop {
            self.ended |= take_chunks(&mut self.raw, &mut self.text);
            if let Some(end) = find(&self.text, b"\n\n") {
                let block: Vec<u8> = self.text.drain(..end + 2).collect();
                return Some(sent(&String::from_utf8_lossy(&block)));
            }
            if self.ended {
                return None;
            }
            if self.fill().await.is_err() {
                self.ended = true;
            }
        }
    }

    /// The next event that is no comment.
    pub async fn event(&mut self) -> Option<Sent> {
        loop {
            let next = self.next().await?;
            if next.comment.is_empty() {
                return Some(next);
            }
        }
    }

    /// All events up to the one named so, or the end. A stream that says nothing for a minute fails.
    pub async fn until(&mut self, name: &str) -> Vec<Sent> {
        let mut all = Vec::new();
        loop {
            let next = tokio::time::timeout(Duration::from_secs(60), self.event()).await;
            let Some(next) = next.unwrap_or_else(|_| panic!("no `{name}` after {all:?}")) else { return all };
            let last = next.event == name;
            all.push(next);
            if last {
                return all;
            }
        }
    }
}

fn sent(block: &str) -> Sent {
    let mut sent = Sent::default();
    for line in block.lines() {
        match line.split_once(": ").or_else(|| line.split_once(':')) {
            Some(("", comment)) => sent.comment = comment.into(),
            Some(("id", id)) => sent.id = id.into(),
            Some(("event", event)) => sent.event = event.into(),
            Some(("data", data)) => sent.data.push_str(data),
            _ => {}
        }
    }
    sent
}
