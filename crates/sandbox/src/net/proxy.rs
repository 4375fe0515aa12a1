//! The gateway's end of a command's network: a proxy that connects to allowed hosts and to nothing else.
//!
//! Speaks `CONNECT` and plain HTTP requests. Whether a host may be reached is `host`'s business; the socket it
//! listens on lives in the command's network namespace, so only that command can come to it.

use super::host::{Host, HostRule, vet};
use std::{
    io,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::AbortHandle,
    time::timeout,
};

/// A request's first line and headers. Browsers and package managers stay far below.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Connections at once; further ones wait.
const MAX_CONNECTIONS: usize = 64;
/// Refusals remembered for the report.
const MAX_REFUSALS: usize = 20;
/// How long a client may take to send its request, and a host to take the call.
const PATIENCE: Duration = Duration::from_secs(15);

/// What was refused, as lines for the owner and the model.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusals(Arc<Mutex<Vec<String>>>);

impl Refusals {
    fn add(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < MAX_REFUSALS && !lines.contains(&line) {
            lines.push(line);
        }
    }

    /// What was refused so far.
    pub(crate) fn list(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A proxy at work; it stops when dropped, connections included.
#[derive(Debug)]
pub(crate) struct Proxy(AbortHandle);

impl Drop for Proxy {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Proxy {
    /// Serves `listener` until dropped.
    pub(crate) fn start(
        listener: std::net::TcpListener,
        rules: Vec<HostRule>,
        refusals: Refusals,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let rules: Arc<[HostRule]> = rules.into();
        let task = async move {
            let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
            // Connections live in here so that dropping the proxy ends them too.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
                let Ok((client, _)) = listener.accept().await else { break };
                while connections.try_join_next().is_some() {}
                let (rules, refusals) = (Arc::clone(&rules), refusals.clone());
                connections.spawn(async move {
                    let _permit = permit;
                    if let Err(error) = serve(client, &rules, &refusals).await {
                        tracing::debug!(%error, "proxied connection ended");
                    }
                });
            }
        };
        Ok(Self(tokio::spawn(task).abort_handle()))
    }
}

/// What a client asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) host: Host,
    pub(super) port: u16,
    /// What goes to the host first: nothing for a tunnel, the rewritten request otherwise.
    pub(super) forward: Option<Vec<u8>>,
}

async fn serve(mut client: TcpStream, rules: &[HostRule], refusals: &Refusals) -> io::Result<()> {
    let head = timeout(PATIENCE, read_head(&mut client)).await.map_err(io::Error::from)??;
    let request = match parse(&head) {
        Ok(request) => request,
        Err(reason) => return answer(&mut client, "400 Bad Request", &reason).await,
    };
    let target = format!("{}:{}", request.host, request.port);
    if !rules.iter().any(|rule| rule.allows(&request.host, request.port)) {
        refusals.add(format!("{target}: not on the list of allowed hosts"));
        return answer(
            &mut client,
            "403 Forbidden",
            &format!("{target} is not on the list of allowed hosts"),
        )
        .await;
    }
    let mut host = match connect(&request).await {
        Ok(host) => host,
        Err(reason) => {
            refusals.add(format!("{target}: {reason}"));
            return answer(&mut client, "502 Bad Gateway", &format!("{target}: {reason}")).await;
        }
    };
    match &request.forward {
        Some(head) => host.write_all(head).await?,
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
    }
    copy_bidirectional(&mut client, &mut host).await.map(drop)
}

/// Looks the host up once and connects to what was found, nowhere else.
async fn connect(request: &Request) -> Result<TcpStream, String> {
    let found: Vec<IpAddr> = match &request.host {
        Host::Address(address) => vec![*address],
        Host::Name(name) => {
            let found = timeout(PATIENCE, tokio::net::lookup_host((name.as_str(), request.port))).await;
            let found =
                found.map_err(|_| "looking it up took too long")?.map_err(|error| error.to_string())?;
            found.map(|address| address.ip()).collect()
        }
    };
    let mut last = String::from("no address");
    for address in vet(&request.host, request.port, &found)? {
        match timeout(PATIENCE, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error.to_string(),
            Err(_) => last = "connecting took too long".into(),
        }
    }
    Err(last)
}

/// Reads up to and including the empty line, and no byte more: what follows belongs to the host.
async fn read_head(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut seen = [0; 4096];
    while head.len() < MAX_HEAD_BYTES {
        let count = client.peek(&mut seen).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // The end may lie across two reads.
        let before = head.len();
        head.extend_from_slice(&seen[..count]);
        let from = before.saturating_sub(3);
        let end = head[from..].windows(4).position(|window| window == b"\r\n\r\n").map(|at| from + at + 4);
        let take = end.unwrap_or(head.len()) - before;
        client.read_exact(&mut seen[..take]).await?;
        if let Some(end) = end {
            head.truncate(end);
            return Ok(head);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "the request's head is too long"))
}

/// Reads a request's head. The host is taken from the first line alone, and the `Host` header made to agree.
pub(super) fn parse(head: &[u8]) -> Result<Request, String> {
    let head = str::from_utf8(head).map_err(|_| "the request is not text")?;
    let (line, headers) = head.split_once("\r\n").ok_or("the request has no first line")?;
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("the first line is not a request".into());
    };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") || line.bytes().any(|byte| byte.is_ascii_control()) {
        return Err("the first line is not a request".into());
    }
    if method == "CONNECT" {
        let (host, port) = Host::with_port(target, None).map_err(|error| error.to_string())?;
        return Ok(Request { host, port, forward: None });
    }
    let rest = target.strip_prefix("http://").ok_or("only CONNECT and http:// addresses are understood")?;
    let (authority, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
    let (host, port) = Host::with_port(authority, Some(80)).map_err(|error| error.to_string())?;
    // Spelled from what was read, so that the host cannot read something else into it.
    let authority = if port == 80 { host.to_string() } else { format!("{host}:{port}") };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut forward =
        format!("{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    for header in headers.split("\r\n").take_while(|header| !header.is_empty()) {
        let name = header.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let hop = ["host", "connection", "keep-alive", "upgrade"].contains(&name.as_str())
            || name.starts_with("proxy-");
        if !hop {
            forward.push_str(header);
            forward.push_str("\r\n");
        }
    }
    forward.push_str("\r\n");
    Ok(Request { host, port, forward: Some(forward.into_bytes()) })
}

async fn answer(client: &mut TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let body = format!("steward: {reason}\n");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(body.as_bytes()).await?;
    client.shutdown().await
}
