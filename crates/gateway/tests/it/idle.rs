//! How long a stream stays open: as long as a turn is under way, and for ten minutes between turns. The clock is
//! turned on by hand.

use crate::{
    desk::{chat, open, open_other},
    world::World,
};
use reqwest::{Method, Response};

/// Heartbeats until the end, at most so many.
async fn heartbeats(response: &mut Response, most: usize) -> usize {
    let mut count = 0;
    while count < most {
        let Some(bytes) = response.chunk().await.unwrap() else { break };
        count += String::from_utf8_lossy(&bytes).matches(": heartbeat").count();
    }
    count
}

#[tokio::test]
async fn a_stream_ends_after_ten_minutes_between_turns_and_never_within_one() {
    let world = World::new().await;
    let (quiet, busy) = (open(&world).await, open_other(&world).await);
    let listen = async |session: &str| {
        let path = format!("/v1/stream?general_session_id={session}");
        world.request(Method::GET, &path).send().await.unwrap()
    };
    let mut quiet = listen(&quiet).await;
    world.post_stream("/v1/chat", &chat(&busy, "wait", true)).await;
    world.drive().await.asks().await;
    let mut busy = listen(&busy).await;
    tokio::time::pause();
    // One every fifteen seconds: the one after ten minutes is the last.
    let beats = heartbeats(&mut quiet, 100).await;
    assert!((40..=42).contains(&beats), "{beats}");
    assert_eq!(heartbeats(&mut busy, 100).await, 100);
}
