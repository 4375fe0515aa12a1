//! The configuration as the owner writes it. A key that is not here is a mistake, and said so.

use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    num::{NonZeroU32, NonZeroUsize},
};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Written {
    pub agent: Agent,
    pub session: Session,
    pub gateway: Gateway,
    pub providers: BTreeMap<String, Provider>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Agent {
    pub model: String,
    pub max_iterations: NonZeroU32,
    pub workspace: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Session {
    pub max_history_messages: NonZeroUsize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Gateway {
    pub max_concurrent_turns: NonZeroUsize,
}

/// A provider that speaks OpenAI's Chat Completions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provider {
    /// With its version, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// The variable that holds its key; none for a server that wants none.
    #[serde(default)]
    pub api_key_env: String,
}

const fn at_least_one(value: usize) -> NonZeroUsize {
    match NonZeroUsize::new(value) {
        Some(value) => value,
        None => NonZeroUsize::MIN,
    }
}

impl Default for Agent {
    fn default() -> Self {
        let max_iterations = NonZeroU32::MIN.saturating_add(49);
        Self { model: "auto".into(), max_iterations, workspace: String::new() }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self { max_history_messages: at_least_one(100) }
    }
}

impl Default for Gateway {
    fn default() -> Self {
        Self { max_concurrent_turns: at_least_one(4) }
    }
}
