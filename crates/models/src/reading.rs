//! Reads an answer to its end: bytes become events, events the model's words, and whatever stops them becomes
//! the one last event. A cut stream is never taken for a finished one.

use crate::{
    dialect::{Decode, Progress},
    failure::Peer,
    fault::Fault,
    sse::SseDecoder,
    stream::{ModelEvent, ModelStream},
};
use bytes::Bytes;
use protocol::ModelError;
use reqwest::Response;
use std::{collections::VecDeque, time::Duration};

/// The largest answer read, in bytes on the wire: far above the longest a model writes.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// How long to wait for what may follow a whole answer, such as usage: some servers then send nothing more
/// and keep the connection open.
const TRAILER_TIMEOUT: Duration = Duration::from_secs(3);

/// An answer being read.
pub(crate) struct Reading {
    response: Response,
    first: Option<Bytes>,
    sse: SseDecoder,
    decoder: Box<dyn Decode>,
    peer: Peer,
    idle_timeout: Duration,
    bytes_read: usize,
    ready: VecDeque<ModelEvent>,
    is_over: bool,
}

impl Reading {
    /// An answer whose first bytes have arrived.
    pub(crate) fn new(
        response: Response,
        first: Bytes,
        decoder: Box<dyn Decode>,
        peer: Peer,
        idle_timeout: Duration,
    ) -> Self {
        Self {
            response,
            first: Some(first),
            sse: SseDecoder::default(),
            decoder,
            peer,
            idle_timeout,
            bytes_read: 0,
            ready: VecDeque::new(),
            is_over: false,
        }
    }

    /// The rest of the answer as a stream.
    pub(crate) fn into_stream(self) -> ModelStream {
        Box::pin(futures::stream::unfold(self, Self::next))
    }

    async fn next(mut self) -> Option<(ModelEvent, Self)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((event, self));
            }
            if self.is_over {
                return None;
            }
            self.advance().await;
        }
    }

    async fn advance(&mut self) {
        if let Some(first) = self.first.take() {
            return self.take(&first);
        }
        let patience = match self.decoder.progress() {
            Progress::Writing => self.idle_timeout,
            Progress::Whole | Progress::Finished => self.idle_timeout.min(TRAILER_TIMEOUT),
        };
        match tokio::time::timeout(patience, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => self.take(&bytes),
            Ok(Ok(None)) => {
                self.take_unfinished_event();
                self.end(self.peer.cut());
            }
            Ok(Err(error)) => self.end(self.peer.interrupted(&error)),
            Err(_elapsed) => self.end(self.peer.silent(patience)),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes_read += bytes.len();
        if self.bytes_read > MAX_ANSWER_BYTES {
            let fault = Fault::unreadable(format_args!("an answer larger than {MAX_ANSWER_BYTES} bytes"));
            return self.end(self.peer.complained(&fault));
        }
        let events = match self.sse.take(bytes) {
            Ok(events) => events,
            Err(error) => return self.end(self.peer.complained(&Fault::unreadable(error))),
        };
        for event in events {
            let mut said = Vec::new();
            let taken = self.decoder.take(&event, &mut said);
            self.ready.extend(said);
            if let Err(fault) = taken {
                return self.end(self.peer.complained(&fault));
            }
            if self.decoder.progress() == Progress::Finished {
                return self.end(self.peer.cut());
            }
        }
    }

    /// Some servers leave out the blank line after the last event; if it was cut instead, it cannot be read.
    fn take_unfinished_event(&mut self) {
        let Some(event) = self.sse.finish() else { return };
        let mut said = Vec::new();
        if self.decoder.take(&event, &mut said).is_ok() {
            self.ready.extend(said);
        }
    }

    /// Ends the stream: with the answer if it is whole, else with the error.
    fn end(&mut self, error: ModelError) {
        self.is_over = true;
        let last = match self.decoder.progress() {
            Progress::Writing => ModelEvent::Failed { error, partial: self.decoder.partial() },
            Progress::Whole | Progress::Finished => ModelEvent::Done(self.decoder.answer()),
        };
        self.ready.push_back(last);
    }
}
