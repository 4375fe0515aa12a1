//! Tasks: orders with a conversation and an event stream of their own.

use crate::{
    fault::Fault,
    gateway::Gateway,
    reading::{Asked, Input},
    routes::Route,
    sse::{self, Dialect, Frame, Place},
    story::{Story, Told},
};
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use protocol::{AskedCall, Block, CallStatus, Outcome, SessionKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{FeedItem, NewTask, TaskFilter, TaskKind, TaskRow, TaskStatus};

/// How many tasks a listing gives at most.
const MAX_LISTED: usize = 500;

/// How much of a result an event shows, in characters.
const MAX_PREVIEW_CHARS: usize = 500;

/// The longest prompt, in bytes.
const MAX_PROMPT_BYTES: usize = 256 << 10;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/tasks", create).does("Gives an order").takes::<Order>().gives::<Task>(),
        Route::get("/api/tasks", list)
            .does("Lists tasks, the latest first")
            .asks::<Listing>()
            .gives::<Tasks>(),
        Route::get("/api/tasks/{id}", get).does("One task").gives::<Task>(),
        Route::get("/api/tasks/{id}/events", events)
            .does("A task's events, from the first or from Last-Event-ID on")
            .asks::<From>()
            .streams(),
        Route::post("/api/tasks/{id}/cancel", cancel).does("Stops a task").gives::<Task>(),
    ]
}

/// An order.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Order {
    /// What to do.
    prompt: String,
    /// When: `one_shot`, at once.
    kind: Option<String>,
    /// For kinds that come again.
    schedule: Option<Value>,
    /// Who orders.
    requester_id: Option<String>,
    /// Where it was ordered.
    channel_id: Option<String>,
    /// The model to use, `provider/model`.
    model: Option<String>,
    /// The client's own name for the order; sent twice, it is one task.
    client_task_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Listing {
    /// At most so many.
    limit: Option<usize>,
    /// Only those of this requester.
    requester_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct From {
    /// As the header of that name.
    #[serde(rename = "lastEventId")]
    last_event_id: Option<String>,
}

/// One task.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Task {
    id: String,
    /// `active`, `queued`, `running`, `waiting`, `completed`, `failed` or `cancelled`.
    status: &'static str,
    kind: &'static str,
    prompt: String,
    session_key: String,
    /// Its latest run.
    run_id: Option<String>,
    requester_id: Option<String>,
    channel_id: Option<String>,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "Option<String>")]
    ended_at: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
struct Tasks {
    tasks: Vec<Task>,
}

impl std::convert::From<TaskRow> for Task {
    fn from(row: TaskRow) -> Self {
        let status = match row.status {
            TaskStatus::Active => "active",
            TaskStatus::Queued => "queued",
            TaskStatus::Running => "running",
            TaskStatus::Waiting => "waiting",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Cancelled => "cancelled",
        };
        Self {
            id: row.id.to_string(),
            status,
            kind: match row.kind {
                TaskKind::OneShot => "one_shot",
                TaskKind::Recurring => "recurring",
                TaskKind::Event => "event",
            },
            prompt: row.prompt,
            session_key: row.session.into(),
            run_id: row.turn.map(|turn| turn.to_string()),
            requester_id: row.requester_id,
            channel_id: row.channel_id,
            created_at: row.created_at,
            ended_at: row.ended_at,
        }
    }
}

async fn create(State(gateway): State<Gateway>, Input(order): Input<Order>) -> Result<Response, Fault> {
    if order.prompt.trim().is_empty() {
        return Err(Fault::bad_request("`prompt` is empty: say what to do"));
    }
    if order.prompt.len() > MAX_PROMPT_BYTES {
        let message = format!("`prompt` is longer than {} kB", MAX_PROMPT_BYTES >> 10);
        return Err(Fault::bad_request(message));
    }
    if order.kind.as_deref().is_some_and(|kind| kind != "one_shot") || order.schedule.is_some() {
        let message = "only orders for now (`kind`: `one_shot`, no `schedule`) are taken";
        return Err(Fault::new(StatusCode::NOT_IMPLEMENTED, "not_supported", message));
    }
    if let Some(model) = &order.model {
        gateway.backstage().check_model(model).map_err(Fault::bad_request)?;
    }
    let task = NewTask {
        prompt: order.prompt,
        client_id: order.client_task_id,
        requester_id: order.requester_id,
        channel_id: order.channel_id,
        model: order.model,
        ..NewTask::default()
    };
    let row = gateway.store().create_task(task).await?;
    Ok((StatusCode::CREATED, Json(Task::from(row))).into_response())
}

async fn list(State(gateway): State<Gateway>, Asked(listing): Asked<Listing>) -> Result<Json<Tasks>, Fault> {
    let limit = listing.limit.unwrap_or(MAX_LISTED).min(MAX_LISTED);
    let filter = TaskFilter { requester_id: listing.requester_id, ..TaskFilter::default() };
    let rows = gateway.store().view().tasks(filter, None, limit).await?;
    Ok(Json(Tasks { tasks: rows.into_iter().map(Task::from).collect() }))
}

