//! What comes back from a model: pieces as they arrive, then exactly one end.

use futures::Stream;
use protocol::{Block, ModelError, StopReason, Usage};
use std::pin::Pin;

/// A model's answer as it arrives. Dropping it cancels the request.
pub type ModelStream = Pin<Box<dyn Stream<Item = ModelEvent> + Send>>;

/// One thing a model stream says. [`ModelEvent::Done`] or [`ModelEvent::Failed`] comes last, exactly once.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More of the answer's text.
    Text(String),
    /// More of the model's reasoning.
    Thinking(String),
    /// The model began to write a tool call; the whole call arrives with the answer.
    CallStarted {
        /// The tool's dotted name.
        tool: String,
    },
    /// The answer is whole.
    Done(ModelAnswer),
    /// There will be no whole answer.
    Failed {
        /// Why.
        error: ModelError,
        /// What had arrived whole enough to keep: text and reasoning, and calls that were complete.
        partial: Vec<Block>,
    },
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// What was said, in order.
    pub blocks: Vec<Block>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
}
