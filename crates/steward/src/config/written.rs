//! The configuration as the owner writes it. A key that is not here is a mistake, and said so.

use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Written {
    pub agent: Agent,
    pub session: Session,
    pub tools: Tools,
    pub policy: Policy,
    pub sandbox: Sandbox,
    pub gateway: Gateway,
    pub memory: Memory,
    pub heartbeat: Heartbeat,
    pub limits: Limits,
    pub providers: BTreeMap<String, Provider>,
    pub prices: BTreeMap<String, Price>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Agent {
    pub model: String,
    pub max_iterations: NonZeroU32,
    pub workspace: String,
    pub code_mode: agent::CodeMode,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Session {
    pub max_history_messages: NonZeroUsize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Gateway {
    pub host: String,
    pub port: u16,
    pub allowed_hosts: Vec<String>,
    pub max_concurrent_turns: NonZeroUsize,
    pub max_queue_size: NonZeroUsize,
    pub desktop_shell: bool,
    pub client_tools: Vec<WrittenTool>,
}

/// A tool every desktop client is taken to have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenTool {
    pub name: String,
    pub description: String,
    pub input_schema: serde_json::Value,
    #[serde(default = "risky")]
    pub risk: protocol::Risk,
}

fn risky() -> protocol::Risk {
    protocol::Risk::Risky
}

impl From<WrittenTool> for protocol::ClientTool {
    fn from(tool: WrittenTool) -> Self {
        let WrittenTool { name, description, input_schema, risk } = tool;
        Self { name, description, input_schema, risk }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tools {
    pub timeout_ms: NonZeroU64,
    pub max_output_bytes: NonZeroUsize,
    pub fetch_inside: Vec<String>,
    pub search_kind: tools::SearchKind,
    pub search_url: String,
    pub search_api_key_env: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Policy {
    pub preset: policy::Preset,
    pub allow: Vec<String>,
    pub ask: Vec<String>,
    pub deny: Vec<String>,
    pub grants: Vec<String>,
    pub allowed_commands: Vec<String>,
    pub extra_validation: Vec<String>,
    pub read_dirs: Vec<String>,
    pub write_dirs: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sandbox {
    pub enabled: bool,
    pub allow_hosts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Memory {
    pub enabled: bool,
    pub embeddings: String,
    pub fusion: memory::Fusion,
    pub vector_weight: f32,
    pub keyword_weight: f32,
    pub min_score: f32,
    pub max_results: NonZeroUsize,
    pub chunk_tokens: NonZeroUsize,
    pub chunk_overlap: usize,
    pub extra_paths: Vec<String>,
    pub recall: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Heartbeat {
    pub enabled: bool,
    pub interval_minutes: NonZeroU32,
    pub active_hours: String,
    pub deliver_to: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    pub daily_tokens: u64,
    pub daily_cost: f64,
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

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Price {
    pub input: f64,
    pub output: f64,
    /// Prompt tokens the provider had in its cache; as `input` unless given.
    pub cache_read: Option<f64>,
    /// Prompt tokens the provider took into its cache; as `input` unless given.
    pub cache_write: Option<f64>,
}

impl Price {
    /// What so many tokens cost.
    pub fn of(&self, usage: &protocol::Usage) -> f64 {
        let cost = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        cost(usage.input_tokens, self.input)
            + cost(usage.output_tokens, self.output)
            + cost(usage.cache_read_tokens, self.cache_read.unwrap_or(self.input))
            + cost(usage.cache_write_tokens, self.cache_write.unwrap_or(self.input))
    }
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
        let code_mode = agent::CodeMode::default();
        Self { model: "auto".into(), max_iterations, workspace: String::new(), code_mode }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self { max_history_messages: at_least_one(100) }
    }
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            timeout_ms: NonZeroU64::MIN.saturating_add(119_999),
            max_output_bytes: at_least_one(100_000),
            fetch_inside: Vec::new(),
            search_kind: tools::SearchKind::Searxng,
            search_url: String::new(),
            search_api_key_env: String::new(),
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            preset: policy::Preset::Guarded,
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            grants: Vec::new(),
            allowed_commands: owned(policy::DEFAULT_ALLOWED_COMMANDS),
            extra_validation: owned(policy::DEFAULT_EXTRA_VALIDATION),
            read_dirs: Vec::new(),
            write_dirs: Vec::new(),
        }
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self { enabled: true, allow_hosts: Vec::new() }
    }
}

impl Default for Gateway {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".into(),
            port: 18789,
            allowed_hosts: Vec::new(),
            max_concurrent_turns: at_least_one(4),
            max_queue_size: at_least_one(20),
            desktop_shell: false,
            client_tools: Vec::new(),
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        let usual = memory::MemorySettings::new(Default::default(), Default::default());
        Self {
            enabled: true,
            embeddings: "local".into(),
            fusion: usual.fusion,
            vector_weight: usual.vector_weight,
            keyword_weight: usual.keyword_weight,
            min_score: usual.min_score,
            max_results: at_least_one(usual.max_results),
            chunk_tokens: at_least_one(usual.chunk_tokens),
            chunk_overlap: usual.chunk_overlap,
            extra_paths: Vec::new(),
            recall: true,
        }
    }
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self {
            enabled: true,
            interval_minutes: NonZeroU32::MIN.saturating_add(29),
            active_hours: "8-21".into(),
            deliver_to: "last".into(),
        }
    }
}
