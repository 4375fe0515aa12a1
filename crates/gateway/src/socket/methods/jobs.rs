//! What comes due: listed, given, changed, removed, run in between.

use crate::{fault::Fault, gateway::Gateway};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use store::JobKind;
use tasks::{FiringView, JobUpdate, JobView, Listing, Missed, NewJob, Schedule, Target, Written};
use uuid::Uuid;

/// How many are given unless the client says.
const GIVEN: usize = 100;

/// How many of the coming times a preview shows.
const PREVIEWED: usize = 3;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Wanted {
    kind: Option<Kind>,
    #[serde(default = "yes")]
    include_disabled: bool,
    /// The `next` of the page before.
    cursor: Option<Uuid>,
    limit: Option<usize>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Reminder,
    Task,
    Heartbeat,
}

fn yes() -> bool {
    true
}

pub(super) async fn list(gateway: &Gateway, wanted: Wanted) -> Result<Value, Fault> {
    let listing = Listing {
        kind: wanted.kind.map(|kind| match kind {
            Kind::Reminder => JobKind::Reminder,
            Kind::Task => JobKind::Task,
            Kind::Heartbeat => JobKind::Heartbeat,
        }),
        include_disabled: wanted.include_disabled,
        after: wanted.cursor,
        limit: Some(wanted.limit.unwrap_or(GIVEN)),
    };
    let page = gateway.orders().list(listing).await?;
    let jobs: Vec<Value> = page.jobs.iter().map(shown).collect();
    Ok(json!({ "jobs": jobs, "next": page.next }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Given {
    name: String,
    schedule: Written,
    message: String,
    /// `own`, `main`, or the key of a conversation.
    session: Option<String>,
    deliver: Option<String>,
    #[serde(default)]
    missed: Missed,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    delete_after_run: bool,
    model: Option<String>,
    /// The client's own name for the order; sent twice, it is one job.
    client_job_id: Option<String>,
}

pub(super) async fn add(gateway: &Gateway, given: Given) -> Result<Value, Fault> {
    check_model(gateway, given.model.as_deref())?;
    let session =
        match given.session.as_deref() {
            None | Some("own") => Target::Own,
            Some("main") => Target::Main,
            Some(key) => Target::Key(key.parse().map_err(|_| {
                Fault::bad_request("`session` is `own`, `main`, or the key of a conversation")
            })?),
        };
    let job = NewJob {
        schedule: gateway.orders().read(&given.schedule)?,
        name: given.name,
        message: given.message,
        session,
        deliver: given.deliver,
        missed: given.missed,
        enabled: given.enabled,
        delete_after_run: given.delete_after_run,
        model: given.model,
        origin: None,
        origin_key: given.client_job_id.map(|id| format!("client:{id}")),
        tainted: false,
    };
    Ok(json!({ "job": shown(&gateway.orders().add(job).await?) }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changed {
    /// Or its name.
    id: String,
    name: Option<String>,
    schedule: Option<Written>,
    message: Option<String>,
    deliver: Option<String>,
    missed: Option<Missed>,
    enabled: Option<bool>,
    delete_after_run: Option<bool>,
    /// Null goes back to the configured one.
    #[serde(default, deserialize_with = "given")]
    model: Option<Option<String>>,
}

/// Tells null from a field that was left out.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

pub(super) async fn update(gateway: &Gateway, changed: Changed) -> Result<Value, Fault> {
    check_model(gateway, changed.model.as_ref().and_then(|model| model.as_deref()))?;
    let schedule = changed.schedule.map(|written| gateway.orders().read(&written)).transpose()?;
    let update = JobUpdate {
        name: changed.name,
        schedule,
        message: changed.message,
        deliver: changed.deliver,
        missed: changed.missed,
        enabled: changed.enabled,
        delete_after_run: changed.delete_after_run,
        model: changed.model,
    };
    Ok(json!({ "job": shown(&gateway.orders().update(&changed.id, update).await?) }))
}

#[derive(Deserialize)]
pub(super) struct One {
    /// Or its name.
    id: String,
}

pub(super) async fn get(gateway: &Gateway, One { id }: One) -> Result<Value, Fault> {
    Ok(json!({ "job": shown(&gateway.orders().job(&id).await?) }))
}

pub(super) async fn remove(gateway: &Gateway, One { id }: One) -> Result<Value, Fault> {
    gateway.orders().remove(&id).await?;
    Ok(json!({}))
}

pub(super) async fn run(gateway: &Gateway, One { id }: One) -> Result<Value, Fault> {
    Ok(json!({ "runId": gateway.orders().run(&id).await? }))
}

#[derive(Deserialize)]
pub(super) struct Past {
    /// Or its name.
    id: String,
    limit: Option<usize>,
}

pub(super) async fn history(gateway: &Gateway, Past { id, limit }: Past) -> Result<Value, Fault> {
    let history = gateway.orders().history(&id, limit.unwrap_or(GIVEN)).await?;
    Ok(json!({ "firings": history.iter().map(firing).collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
pub(super) struct Imagined {
    schedule: Written,
}

/// What a schedule would mean, before anybody relies on it.
pub(super) fn preview(gateway: &Gateway, Imagined { schedule }: Imagined) -> Result<Value, Fault> {
    let orders = gateway.orders();
    let schedule: Schedule = orders.read(&schedule)?;
    let next = orders.next_times(&schedule, PREVIEWED);
    Ok(json!({ "schedule": schedule, "describe": orders.describe(&schedule), "next": next }))
}

pub(super) async fn status(gateway: &Gateway) -> Result<Value, Fault> {
    Ok(json!(gateway.orders().status().await?))
}

fn check_model(gateway: &Gateway, model: Option<&str>) -> Result<(), Fault> {
    model.map_or(Ok(()), |model| gateway.backstage().check_model(model).map_err(Fault::bad_request))
}

fn shown(job: &JobView) -> Value {
    json!({
        "id": job.id, "name": job.name, "kind": job.kind, "schedule": job.schedule, "describe": job.description,
        "message": job.message, "session": job.terms.session_key, "deliver": job.terms.deliver,
        "missed": job.terms.missed, "enabled": job.enabled, "deleteAfterRun": job.terms.delete_after_run,
        "nextRun": job.next_run, "lastRun": job.last_run.as_ref().map(firing), "failures": job.state.failures,
        "running": job.state.running, "model": job.terms.model, "task": job.terms.task_id,
        "createdAt": job.state.created_at,
    })
}

fn firing(firing: &FiringView) -> Value {
    let outcome = Some(firing.outcome.as_str()).filter(|outcome| *outcome != "running");
    let late_ms = firing.fired_at.as_millisecond().saturating_sub(firing.slot.as_millisecond());
    json!({
        "slot": firing.slot, "firedAt": firing.fired_at, "lateMs": late_ms, "outcome": outcome,
        "note": firing.note, "endedAt": firing.ended_at, "runId": firing.run_id,
    })
}
