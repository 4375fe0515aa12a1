//! Tools that a desktop client has and runs itself: which a conversation offers, and whether a call may be handed
//! over. The client asks its user; here only the owner's denials and the tool's schema are looked at.

use super::{Bench, Workbench, WorkbenchSettings, prepare::COMMAND_TOOLS, programs, senseless};
use crate::hands::Judged;
use policy::{CallInfo, present};
use protocol::{Call, ClientTool, Judgement, Labels, Risk, SessionKey, ToolDefinition, Verdict};
use serde_json::Value;
use tools::InputSchema;

/// Where conversations of clients take place.
const DESKTOP: &str = "desktop";

/// Where tasks have their conversations, and the tool by which they end.
const TASK: &str = "task";
const ENDS_TASK: &str = "tasks.complete";

/// How much of a reason is shown: a sentence or two.
const MAX_REASON_CHARS: usize = 300;

impl Workbench {
    /// Whether the model could not tell this tool from one of the house's own, so that it must not be declared.
    pub fn collides(&self, tool: &ClientTool) -> bool {
        self.bench.tools.has_spelling_of(&tool.name) || programs::has_spelling_of(&tool.name)
    }
}

impl WorkbenchSettings {
    /// Whether a conversation does without a tool of the house: where a client has hands of its own, commands are
    /// run there or not at all, unless the owner wants both; and only a task can end itself.
    pub(super) fn hides(&self, session: &SessionKey, tool: &str) -> bool {
        let runs_there = session.place() == DESKTOP && !self.desktop_shell && COMMAND_TOOLS.contains(&tool);
        runs_there || (tool == ENDS_TASK && session.place() != TASK)
    }
}

impl Bench {
    /// The tools a conversation's client has: those it declared, then those of the configuration. `None` if that
    /// cannot be looked up.
    pub(super) async fn client_tools(&self, session: &SessionKey) -> Option<Vec<ClientTool>> {
        if session.place() != DESKTOP {
            return Some(Vec::new());
        }
        let declared = match self.store.view().client_tools(session).await {
            Ok(Some(declared)) => declared,
            Ok(None) => return Some(Vec::new()),
            Err(error) => {
                tracing::error!(%error, %session, "cannot look up the tools of a client");
                return None;
            }
        };
        let mut tools: Vec<ClientTool> = Vec::new();
        for tool in declared.into_iter().chain(self.settings().client_tools) {
            // A name is offered once: the house's own tool first, then what the client says of its own.
            if !self.tools.has_spelling_of(&tool.name) && !tools.iter().any(|known| known.name == tool.name) {
                tools.push(tool);
            }
        }
        Some(tools)
    }

    pub(super) fn judge_for_client(&self, tool: &ClientTool, call: &Call) -> Judged {
        let input = match InputSchema::new(tool.input_schema.clone()).read(&tool.name, &call.arguments) {
            Ok(input) => input,
            Err(why) => return senseless(call, why),
        };
        let verdict = match self.denial(tool, &input) {
            Some(reason) => Verdict::Deny { reason },
            None => Verdict::Client { risk: tool.risk, reason: reason(tool, &input) },
        };
        // What a client has been handed waits for it; nothing is ever repeated.
        Judged::Verdict(Judgement { call: call.id, verdict, repeatable: false })
    }

    fn denial(&self, tool: &ClientTool, input: &Value) -> Option<String> {
        if tool.risk == Risk::Forbidden {
            return Some(format!("`{}` is declared as forbidden", tool.name));
        }
        let cwd = self.settings().policy.places.workspace;
        let labels = Labels { acts_outside: true, ..Labels::default() };
        self.policy().denied_elsewhere(&CallInfo { tool: &tool.name, input, labels, cwd: &cwd })
    }
}

/// A client's tool as the model is offered it.
pub(super) fn definition(tool: ClientTool) -> ToolDefinition {
    ToolDefinition { name: tool.name, description: tool.description, input_schema: tool.input_schema }
}

/// Why the call is wanted: the model's own words where the tool has room for them.
fn reason(tool: &ClientTool, input: &Value) -> String {
    match input.get("reason").and_then(Value::as_str).map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => present(&reason.chars().take(MAX_REASON_CHARS).collect::<String>()).text,
        None => format!("the assistant wants to use {}", tool.name),
    }
}
