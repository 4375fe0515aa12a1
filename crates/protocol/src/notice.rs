//! What the owner is told outside of any turn: the word of a standing order, or of the house itself.

use crate::id::{ApprovalId, SessionKey};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Something brought to the owner's attention, in the conversation where the owner is to be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Its row in the outbox.
    pub id: Uuid,
    /// Whose word it is, for people: `reminder pizza`, `task 3f2a…`, `heartbeat`, `steward`.
    pub from: String,
    /// What is said, in Markdown.
    pub text: String,
    /// The conversation it comes of, if another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionKey>,
    /// The screen that waits for the owner, if it tells of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// Whether it may hold words of strangers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
}
