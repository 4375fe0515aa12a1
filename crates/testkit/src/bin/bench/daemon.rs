//! The daemon, measured: how soon it answers, what it holds at rest, what it adds to a model's first word, many
//! turns at once, and a crowd of listeners.

use serde_json::json;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use testkit::{Crowd, Door, FakeModel, Row, Script, middle_ms, print};

/// How many turns run side by side.
const TURNS: usize = 200;

/// The answer the crowd hears: long enough that one who does not read is noticed.
const CROWD_PIECES: usize = 100;
const CROWD_PIECE: usize = 4000;

const TOKEN: &str = "bench-token-0123456789";

/// A daemon, ended with this value.
struct Daemon {
    child: Child,
    door: Door,
    /// From spawn to the first 200.
    started: Duration,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Daemon {
    fn start(steward: &str, environment: &[(String, String)]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let door = Door { address, token: TOKEN.into() };
        let request = door.bare_request("GET", "/health", &[("connection", "close")], None);
        let begin = Instant::now();
        let child = Command::new(steward)
            .arg("serve")
            .env_clear()
            .envs(environment.iter().cloned())
            .env("STEWARD_PORT", port.to_string())
            .env("STEWARD_TOKEN", TOKEN)
            .env("STEWARD_GATEWAY_MAX_CONCURRENT_TURNS", TURNS.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut daemon = Self { child, door, started: Duration::ZERO };
        while !is_healthy(address, &request) {
            assert!(begin.elapsed() < Duration::from_secs(20), "the daemon did not come up");
            std::thread::sleep(Duration::from_micros(100));
        }
        daemon.started = begin.elapsed();
        daemon
    }

    /// Resident memory in kB, as the kernel tells.
    fn resident_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

fn is_healthy(address: SocketAddr, request: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let mut answer = [0; 12];
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_exact(&mut answer).is_ok()
        && answer == *b"HTTP/1.1 200"
}

/// Measures everything and prints it.
pub async fn bench(
    steward: &str,
    environment: &[(String, String)],
    fake: &FakeModel,
    runs: usize,
    crowd: usize,
) {
    let (mut starts, mut processes) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        starts.push(Daemon::start(steward, environment).started);
        processes.push(process_start(steward));
    }
    let daemon = Daemon::start(steward, environment);
    let warm = json!({ "messages": [{ "role": "user", "content": "warm up" }] });
    tokio::time::sleep(Duration::from_secs(2)).await;
    let idle = daemon.resident_kb();
    daemon.door.ask("POST", "/v1/chat/completions", Some(&warm)).await;
    let (through, direct) = first_words(&daemon.door, fake, runs * 5).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let used = daemon.resident_kb();
    print(&[
        Row::new("daemon start to first 200", "ms", middle_ms(&starts), middle_ms(&processes), "`--version`"),
        Row::new("daemon at rest, RSS", "MB", idle as f64 / 1e3, 15.0, "aim"),
        Row::new("daemon at rest after turns, RSS", "MB", used as f64 / 1e3, idle as f64 / 1e3, "before"),
        Row::new("warm time to first word", "ms", middle_ms(&through), middle_ms(&direct), "direct call"),
    ]);
    let overhead = middle_ms(&through) - middle_ms(&direct);
    println!("time to first word, more than direct: {overhead:.2} ms (p50 of {})", through.len());
    many_turns(&daemon.door, fake).await;
    drop(daemon);
    let daemon = Daemon::start(steward, environment);
    crowded(&daemon, crowd).await;
}

/// From spawn to the end of a process that does nothing.
fn process_start(steward: &str) -> Duration {
    let begin = Instant::now();
    let status = Command::new(steward).arg("--version").env_clear().stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    begin.elapsed()
}

/// Time to the first word of an answer, through the daemon and from the fake itself, in turns.
async fn first_words(door: &Door, fake: &FakeModel, runs: usize) -> (Vec<Duration>, Vec<Duration>) {
    let model = Door {
        address: fake.anthropic_url().trim_start_matches("http://").parse().unwrap(),
        token: String::new(),
    };
    let question = fake.requests().remove(0).body;
    let headers = [("x-api-key", "sk-bench"), ("anthropic-version", "2023-06-01")];
    let plain = model.bare_request("POST", "/v1/messages", &headers, Some(&question));
    let (mut through, mut direct) = (Vec::new(), Vec::new());
    for run in 0..runs + 5 {
        let message = json!({ "model": "steward", "stream": true, "messages": [{ "role": "user", "content": format!("hi {run}") }] });
        let request = door.request("POST", "/v1/chat/completions", &[], Some(&message));
        let ours = first_word(door, &request, "\"content\":\"").await;
        let theirs = first_word(&model, &plain, "text_delta").await;
        // The first few warm up.
        if run >= 5 {
            through.push(ours);
            direct.push(theirs);
        }
    }
    (through, direct)
}

async fn first_word(door: &Door, request: &str, sign: &str) -> Duration {
    let begin = Instant::now();
    let mut events = door.stream(request).await.unwrap();
    loop {
        let sent = events.event().await.expect("an answer");
        if sent.data.contains(sign) && !sent.data.contains("\"content\":\"\"") {
            return begin.elapsed();
        }
    }
}

async fn many_turns(door: &Door, fake: &FakeModel) {
    let asked_before = fake.requests().len();
    let begin = Instant::now();
    let mut turns = tokio::task::JoinSet::new();
    for number in 0..TURNS {
        let door = door.clone();
        turns.spawn(async move {
            let begin = Instant::now();
            let message = json!({ "messages": [{ "role": "user", "content": format!("turn {number}") }] });
            let answer = door.ask("POST", "/v1/chat/completions", Some(&message)).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            begin.elapsed()
        });
    }
    let mut times = turns.join_all().await;
    let all = begin.elapsed();
    times.sort();
    assert_eq!(fake.requests().len() - asked_before, TURNS);
    println!(
        "{TURNS} turns at once: {:.0} ms for all ({:.0} turns/s), each p50 {:.0} ms, p95 {:.0} ms",
        all.as_secs_f64() * 1e3,
        TURNS as f64 / all.as_secs_f64(),
        times[TURNS / 2].as_secs_f64() * 1e3,
        times[TURNS * 95 / 100].as_secs_f64() * 1e3,
    );
}

async fn crowded(daemon: &Daemon, count: usize) {
    let door = &daemon.door;
    let session =
        door.ask("POST", "/v1/sessions", Some(&json!({ "jarvis_session_id": "crowd" }))).await.json();
    let session = session["general_session_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/stream?general_session_id={session}");
    let before = daemon.resident_kb();
    let begin = Instant::now();
    let stalled = count / 100;
    let listening = Crowd::gather(door, &path, count, stalled).await;
    let gathered = begin.elapsed();
    let each = (daemon.resident_kb() - before) as f64 / count as f64;
    let message = json!({
        "general_session_id": session, "stream": false,
        "message": { "parts": [{ "type": "text", "text": "a long answer" }] },
    });
    let begin = Instant::now();
    let speaking = {
        let (door, message) = (door.clone(), message.clone());
        tokio::spawn(async move { door.ask("POST", "/v1/chat", Some(&message)).await })
    };
    let (healthy, late) = listening.listen("assistant.final", Duration::from_secs(6)).await;
    let told = begin.elapsed() - Duration::from_secs(6);
    assert_eq!(speaking.await.unwrap().status, 200);
    let same = healthy.iter().filter(|heard| **heard == healthy[0]).count();
    let lagged = late.iter().filter(|heard| heard.last == "lagged").count();
    println!(
        "{count} listeners ({stalled} of them stalled): {each:.1} kB each at rest, gathered in {:.1} s, a {} kB answer told in {:.1} s; \
         {same} of {} healthy ones heard the same {} events and text to the end, {lagged} of {stalled} stalled ones were told `lagged`; \
         RSS in the end {:.1} MB",
        gathered.as_secs_f64(),
        CROWD_PIECES * CROWD_PIECE / 1000,
        told.as_secs_f64(),
        healthy.len(),
        healthy[0].events,
        daemon.resident_kb() as f64 / 1e3,
    );
}

/// The answer to the crowd's question.
pub fn long_answer() -> Script {
    let text = "A word to everybody who listens. ".repeat(CROWD_PIECES * CROWD_PIECE / 33);
    Script::reply(text).text_chunks_of(CROWD_PIECE).chunk_delay(Duration::from_millis(5))
}
