//! The daemon is killed in the middle of what it tells. Whoever comes back hears every event once.

use super::*;
use futures::{SinkExt, StreamExt};
use serde_json::json;
use testkit::{Script, Sent};
use tokio_tungstenite::tungstenite::Message;

const WORDS: &str = "one two three four five six seven eight nine ten";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_daemon_costs_its_listeners_nothing() {
    let world = World::new().await;
    world.fake.reply_with(|_| Script::reply(WORDS).text_chunks_of(4).chunk_delay(Duration::from_millis(30)));
    let mut daemon = Daemon::start(&world).await;
    let address = daemon.door.address;
    let session = daemon.post("/v1/sessions", json!({ "jarvis_session_id": "kills" })).await;
    let session = session["general_session_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/stream?general_session_id={session}");
    let mut sse: Vec<Sent> = Vec::new();
    let mut log: Vec<Value> = Vec::new();
    for round in 0..6 {
        let mut events =
            daemon.door.listen(&path, sse.last().map(|sent| sent.id.as_str()).or(Some("0"))).await.unwrap();
        let mut socket = socket(&daemon, log.last().map_or(0, |event| event["seq"].as_u64().unwrap())).await;
        let message = json!({
            "general_session_id": session, "stream": true, "client_message_id": format!("round {round}"),
            "message": { "parts": [{ "type": "text", "text": "count" }] },
        });
        daemon.door.stream(&daemon.door.request("POST", "/v1/chat", &[], Some(&message))).await.unwrap();
        // Killed earlier in each round, the last one runs to its end.
        let last = round == 5;
        let killed = tokio::time::sleep(Duration::from_millis(if last { 60_000 } else { 350 - round * 60 }));
        tokio::pin!(killed);
        loop {
            tokio::select! {
                () = &mut killed => break,
                sent = events.event() => sse.extend(sent),
                frame = socket.next() => {
                    if let Some(Ok(Message::Text(text))) = frame {
                        let frame: Value = serde_json::from_str(&text).unwrap();
                        if frame["event"] == "log.event" {
                            log.push(frame["data"].clone());
                        }
                    }
                }
            }
            let finals =
                |count: usize| sse.iter().filter(|sent| sent.event == "assistant.final").count() == count;
            let finished = log.iter().filter(|event| event["kind"] == "turn.finished").count();
            if last && finals(6) && finished == 6 {
                break;
            }
        }
        if !last {
            daemon.kill().await;
            daemon = Daemon::start_at(&world, address).await;
        }
    }
    let view = world.run(&["audit", "tail", "--limit", "10000", "--json"]).await;
    let truth: Vec<Value> = view.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seqs =
        |events: &[Value]| events.iter().map(|event| event["seq"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(seqs(&log), seqs(&truth)[..log.len()], "the socket heard every event once");
    let finals: Vec<Value> =
        sse.iter().filter(|sent| sent.event == "assistant.final").map(Sent::json).collect();
    assert_eq!(finals.len(), 6);
    assert!(finals.iter().all(|told| told["text"] == WORDS), "{finals:?}");
    let lasting: Vec<&str> =
        sse.iter().filter(|sent| !sent.id.contains('+')).map(|sent| sent.id.as_str()).collect();
    let mut once = lasting.clone();
    once.dedup();
    assert_eq!(lasting, once, "no event is told twice");
    told_in_order(&sse);
}

/// The pieces of text add up: each goes on where its attempt stood, and a new attempt begins anew.
fn told_in_order(sse: &[Sent]) {
    let (mut attempt, mut text) = (0, String::new());
    for sent in sse {
        match sent.event.as_str() {
            "assistant.delta" => {
                let piece = sent.json();
                if piece["attempt"].as_u64().unwrap() > attempt {
                    (attempt, text) = (piece["attempt"].as_u64().unwrap(), String::new());
                }
                assert_eq!(piece["offset"].as_u64().unwrap() as usize, text.len(), "{sent:?} after {text:?}");
                text.push_str(piece["text"].as_str().unwrap());
            }
            "assistant.final" => {
                assert_eq!(text, WORDS);
                (attempt, text) = (0, String::new());
            }
            _ => {}
        }
    }
}

type Socket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// A socket that follows the log.
async fn socket(daemon: &Daemon, since: u64) -> Socket {
    let url = format!("ws://{}/ws", daemon.door.address);
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let auth = json!({ "type": "auth", "token": daemon.door.token });
    let follow = json!({ "id": "1", "method": "events.subscribe", "params": { "since": since } });
    for frame in [auth, follow] {
        socket.send(Message::text(frame.to_string())).await.unwrap();
    }
    socket
}
