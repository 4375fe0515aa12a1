//! What is asked of a model, and of which. How it is spelled for a provider is for the dialects.

use protocol::{Message, ToolDefinition};
use std::{fmt, str::FromStr};

/// One question to a model: everything it needs, for providers remember nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// Whom to ask.
    pub model: ModelRef,
    /// What the model is told before the conversation.
    pub system: SystemPrompt,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools it may call.
    pub tools: Vec<ToolDefinition>,
}

/// The system prompt, split where the provider's cache should end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemPrompt {
    /// The part that stays the same from request to request, so a provider can cache it.
    pub stable: String,
    /// What follows it and changes, such as the date. It may be empty.
    pub changing: String,
}

/// A model's full name, written `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelRef {
    /// The configured provider, such as `anthropic`.
    pub provider: String,
    /// The provider's name for the model; it may contain `/`.
    pub model: String,
}

/// Why a text does not name a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadModelRef {
    /// Nothing was given.
    #[error(
        "a model is named `provider/model`, for example `anthropic/claude-sonnet-4-5`; nothing was given"
    )]
    Empty,
    /// There is no slash, so the provider is unknown.
    #[error(
        "`{0}` does not say which provider to ask: write `provider/model`, for example `anthropic/{0}` or \
         `ollama/{0}`"
    )]
    NoProvider(String),
    /// One side of the slash is empty.
    #[error("`{0}` lacks a name on one side of the `/`: write `provider/model`, for example `openai/gpt-5`")]
    EmptyPart(String),
    /// White space or a control character.
    #[error("a model's name cannot contain spaces or control characters: {0:?}")]
    BadCharacter(String),
}

/// The provider that is always there and needs no model name.
pub(crate) const OFFLINE: &str = "offline";

impl ModelRef {
    /// The helper that answers without any model.
    pub fn offline() -> Self {
        Self { provider: OFFLINE.to_owned(), model: OFFLINE.to_owned() }
    }

    /// Whether that helper answers.
    pub fn is_offline(&self) -> bool {
        self.provider == OFFLINE
    }
}

impl FromStr for ModelRef {
    type Err = BadModelRef;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadModelRef::Empty);
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(BadModelRef::BadCharacter(text.to_owned()));
        }
        if text == OFFLINE {
            return Ok(Self::offline());
        }
        match text.split_once('/') {
            None => Err(BadModelRef::NoProvider(text.to_owned())),
            Some((provider, model)) if provider.is_empty() || model.is_empty() => {
                Err(BadModelRef::EmptyPart(text.to_owned()))
            }
            Some((provider, model)) => Ok(Self { provider: provider.to_owned(), model: model.to_owned() }),
        }
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.provider == OFFLINE && self.model == OFFLINE {
            return f.write_str(OFFLINE);
        }
        write!(f, "{}/{}", self.provider, self.model)
    }
}
