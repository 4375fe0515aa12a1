//! Many listeners on one stream, some of which stop listening: what each heard, boiled down so that thousands
//! can be compared.

use crate::http::{Door, Events};
use std::time::Duration;
use tokio::task::JoinSet;

/// How many connections are opened side by side.
const AT_ONCE: usize = 64;

/// What one listener heard.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Heard {
    /// How many events that last.
    pub events: usize,
    /// A hash over their ids, in order.
    pub ids: u64,
    /// A hash over the text, put together.
    pub text: u64,
    /// The name of the last event.
    pub last: String,
}

/// Listeners, connected.
pub struct Crowd {
    door: Door,
    path: String,
    healthy: Vec<Events>,
    stalled: Vec<Events>,
}

impl Crowd {
    /// Connects so many; `stalled` of them will not read until told.
    pub async fn gather(door: &Door, path: &str, count: usize, stalled: usize) -> Self {
        let mut opening = JoinSet::new();
        let mut open = Vec::with_capacity(count);
        for _ in 0..count {
            let (door, path) = (door.clone(), path.to_owned());
            opening.spawn(async move {
                let mut events = door.listen(&path, None).await.expect("a listener is taken");
                assert!(events.head.starts_with("HTTP/1.1 200"), "{}", events.head);
                assert_eq!(events.next().await.expect("a greeting").comment, "connected");
                events
            });
            if opening.len() >= AT_ONCE {
                open.extend(opening.join_next().await.map(Result::unwrap));
            }
        }
        open.extend(opening.join_all().await);
        let healthy = open.split_off(stalled);
        Self { door: door.clone(), path: path.to_owned(), healthy, stalled: open }
    }

    /// Listens until `name` comes; gives what the healthy heard, and what those heard that begin to read only
    /// `pause` after all others are done. A healthy one that is told `lagged`, because this machine gave it no time
    /// to read, comes back to where it was.
    pub async fn listen(self, name: &str, pause: Duration) -> (Vec<Heard>, Vec<Heard>) {
        let way = Some((self.door, self.path));
        let healthy = hear_all(self.healthy, name, &way).await;
        tokio::time::sleep(pause).await;
        let stalled = hear_all(self.stalled, name, &None).await;
        (healthy, stalled)
    }
}

async fn hear_all(listeners: Vec<Events>, name: &str, way_back: &Option<(Door, String)>) -> Vec<Heard> {
    let mut hearing = JoinSet::new();
    for events in listeners {
        hearing.spawn(hear(events, name.to_owned(), way_back.clone()));
    }
    hearing.join_all().await
}

async fn hear(mut events: Events, name: String, way_back: Option<(Door, String)>) -> Heard {
    let mut place = String::new();
    let (mut ids, mut text) = (EMPTY, EMPTY);
    let (mut count, mut last) = (0, String::new());
    while let Some(sent) = events.event().await {
        if let (Some((door, path)), "lagged") = (&way_back, sent.event.as_str()) {
            events = come_back(door, path, &place).await;
            continue;
        }
        place.clone_from(&sent.id);
        if sent.event == "assistant.delta" {
            text = add(text, sent.json()["text"].as_str().unwrap());
        } else if !sent.id.is_empty() {
            ids = add(add(ids, &sent.id), " ");
            count += 1;
        }
        last = sent.event;
        if last == name || last == "lagged" {
            break;
        }
    }
    Heard { events: count, ids, text, last }
}

/// Listens again. A machine so busy that a request does not follow its connection within ten seconds is hung up on.
async fn come_back(door: &Door, path: &str, place: &str) -> Events {
    for _ in 0..20 {
        if let Ok(events) = door.listen(path, Some(place)).await {
            return events;
        }
    }
    panic!("who comes back is not taken");
}

/// The hash (FNV-1a) of nothing.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of a text that goes on; how it was cut into pieces makes no difference.
fn add(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
