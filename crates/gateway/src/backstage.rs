//! What the doors need of the rest of the house. The gateway says what; the binary knows where it is.

use futures::future::BoxFuture;
use protocol::{ClientTool, Usage};
use serde::Serialize;
use serde_json::Value;

/// The house behind the doors.
pub trait Backstage: Send + Sync + 'static {
    /// Whom one can talk to; at least one.
    fn agents(&self) -> Vec<AgentInfo>;

    /// Models that can be asked, as `provider/model`, the default first.
    fn models(&self) -> Vec<String>;

    /// Whether this model can be asked; the error says why not.
    fn check_model(&self, model: &str) -> Result<(), String>;

    /// Whether a client's tool has the name of a tool of this house.
    fn collides(&self, tool: &ClientTool) -> bool;

    /// The text without what must stay secret.
    fn redact(&self, text: &str) -> String;

    /// A rule the owner took back counts no more from now on.
    fn forget_rule(&self, rule: &str);

    /// Writes all transcripts anew; gives how many files.
    fn rebuild_transcripts(&self) -> BoxFuture<'_, Result<usize, String>>;

    /// Keeps a new token for the next start. The error says why the token cannot be changed here.
    fn keep_token(&self, token: &str) -> Result<(), String>;

    /// The tools, and what the owner's policy usually says of each.
    fn toolbox(&self) -> BoxFuture<'_, Result<Toolbox, String>>;

    /// What such tokens of a model cost, in US dollars; `None` without a price.
    fn cost(&self, model: &str, usage: &Usage) -> Option<f64>;

    /// How the house is set up.
    fn settings(&self) -> SettingsInfo;

    /// What there is to think with: keys that are set, model servers that run on this machine.
    fn detect(&self) -> BoxFuture<'_, Detected>;

    /// Asks a model something small with a new key and, if that works, keeps the key if told to: it then counts at
    /// once. Gives the model that answered.
    fn try_key(&self, key: NewKey, keep: bool) -> BoxFuture<'_, Result<String, NotDone>>;

    /// Asks this model, or `auto`, from now on when nobody names one. Gives the model that is asked now.
    fn set_model(&self, model: &str) -> BoxFuture<'_, Result<String, NotDone>>;
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDone {
    /// The owner can put it right.
    Mistake(String),
    /// Something failed here.
    Trouble(String),
}

/// A key that is not known yet. It is never shown again.
pub struct NewKey {
    /// Whose key it is.
    pub provider: String,
    /// The key itself.
    pub key: String,
    /// The model to try it with, `provider/model`; one that suits unless given.
    pub model: Option<String>,
}

/// One assistant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentInfo {
    /// Its name in requests.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The model it thinks with, `provider/model`.
    pub model: String,
}

/// The tools of the house, and what is said of their use.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Toolbox {
    /// What happens where no rule speaks.
    pub preset: String,
    /// What confines commands.
    pub sandbox: SandboxInfo,
    /// All tools.
    pub tools: Vec<ToolInfo>,
    /// The rules of the configuration.
    pub rules: OwnerRules,
}

/// What confines commands here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SandboxInfo {
    /// Whether the owner wants it.
    pub enabled: bool,
    /// What the kernel offers.
    pub primitives: Vec<PrimitiveInfo>,
}

/// One thing the kernel may offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PrimitiveInfo {
    /// What it is called.
    pub name: String,
    /// Whether it can be had here.
    pub available: bool,
    /// What its absence means.
    pub consequence: String,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolInfo {
    /// Its dotted name.
    pub name: String,
    /// What it does, as the model is told.
    pub description: String,
    /// What it takes.
    pub input_schema: Value,
    /// What it gives a program, where it says so.
    pub output_schema: Option<Value>,
    /// What its calls may bring in, see or touch.
    pub labels: LabelInfo,
    /// What policy says of most of its calls: `allow`, `ask` or `deny`.
    pub usually: &'static str,
    /// Why.
    pub why: String,
}

/// What calls of a tool may bring in, see or touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelInfo {
    /// The output may hold words of strangers.
    pub brings_untrusted: bool,
    /// The output may hold what is the owner's alone.
    pub reads_private: bool,
    /// It changes something or sends something out.
    pub acts_outside: bool,
    /// It changes what the assistant itself keeps.
    pub keeps: bool,
    /// Twice does no more than once.
    pub idempotent: bool,
}

/// The rules of the configuration, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OwnerRules {
    /// Calls that run unasked.
    pub allow: Vec<String>,
    /// Calls that always ask.
    pub ask: Vec<String>,
    /// Calls that never run.
    pub deny: Vec<String>,
    /// Like `allow`, also after words of strangers came in.
    pub grants: Vec<String>,
}

/// How the house is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsInfo {
    /// Of the program.
    pub version: String,
    /// The owner's folder of it.
    pub home: String,
    /// The assistant's own folder.
    pub workspace: String,
    /// The model asked when nobody names one.
    pub model: String,
    /// Models that can be chosen, that one first.
    pub models: Vec<String>,
    /// What happens where no rule speaks.
    pub preset: String,
    /// Whom there is to ask.
    pub providers: Vec<ProviderInfo>,
    /// Whether only the offline helper answers, for want of anything else.
    pub needs_setup: bool,
}

/// One provider of models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInfo {
    /// Its name in `provider/model`.
    pub name: String,
    /// Which wire it speaks: `anthropic` or `openai`.
    pub kind: &'static str,
    /// Whether its key is known.
    pub key_set: bool,
    /// Where the key is set.
    pub key_source: Option<String>,
    /// Where it is.
    pub base_url: String,
}

/// What there is to think with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Detected {
    /// Keys that are set.
    pub keys: Vec<FoundKey>,
    /// Servers that answered.
    pub servers: Vec<FoundServer>,
}

/// A key that is set, without the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundKey {
    /// Whose it is.
    pub provider: String,
    /// Where it is set.
    pub source: String,
}

/// A model server that runs on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundServer {
    /// Its name in `provider/model`.
    pub provider: String,
    /// Where it is.
    pub base_url: String,
    /// The models it says it has.
    pub models: Vec<String>,
}
