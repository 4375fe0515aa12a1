//! Requests, answers and the log over one wire that is mended when it breaks: a request that was not answered is
//! sent again, and the log goes on after the last event that came.

use super::wire::{self, Place, Wire};
use futures::future::BoxFuture;
use protocol::{Delta, Event, SessionKey};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    io::{self, IsTerminal},
    sync::Arc,
    time::Duration,
};
use store::FeedItem;

/// How often Steward may hang up on a client that has just come back, and the pause after it.
const MAX_HANG_UPS: usize = 10;
const AFTER_HANGING_UP: Duration = Duration::from_millis(200);

/// Why something asked was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    /// Steward said no.
    #[error(transparent)]
    Refused(Refusal),
    /// Steward could not be asked.
    #[error("{0:#}")]
    Lost(anyhow::Error),
}

/// Steward's no.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    pub code: i64,
    pub message: String,
}

impl Refusal {
    /// Somebody else decided before.
    pub const ALREADY_SETTLED: i64 = -32009;
}

/// One client's side of the conversation with Steward.
pub(super) struct Link {
    place: Place,
    state: State,
    /// Texts that came while the wire was mended.
    early: VecDeque<String>,
    last_id: u64,
    following: Option<Following>,
    ready: VecDeque<FeedItem>,
}

enum State {
    Up(Wire),
    Mending(BoxFuture<'static, anyhow::Result<Mended>>),
}

/// A new wire, and the texts that came over it meanwhile.
type Mended = (Wire, VecDeque<String>);

/// The conversation that is followed, or all of them, and the last event that came.
#[derive(Clone)]
struct Following {
    session: Option<SessionKey>,
    since: u64,
}

/// What comes over the wire.
enum Heard {
    Text(String),
    /// The wire was mended: what was asked and not answered must be asked again.
    Mended,
}

/// Any frame from Steward.
#[derive(Deserialize)]
struct Frame {
    id: Option<u64>,
    result: Option<Value>,
    error: Option<Refusal>,
    event: Option<String>,
    data: Option<Value>,
}

impl Link {
    /// Goes there.
    pub async fn to(place: Place) -> anyhow::Result<Self> {
        let state = State::Up(wire::arrive(&place).await?);
        Ok(Self { place, state, early: VecDeque::new(), last_id: 0, following: None, ready: VecDeque::new() })
    }

    /// Asks for something.
    pub async fn call(&mut self, method: &str, params: Value) -> Result<Value, LinkError> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "id": id, "method": method, "params": params }).to_string();
        self.send(&request).await;
        loop {
            let text = match self.hear().await? {
                Heard::Text(text) => text,
                Heard::Mended => {
                    self.send(&request).await;
                    continue;
                }
            };
            let frame = self.read(&text)?;
            match (frame.id == Some(id), frame.error) {
                (true, Some(refusal)) => return Err(LinkError::Refused(refusal)),
                (true, None) => return Ok(frame.result.unwrap_or_default()),
                (false, _) => {}
            }
        }
    }

    /// Follows a conversation from now on, and no other; or all of them, without deltas. Gives the last event before.
    pub async fn listen(&mut self, session: Option<&SessionKey>) -> Result<u64, LinkError> {
        let wanted = json!({ "sessionKey": session, "deltas": session.is_some() });
        let told = self.call("events.subscribe", wanted).await?;
        let since = told["since"].as_u64().unwrap_or_default();
        self.ready.clear();
        self.following = Some(Following { session: session.cloned(), since });
        Ok(since)
    }

    /// The next thing that happens. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<FeedItem, LinkError> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(item);
            }
            if let Heard::Text(text) = self.hear().await? {
                self.read(&text)?;
            }
        }
    }

    async fn send(&mut self, request: &str) {
        // A broken wire is noticed when it is listened to, and then this is sent again.
        if let State::Up(wire) = &mut self.state {
            wire.send(request.to_owned()).await;
        }
    }

    /// Waits for what comes; mends the wire if it breaks. Dropping the future loses nothing.
    async fn hear(&mut self) -> Result<Heard, LinkError> {
        loop {
            if let Some(text) = self.early.pop_front() {
                return Ok(Heard::Text(text));
            }
            match &mut self.state {
                State::Up(wire) => match wire.receive().await {
                    Ok(text) => return Ok(Heard::Text(text)),
                    Err(lost) => {
                        if lost.unexpected {
                            tell_lost();
                        }
                        self.mend();
                    }
                },
                State::Mending(mending) => match mending.await {
                    Ok((wire, early)) => {
                        (self.state, self.early) = (State::Up(wire), early);
                        return Ok(Heard::Mended);
                    }
                    Err(error) => {
                        // Whoever asks again tries again.
                        self.mend();
                        return Err(LinkError::Lost(error));
                    }
                },
            }
        }
    }

    fn mend(&mut self) {
        let (place, following) = (self.place.clone(), self.following.clone());
        self.state = State::Mending(Box::pin(mend(place, following)));
    }

    /// Takes what a text adds to the log.
    fn read(&mut self, text: &str) -> Result<Frame, LinkError> {
        let mut frame: Frame = parse(serde_json::from_str(text))?;
        let data = frame.data.take().unwrap_or_default();
        match frame.event.as_deref() {
            Some("log.event") => {
                let event: Event = from(data)?;
                if let Some(following) = &mut self.following
                    && event.seq > following.since
                {
                    following.since = event.seq;
                    self.ready.push_back(FeedItem::Event(Arc::new(event)));
                }
            }
            Some("log.delta") => self.ready.push_back(FeedItem::Delta(Arc::new(from::<Delta>(data)?))),
            _ => {}
        }
        Ok(frame)
    }
}

/// Goes there again, and has the log told on from where it broke off.
async fn mend(place: Place, following: Option<Following>) -> anyhow::Result<Mended> {
    for _ in 0..MAX_HANG_UPS {
        let wire = wire::arrive(&place).await?;
        let Some(following) = &following else { return Ok((wire, VecDeque::new())) };
        if let Some(mended) = follow_again(wire, following).await? {
            return Ok(mended);
        }
        tokio::time::sleep(AFTER_HANGING_UP).await;
    }
    anyhow::bail!("Steward hangs up again and again; its log in `data/logs` may say why")
}

/// Follows the log again; `None` if the wire broke meanwhile.
async fn follow_again(mut wire: Wire, following: &Following) -> anyhow::Result<Option<Mended>> {
    let Following { session, since } = following;
    let params = json!({ "sessionKey": session, "deltas": session.is_some(), "since": since });
    wire.send(json!({ "id": 0, "method": "events.subscribe", "params": params }).to_string()).await;
    let mut early = VecDeque::new();
    while let Ok(text) = wire.receive().await {
        let frame: Frame = serde_json::from_str(&text)?;
        match (frame.id, frame.error) {
            (Some(0), Some(refusal)) => return Err(refusal.into()),
            (Some(0), None) => return Ok(Some((wire, early))),
            _ => early.push_back(text),
        }
    }
    Ok(None)
}

fn tell_lost() {
    // The owner may be looking at half a line.
    let gap = if io::stderr().is_terminal() { "\n" } else { "" };
    eprintln!("{gap}steward: the connection to Steward was lost; trying again");
}

pub(super) fn from<T: DeserializeOwned>(data: Value) -> Result<T, LinkError> {
    parse(serde_json::from_value(data))
}

fn parse<T>(parsed: serde_json::Result<T>) -> Result<T, LinkError> {
    parsed.map_err(|error| {
        LinkError::Lost(anyhow::Error::from(error).context(
            "Steward said something this program does not know; is the running daemon of another version?",
        ))
    })
}
