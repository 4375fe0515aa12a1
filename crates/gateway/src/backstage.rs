//! What the doors need of the rest of the house. The gateway says what; the binary knows where it is.

use futures::future::BoxFuture;
use protocol::ClientTool;
use serde::Serialize;

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
