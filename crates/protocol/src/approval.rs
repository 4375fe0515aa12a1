//! What is put to the owner, and the owner's word on it.

use crate::{
    call::Risk,
    id::{ApprovalId, CallId},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One call on an approval screen: everything the owner needs, already made safe to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedCall {
    /// Which call.
    pub call: CallId,
    /// The tool's dotted name.
    pub tool: String,
    /// What it would do, in one line.
    pub summary: String,
    /// All that matters, in full.
    pub details: String,
    /// How dangerous it is.
    pub risk: Risk,
    /// Why it is asked, in plain words.
    pub reason: String,
    /// What is odd about it: characters that could deceive, parts that were not understood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// Where it would run.
    pub cwd: String,
    /// What confines it, in one line.
    pub confinement: String,
    /// Rules that would allow it from now on: the exact one first, then wider ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// What the approval is bound to; recomputed when the call is run.
    pub fingerprint: String,
}

/// The owner's word on one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Which call.
    pub call: CallId,
    /// Whether it may run.
    pub approved: bool,
    /// Why not, if the owner said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The rule the owner made of it: one of those that were shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// An approval a call runs under.
#[derive(Debug, Clone, PartialEq)]
pub struct Approved {
    /// The screen it was given on.
    pub approval: ApprovalId,
    /// What it is bound to.
    pub fingerprint: String,
    /// When it ends.
    pub expires_at: Timestamp,
}