async fn get(State(gateway): State<Gateway>, Path(id): Path<String>) -> Result<Json<Task>, Fault> {
    Ok(Json(find(&gateway, &id).await?.into()))
}

async fn cancel(State(gateway): State<Gateway>, Path(id): Path<String>) -> Result<Json<Task>, Fault> {
    let row = find(&gateway, &id).await?;
    gateway.store().cancel_task(row.id, None).await?;
    Ok(Json(find(&gateway, &id).await?.into()))
}

async fn find(gateway: &Gateway, id: &str) -> Result<TaskRow, Fault> {
    let unknown = || Fault::not_found("there is no task with this id");
    let id = id.parse().map_err(|_| unknown())?;
    gateway.store().view().task(id).await?.ok_or_else(unknown)
}

async fn events(
    State(gateway): State<Gateway>,
    Path(id): Path<String>,
    Asked(from): Asked<From>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let row = find(&gateway, &id).await?;
    let place = Place::of(&headers, from.last_event_id.as_deref())?.unwrap_or_default();
    if row.ended_at.is_some() && nothing_after(&gateway, &row.session, place).await? {
        // A browser stops asking when it is told that nothing more will come.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    sse::follow(&gateway, &row.session, Some(place), TaskEvents::default()).await
}

async fn nothing_after(gateway: &Gateway, session: &SessionKey, place: Place) -> Result<bool, Fault> {
    let left = gateway.store().view().session_events_after(session, place.since(), 1).await?;
    Ok(left.is_empty())
}

/// Tells a task's events in its dialect.
#[derive(Default)]
struct TaskEvents {
    story: Story,
    over: bool,
}

impl Dialect for TaskEvents {
    fn tell(&mut self, item: &FeedItem) -> Vec<Frame> {
        let FeedItem::Event(_) = item else { return Vec::new() };
        let told = self.story.take(item);
        self.over |= told.iter().any(|told| matches!(told, Told::Over { .. }));
        let events = told.into_iter().flat_map(|told| task_events(&self.story, told));
        events.map(|data| Frame::lasting(None, data)).collect()
    }

    fn story(&mut self) -> &mut Story {
        &mut self.story
    }

    fn over(&self) -> bool {
        self.over
    }
}

fn task_events(story: &Story, told: Told<'_>) -> Vec<Value> {
    match told {
        Told::Started(_) => vec![status("started")],
        Told::Asking => vec![status("thinking")],
        Told::Said(blocks) => {
            let text = Block::text_of(blocks);
            if text.is_empty() { Vec::new() } else { vec![json!({ "type": "agent_message", "text": text })] }
        }
        Told::Asked { calls, .. } => calls.iter().map(|asked| request(story, asked)).collect(),
        Told::Decided { decisions, .. } => decisions
            .iter()
            .map(|decision| {
                let word = if decision.approved { "approved" } else { "denied" };
                json!({ "type": "approval_resolved", "id": decision.call, "decision": word })
            })
            .collect(),
        Told::Done { result, call, .. } => {
            let status = match result.status {
                CallStatus::Succeeded => "succeeded",
                CallStatus::Denied => "denied",
                CallStatus::Failed | CallStatus::Interrupted | CallStatus::Aborted => "failed",
            };
            let path = call.map(|call| call.tool).unwrap_or_default();
            let preview: String = result.output.chars().take(MAX_PREVIEW_CHARS).collect();
            vec![json!({
                "type": "tool_result", "id": result.call, "toolPath": path, "status": status, "preview": preview,
            })]
        }
        Told::Over { outcome, .. } => vec![match outcome {
            Outcome::Completed => json!({ "type": "completed" }),
            Outcome::Aborted => json!({ "type": "error", "error": "cancelled" }),
            Outcome::LimitReached { reason } => json!({ "type": "error", "error": reason }),
            Outcome::Failed { error } => json!({ "type": "error", "error": error.message }),
        }],
        Told::Text { .. } | Told::Progress { .. } | Told::HandedOver(_) => Vec::new(),
    }
}

fn status(message: &str) -> Value {
    json!({ "type": "status", "message": message })
}

fn request(story: &Story, asked: &AskedCall) -> Value {
    let written = story.call(asked.call).map(|call| call.arguments.as_str()).unwrap_or_default();
    let input: Value = serde_json::from_str(written).unwrap_or_else(|_| Value::from(written));
    json!({
        "type": "approval_request",
        "id": asked.call,
        "toolPath": asked.tool,
        "input": input,
        "preview": {
            "title": asked.summary, "details": asked.details, "risk": asked.risk, "reason": asked.reason,
            "flags": asked.flags, "workingDir": asked.cwd, "confinement": asked.confinement,
            "rules": asked.rules,
        },
    })
}
