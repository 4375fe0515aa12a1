//! What no client should send: broken, huge, deep, slow. Each gets a clear answer and costs little, and the
//! daemon goes on.

use super::*;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The largest the daemon may grow to under all of this, in kB.
const MAX_RESIDENT_KB: u64 = 160_000;

async fn posts(daemon: &Daemon) -> Vec<String> {
    let document = daemon.get("/openapi.json").await;
    let paths = document["paths"].as_object().unwrap();
    let takes = |operations: &Value| operations["post"]["requestBody"].is_object();
    let mut posts: Vec<String> =
        paths.iter().filter(|(_, operations)| takes(operations)).map(|(path, _)| path.clone()).collect();
    posts
        .iter_mut()
        .for_each(|path| *path = path.replace("{callId}", "019a0000-0000-7000-8000-000000000000"));
    assert!(posts.len() > 5, "{posts:?}");
    posts
}

fn with_body(daemon: &Daemon, path: &str, content_type: &str, body: &str) -> String {
    let length = body.len().to_string();
    let headers =
        [("content-type", content_type), ("content-length", length.as_str()), ("connection", "close")];
    daemon.door.request("POST", path, &headers, None) + body
}

#[tokio::test]
async fn rough_input_gets_a_clear_answer_everywhere() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let deep = "[".repeat(200_000);
    let wide = format!("{{\"prompt\":\"{}\"}}", "x".repeat(9 << 20));
    let bodies = [
        ("application/json", "", 400, "nothing"),
        ("application/json", "{", 400, "half"),
        ("application/json", "nonsense", 400, "no JSON"),
        ("application/json", "\u{0}\u{1}", 400, "control characters"),
        ("application/json", "[1,2,3]", 400, "no object"),
        ("application/json", "{\"a\":1}{\"b\":2}", 400, "two values"),
        ("application/json", deep.as_str(), 400, "deep"),
        ("application/json", wide.as_str(), 413, "huge"),
        ("text/plain", "{}", 415, "not said to be JSON"),
        ("application/x-www-form-urlencoded", "a=1", 415, "a form"),
    ];
    for path in posts(&daemon).await {
        for (content_type, body, status, what) in &bodies {
            let answer = daemon.door.send(&with_body(&daemon, &path, content_type, body)).await;
            let message = answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
            assert_eq!(answer.status, *status, "{path} with {what}: {}", answer.body);
            assert!(message.len() > 10 && message.len() < 600, "{path} with {what}: {message}");
        }
    }
    for (what, request) in [
        (
            "a long header",
            format!(
                "GET /health HTTP/1.1\r\nhost: {}\r\nx: {}\r\n\r\n",
                daemon.door.address,
                "y".repeat(100_000)
            ),
        ),
        (
            "a long path",
            format!("GET /{} HTTP/1.1\r\nhost: {}\r\n\r\n", "y".repeat(100_000), daemon.door.address),
        ),
        ("no HTTP", "\u{16}\u{3}\u{1} hello\r\n\r\n".into()),
        ("no host", "GET /health HTTP/1.1\r\nconnection: close\r\n\r\n".into()),
        (
            "two lengths",
            "POST /api/tasks HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx".into(),
        ),
    ] {
        let mut stream = TcpStream::connect(daemon.door.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok();
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{what}: {answer}");
    }
    assert_eq!(daemon.get("/health").await["healthy"], json!(true));
    assert!(daemon.resident_kb() < MAX_RESIDENT_KB, "{} kB", daemon.resident_kb());
}

#[tokio::test]
async fn what_drips_in_slowly_is_given_up_on() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let head = daemon.door.request(
        "POST",
        "/api/tasks",
        &[("content-type", "application/json"), ("content-length", "1000")],
        None,
    );
    let mut dripping = tokio::task::JoinSet::new();
    for number in 0..100 {
        // Half of them drip their headers, half their body.
        let start =
            if number % 2 == 0 { "GET /health HTTP/1.1\r\nx-slow: ".to_owned() } else { head.clone() };
        let address = daemon.door.address;
        dripping.spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(start.as_bytes()).await.unwrap();
            let (mut reading, mut writing) = stream.into_split();
            let drip = async {
                while writing.write_all(b"1").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            };
            let mut answer = Vec::new();
            tokio::select! {
                () = drip => {}
                _ = reading.read_to_end(&mut answer) => {}
            }
            String::from_utf8_lossy(&answer).into_owned()
        });
    }
    // Meanwhile everybody else is served.
    assert_eq!(daemon.get("/health").await["healthy"], json!(true));
    let answers = tokio::time::timeout(Duration::from_secs(60), dripping.join_all())
        .await
        .expect("all were given up on");
    assert!(answers.iter().any(|answer| answer.starts_with("HTTP/1.1 408")), "{answers:?}");
    assert_eq!(daemon.get("/health").await["healthy"], json!(true));
}
