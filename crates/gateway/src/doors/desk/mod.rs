//! The desk: for programs that own the conversation with their user, bring tools of their own and run those
//! themselves.

mod chat;
mod events;
pub(crate) mod notes;

use crate::{fault::Fault, gateway::Gateway, reading::Input, routes::Route};
use axum::{Json, extract::State, http::StatusCode};
use protocol::{CallResult, ClientTool, Risk, SessionKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use store::ClientAnswer;

/// How many tools one client may bring; the model is told of all of them every time.
const MAX_TOOLS: usize = 64;

/// How much a client's tools may take up as JSON, in bytes, for the same reason.
const MAX_TOOLS_BYTES: usize = 256 << 10;

/// The longest name of a client's conversation, in bytes.
const MAX_CLIENT_ID_BYTES: usize = 256;

/// The longest result of a client's tool, in bytes.
const MAX_RESULT_BYTES: usize = 1 << 20;

pub(crate) fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::post("/v1/sessions", open)
            .does("Opens a client's conversation, or takes it up again")
            .takes::<Opening>()
            .gives::<Opened>(),
        Route::post("/v1/tools/result", result)
            .does("Takes what came of a call the client ran")
            .takes::<Report>()
            .gives::<Taken>(),
    ];
    routes.extend(chat::routes());
    routes.extend(notes::routes());
    routes
}

/// Who comes, and with which tools.
#[derive(Deserialize, JsonSchema)]
struct Opening {
    /// The client's own name for the conversation.
    jarvis_session_id: String,
    /// The conversation it was in; another is given if there is no such one.
    preferred_session_id: Option<String>,
    /// What the client can do for the assistant. Left out, what was declared before stays.
    tools: Option<Vec<Tool>>,
}

/// One tool of a client's.
#[derive(Deserialize, JsonSchema)]
struct Tool {
    /// 1 to 64 letters, digits, `_`, `.` or `-`.
    name: String,
    /// What it does, for the model to read.
    #[serde(default)]
    description: String,
    /// JSON Schema of its arguments; an object schema.
    input_schema: Value,
    /// How dangerous it is; `risky` if left out.
    risk: Option<Danger>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Danger {
    Safe,
    Risky,
    Forbidden,
}

/// The conversation.
#[derive(Serialize, JsonSchema)]
struct Opened {
    general_session_id: String,
    /// Whether it is new.
    created: bool,
}

impl From<Tool> for ClientTool {
    fn from(tool: Tool) -> Self {
        let risk = match tool.risk {
            Some(Danger::Safe) => Risk::Safe,
            Some(Danger::Risky) | None => Risk::Risky,
            Some(Danger::Forbidden) => Risk::Forbidden,
        };
        Self { name: tool.name, description: tool.description, input_schema: tool.input_schema, risk }
    }
}

async fn open(State(gateway): State<Gateway>, Input(opening): Input<Opening>) -> Result<Json<Opened>, Fault> {
    let id = opening.jarvis_session_id;
    if id.trim().is_empty() || id.len() > MAX_CLIENT_ID_BYTES {
        let message = format!("`jarvis_session_id` must have 1 to {MAX_CLIENT_ID_BYTES} bytes");
        return Err(Fault::bad_request(message));
    }
    let tools = opening.tools.map(|tools| tools.into_iter().map(ClientTool::from).collect::<Vec<_>>());
    check_tools(&gateway, tools.as_deref().unwrap_or_default())?;
    // A key that cannot be one names no conversation.
    let preferred = opening.preferred_session_id.and_then(|key| SessionKey::new(key).ok());
    let found = gateway.store().client_session(Some(id), preferred, tools).await?;
    Ok(Json(Opened { general_session_id: found.session.into(), created: found.created }))
}

fn check_tools(gateway: &Gateway, tools: &[ClientTool]) -> Result<(), Fault> {
    if tools.len() > MAX_TOOLS {
        return Err(Fault::bad_request(format!("`tools` has more than {MAX_TOOLS} tools; bring fewer")));
    }
    let size: usize =
        tools.iter().map(|tool| tool.description.len() + tool.input_schema.to_string().len()).sum();
    if size > MAX_TOOLS_BYTES {
        let message =
            format!("`tools` takes up more than {} kB; describe them in fewer words", MAX_TOOLS_BYTES >> 10);
        return Err(Fault::too_large(message));
    }
    let mut names = HashSet::new();
    for tool in tools {
        tool.check().map_err(Fault::bad_request)?;
        if !names.insert(&tool.name) {
            return Err(Fault::bad_request(format!("`{}` stands twice in `tools`", tool.name)));
        }
        if gateway.backstage().collides(tool) {
            let message =
                format!("`{}` is the name of a tool of this house; call yours by another", tool.name);
            return Err(Fault::bad_request(message));
        }
    }
    Ok(())
}

/// A client's conversation by its name.
async fn known(gateway: &Gateway, id: String) -> Result<SessionKey, Fault> {
    let unknown = || {
        let message = "there is no such `general_session_id`; POST /v1/sessions gives one";
        Fault::new(StatusCode::NOT_FOUND, "unknown_session", message)
    };
    let session = SessionKey::new(id).map_err(|_| unknown())?;
    gateway.store().view().client_tools(&session).await?.ok_or_else(unknown)?;
    Ok(session)
}

/// What came of a call.
#[derive(Deserialize, JsonSchema)]
struct Report {
    general_session_id: String,
    tool_result: ToolResult,
}

#[derive(Deserialize, JsonSchema)]
struct ToolResult {
    /// The call, as `tool.request` named it.
    id: String,
    /// Whether it was done.
    ok: bool,
    /// What it gave, for the model to read.
    result: Option<String>,
    /// Why it was not done.
    error: Option<String>,
}

/// It counts.
#[derive(Serialize, JsonSchema)]
struct Taken {
    accepted: bool,
}

async fn result(State(gateway): State<Gateway>, Input(report): Input<Report>) -> Result<Json<Taken>, Fault> {
    let session = known(&gateway, report.general_session_id).await?;
    let unknown = || {
        let message = "no call with this id was handed over in this conversation";
        Fault::new(StatusCode::NOT_FOUND, "unknown_tool_call", message)
    };
    let ToolResult { id, ok, result, error } = report.tool_result;
    let output = if ok { result } else { error.or(result).filter(|said| !said.is_empty()) };
    let output =
        output.unwrap_or_else(|| if ok { String::new() } else { "It failed; why is not known.".into() });
    if output.len() > MAX_RESULT_BYTES {
        return Err(Fault::too_large(format!("the result is longer than {} MiB", MAX_RESULT_BYTES >> 20)));
    }
    let call = id.parse().map_err(|_| unknown())?;
    let result = CallResult::from_client(call, ok, gateway.backstage().redact(&output));
    match gateway.store().client_result(&session, result).await? {
        ClientAnswer::Accepted { .. } => Ok(Json(Taken { accepted: true })),
        ClientAnswer::AlreadySettled => {
            let message = "this call has its result, or its turn was stopped; that counts";
            Err(Fault::conflict("already_settled", message))
        }
        ClientAnswer::Unknown => Err(unknown()),
    }
}
