//! What can be asked: one function for each method, found by name.

mod approvals;
mod audit;
mod chat;
mod house;
mod jobs;
mod memory;
mod notices;
mod page;
mod sessions;
mod settings;
mod tasks;
mod usage;

use super::{frames::Problem, pushes::Listen};
use crate::{fault::Fault, gateway::Gateway, reading::wrong};
use axum::http::StatusCode;
use futures::FutureExt;
use protocol::SessionKey;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::panic::AssertUnwindSafe;

pub(super) use house::health;
pub(super) use notices::shown as shown_notice;

/// Answered to everybody.
pub(super) const HEALTH: &str = "health.check";

type Params = Map<String, Value>;

/// Who speaks, as the log tells it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Speaker {
    /// A page or a program.
    #[default]
    Web,
    /// Somebody at a terminal.
    Terminal,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Speaker::Web => "web",
            Speaker::Terminal => "terminal",
        }
    }
}

/// What came of a request.
pub(super) enum Done {
    /// This is the answer.
    Answer(Value),
    /// A conversation was made, and the client is to be told of it.
    Created(SessionKey),
    /// The client is to be told the log.
    Listen(Listen),
}

/// The conversation a request names, if it names one the client wants to be told of.
pub(super) fn named(method: &str, params: &Params) -> Option<SessionKey> {
    let names = matches!(method, "sessions.get" | "chat.send" | "chat.history");
    params.get("sessionKey").filter(|_| names)?.as_str()?.parse().ok()
}

/// Does what is asked. A method that panics costs one answer.
pub(super) async fn call(gateway: Gateway, method: String, params: Params) -> Result<Done, Problem> {
    AssertUnwindSafe(find(&gateway, &method, params)).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(method, "a method panicked");
        Err(Problem::new(Problem::INTERNAL, "something went wrong here; the log has details"))
    })
}

async fn find(gateway: &Gateway, method: &str, params: Params) -> Result<Done, Problem> {
    let answer = match method {
        HEALTH => health(gateway),
        "agents.list" => house::agents(gateway),
        "sessions.create" => return Ok(Done::Created(sessions::create(gateway, read(params)?).await?)),
        "sessions.list" => sessions::list(gateway, read(params)?).await?,
        "sessions.get" => sessions::get(gateway, read(params)?).await?,
        "sessions.turns" => sessions::turns(gateway, read(params)?).await?,
        "sessions.rename" => sessions::rename(gateway, read(params)?).await?,
        "sessions.archive" => sessions::archive(gateway, read(params)?).await?,
        "chat.send" => chat::send(gateway, read(params)?).await?,
        "chat.history" => chat::history(gateway, read(params)?).await?,
        "chat.abort" => chat::abort(gateway, read(params)?).await?,
        "exec.approve" => approvals::approve(gateway, read(params)?).await?,
        "exec.deny" => approvals::deny(gateway, read(params)?).await?,
        "approvals.list" => approvals::list(gateway).await?,
        "events.subscribe" => return Ok(Done::Listen(house::listen(gateway, read(params)?).await?)),
        "rules.list" => house::rules(gateway).await?,
        "rules.remove" => house::remove_rule(gateway, read(params)?).await?,
        "transcripts.rebuild" => house::rebuild_transcripts(gateway).await?,
        "tools.list" => house::tools(gateway).await?,
        "memory.search" => memory::search(gateway, read(params)?).await?,
        "memory.list" => memory::list(gateway).await?,
        "memory.read" => memory::read(gateway, read(params)?).await?,
        "memory.save" => memory::save(gateway, read(params)?).await?,
        "jobs.list" => jobs::list(gateway, read(params)?).await?,
        "jobs.get" => jobs::get(gateway, read(params)?).await?,
        "jobs.add" => jobs::add(gateway, read(params)?).await?,
        "jobs.update" => jobs::update(gateway, read(params)?).await?,
        "jobs.remove" => jobs::remove(gateway, read(params)?).await?,
        "jobs.run" => jobs::run(gateway, read(params)?).await?,
        "jobs.history" => jobs::history(gateway, read(params)?).await?,
        "jobs.preview" => jobs::preview(gateway, read(params)?)?,
        "jobs.status" => jobs::status(gateway).await?,
        "tasks.list" => tasks::list(gateway, read(params)?).await?,
        "tasks.get" => tasks::get(gateway, read(params)?).await?,
        "tasks.create" => tasks::create(gateway, read(params)?).await?,
        "tasks.cancel" => tasks::cancel(gateway, read(params)?).await?,
        "tasks.history" => tasks::history(gateway, read(params)?).await?,
        "notices.list" => notices::list(gateway, read(params)?).await?,
        "memory.write" => memory::write(gateway, read(params)?).await?,
        "memory.status" => memory::status(gateway).await?,
        "memory.reindex" => memory::reindex(gateway),
        "audit.list" => audit::list(gateway, read(params)?).await?,
        "audit.verify" => audit::verify(gateway).await?,
        "usage.summary" => usage::summary(gateway, read(params)?).await?,
        "settings.get" => json!(gateway.backstage().settings()),
        "settings.setModel" => settings::set_model(gateway, read(params)?).await?,
        "setup.detect" => json!(gateway.backstage().detect().await),
        "setup.testKey" => settings::try_key(gateway, read(params)?, false).await?,
        "setup.saveKey" => settings::try_key(gateway, read(params)?, true).await?,
        _ => {
            let message = format!("there is no method `{method:.80}`; docs/protocol.md lists them");
            return Err(Problem::new(Problem::UNKNOWN_METHOD, message));
        }
    };
    Ok(Done::Answer(answer))
}

/// Params as a method wants them; the error names the field.
fn read<T: DeserializeOwned>(params: Params) -> Result<T, Fault> {
    serde_path_to_error::deserialize(Value::Object(params)).map_err(|error| wrong("params are", error))
}

/// What could not be done, for reasons of the house's own.
fn failed(why: String) -> Fault {
    tracing::error!(why, "a method failed");
    Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", why)
}
