//! Whoever comes back with the id of any frame gets exactly what follows: no gap, no repeat.

use crate::{
    desk::{chat, open},
    http::{Events, Sse, call},
    world::World,
};
use protocol::{Block, Fact, Outcome, StopReason};
use serde_json::{Value, json};

/// What a client has in the end: text put together by attempt and offset, everything else as it came.
#[derive(Debug, PartialEq)]
enum Known {
    Text { attempt: u64, text: String },
    Other(String, Value),
}

/// Puts frames together as a strict client would: a piece that does not begin where the last one ended is a gap or
/// a repeat.
fn known(frames: &[Sse]) -> Vec<Known> {
    let mut known: Vec<Known> = Vec::new();
    for frame in frames {
        let data = frame.json();
        if frame.event != "assistant.delta" {
            known.push(Known::Other(frame.event.clone(), data));
            continue;
        }
        let (attempt, offset) = (data["attempt"].as_u64().unwrap(), data["offset"].as_u64().unwrap());
        let piece = data["text"].as_str().unwrap();
        match known.last_mut() {
            Some(Known::Text { attempt: running, text }) if *running == attempt => {
                assert_eq!(text.len() as u64, offset, "a gap or a repeat: {frames:#?}");
                text.push_str(piece);
            }
            _ => {
                assert_eq!(offset, 0, "a gap: {frames:#?}");
                known.push(Known::Text { attempt, text: piece.into() });
            }
        }
    }
    known
}

#[tokio::test]
async fn from_every_place_of_a_turn_the_rest_is_told() {
    let world = World::new().await;
    let session = open(&world).await;
    let path = format!("/v1/stream?general_session_id={session}");
    let said = |text: &str| {
        let mut said = chat(&session, text, true);
        said["client_message_id"] = text.into();
        said
    };
    let mut live = world.get_stream(&path, None).await;
    let mut frames = Vec::new();
    world.post_stream("/v1/chat", &said("one")).await;
    let mut player = world.drive().await;
    let calls = [call(1, "a"), call(2, "a"), call(3, "a")];
    player.asks().await;
    player.streams(0, "Grüß ");
    player.streams(7, "Gott. ");
    // The attempt is lost in the middle of its text; another begins.
    frames.extend(live.take(2).await);
    player.asks().await;
    player.streams(0, "Let me ");
    frames.extend(live.take(1).await);

    // In the middle of a text that streams.
    let back = async |id: &str, count: usize| world.get_stream(&path, Some(id)).await.take(count).await;
    for count in 1..=frames.len() {
        let mut seen = frames[..count].to_vec();
        seen.extend(back(&frames[count - 1].id, usize::from(count < 3)).await);
        assert_eq!(known(&seen).last(), known(&frames).last(), "after {}", frames[count - 1].id);
    }
    assert!(frames.iter().all(|frame| frame.id.contains('+')), "{frames:?}");

    player.streams(7, "see.");
    player.says("Let me see. Yes.", &calls, StopReason::ToolUse).await;
    player.hands_over(&calls).await;
    frames.extend(live.take(5).await);
    for call in &calls {
        let result = json!({ "id": call.id, "ok": true, "result": "x" });
        let report = json!({ "general_session_id": session, "tool_result": result });
        assert_eq!(world.post("/v1/tools/result", report).await.0, 200);
    }
    player.asks().await;
    player.streams(0, "Almost");
    player.streams(6, " there");
    frames.extend(live.take(5).await);
    world.store.abort(player.at.turn).await.unwrap();
    player.ends(Outcome::Aborted).await;
    frames.extend(live.take(1).await);
    let end_of_first = frames.last().unwrap().id.clone();

    world.post_stream("/v1/chat", &said("two")).await;
    let mut player = world.drive().await;
    player.asks().await;
    player.fact(Fact::TurnAborted { partial: vec![Block::text("A part.")] }).await;
    player.ends(Outcome::Completed).await;
    frames.extend(live.take(2).await);

    let shape = |id: &str| (id.contains('+'), id.contains('.'));
    for expected in [(true, true), (false, true), (false, false)] {
        assert!(
            frames.iter().any(|frame| shape(&frame.id) == expected),
            "ids of all shapes occur: {frames:?}"
        );
    }
    for (place, frame) in frames.iter().enumerate() {
        let mut seen = frames[..=place].to_vec();
        // The attempt that was lost is not in the log; all that counts is.
        let mut back = world.get_stream(&path, Some(&frame.id)).await;
        while seen.last() != frames.last() {
            seen.push(back.next().await.unwrap());
        }
        let counts = |frames: &[Sse]| -> Vec<Known> {
            let lost =
                |known: &Known| matches!(known, Known::Text { attempt: 1, text } if text.starts_with('G'));
            known(frames).into_iter().filter(|known| !lost(known)).collect()
        };
        assert_eq!(counts(&seen), counts(&frames), "after {}", frame.id);
    }

    // The same over the message that began the turn.
    let first: Vec<Sse> = frames.iter().take_while(|frame| frame.id != end_of_first).cloned().collect();
    for frame in &first {
        let again = world.request(reqwest::Method::POST, "/v1/chat").json(&said("one"));
        let rest = Events::open(again.header("Last-Event-ID", &frame.id)).await.all().await;
        let until = frames.iter().position(|other| other.id == end_of_first).unwrap();
        let other = |frames: &[Sse]| -> Vec<Known> {
            frames
                .iter()
                .filter(|frame| frame.event != "assistant.delta")
                .map(|frame| Known::Other(frame.event.clone(), frame.json()))
                .collect()
        };
        let place = frames.iter().position(|other| other.id == frame.id).unwrap();
        assert_eq!(other(&rest), other(&frames[place + 1..=until]), "after {}", frame.id);
    }
}
