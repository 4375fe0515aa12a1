//! The same conversation without a socket.

use super::*;
use gateway::Connection;
use protocol::Outcome;
use serde_json::{Value, json};
use std::time::Duration;

async fn ask(connection: &mut Connection, method: &str, params: Value) -> Value {
    let frame = json!({ "id": method, "method": method, "params": params });
    connection.send.send(frame.to_string()).await.unwrap();
    next(connection).await.unwrap()
}

async fn next(connection: &mut Connection) -> Option<Value> {
    soon(connection.receive.recv()).await.map(|text| serde_json::from_str(&text).unwrap())
}

#[tokio::test]
async fn a_client_in_the_same_process_is_signed_in() {
    let world = World::new().await;
    let mut connection = world.gateway.connect();
    let message = json!({ "sessionKey": "s", "message": "hi" });
    let answer = ask(&mut connection, "chat.send", message).await;
    let mut drive = world.drive().await;
    assert_eq!(answer["result"]["runId"], drive.run_id());
    drive.asks().await;
    drive.said("Hello").await;
    drive.ends(Outcome::Completed).await;
    assert_eq!(next(&mut connection).await.unwrap()["event"], "chat.delta");
    assert_eq!(next(&mut connection).await.unwrap()["data"]["text"], "Hello");
    let events = world.store.view().events_after(0, 100).await.unwrap();
    assert!(events.iter().all(|event| !event.fact.kind().starts_with("auth")), "nothing is noted");
}

#[tokio::test]
async fn dropping_either_end_ends_it() {
    let world = World::new().await;
    let Connection { send, mut receive } = world.gateway.connect();
    drop(send);
    assert_eq!(soon(receive.recv()).await, None);
    let Connection { send, receive } = world.gateway.connect();
    drop(receive);
    soon(send.closed()).await;
    let mut connection = world.gateway.connect();
    world.stop.cancel();
    assert_eq!(next(&mut connection).await, None);
}

#[tokio::test]
async fn who_takes_nothing_for_too_long_is_told_where_to_come_back_to() {
    let world = World::new().await;
    let mut connection = world.gateway.connect();
    ask(&mut connection, "chat.history", json!({ "sessionKey": "s" })).await;
    world.say("s", "hi").await;
    let mut drive = world.drive().await;
    drive.asks().await;
    let seq = drive.seen;
    for offset in 0..100 {
        drive.streams(offset, "x");
    }
    // This is what is tested: that nothing is taken for longer than five seconds.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let mut last = Value::Null;
    while let Some(frame) = next(&mut connection).await {
        last = frame;
    }
    assert_eq!(last, json!({ "event": "lagged", "data": { "since": seq } }));
}
