//! The doors, one file or folder for each, and what needs no door of its own: health and the document.

pub(crate) mod approvals;
pub(crate) mod completions;
pub(crate) mod desk;
pub(crate) mod hooks;
pub(crate) mod login;
pub(crate) mod page;
pub(crate) mod parts;
pub(crate) mod tasks;

use crate::{
    gateway::Gateway,
    routes::{self, Route},
    socket,
};
use axum::{Json, extract::State};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Everything that can be asked over HTTP.
pub(crate) fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::get("/health", health).open().does("Whether Steward is ready").gives::<Health>(),
        Route::get("/openapi.json", openapi).does("This document").gives::<Value>(),
    ];
    routes.extend(page::routes());
    routes.extend(login::routes());
    routes.extend(tasks::routes());
    routes.extend(hooks::routes());
    routes.extend(approvals::routes());
    routes.extend(desk::routes());
    routes.extend(completions::routes());
    routes.extend(socket::door::routes());
    routes
}

/// How Steward is.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    healthy: bool,
    version: &'static str,
    uptime_ms: u64,
}

async fn health(State(gateway): State<Gateway>) -> Json<Health> {
    // That anybody listens means that the store is open and what was left undone is queued.
    let version = env!("CARGO_PKG_VERSION");
    Json(Health { healthy: true, version, uptime_ms: gateway.uptime_ms() })
}

async fn openapi() -> Json<Value> {
    Json(routes::document(&routes()))
}
