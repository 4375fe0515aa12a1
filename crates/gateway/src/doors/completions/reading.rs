//! Reads a conversation as OpenAI's clients bring it.

use crate::{doors::parts, fault::Fault};
use protocol::{Block, Message};
use schemars::JsonSchema;
use serde::Deserialize;

/// One message.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Said {
    /// `system`, `developer`, `user`, `assistant` or `tool`.
    role: String,
    content: Option<Content>,
}

/// What is said, at once or in parts.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`content` must be text or a list of parts, each with a `type`")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize, JsonSchema)]
struct Part {
    /// `text`, or `image_url`.
    r#type: String,
    text: Option<String>,
    image_url: Option<ImageUrl>,
}

/// A picture as a `data:` URL.
#[derive(Deserialize, JsonSchema)]
struct ImageUrl {
    url: String,
}

/// A conversation in the words of this house.
pub(super) struct Conversation {
    /// What the user said first.
    pub opening: Vec<Block>,
    /// All but the last message.
    pub earlier: Vec<Message>,
    /// What the user says now.
    pub latest: Vec<Block>,
}

pub(super) fn conversation(messages: Vec<Said>) -> Result<Conversation, Fault> {
    if messages.last().is_none_or(|last| last.role != "user") {
        return Err(Fault::bad_request("the last of `messages` must be the user's (`role`: `user`)"));
    }
    let (mut opening, mut earlier) = (None, Vec::new());
    for (number, said) in messages.into_iter().enumerate() {
        let at = |fault: Fault| {
            let message = format!("messages[{number}]: {}", fault.message);
            Fault { message, ..fault }
        };
        let blocks = blocks(said.content).map_err(at)?;
        if said.role == "user" && opening.is_none() {
            opening = Some(blocks.clone());
        }
        earlier.push(match said.role.as_str() {
            // Whoever calls here speaks for the owner, whichever part they give their words.
            "user" | "system" | "developer" | "tool" => Message::user(blocks),
            "assistant" => Message::assistant(blocks),
            other => {
                let message = format!("{other:?} is no role: send `system`, `user` or `assistant`");
                return Err(at(Fault::bad_request(message)));
            }
        });
    }
    let latest = earlier.pop().map(|message| message.blocks).unwrap_or_default();
    parts::check_said(&latest)?;
    earlier.retain(|message| !message.blocks.is_empty());
    Ok(Conversation { opening: opening.unwrap_or_default(), earlier, latest })
}

fn blocks(content: Option<Content>) -> Result<Vec<Block>, Fault> {
    match content {
        None => Ok(Vec::new()),
        Some(Content::Text(text)) if text.is_empty() => Ok(Vec::new()),
        Some(Content::Text(text)) => Ok(vec![Block::text(text)]),
        Some(Content::Parts(parts)) => parts.into_iter().map(block).collect(),
    }
}

fn block(part: Part) -> Result<Block, Fault> {
    match (part.r#type.as_str(), part.text, part.image_url) {
        ("text", Some(text), _) => Ok(Block::text(text)),
        ("text", None, _) => Err(Fault::bad_request("a part of type `text` needs `text`")),
        ("image_url", _, Some(image)) => {
            let held = image.url.strip_prefix("data:").and_then(|url| url.split_once(";base64,"));
            let Some((mime_type, data)) = held else {
                let message = "pictures are taken only as `data:image/…;base64,…`, not from elsewhere";
                return Err(Fault::bad_request(message));
            };
            parts::image(mime_type, data)
        }
        ("image_url", ..) => Err(Fault::bad_request("a part of type `image_url` needs `image_url.url`")),
        (other, ..) => {
            let message = format!("parts of type {other:?} are not known; send `text` or `image_url`");
            Err(Fault::bad_request(message))
        }
    }
}
