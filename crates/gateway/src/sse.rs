//! Server-sent events: the same stream for every dialect, with ids a client can come back with.
//!
//! An id is `seq` when all of an event was told, `seq.k` after its frame number k, and `seq+attempt.offset` in
//! the middle of a text that streams. Whoever comes back with one gets exactly what follows.

use crate::{fault::Fault, gateway::Gateway, story::Story};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures::Stream;
use protocol::SessionKey;
use serde_json::Value;
use std::{
    collections::VecDeque,
    fmt::Write,
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};
use store::{FeedItem, Subscription};
use tokio::{sync::watch, time::Interval};
use tokio_util::sync::CancellationToken;

/// How long a stream may be silent.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long a stream with nothing under way stays open.
const IDLE: Duration = Duration::from_secs(600);

/// How long a client may leave what is ready for it before it is told to come back.
const PATIENCE: Duration = Duration::from_secs(5);

/// One dialect's way of telling what happens to one client.
pub(crate) trait Dialect: Send + 'static {
    /// What the client is told of an item.
    fn tell(&mut self, item: &FeedItem) -> Vec<Frame>;

    /// The story it tells.
    fn story(&mut self) -> &mut Story;

    /// Whether everything was told.
    fn over(&self) -> bool;

    /// Whether nothing is under way, so that a silent stream may end.
    fn idle(&mut self) -> bool {
        self.story().turn().is_none()
    }

    /// Whether frames carry ids to come back with.
    fn numbered(&self) -> bool {
        true
    }

    /// What is sent last, when everything was told.
    fn farewell(&self) -> &'static str {
        ""
    }
}

/// One thing told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    pub event: Option<&'static str>,
    pub data: Value,
    /// For a piece of text: how far into which attempt it leads. Such a frame may be lost.
    pub passing: Option<(u32, usize)>,
}

impl Frame {
    /// Part of what an event has to tell.
    pub fn lasting(event: Option<&'static str>, data: Value) -> Self {
        Self { event, data, passing: None }
    }

    /// A piece of text that leads so far into an attempt.
    pub fn passing(event: &'static str, data: Value, attempt: u32, until: usize) -> Self {
        Self { event: Some(event), data, passing: Some((attempt, until)) }
    }

    /// Part of what an event has to tell that is kept from this client; it counts, so that ids stay the same
    /// for everybody.
    pub fn untold() -> Self {
        Self::lasting(None, Value::Null)
    }
}

/// Where a client left off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// The last event of which everything was told.
    since: u64,
    /// How many frames of the next event were told.
    frames: usize,
    /// How much of a running attempt's text was told.
    text: Option<(u32, usize)>,
}

impl Place {
    /// Right after an event.
    pub fn after(seq: u64) -> Self {
        Self { since: seq, ..Self::default() }
    }

    /// The last event of which everything was told.
    pub fn since(self) -> u64 {
        self.since
    }

    /// How many frames of the next event were told.
    pub fn frames(self) -> usize {
        self.frames
    }

    /// What `Last-Event-ID` says, as a header or as a parameter; none if the client comes fresh.
    pub fn of(headers: &HeaderMap, query: Option<&str>) -> Result<Option<Self>, Fault> {
        let header = headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
        let Some(text) = header.or(query).filter(|text| !text.is_empty()) else { return Ok(None) };
        let complaint = || Fault::bad_request("Last-Event-ID is not an id this gateway gave; leave it out");
        Self::parse(text).ok_or_else(complaint).map(Some)
    }

    fn parse(text: &str) -> Option<Self> {
        if let Some((seq, text)) = text.split_once('+') {
            let (attempt, offset) = text.split_once('.')?;
            let text = Some((attempt.parse().ok()?, offset.parse().ok()?));
            return Some(Self { since: seq.parse().ok()?, frames: 0, text });
        }
        match text.split_once('.') {
            None => Some(Self::after(text.parse().ok()?)),
            Some((seq, frame)) => {
                let seq: u64 = seq.parse().ok()?;
                let frames = frame.parse::<usize>().ok()?.checked_add(1)?;
                Some(Self { since: seq.checked_sub(1)?, frames, text: None })
            }
        }
    }
}

/// Tells one conversation to one client, from where it left off or from now on.
pub(crate) async fn follow(
    gateway: &Gateway,
    session: &SessionKey,
    place: Option<Place>,
    mut dialect: impl Dialect,
) -> Result<Response, Fault> {
    let store = gateway.store();
    let feed = match place {
        None => store.subscribe_from_now(),
        Some(place) => {
            let newest = store.view().newest().await?;
            if place.since > newest {
                let message = format!("Last-Event-ID is beyond the end of the log ({newest}); leave it out");
                return Err(Fault::bad_request(message));
            }
            store.subscribe(place.since)
        }
    };
    let feed = feed.only(session);
    let place = place.unwrap_or(Place::after(feed.last()));
    // What the client knows of the turn under way, so that the rest makes sense to it.
    for event in store.view().turn_under_way(session, place.since).await? {
        dialect.tell(&FeedItem::Event(std::sync::Arc::new(event)));
    }
    if let Some((attempt, offset)) = place.text {
        dialect.story().told(attempt, offset);
    }
    Ok(response(Telling::new(gateway, feed, place, dialect)))
}

