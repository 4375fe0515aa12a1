//! What is said: messages made of content blocks, in the order they were said. How a provider spells them
//! on its wire is for `models`.

use crate::call::{Call, CallResult};
use serde::{Deserialize, Serialize};

/// Who speaks. Tool results travel in a user message, as both provider dialects expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The owner, or something that speaks to the assistant in the owner's place.
    User,
    /// The language model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<Block>,
}

impl Message {
    /// A message of the owner's.
    pub fn user(blocks: Vec<Block>) -> Self {
        Self { role: Role::User, blocks }
    }

    /// A message of the model's.
    pub fn assistant(blocks: Vec<Block>) -> Self {
        Self { role: Role::Assistant, blocks }
    }

    /// All text blocks joined; empty when there are none.
    pub fn text(&self) -> String {
        Block::text_of(&self.blocks)
    }
}

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Plain text or Markdown.
    Text {
        /// The text.
        text: String,
    },
    /// The model's reasoning. Replayed byte for byte to the provider that signed it, to no other.
    Thinking {
        /// The reasoning as shown.
        text: String,
        /// The provider's signature over it, if it gave one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// Reasoning the provider encrypted; opaque, replayed as it is.
    RedactedThinking {
        /// The opaque bytes as the provider spelled them.
        data: String,
    },
    /// A picture or a file.
    Attachment(Attachment),
    /// The model asks for a tool call.
    Call(Call),
    /// What a tool call gave.
    Result(CallResult),
    /// A block of a kind this version does not know, kept so that it can be replayed.
    Unknown {
        /// The provider it came from.
        provider: String,
        /// The block as JSON text.
        json: String,
    },
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text blocks among `blocks`, joined.
    pub fn text_of(blocks: &[Block]) -> String {
        blocks
            .iter()
            .filter_map(|block| if let Block::Text { text } = block { Some(text.as_str()) } else { None })
            .collect()
    }
}

/// Bytes that travel with a message or a result: an image or a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// For example `image/png`. Anything that is not `image/…` is a file.
    pub mime_type: String,
    /// The bytes, base64-encoded.
    pub data: String,
    /// A file name to show, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Attachment {
    /// Whether a model can be shown this as a picture.
    pub fn is_image(&self) -> bool {
        self.mime_type.starts_with("image/")
    }
}
