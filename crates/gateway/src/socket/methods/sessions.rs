//! Conversations: made, listed, looked at, named, put away.

use super::{chat, page::Page};
use crate::{fault::Fault, gateway::Gateway};
use protocol::{Block, SessionKey, TurnId};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{SessionFilter, SessionRow};
use uuid::Uuid;

/// How many conversations are listed unless the client says, and at most.
const LISTED: usize = 100;
const MAX_LISTED: usize = 1000;

/// How many turns are given unless the client says, and at most.
const TURNS: usize = 20;
const MAX_TURNS: usize = 200;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct New {
    agent_id: Option<String>,
}

pub(super) async fn create(gateway: &Gateway, New { agent_id }: New) -> Result<SessionKey, Fault> {
    let agents = gateway.backstage().agents();
    if let Some(wanted) = agent_id
        && !agents.iter().any(|agent| agent.id == wanted)
    {
        return Err(Fault::not_found(
            "there is no agent with this `agentId`; `agents.list` shows those there are",
        ));
    }
    let session = SessionKey::new(format!("web--{}", Uuid::now_v7()));
    let session = session.map_err(|error| super::failed(error.to_string()))?;
    gateway.store().create_session(&session, "").await?;
    Ok(session)
}

#[derive(Deserialize)]
pub(super) struct Listing {
    limit: Option<usize>,
    /// A part of the title.
    search: Option<String>,
    /// Those put away instead of the others.
    archived: Option<bool>,
}

pub(super) async fn list(gateway: &Gateway, asked: Listing) -> Result<Value, Fault> {
    let limit = asked.limit.unwrap_or(LISTED).min(MAX_LISTED);
    let filter = SessionFilter { search: asked.search, archived: Some(asked.archived.unwrap_or_default()) };
    let rows = gateway.store().view().find_sessions(filter, limit).await?;
    Ok(json!({ "sessions": rows.iter().map(shown).collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct One {
    session_key: SessionKey,
}

pub(super) async fn get(gateway: &Gateway, One { session_key }: One) -> Result<Value, Fault> {
    let session = find(gateway, &session_key).await?;
    let messages = chat::messages(gateway, &session_key, None).await?;
    Ok(json!({ "session": session, "messages": messages }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Turns {
    session_key: SessionKey,
    /// Only turns before this one.
    before: Option<TurnId>,
    limit: Option<usize>,
}

/// The latest turns with all their events, the oldest of them first.
pub(super) async fn turns(gateway: &Gateway, asked: Turns) -> Result<Value, Fault> {
    let view = gateway.store().view();
    let mut page = Page::of(asked.limit.unwrap_or(TURNS).min(MAX_TURNS));
    for row in view.turns(&asked.session_key, asked.before, page.limit() + 1).await? {
        if page.is_full() {
            break;
        }
        let events = view.turn_events(row.turn, 0).await?;
        let mut turn = json!({ "runId": row.turn, "over": row.over, "events": events });
        // One that was begun before Steward was started again is queued too, but has its events.
        if let Some(trigger) = row.queued.filter(|_| events.is_empty()) {
            turn["queued"] = true.into();
            turn["message"] = Block::text_of(&trigger.content).into();
        }
        page.add(turn);
    }
    let (mut turns, more) = page.end();
    turns.reverse();
    Ok(json!({ "turns": turns, "more": more }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rename {
    session_key: SessionKey,
    title: String,
}

pub(super) async fn rename(gateway: &Gateway, Rename { session_key, title }: Rename) -> Result<Value, Fault> {
    if title.trim().is_empty() {
        return Err(Fault::bad_request("`title` is empty: give it at least one word"));
    }
    gateway.store().rename_session(&session_key, &title).await?;
    Ok(json!({ "session": find(gateway, &session_key).await? }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Archive {
    session_key: SessionKey,
    archived: bool,
}

pub(super) async fn archive(gateway: &Gateway, asked: Archive) -> Result<Value, Fault> {
    gateway.store().archive_session(&asked.session_key, asked.archived).await?;
    Ok(json!({ "session": find(gateway, &asked.session_key).await? }))
}

async fn find(gateway: &Gateway, session: &SessionKey) -> Result<Value, Fault> {
    let row = gateway.store().view().session(session).await?;
    let row = row.ok_or_else(|| Fault::not_found("there is no conversation with this `sessionKey`"))?;
    Ok(shown(&row))
}

fn shown(row: &SessionRow) -> Value {
    json!({
        "sessionKey": row.key, "title": row.title, "turns": row.turns,
        "createdAt": row.created_at, "updatedAt": row.updated_at, "archived": row.archived,
    })
}