/// Tells what a subscription brings, from a place it already stands at.
pub(crate) fn response<D: Dialect>(telling: Telling<D>) -> Response {
    let frames = futures::stream::unfold(telling, |mut telling| async move {
        let bytes = telling.next().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), telling))
    });
    let body = Body::from_stream(Watched { frames: Box::pin(frames), ready: None, ended: false });
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// One client being told.
pub(crate) struct Telling<D> {
    feed: Subscription,
    dialect: D,
    place: Place,
    /// Whether the first bytes are still to be sent; they tell the client that it is connected.
    greeting: bool,
    ready: VecDeque<Bytes>,
    heartbeat: Interval,
    quiet_since: tokio::time::Instant,
    rotations: watch::Receiver<u64>,
    stop: CancellationToken,
    ended: bool,
}

impl<D: Dialect> Telling<D> {
    pub fn new(gateway: &Gateway, feed: Subscription, place: Place, dialect: D) -> Self {
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        Self {
            feed,
            dialect,
            place,
            greeting: true,
            ready: VecDeque::new(),
            heartbeat,
            quiet_since: tokio::time::Instant::now(),
            rotations: gateway.gate().rotations(),
            stop: gateway.stop().clone(),
            ended: false,
        }
    }

    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.greeting) {
            return Some(Bytes::from_static(b": connected\n\n"));
        }
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                self.heartbeat.reset();
                self.quiet_since = tokio::time::Instant::now();
                return Some(bytes);
            }
            if self.ended {
                return None;
            }
            if self.dialect.over() {
                self.ended = true;
                let farewell = self.dialect.farewell();
                return (!farewell.is_empty()).then(|| Bytes::from_static(farewell.as_bytes()));
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                _ = self.rotations.changed() => return None,
                item = self.feed.next() => match item {
                    Ok(Some(item)) => self.take(&item),
                    Ok(None) => return None,
                    Err(error) => {
                        tracing::error!(%error, "a stream cannot go on");
                        return None;
                    }
                },
                _ = self.heartbeat.tick() => {
                    self.ended = self.dialect.idle() && self.quiet_since.elapsed() > IDLE;
                    return Some(Bytes::from_static(b": heartbeat\n\n"));
                }
            }
        }
    }

    fn take(&mut self, item: &FeedItem) {
        let frames = self.dialect.tell(item);
        let seq = match item {
            FeedItem::Event(event) => event.seq,
            FeedItem::Delta(_) => self.place.since,
        };
        let lasting = frames.iter().filter(|frame| frame.passing.is_none()).count();
        let skip = std::mem::take(&mut self.place.frames);
        let mut number = 0;
        let mut text = String::new();
        for frame in frames {
            let id = match frame.passing {
                Some((attempt, offset)) => format!("{}+{attempt}.{offset}", self.place.since),
                None => {
                    number += 1;
                    if number <= skip || frame.data.is_null() {
                        continue;
                    }
                    match self.dialect.story().position() {
                        _ if lasting > 1 => format!("{seq}.{}", number - 1),
                        Some((attempt, offset)) => format!("{seq}+{attempt}.{offset}"),
                        None => seq.to_string(),
                    }
                }
            };
            write_frame(&mut text, self.dialect.numbered().then_some(&id), &frame);
        }
        self.place.since = seq;
        if !text.is_empty() {
            self.ready.push_back(text.into());
        }
    }
}

fn write_frame(text: &mut String, id: Option<&String>, frame: &Frame) {
    // Writing to a string cannot fail.
    if let Some(event) = frame.event {
        writeln!(text, "event: {event}").unwrap_or_default();
    }
    if let Some(id) = id {
        writeln!(text, "id: {id}").unwrap_or_default();
    }
    write!(text, "data: {}\n\n", frame.data).unwrap_or_default();
}

/// Notices a client that leaves what is ready for it.
struct Watched<S> {
    frames: Pin<Box<S>>,
    /// Since when something is ready; none while there is nothing.
    ready: Option<Instant>,
    ended: bool,
}

impl<S: Stream<Item = Result<Bytes, std::convert::Infallible>>> Stream for Watched<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if self.ready.take().is_some_and(|since| since.elapsed() > PATIENCE) {
            self.ended = true;
            let told = "event: lagged\ndata: {\"message\":\"too slow; come back with Last-Event-ID\"}\n\n";
            return Poll::Ready(Some(Ok(Bytes::from_static(told.as_bytes()))));
        }
        let next = self.frames.as_mut().poll_next(context);
        if next.is_ready() {
            self.ready = Some(Instant::now());
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_comes_back_to_where_it_left_off() {
        let check = |text: &str, expected: Option<Place>| assert_eq!(Place::parse(text), expected, "{text}");
        check("7", Some(Place::after(7)));
        check("0", Some(Place::after(0)));
        check("7.0", Some(Place { since: 6, frames: 1, text: None }));
        check("7.2", Some(Place { since: 6, frames: 3, text: None }));
        check("7+2.15", Some(Place { since: 7, frames: 0, text: Some((2, 15)) }));
        for bad in ["", "x", "-1", "7.", "7.x", "0.0", "7+", "7+1", "7+1.x", "1.2.3", "99999999999999999999"]
        {
            check(bad, None);
        }
    }
}
