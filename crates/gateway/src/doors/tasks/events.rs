//! A task's events as a stream. That of a standing order goes on from run to run, and ends with the order itself.

use super::parse;
use crate::{
    fault::Fault,
    gateway::Gateway,
    programs::{Receipt, Run},
    reading::Asked,
    sse::{self, Dialect, Frame, Place},
    story::{Story, Told, Whose},
};
use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use protocol::{AskedCall, Block, Call, CallResult, CallStatus, Fact, Forecast, Outcome, ProgramEnd};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{EventFilter, FeedItem, TaskKind, TaskRow};

/// How much of a result an event shows, in characters.
const MAX_PREVIEW_CHARS: usize = 500;

#[derive(Deserialize, JsonSchema)]
pub(super) struct From {
    /// As the header of that name.
    #[serde(rename = "lastEventId")]
    last_event_id: Option<String>,
}

pub(super) async fn stream(
    State(gateway): State<Gateway>,
    Path(id): Path<String>,
    Asked(from): Asked<From>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let unknown = || Fault::not_found("there is no task with this id");
    let row = gateway.store().view().task(parse(&id)?).await?.ok_or_else(unknown)?;
    let place = Place::of(&headers, from.last_event_id.as_deref())?.unwrap_or_default();
    let standing = row.kind != TaskKind::OneShot;
    let ended = if standing { ended_before(&gateway, &row, place).await? } else { None };
    if row.ended_at.is_some() && nothing_left(&gateway, &row, place, ended.is_some()).await? {
        // A browser stops asking when it is told that nothing more will come.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let dialect = TaskEvents { standing, ended, ..TaskEvents::default() };
    sse::follow(&gateway, &row.session, Some(place), dialect).await
}

/// How the order ended, if the client has seen as much.
async fn ended_before(gateway: &Gateway, row: &TaskRow, place: Place) -> Result<Option<Value>, Fault> {
    let filter = EventFilter {
        before: Some(place.since().saturating_add(1)),
        kind: Some("task.changed".into()),
        session: Some(row.session.clone()),
    };
    let latest = gateway.store().view().latest_events(filter, 1).await?.pop();
    Ok(latest.and_then(|event| end_of(&event.fact)))
}

async fn nothing_left(gateway: &Gateway, row: &TaskRow, place: Place, ended: bool) -> Result<bool, Fault> {
    let view = gateway.store().view();
    let next = view.session_events_after(&row.session, place.since(), 1).await?.pop();
    let Some(next) = next else { return Ok(true) };
    if !ended {
        return Ok(false);
    }
    // The end of the last run tells two things: that, and the end of the order.
    let told = matches!(next.fact, Fact::TurnFinished { .. }) && place.frames() >= 2;
    Ok(told || view.turn_under_way(&row.session, place.since()).await?.is_empty())
}

/// Tells a task's events in its dialect.
#[derive(Default)]
struct TaskEvents {
    story: Story,
    /// Whether runs come and go.
    standing: bool,
    /// How a standing order ended; told when its last run has had its say.
    ended: Option<Value>,
    over: bool,
}

impl Dialect for TaskEvents {
    fn tell(&mut self, item: &FeedItem) -> Vec<Frame> {
        let FeedItem::Event(event) = item else { return Vec::new() };
        let told = self.story.take(item);
        let run_over = told.iter().any(|told| matches!(told, Told::Over { .. }));
        let standing = self.standing;
        let mut events: Vec<Value> =
            told.into_iter().flat_map(|told| task_events(&self.story, told, standing)).collect();
        if self.standing {
            self.ended = self.ended.take().or_else(|| end_of(&event.fact));
            if self.story.turn().is_none()
                && let Some(end) = &self.ended
            {
                events.push(end.clone());
                self.over = true;
            }
        } else {
            self.over |= run_over;
        }
        events.into_iter().map(|data| Frame::lasting(None, data)).collect()
    }

    fn story(&mut self) -> &mut Story {
        &mut self.story
    }

    fn over(&self) -> bool {
        self.over
    }

    /// Between two runs a standing order may be silent for weeks.
    fn idle(&mut self) -> bool {
        !self.standing && self.story.turn().is_none()
    }
}

/// The last thing told of a standing order.
fn end_of(fact: &Fact) -> Option<Value> {
    let Fact::TaskChanged { status, reason } = fact else { return None };
    match status.as_str() {
        "completed" => Some(json!({ "type": "completed", "reason": reason })),
        "cancelled" => Some(json!({ "type": "error", "error": "cancelled", "reason": reason })),
        _ => None,
    }
}

fn task_events(story: &Story, told: Told<'_>, standing: bool) -> Vec<Value> {
    match told {
        Told::Started(_) => vec![status(if standing { "run started" } else { "started" })],
        Told::Asking => vec![status("thinking")],
        Told::Said(blocks) => {
            let text = Block::text_of(blocks);
            if text.is_empty() { Vec::new() } else { vec![json!({ "type": "agent_message", "text": text })] }
        }
        Told::Program { call, code } => vec![json!({ "type": "code_generated", "id": call, "code": code })],
        Told::Asked { calls, forecast, .. } => {
            calls.iter().map(|asked| request(story, asked, forecast)).collect()
        }
        Told::Decided { decisions, .. } => decisions
            .iter()
            .map(|decision| {
                let word = if decision.approved { "approved" } else { "denied" };
                json!({ "type": "approval_resolved", "id": decision.call, "decision": word })
            })
            .collect(),
        Told::Done { result, call, whose } => vec![done(result, call, whose)],
        Told::Over { outcome, .. } if standing => vec![run_finished(outcome)],
        Told::Over { outcome, .. } => vec![match problem(outcome) {
            None => json!({ "type": "completed" }),
            Some(error) => json!({ "type": "error", "error": error }),
        }],
        Told::Text { .. } | Told::Progress { .. } | Told::HandedOver(_) => Vec::new(),
    }
}

fn status(message: &str) -> Value {
    json!({ "type": "status", "message": message })
}

/// One run failing is not the end of a standing order.
fn run_finished(outcome: &Outcome) -> Value {
    let mut finished = status("run finished");
    finished["outcome"] = json!(outcome)["status"].take();
    if let Some(error) = problem(outcome) {
        finished["error"] = error.into();
    }
    finished
}

fn problem(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Completed => None,
        Outcome::Aborted => Some("cancelled"),
        Outcome::LimitReached { reason } => Some(reason),
        Outcome::Failed { error } => Some(&error.message),
    }
}

