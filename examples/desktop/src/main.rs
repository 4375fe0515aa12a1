//! A desktop app in miniature: says one thing over `/v1`, lends the assistant two tools, prints the answer.
//!
//! What a client owes the service: it decides itself what runs on its machine, repeats a request only under
//! the same id, and takes up a broken stream where it stopped. Opening an app is only pretended here.

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::{Value, json};
use std::{collections::HashSet, io, io::IsTerminal as _, io::Write as _, io::stdin, time::Duration};

#[cfg(test)]
mod tests;

const FIRST_PAUSE: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 1_000 });
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The service sends a heartbeat every 15 seconds; two missing in a row mean that nobody is there.
const SILENCE: Duration = Duration::from_secs(if cfg!(test) { 3 } else { 30 });

/// Say something to the assistant and lend it this desktop.
#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value = "http://127.0.0.1:18789")]
    url: Url,
    #[arg(long, env = "STEWARD_TOKEN", hide_env_values = true)]
    token: String,
    message: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    run(Arguments::parse()).await.map(drop)
}

/// Sends the message, then follows the answer over as many streams as it takes; gives what was printed.
async fn run(Arguments { url, token, message }: Arguments) -> Result<String> {
    // The service is on this machine: no proxy needs to see the token.
    let http = Client::builder().no_proxy().read_timeout(SILENCE).build()?;
    let call = |method, path: &str| url.join(path).map(|url| http.request(method, url).bearer_auth(&token));
    let run_id = format!("desktop-{}", jiff::Timestamp::now().as_nanosecond());
    let mut pause = FIRST_PAUSE;
    let tools: Value = serde_json::from_str(include_str!("tools.json"))?;
    let body = json!({"jarvis_session_id": run_id, "tools": tools});
    let reply: Value =
        send(call(Method::POST, "/v1/sessions")?.json(&body), &mut pause).await?.json().await?;
    let session = reply["general_session_id"].as_str().context("the service gave no session")?;
    let chat = json!({"general_session_id": session, "client_message_id": run_id, "stream": true,
        "message": {"parts": [{"type": "text", "text": message}]}});
    let mut stream = send(call(Method::POST, "/v1/chat")?.json(&chat), &mut pause).await?;

    // The session is new, so 0 stands before its first event.
    let mut last_event_id = "0".to_owned();
    let (mut buffer, mut shown, mut answered) = (Vec::new(), String::new(), HashSet::new());
    loop {
        let Some(event) = next_event(&mut stream, &mut buffer).await else {
            wait(&mut pause).await;
            let resume = call(Method::GET, &format!("/v1/stream?general_session_id={session}"))?;
            stream = send(resume.header("Last-Event-ID", &last_event_id), &mut pause).await?;
            buffer.clear();
            continue;
        };
        // A heartbeat is an event without fields.
        let field = |name| event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
        let (id, name) = (field("id:"), field("event:"));
        let data: Value = serde_json::from_str(field("data:")).unwrap_or_default();
        // What a model writes must not steer the terminal.
        let harmless = |c: &char| !c.is_control() || "\n\t".contains(*c);
        let text: String = data["text"].as_str().unwrap_or_default().chars().filter(harmless).collect();
        let news = match name {
            "assistant.delta" => text,
            "assistant.final" if shown.ends_with(&text) => "\n".to_owned(),
            // Not every answer comes in deltas.
            "assistant.final" => format!("\n{text}\n"),
            // A request seen twice is answered once.
            "tool.request" if answered.insert(data["id"].to_string()) => {
                let result = json!({"general_session_id": session, "tool_result": perform(&data, ask)});
                send(call(Method::POST, "/v1/tools/result")?.json(&result), &mut pause).await?;
                String::new()
            }
            "error" => bail!("the service reports: {data}"),
            _ => String::new(),
        };
        print!("{news}");
        io::stdout().flush()?;
        shown.push_str(&news);
        if name == "assistant.final" {
            return Ok(shown);
        }
        if !id.is_empty() {
            (last_event_id, pause) = (id.to_owned(), FIRST_PAUSE);
        }
    }
}

/// Repeats a request until it is answered. The ids in it let the service take it only once.
async fn send(request: RequestBuilder, pause: &mut Duration) -> Result<Response> {
    loop {
        match request.try_clone().context("the token is malformed")?.send().await {
            Ok(response) if !response.status().is_server_error() => {
                let (status, path) = (response.status(), response.url().path());
                // A result that comes too late was settled elsewhere, which is as good.
                let late = status == StatusCode::CONFLICT && path == "/v1/tools/result";
                ensure!(late || status.is_success(), "refused with {status}: {}", response.text().await?);
                return Ok(response);
            }
            _ => wait(pause).await,
        }
    }
}

async fn wait(pause: &mut Duration) {
    eprintln!("[the connection is lost; trying again in {pause:?}]");
    tokio::time::sleep(*pause).await;
    *pause = (*pause * 2).min(LONGEST_PAUSE);
}

/// The next block of lines up to an empty one; none when the stream ended, broke or fell silent.
async fn next_event(stream: &mut Response, buffer: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(end) = buffer.windows(2).position(|pair| pair == b"\n\n") {
            // Decoded only now: bytes may come in half characters.
            let event: Vec<u8> = buffer.drain(..end + 2).collect();
            return Some(String::from_utf8_lossy(&event).into_owned());
        }
        // JSON escapes its carriage returns, so any other belongs to the end of a line.
        let bytes = stream.chunk().await.ok()??;
        buffer.extend(bytes.into_iter().filter(|byte| *byte != b'\r'));
    }
}

/// Runs what a `tool.request` asks for, or does not. The service's word on the risk only makes it stricter.
fn perform(request: &Value, ask: fn(&str) -> bool) -> Value {
    let [name, arguments, reason, risk] = ["name", "arguments", "reason", "risk"].map(|key| &request[key]);
    let allowed = || risk != "forbidden" && ask(&format!("Allow {name} {arguments}, because {reason}?"));
    let (result, error) = match name.as_str() {
        Some("clock") if risk == "safe" || allowed() => (Some(jiff::Zoned::now().to_string()), None),
        Some("open_app") if allowed() => (Some(format!("opened {}", arguments["app_id"])), None),
        Some("clock" | "open_app") => (None, Some("denied")),
        _ => (None, Some("there is no such tool here")),
    };
    json!({"id": request["id"], "ok": error.is_none(), "result": result, "error": error})
}

/// Only a person at a terminal can allow something.
fn ask(question: &str) -> bool {
    // Escaped, because the words are the model's and must not repaint the question.
    eprint!("\n{} [y/N] ", question.escape_debug());
    let mut answer = String::new();
    stdin().is_terminal() && stdin().read_line(&mut answer).is_ok() && answer.trim().to_lowercase() == "y"
}
