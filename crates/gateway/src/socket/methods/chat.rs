//! What is said in a conversation: now, before, and no more.

use super::Speaker;
use crate::{fault::Fault, gateway::Gateway};
use protocol::{Block, Event, Fact, Outcome, SessionKey, Trigger, TriggerKind};
use serde::Deserialize;
use serde_json::{Value, json};
use store::AbortAnswer;
use uuid::Uuid;

/// How many messages of the past are given unless the client says, and at most.
const GIVEN: usize = 100;
const MAX_GIVEN: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message {
    session_key: SessionKey,
    message: String,
    /// The client's own name for it; sent twice, it is one message.
    client_message_id: Option<String>,
    /// The model to use, `provider/model`.
    model: Option<String>,
    /// Whether to join the turn under way instead of waiting for its end.
    #[serde(default)]
    steer: bool,
    #[serde(default)]
    client: Speaker,
}

pub(super) async fn send(gateway: &Gateway, message: Message) -> Result<Value, Fault> {
    if message.message.trim().is_empty() {
        return Err(Fault::bad_request("`message` is empty: say something"));
    }
    if let Some(model) = &message.model {
        gateway.backstage().check_model(model).map_err(Fault::bad_request)?;
    }
    let external_id = match &message.client_message_id {
        Some(id) => format!("{}/{id}", message.session_key),
        None => Uuid::now_v7().to_string(),
    };
    let trigger = Trigger {
        source: message.client.name().into(),
        external_id,
        session: message.session_key,
        kind: TriggerKind::Message,
        content: vec![Block::text(message.message)],
        history: Vec::new(),
        model: message.model,
        steer: message.steer,
    };
    let accepted = gateway.accept(trigger).await?;
    let mut answer = json!({ "runId": accepted.joined.unwrap_or(accepted.turn) });
    for (word, holds) in [("joined", accepted.joined.is_some()), ("repeated", accepted.repeated)] {
        if holds {
            answer[word] = true.into();
        }
    }
    Ok(answer)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct History {
    session_key: SessionKey,
    limit: Option<usize>,
}

pub(super) async fn history(gateway: &Gateway, asked: History) -> Result<Value, Fault> {
    Ok(json!({ "messages": messages(gateway, &asked.session_key, asked.limit).await? }))
}

/// The latest messages, the oldest first.
pub(super) async fn messages(
    gateway: &Gateway,
    session: &SessionKey,
    limit: Option<usize>,
) -> Result<Vec<Value>, Fault> {
    let limit = limit.unwrap_or(GIVEN).min(MAX_GIVEN);
    // Each turn has at least the message that began it.
    let turns = gateway.store().view().recent_turns(session, limit).await?;
    let mut messages: Vec<Value> = turns.iter().flatten().filter_map(shown).collect();
    Ok(messages.split_off(messages.len().saturating_sub(limit)))
}

/// The message in an event, if it has one.
fn shown(event: &Event) -> Option<Value> {
    let message = |role: &str, content: String| json!({ "role": role, "content": content, "runId": event.turn, "at": event.at });
    let said = |blocks: &[Block]| {
        let text = Block::text_of(blocks);
        (!text.is_empty()).then(|| message("assistant", text))
    };
    let with = |mut message: Value, word: &str, value: Value| {
        message[word] = value;
        message
    };
    match &event.fact {
        Fact::TurnStarted { trigger, .. } | Fact::TurnSteered { trigger, .. } => {
            Some(message("user", Block::text_of(&trigger.content)))
        }
        Fact::ModelDone { blocks, model, .. } => {
            said(blocks).map(|message| with(message, "model", model.as_str().into()))
        }
        Fact::ModelFailed { partial, .. } | Fact::TurnAborted { partial } => {
            said(partial).map(|message| with(message, "partial", true.into()))
        }
        Fact::TurnFinished { outcome: Outcome::Failed { error } } => {
            Some(with(message("assistant", String::new()), "error", error.message.as_str().into()))
        }
        Fact::TurnFinished { outcome: Outcome::LimitReached { reason } } => {
            Some(with(message("assistant", String::new()), "error", reason.as_str().into()))
        }
        _ => None,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    run_id: String,
}

pub(super) async fn abort(gateway: &Gateway, Run { run_id }: Run) -> Result<Value, Fault> {
    let unknown = || Fault::not_found("there is no run with this `runId`");
    let turn = run_id.parse().map_err(|_| unknown())?;
    match gateway.store().abort(turn).await? {
        AbortAnswer::Stopping => Ok(json!({ "ok": true })),
        AbortAnswer::AlreadyOver => Ok(json!({ "ok": false })),
        AbortAnswer::Unknown => Err(unknown()),
    }
}
