//! A fact with its place in the log.

use crate::{
    fact::Fact,
    id::{SessionKey, TurnId},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A durable fact: never dropped, never changed, in one order for everybody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its place in the log; grows, never reissued.
    pub seq: u64,
    /// The conversation it belongs to.
    pub session: SessionKey,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// When it was written.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub fact: Fact,
}
