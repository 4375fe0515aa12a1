//! What a running tool is given: whose call it is, where it may work, how much it may use, and the way out.
//!
//! Who fills it in decides; tools obey. What [`Outside`] does with a word is the agent's business.

use futures::future::BoxFuture;
use protocol::{CallId, SessionKey, Trigger, TurnId};
use sandbox::{ApprovedCopy, Identity, Isolation, Network, Profile};
use std::{path::PathBuf, sync::Arc};

/// Everything one call may know of the house.
pub struct ToolContext {
    /// The conversation.
    pub session: SessionKey,
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// Whether the conversation has taken in words of strangers.
    pub tainted: bool,
    /// The agent's own folder: relative paths start here, commands run here.
    pub workspace: PathBuf,
    /// Further directories files may be read in.
    pub read_dirs: Vec<PathBuf>,
    /// Further directories files may be read and changed in.
    pub write_dirs: Vec<PathBuf>,
    /// What stays out of reach. Where it and an allowed directory disagree, the more specific path wins.
    pub hidden: Vec<PathBuf>,
    /// How much a call may use.
    pub limits: ToolLimits,
    /// Under which terms commands run.
    pub command: CommandTerms,
    /// The way out.
    pub outside: Arc<dyn Outside>,
}

/// How much a call may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolLimits {
    /// How long it may take unless it says otherwise.
    pub timeout_ms: u64,
    /// How much text it may give back.
    pub max_output_bytes: usize,
}

impl Default for ToolLimits {
    /// Two minutes and 100 kB: a build's time, and what a model can still read with profit.
    fn default() -> Self {
        Self { timeout_ms: 120_000, max_output_bytes: 100_000 }
    }
}

/// The terms commands run under, besides the directories.
#[derive(Debug)]
pub struct CommandTerms {
    /// Where they may connect.
    pub network: Network,
    /// What the kernel lets them use.
    pub resources: sandbox::Limits,
    /// Their environment.
    pub env: Vec<(String, String)>,
    /// How much isolation is insisted on.
    pub isolation: Isolation,
    /// When given, the workspace must still be this very directory.
    pub cwd_identity: Option<Identity>,
    /// Files whose approved bytes are used, whatever has become of the originals.
    pub approved: Vec<ApprovedCopy>,
}

impl Default for CommandTerms {
    /// No network, full isolation, an empty environment.
    fn default() -> Self {
        Self {
            network: Network::None,
            resources: sandbox::Limits::default(),
            env: Vec::new(),
            isolation: Isolation::Full,
            cwd_identity: None,
            approved: Vec::new(),
        }
    }
}

impl ToolContext {
    /// The profile commands of this call run under; a fingerprint over it holds for what will run.
    pub fn profile(&self) -> Profile {
        Profile {
            workspace: self.workspace.clone(),
            writable: self.write_dirs.clone(),
            readable_extra: self.read_dirs.clone(),
            hidden: self.hidden.clone(),
            network: self.command.network.clone(),
            limits: self.command.resources.clone(),
            env: self.command.env.clone(),
            isolation: self.command.isolation,
        }
    }
}

/// What a tool can say to the house. Background processes keep it after their call has ended.
pub trait Outside: Send + Sync + 'static {
    /// A line for whoever watches; it may be dropped. It has not been redacted.
    fn progress(&self, text: &str);

    /// Puts a trigger into the inbox; a repeat of the same source and external id is taken once.
    fn enqueue(&self, trigger: Trigger) -> BoxFuture<'_, Result<(), String>>;

    /// A process goes on after its call. When this fails the process is killed: what has no row would be lost.
    fn process_started(&self, process: ProcessStart) -> BoxFuture<'_, Result<(), String>>;

    /// Such a process has ended. Said after its trigger was taken, so a row still running after a restart can be
    /// announced as lost with the same source and external id and is heard once.
    fn process_ended(&self, process: ProcessEnd) -> BoxFuture<'_, Result<(), String>>;
}

/// A process that goes on after its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessStart {
    /// The call that started it; its durable name, and the external id of the trigger at its end.
    pub call: CallId,
    /// The short name the model uses.
    pub id: String,
    /// The conversation that hears of its end.
    pub session: SessionKey,
    /// What runs.
    pub command: String,
}

/// Such a process at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    /// The call that started it.
    pub call: CallId,
    /// Its exit code, unless a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}
