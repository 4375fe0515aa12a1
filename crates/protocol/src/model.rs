//! What a model's answer consists of besides its blocks: why it stopped, what it cost, how it failed.

use serde::{Deserialize, Serialize};
use std::{fmt, ops::AddAssign};

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It said all it wanted.
    EndTurn,
    /// It wants tool calls made.
    ToolUse,
    /// The answer reached the output limit and is cut.
    MaxTokens,
    /// The provider declined to answer further.
    Refusal,
    /// Anything else a provider may say.
    Other,
}

/// Tokens used, as the provider counted them. `input_tokens` excludes what the cache served or took in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens read afresh.
    pub input_tokens: u64,
    /// Tokens written by the model, reasoning included.
    pub output_tokens: u64,
    /// Prompt tokens served from the provider's cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// Prompt tokens written into the provider's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
    }
}

/// A model call that failed, as a value: it ends a stream and becomes a fact, it is never thrown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelError {
    /// What went wrong.
    pub kind: ModelErrorKind,
    /// The provider's name, for the owner.
    pub provider: String,
    /// A plain sentence that says what to do, with the provider's own words where they help. No secrets.
    pub message: String,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The ways a model call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// The key is missing, wrong, or not allowed to use this model.
    Auth,
    /// Too many requests.
    RateLimited {
        /// How long the provider asks to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// The provider is out of capacity for now.
    Overloaded,
    /// The conversation does not fit the model.
    ContextTooLong,
    /// The provider refuses this content.
    Refused,
    /// The request was malformed or names a model that does not exist.
    BadRequest,
    /// The provider could not be reached.
    Network,
    /// The stream ended before the answer did.
    Truncated,
    /// The provider went silent for too long.
    TimedOut,
    /// The provider failed, or sent what cannot be understood.
    Provider,
    /// The owner's limit for the day is reached; nobody was asked.
    Overspent,
}
