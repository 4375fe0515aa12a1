//! A response body as it goes over the wire: events, pauses, and the ways a body can end early. What the
//! events say is for the dialects.

use crate::script::Script;
use bytes::Bytes;
use futures::Stream;
use std::{collections::VecDeque, io, time::Duration};
use tokio::sync::watch;

/// One step of a rendered answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// One event with its blank line, lines ended by line feeds.
    Event(String),
    /// Bytes that are no event: a comment, or something broken.
    Bytes(String),
    /// Silence.
    Pause(Duration),
}

/// One step of a body.
#[derive(Debug)]
enum Step {
    Send(Bytes),
    Pause(Duration),
    HangUp,
}

/// Bodies dropped before their end, which is how a client's cancelling looks from here.
pub(crate) type Abandoned = watch::Sender<usize>;

/// The body for these frames, cut up and cut short as the script says.
pub(crate) fn body(
    script: &Script,
    frames: Vec<Frame>,
    abandoned: Abandoned,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let running = Running { steps: steps(script, frames), abandoned };
    futures::stream::unfold(running, |mut running| async move {
        loop {
            match running.steps.pop_front()? {
                Step::Send(bytes) => return Some((Ok(bytes), running)),
                Step::Pause(pause) if pause.is_zero() => tokio::task::yield_now().await,
                Step::Pause(pause) => tokio::time::sleep(pause).await,
                Step::HangUp => {
                    running.steps.clear();
                    return Some((Err(io::Error::other("the script hangs up here")), running));
                }
            }
        }
    })
}

struct Running {
    steps: VecDeque<Step>,
    abandoned: Abandoned,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.steps.is_empty() {
            self.abandoned.send_modify(|count| *count += 1);
        }
    }
}

fn steps(script: &Script, frames: Vec<Frame>) -> VecDeque<Step> {
    let wire = &script.wire;
    let mut steps = VecDeque::new();
    let mut events_sent = 0;
    for frame in frames {
        if wire.hang_up_after == Some(events_sent) {
            // The pause lets the server flush what came before.
            steps.push_back(Step::Pause(Duration::from_millis(1)));
            steps.push_back(Step::HangUp);
            return steps;
        }
        if wire.end_after == Some(events_sent) {
            return steps;
        }
        match frame {
            Frame::Pause(pause) => steps.push_back(Step::Pause(pause)),
            Frame::Bytes(text) => push_bytes(script, &text, &mut steps),
            Frame::Event(text) => {
                if !wire.chunk_delay.is_zero() {
                    steps.push_back(Step::Pause(wire.chunk_delay));
                }
                push_bytes(script, &text, &mut steps);
                events_sent += 1;
            }
        }
    }
    steps
}

fn push_bytes(script: &Script, text: &str, steps: &mut VecDeque<Step>) {
    let text = if script.wire.has_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    match script.wire.tcp_bytes {
        None => steps.push_back(Step::Send(Bytes::from(text))),
        Some(bytes) => {
            for piece in text.as_bytes().chunks(bytes.max(1)) {
                steps.push_back(Step::Send(Bytes::copy_from_slice(piece)));
                // Without a wait the server would join the pieces into one packet.
                steps.push_back(Step::Pause(Duration::ZERO));
            }
        }
    }
}
