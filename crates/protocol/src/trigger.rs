//! What starts a turn.

use crate::{
    id::SessionKey,
    message::{Block, Message},
};
use serde::{Deserialize, Serialize};

/// Something that starts a turn in its session. The inbox takes each (source, external id) once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trigger {
    /// Where it came from: `terminal`, `web`, `telegram`, `task`, …
    pub source: String,
    /// The source's own name for it; a repeat is recognised by it.
    pub external_id: String,
    /// The conversation it belongs to.
    pub session: SessionKey,
    /// What kind of thing it is.
    pub kind: TriggerKind,
    /// What is said to the assistant.
    pub content: Vec<Block>,
    /// What was said before, if whoever speaks brings that along: it then stands in place of the session's own
    /// earlier messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    /// The model to use for this turn, `provider/model`; the configured one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// If a turn is running in the session, join it between two model calls instead of waiting behind it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steer: bool,
}

/// What kind of thing starts a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerKind {
    /// Somebody said something.
    Message,
    /// A process that went on after its turn has ended.
    ProcessExit,
    /// A standing order came due.
    Due,
    /// The regular look at what there is to do.
    Heartbeat,
    /// A standing order brings words of strangers: something was handed in for it, or it was given after such words had
    /// come into the conversation.
    Hook,
}

impl TriggerKind {
    /// Whether it tells of something that happened, rather than being something the owner said.
    pub fn is_background(self) -> bool {
        self != Self::Message
    }
}
