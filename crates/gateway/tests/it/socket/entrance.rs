//! Who is let in, who is turned away, and who has to leave.

use super::*;
use protocol::Fact;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error, Message};

async fn noted(world: &World) -> Vec<String> {
    let events = world.store.view().events_after(0, 1000).await.unwrap();
    let note = |fact: &Fact| match fact {
        Fact::AuthAccepted { door } => Some(format!("accepted {door}")),
        Fact::AuthRefused { door, reason } => Some(format!("refused {door}: {reason}")),
        Fact::AuthRotated => Some("rotated".into()),
        _ => None,
    };
    events.iter().filter_map(|event| note(&event.fact)).collect()
}

#[tokio::test]
async fn a_token_a_header_or_a_cookie_opens_and_each_is_noted_once() {
    let world = World::new().await;
    let bearer = format!("Bearer {TOKEN}");
    let answer = world.http("POST", "/login", "", &json!({ "token": TOKEN }).to_string()).await;
    let (_, cookie) = answer.split_once("set-cookie: ").unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let check = async |headers: &[(&'static str, &str)], frame: Value| {
        let mut socket = world.socket(headers).await.unwrap();
        socket.send(frame).await;
        assert_eq!(socket.next().await, json!({ "type": "auth", "ok": true }));
        assert!(socket.call("agents.list", json!({})).await.is_ok());
    };
    check(&[], json!({ "type": "auth", "token": TOKEN })).await;
    check(&[("authorization", &bearer)], json!({ "type": "auth" })).await;
    check(&[("cookie", cookie)], json!({ "type": "auth" })).await;
    let expected =
        ["accepted page by token", "accepted ws by token", "accepted ws by token", "accepted ws by cookie"];
    assert_eq!(noted(&world).await, expected);
}

#[tokio::test]
async fn whoever_shows_nothing_good_is_turned_away() {
    let world = World::new().await;
    let check = async |headers: &[(&'static str, &str)], frame: Value| {
        let mut socket = world.socket(headers).await.unwrap();
        socket.send(frame).await;
        let (frames, code) = socket.rest().await;
        assert_eq!((frames.len(), code), (1, 4401), "{frames:?}");
        assert_eq!((&frames[0]["type"], &frames[0]["ok"]), (&json!("auth"), &json!(false)));
        frames[0]["error"]["code"].as_i64().unwrap()
    };
    assert_eq!(check(&[], json!({ "type": "auth", "token": "guess" })).await, -32001);
    assert_eq!(check(&[], json!({ "type": "auth" })).await, -32001);
    assert_eq!(check(&[("cookie", "steward=1.2.3")], json!({ "type": "auth" })).await, -32001);
    // A good cookie does not make up for a wrong token.
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(check(&[("authorization", &bearer)], json!({ "type": "auth", "token": "" })).await, -32001);
    let wrong = "refused ws: a wrong token";
    assert_eq!(noted(&world).await, [wrong, "refused ws: no token", "refused ws: no token", wrong]);
    for _ in 4..20 {
        assert_eq!(check(&[], json!({ "type": "auth", "token": "guess" })).await, -32001);
    }
    assert_eq!(check(&[], json!({ "type": "auth", "token": "guess" })).await, -32029, "guessing is put off");
    world.client().await;
}

#[tokio::test]
async fn before_signing_in_only_health_is_answered() {
    let world = World::new().await;
    let mut socket = world.socket(&[]).await.unwrap();
    let health = socket.call("health.check", json!({})).await.unwrap();
    assert_eq!(health["status"], "ok");
    assert!(health["uptime"].is_u64());
    socket.send_raw(Message::text("hello")).await;
    assert_eq!(socket.next().await["error"]["code"], -32700);
    socket.send(json!({ "id": "x", "method": "sessions.list" })).await;
    socket.send(json!({ "type": "auth", "token": TOKEN })).await;
    let (frames, code) = socket.rest().await;
    assert_eq!((frames.len(), code), (1, 4401), "nothing follows a refusal: {frames:?}");
    assert_eq!((&frames[0]["id"], &frames[0]["error"]["code"]), (&json!("x"), &json!(-32001)));
}

#[tokio::test]
async fn silence_is_not_waited_for_and_answers_do_not_prolong_it() {
    let world = World::new().await;
    let mut socket = world.socket(&[]).await.unwrap();
    socket.call("health.check", json!({})).await.unwrap();
    assert_eq!(socket.rest().await, (vec![], 4408));
}

#[tokio::test]
async fn only_so_many_may_stand_at_the_entrance() {
    let world = World::new().await;
    let mut waiting = Vec::new();
    for _ in 0..64 {
        waiting.push(world.socket(&[]).await.unwrap());
    }
    let Err(Error::Http(refused)) = world.socket(&[]).await else { panic!("one too many was taken") };
    assert_eq!(refused.status(), 503);
    let mut first = waiting.remove(0);
    first.send(json!({ "type": "auth", "token": TOKEN })).await;
    assert_eq!(first.next().await["ok"], true);
    world.client().await;
}

#[tokio::test]
async fn pages_of_others_and_plain_requests_are_refused() {
    let world = World::new().await;
    let refused = |result: Result<Socket, Error>| match result {
        Err(Error::Http(response)) => response.status().as_u16(),
        Err(error) => panic!("{error}"),
        Ok(_) => 101,
    };
    let own = format!("http://127.0.0.1:{}", world.port);
    assert_eq!(refused(world.socket(&[("origin", "http://evil.example")]).await), 403);
    assert_eq!(refused(world.socket(&[("host", "evil.example")]).await), 421);
    assert_eq!(refused(world.socket(&[("origin", &own)]).await), 101);
    let answer = world.http("GET", "/ws", "", "").await;
    assert!(answer.starts_with("HTTP/1.1 426"), "{answer}");
}

#[tokio::test]
async fn a_new_token_closes_what_came_in_by_the_old_one() {
    let world = World::new().await;
    let (signed_in, at_the_door) = (world.client().await, world.socket(&[]).await.unwrap());
    let mut connection = world.gateway.connect();
    let answer = world.http("POST", "/api/token/rotate", &world.bearer(), "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(signed_in.rest().await, (vec![], 4401));
    assert_eq!(at_the_door.rest().await, (vec![], 4401));
    connection.send.send(json!({ "id": 1, "method": "health.check" }).to_string()).await.unwrap();
    assert!(soon(connection.receive.recv()).await.is_some(), "the owner's own program stays");
    assert_eq!(noted(&world).await.last().unwrap(), "rotated");
}

#[tokio::test]
async fn stopping_says_goodbye() {
    let world = World::new().await;
    let (first, second) = (world.client().await, world.client().await);
    world.stop.cancel();
    soon(world.serving).await.unwrap();
    assert_eq!(first.rest().await, (vec![], 1001));
    assert_eq!(second.rest().await, (vec![], 1001));
}
