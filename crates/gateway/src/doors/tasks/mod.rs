//! Tasks: orders with a conversation and an event stream of their own, for now, to come again, or whenever something
//! outside happens. What is handed in comes by `hooks`.

mod events;
mod listing;
mod order;
mod shown;

pub(crate) use listing::{Listing, Tasks, page};
pub(crate) use order::{Given, Order, give};
pub(crate) use shown::Task;

use crate::{
    fault::Fault,
    gateway::Gateway,
    reading::{Asked, Input},
    routes::Route,
};
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use tasks::TaskRunView;
use uuid::Uuid;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/tasks", create).does("Gives an order").takes::<Order>().gives::<Given>(),
        Route::get("/api/tasks", list)
            .does("Lists tasks, the latest first")
            .asks::<Listing>()
            .gives::<Tasks>(),
        Route::get("/api/tasks/{id}", get).does("One task").gives::<Task>(),
        Route::get("/api/tasks/{id}/events", events::stream)
            .does("A task's events, from the first or from Last-Event-ID on, over all its runs")
            .asks::<events::From>()
            .streams(),
        Route::post("/api/tasks/{id}/cancel", cancel).does("Stops a task for good").gives::<Task>(),
    ]
}

async fn create(State(gateway): State<Gateway>, Input(order): Input<Order>) -> Result<Response, Fault> {
    Ok((StatusCode::CREATED, Json(give(&gateway, order).await?)).into_response())
}

async fn list(State(gateway): State<Gateway>, Asked(listing): Asked<Listing>) -> Result<Json<Tasks>, Fault> {
    Ok(Json(page(&gateway, listing).await?))
}

async fn get(State(gateway): State<Gateway>, Path(id): Path<String>) -> Result<Json<Task>, Fault> {
    Ok(Json(find(&gateway, &id).await?))
}

async fn cancel(State(gateway): State<Gateway>, Path(id): Path<String>) -> Result<Json<Task>, Fault> {
    Ok(Json(stop(&gateway, &id, None).await?))
}

/// One task.
pub(crate) async fn find(gateway: &Gateway, id: &str) -> Result<Task, Fault> {
    Ok(gateway.orders().task(parse(id)?).await?.into())
}

/// Stops a task for good; one that is over stays as it is.
pub(crate) async fn stop(gateway: &Gateway, id: &str, reason: Option<String>) -> Result<Task, Fault> {
    Ok(gateway.orders().cancel(parse(id)?, reason).await?.into())
}

/// The latest runs of a task, the newest first.
pub(crate) async fn runs(gateway: &Gateway, id: &str, limit: usize) -> Result<Vec<TaskRunView>, Fault> {
    Ok(gateway.orders().task_history(parse(id)?, limit).await?)
}

fn parse(id: &str) -> Result<Uuid, Fault> {
    id.parse().map_err(|_| Fault::not_found("there is no task with this id"))
}
