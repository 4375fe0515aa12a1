//! Two thousand listeners, some of whom stop listening.

use super::*;
use serde_json::json;
use testkit::{Crowd, Script};

const LISTENERS: usize = 2000;
const STALLED: usize = LISTENERS / 100;

/// The most a listener may cost, in kB. The aim is 30; a debug build has larger futures.
const MAX_KB_EACH: u64 = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_hears_everything_once_and_those_who_stall_are_told() {
    let world = World::new().await;
    let text = "A word to everybody who listens. ".repeat(7_500);
    let script = Script::reply(text.clone()).text_chunks_of(5000).chunk_delay(Duration::from_millis(20));
    world.fake.script(script);
    let daemon = Daemon::start(&world).await;
    let session = daemon.post("/v1/sessions", json!({ "jarvis_session_id": "crowd" })).await;
    let session = session["general_session_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/stream?general_session_id={session}");
    let before = daemon.resident_kb();
    let crowd = Crowd::gather(&daemon.door, &path, LISTENERS, STALLED).await;
    let each = daemon.resident_kb().saturating_sub(before) / LISTENERS as u64;
    assert!(each < MAX_KB_EACH, "{each} kB for each listener");
    let message = json!({
        "general_session_id": session, "stream": true, "client_message_id": "one",
        "message": { "parts": [{ "type": "text", "text": "speak" }] },
    });
    let request = daemon.door.request("POST", "/v1/chat", &[], Some(&message));
    // One who comes late and leaves early is nobody's concern.
    drop(daemon.door.stream(&request).await.unwrap());
    let (healthy, stalled) = crowd.listen("assistant.final", Duration::from_secs(6)).await;
    let first = &healthy[0];
    assert_eq!((healthy.len(), first.last.as_str()), (LISTENERS - STALLED, "assistant.final"));
    let different: Vec<_> = healthy.iter().filter(|heard| *heard != first).take(3).collect();
    assert!(different.is_empty(), "{first:?} but {different:?}");
    let told: Vec<&str> = stalled.iter().map(|heard| heard.last.as_str()).collect();
    assert_eq!(told, vec!["lagged"; STALLED]);

    // Whoever was told comes back and hears the rest.
    let mut again = daemon.door.listen(&path, Some("0")).await.unwrap();
    let events = again.until("assistant.final").await;
    assert_eq!(events.last().unwrap().json()["text"], json!(text));
}