fn done(result: &CallResult, call: Option<Call>, whose: Whose) -> Value {
    let path = call.map(|call| call.tool).unwrap_or_default();
    let preview: String = result.output.chars().take(MAX_PREVIEW_CHARS).collect();
    let mut told = json!({
        "type": "tool_result", "id": result.call, "toolPath": path, "status": word(Some(result.status)),
        "preview": preview,
    });
    if let Some(parent) = whose.parent {
        told["parent"] = json!(parent);
    }
    if let Some(Run { receipts, end }) = whose.program {
        told["receipts"] = receipts.iter().map(receipt).collect();
        match end {
            Some(ProgramEnd::Returned { value, cut_bytes: 0 }) => {
                told["result"] = serde_json::from_str(&value).unwrap_or_else(|_| Value::from(value));
            }
            // What was cut is not JSON any more; its beginning is told as text.
            Some(ProgramEnd::Returned { value, cut_bytes }) => {
                told["result"] = value.into();
                told["resultCutBytes"] = cut_bytes.into();
            }
            Some(ProgramEnd::Failed { name, message, line }) => {
                told["error"] = json!({ "name": name, "message": message, "line": line });
            }
            None => {}
        }
    }
    told
}

fn receipt(receipt: &Receipt) -> Value {
    let mut told = json!({ "id": receipt.call, "toolPath": receipt.tool, "status": word(receipt.status) });
    if !receipt.preview.is_empty() {
        told["preview"] = receipt.preview.as_str().into();
    }
    told
}

/// A call that never had its result counts as failed: its program was stopped.
fn word(status: Option<CallStatus>) -> &'static str {
    match status {
        Some(CallStatus::Succeeded) => "succeeded",
        Some(CallStatus::Denied) => "denied",
        Some(CallStatus::Failed | CallStatus::Interrupted | CallStatus::Aborted) | None => "failed",
    }
}

fn request(story: &Story, asked: &AskedCall, forecast: Option<&Forecast>) -> Value {
    let written = story.call(asked.call).map(|call| call.arguments.as_str()).unwrap_or_default();
    let input: Value = serde_json::from_str(written).unwrap_or_else(|_| Value::from(written));
    let mut told = json!({
        "type": "approval_request",
        "id": asked.call,
        "toolPath": asked.tool,
        "input": input,
        "preview": {
            "title": asked.summary, "details": asked.details, "risk": asked.risk, "reason": asked.reason,
            "flags": asked.flags, "workingDir": asked.cwd, "confinement": asked.confinement,
            "rules": asked.rules,
        },
    });
    if let Some(Forecast { program, calls }) = forecast {
        let calls: Vec<Value> =
            calls.iter().map(|call| json!({ "toolPath": call.tool, "title": call.summary })).collect();
        told["program"] = json!(program);
        told["forecast"] = json!({ "binding": false, "calls": calls });
    }
    told
}
