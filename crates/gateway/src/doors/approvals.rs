//! What waits for the owner, and the owner's word on it, one call at a time.

use crate::{fault::Fault, gateway::Gateway, reading::Input, routes::Route};
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use protocol::{ApprovalId, AskedCall, CallId, Decision, Forecast};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{DecideAnswer, OpenApproval};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/approvals", list).does("What waits for the owner").gives::<Value>(),
        Route::post("/api/approvals/{callId}", decide)
            .does("Approves or denies one call")
            .takes::<Word>()
            .gives::<Resolved>(),
    ]
}

/// The owner's word.
#[derive(Deserialize, JsonSchema)]
struct Word {
    decision: Yes,
    /// Why; the model is told.
    reason: Option<String>,
    /// A rule to make on the way, one of those shown.
    rule: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Yes {
    Approved,
    Denied,
}

/// What was decided.
#[derive(Serialize, JsonSchema)]
struct Resolved {
    id: String,
    decision: Yes,
}

async fn list(State(gateway): State<Gateway>) -> Result<Json<Value>, Fault> {
    let waiting = gateway.store().view().open_approvals().await?;
    Ok(Json(json!({ "approvals": waiting.iter().map(screen).collect::<Vec<_>>() })))
}

/// A screen as every door shows it.
pub(crate) fn screen(open: &OpenApproval) -> Value {
    let mut screen = json!({
        "approvalId": open.approval,
        "sessionKey": open.session,
        "runId": open.turn,
        "expiresAt": open.expires_at,
        "calls": open.calls.iter().map(shown).collect::<Vec<_>>(),
    });
    if let Some(forecast) = &open.forecast {
        screen["forecast"] = forecast_shown(forecast);
    }
    screen
}

/// A forecast as every door but the tasks shows it: whose calls a screen has, and what may come after them.
pub(crate) fn forecast_shown(forecast: &Forecast) -> Value {
    json!({ "program": forecast.program, "calls": forecast.calls })
}

/// A call as every door shows it. Everything in it was made safe to show when it was asked.
pub(crate) fn shown(asked: &AskedCall) -> Value {
    json!({
        "callId": asked.call,
        "toolName": asked.tool,
        "summary": asked.summary,
        "details": asked.details,
        "risk": asked.risk,
        "reason": asked.reason,
        "flags": asked.flags,
        "workingDir": asked.cwd,
        "confinement": asked.confinement,
        "rules": asked.rules,
    })
}

async fn decide(
    State(gateway): State<Gateway>,
    Path(call): Path<String>,
    Input(word): Input<Word>,
) -> Result<Json<Resolved>, Fault> {
    let unknown = || Fault::not_found("no call with this id was ever put to the owner");
    let call: CallId = call.parse().map_err(|_| unknown())?;
    let approval = gateway.store().view().approval_of(call).await?.ok_or_else(unknown)?;
    let approved = word.decision == Yes::Approved;
    let decision = Decision { call, approved, reason: word.reason, rule: word.rule };
    settle(&gateway, approval, vec![decision], "http").await?;
    Ok(Json(Resolved { id: call.to_string(), decision: word.decision }))
}

/// Writes decisions; the fault says why they do not count.
pub(crate) async fn settle(
    gateway: &Gateway,
    approval: ApprovalId,
    decisions: Vec<Decision>,
    by: &str,
) -> Result<(), Fault> {
    match gateway.store().decide(approval, decisions, by).await? {
        DecideAnswer::Decided => Ok(()),
        DecideAnswer::AlreadySettled(call) => {
            let message = "this was decided before, or its turn was stopped; that counts";
            Err(Fault::conflict("already_settled", message).with(json!({ "callId": call })))
        }
        DecideAnswer::Expired => {
            Err(Fault::new(StatusCode::GONE, "expired", "too late: the approval has expired"))
        }
        DecideAnswer::Unknown => Err(Fault::not_found("there is no such approval, or no such call on it")),
        DecideAnswer::UnknownRule => {
            Err(Fault::bad_request("this rule was not among those shown; take one of `rules`"))
        }
    }
}
