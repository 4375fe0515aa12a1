//! Tasks over the socket; the same as over HTTP.

use crate::{
    doors::tasks::{self, Listing, Order},
    fault::Fault,
    gateway::Gateway,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// How many runs are given unless the client says.
const RUNS_GIVEN: usize = 50;

pub(super) async fn list(gateway: &Gateway, listing: Listing) -> Result<Value, Fault> {
    Ok(json!(tasks::page(gateway, listing).await?))
}

#[derive(Deserialize)]
pub(super) struct One {
    id: String,
    /// Why, where something is ended.
    reason: Option<String>,
    /// How many, where something is listed.
    limit: Option<usize>,
}

pub(super) async fn get(gateway: &Gateway, One { id, .. }: One) -> Result<Value, Fault> {
    Ok(json!({ "task": tasks::find(gateway, &id).await? }))
}

pub(super) async fn create(gateway: &Gateway, order: Order) -> Result<Value, Fault> {
    let given = tasks::give(gateway, order).await?;
    let mut answer = json!({ "task": given.task });
    if let Some(hook) = given.hook {
        answer["hook"] = json!(hook);
    }
    Ok(answer)
}

pub(super) async fn cancel(gateway: &Gateway, One { id, reason, .. }: One) -> Result<Value, Fault> {
    Ok(json!({ "task": tasks::stop(gateway, &id, reason).await? }))
}

pub(super) async fn history(gateway: &Gateway, One { id, limit, .. }: One) -> Result<Value, Fault> {
    Ok(json!({ "runs": tasks::runs(gateway, &id, limit.unwrap_or(RUNS_GIVEN)).await? }))
}
