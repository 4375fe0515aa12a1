//! What streams by: text as the model writes it, progress as a tool works. Deltas may be dropped; what they
//! add up to arrives later as a fact.

use crate::id::{SessionKey, TurnId};
use serde::{Deserialize, Serialize};

/// A piece of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta {
    /// The conversation.
    pub session: SessionKey,
    /// The turn.
    pub turn: TurnId,
    /// Which model call of the turn this belongs to; text of a lower attempt is void.
    pub attempt: u32,
    /// Where `text` starts in this attempt's stream of the same kind, in bytes.
    pub offset: usize,
    /// What is streamed.
    pub kind: DeltaKind,
    /// The piece itself.
    pub text: String,
    /// The tool at work, where it is a tool's progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// What a delta carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaKind {
    /// The answer's text.
    Text,
    /// The model's reasoning.
    Thinking,
    /// A line from a tool at work.
    Progress,
}
