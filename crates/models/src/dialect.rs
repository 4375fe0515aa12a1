//! What a dialect must be able to do: say where a request goes and what it says, and make sense of the events
//! that come back. Sending, waiting and failing are the same for all and live in `exchange`.

use crate::{
    anthropic,
    fault::Fault,
    openai,
    request::ModelRequest,
    settings::{Dialect, ProviderSettings},
    sse::SseEvent,
    stream::{ModelAnswer, ModelEvent},
};
use protocol::Block;
use serde_json::Value;

/// A request ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WireRequest {
    /// What follows the base URL.
    pub(crate) path: &'static str,
    /// The header that carries the key, and what stands before the key in it.
    pub(crate) key_header: (&'static str, &'static str),
    /// Headers besides the key and the content type.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// The body.
    pub(crate) body: Value,
}

/// Makes sense of a provider's events.
pub(crate) trait Decode: Send {
    /// Takes one event and adds what it says to `out`.
    fn take(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), Fault>;

    /// How far the answer is.
    fn progress(&self) -> Progress;

    /// The whole answer; asked once, when progress is not [`Progress::Writing`].
    fn answer(&mut self) -> ModelAnswer;

    /// What is worth keeping of an answer that was cut; asked once.
    fn partial(&mut self) -> Vec<Block>;
}

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It would be cut if the stream ended here.
    Writing,
    /// It is whole, but something such as usage may still follow.
    Whole,
    /// Nothing follows.
    Finished,
}

/// Spells the request for the provider.
pub(crate) fn encode(provider: &ProviderSettings, request: &ModelRequest) -> WireRequest {
    match provider.dialect {
        Dialect::Anthropic => anthropic::encode(&provider.name, request),
        Dialect::OpenAi => openai::encode(request),
    }
}

/// A decoder for the answer to this request.
pub(crate) fn decoder(provider: &ProviderSettings, request: &ModelRequest) -> Box<dyn Decode> {
    match provider.dialect {
        Dialect::Anthropic => Box::new(anthropic::Decoder::new(&provider.name, &request.tools)),
        Dialect::OpenAi => Box::new(openai::Decoder::new(&request.tools)),
    }
}
