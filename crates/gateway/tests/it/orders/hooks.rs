//! What other programs hand in: by the token alone, signed where that was asked for, once.

use crate::{http::answer, world::World};
use hmac::{Hmac, KeyInit, Mac};
use protocol::{Block, Outcome, TriggerKind};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;

const SECRET: &str = "0123456789abcdef";

/// An order that waits for something, and where to hand it in.
async fn order(world: &World, secret: Option<&str>) -> (String, String) {
    let mut order = json!({ "prompt": "is it spam?", "kind": "event" });
    if let Some(secret) = secret {
        order["secret"] = secret.into();
    }
    let (code, task) = world.post("/api/tasks", order).await;
    assert_eq!(code, 201, "{task}");
    (task["id"].as_str().unwrap().into(), format!("/api/hooks/{}", task["hook"]["token"].as_str().unwrap()))
}

/// Hands something in, without the token of the house.
async fn hand_in(
    world: &World,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Vec<u8>>,
) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.request(Method::POST, world.url(path)).body(body.into());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    answer(request).await
}

fn signed(secret: &str, text: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(text.as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

fn refused((code, body): (u16, Value)) -> (u16, String) {
    (code, body["error"]["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn what_is_handed_in_starts_a_run_as_words_of_strangers() {
    let world = World::new().await;
    let (id, path) = order(&world, None).await;
    let (code, taken) = hand_in(&world, &path, &[], r#"{"from":"eve"}"#).await;
    assert_eq!((code, &taken["taskId"], &taken["repeated"]), (202, &json!(id), &json!(false)));
    let drive = world.drive().await;
    assert_eq!(taken["runId"], drive.run_id());
    let trigger = drive.trigger().await;
    let text = Block::text_of(&trigger.content);
    assert_eq!(trigger.kind, TriggerKind::Hook);
    assert!(text.contains("is it spam?") && text.contains(r#"{"from":"eve"}"#), "{text}");
    drive.ends(Outcome::Completed).await;
    assert_eq!(world.get(&format!("/api/tasks/{id}")).await.1["status"], "active", "it goes on listening");

    // The other address of the same door, with any method.
    let other = path.replace("/api/hooks/", "/.well-known/workflow/v1/webhook/");
    let put = world.request(Method::PUT, &other).body("again");
    assert_eq!(answer(put).await.0, 202);
    assert_eq!(refused(hand_in(&world, "/api/hooks/guess", &[], "x").await), (404, "not_found".into()));
    world.post(&format!("/api/tasks/{id}/cancel"), json!({})).await;
    assert_eq!(refused(hand_in(&world, &path, &[], "x").await), (410, "ended".into()));
}

#[tokio::test]
async fn a_name_makes_a_delivery_one_however_often_it_is_sent() {
    let world = World::new().await;
    let (_, path) = order(&world, None).await;
    for name in ["idempotency-key", "x-github-delivery", "webhook-id"] {
        let headers = [(name, name)];
        let first = hand_in(&world, &path, &headers, "a").await.1;
        let again = hand_in(&world, &path, &headers, "a").await.1;
        assert_eq!((&again["runId"], &again["repeated"]), (&first["runId"], &json!(true)), "{name}");
        assert_eq!(
            refused(hand_in(&world, &path, &headers, "b").await),
            (409, "key_reused".into()),
            "{name}"
        );
    }
    let long = "k".repeat(201);
    let bad = hand_in(&world, &path, &[("idempotency-key", &long)], "a").await;
    assert_eq!(refused(bad), (400, "bad_request".into()));
}

#[tokio::test]
async fn what_must_be_signed_is_taken_signed_and_once() {
    let world = World::new().await;
    let (_, path) = order(&world, Some(SECRET)).await;
    let unsigned = (401, "bad_signature".to_owned());
    assert_eq!(refused(hand_in(&world, &path, &[], "a").await), unsigned);
    let foreign = signed("another secret of 16", "a");
    for signature in [foreign.as_str(), "sha256=", "sha256=zz", "", &signed(SECRET, "b")] {
        let headers = [("x-steward-signature", signature)];
        assert_eq!(refused(hand_in(&world, &path, &headers, "a").await), unsigned, "{signature}");
    }
    let good = signed(SECRET, "a");
    let headers = [("x-hub-signature-256", good.as_str())];
    assert_eq!(hand_in(&world, &path, &headers, "a").await.0, 202);
    assert_eq!(refused(hand_in(&world, &path, &headers, "a").await), (409, "replayed".into()));

    // With a time, which is signed too.
    let at = |seconds: i64| (jiff::Timestamp::now().as_second() + seconds).to_string();
    let check = async |seconds: i64, expected: u16| {
        let time = at(seconds);
        let signature = signed(SECRET, &format!("{time}.timed"));
        let headers = [("x-steward-signature", signature.as_str()), ("x-steward-timestamp", &time)];
        assert_eq!(hand_in(&world, &path, &headers, "timed").await.0, expected, "{seconds}");
    };
    check(0, 202).await;
    check(-200, 202).await;
    check(-3600, 401).await;
    check(3600, 401).await;
    let (time, signature) = (at(0), signed(SECRET, "timed"));
    let headers = [("x-steward-signature", signature.as_str()), ("x-steward-timestamp", &time)];
    assert_eq!(refused(hand_in(&world, &path, &headers, "timed").await), unsigned, "the time must be signed");
}

#[tokio::test]
async fn there_is_a_limit_to_what_is_taken() {
    let world = World::new().await;
    let (_, path) = order(&world, None).await;
    let most = tasks::MAX_HOOK_BYTES;
    assert_eq!(hand_in(&world, &path, &[], vec![b'x'; most]).await.0, 202);
    assert_eq!(refused(hand_in(&world, &path, &[], vec![b'x'; most + 1]).await), (413, "too_large".into()));
    assert_eq!(refused(hand_in(&world, &path, &[], [0xff, 0xfe]).await), (400, "bad_request".into()));
    let mut taken = 1;
    let full = loop {
        match hand_in(&world, &path, &[], format!("{taken}")).await {
            (202, _) => taken += 1,
            other => break refused(other),
        }
        assert!(taken < 1000, "there is no end to it");
    };
    assert_eq!(full, (429, "queue_full".into()));
    let (_, other) = order(&world, None).await;
    assert_eq!(hand_in(&world, &other, &[], "x").await.0, 202, "others are not held up");
}

#[tokio::test]
async fn the_house_must_be_meant() {
    let world = World::new().await;
    let (_, path) = order(&world, None).await;
    let foreign = [("host", "evil.example")];
    assert_eq!(refused(hand_in(&world, &path, &foreign, "x").await), (421, "wrong_host".into()));
}
