//! Conversations: made, listed, looked at.

use super::chat;
use crate::{fault::Fault, gateway::Gateway};
use protocol::SessionKey;
use serde::Deserialize;
use serde_json::{Value, json};
use store::SessionRow;
use uuid::Uuid;

/// How many conversations are listed unless the client says, and at most.
const LISTED: usize = 100;
const MAX_LISTED: usize = 1000;

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
}

pub(super) async fn list(gateway: &Gateway, Listing { limit }: Listing) -> Result<Value, Fault> {
    let rows = gateway.store().view().sessions(limit.unwrap_or(LISTED).min(MAX_LISTED)).await?;
    Ok(json!({ "sessions": rows.iter().map(shown).collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct One {
    session_key: SessionKey,
}

pub(super) async fn get(gateway: &Gateway, One { session_key }: One) -> Result<Value, Fault> {
    let row = gateway.store().view().session(&session_key).await?;
    let row = row.ok_or_else(|| Fault::not_found("there is no conversation with this `sessionKey`"))?;
    let messages = chat::messages(gateway, &session_key, None).await?;
    Ok(json!({ "session": shown(&row), "messages": messages }))
}

fn shown(row: &SessionRow) -> Value {
    json!({
        "sessionKey": row.key, "title": row.title, "turns": row.turns,
        "createdAt": row.created_at, "updatedAt": row.updated_at,
    })
}
