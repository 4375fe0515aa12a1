//! What concerns the house as a whole: health, agents, the log, tools, rules, transcripts.

use super::failed;
use crate::{fault::Fault, gateway::Gateway, socket::pushes::Listen};
use serde::Deserialize;
use serde_json::{Value, json};

pub(in crate::socket) fn health(gateway: &Gateway) -> Value {
    json!({ "status": "ok", "uptime": gateway.uptime_ms() / 1000 })
}

pub(super) fn agents(gateway: &Gateway) -> Value {
    json!({ "agents": gateway.backstage().agents() })
}

/// Only what was can be listened to from.
pub(super) async fn listen(gateway: &Gateway, listen: Listen) -> Result<Listen, Fault> {
    let newest = gateway.store().view().newest().await?;
    if listen.since.is_some_and(|since| since > newest) {
        let message = format!("`since` is beyond the end of the log ({newest}); leave it out to begin now");
        return Err(Fault::bad_request(message));
    }
    Ok(listen)
}

/// The tools, with the rules the owner wrote and those made while deciding.
pub(super) async fn tools(gateway: &Gateway) -> Result<Value, Fault> {
    let mut answer = json!(gateway.backstage().toolbox().await.map_err(failed)?);
    answer["made"] = json!(gateway.store().view().rules().await?);
    Ok(answer)
}

pub(super) async fn rules(gateway: &Gateway) -> Result<Value, Fault> {
    Ok(json!({ "rules": gateway.store().view().rules().await? }))
}

#[derive(Deserialize)]
pub(super) struct Rule {
    rule: String,
}

pub(super) async fn remove_rule(gateway: &Gateway, Rule { rule }: Rule) -> Result<Value, Fault> {
    let removed = gateway.store().remove_rule(&rule).await?;
    gateway.backstage().forget_rule(&rule);
    Ok(json!({ "ok": removed }))
}

pub(super) async fn rebuild_transcripts(gateway: &Gateway) -> Result<Value, Fault> {
    let files = gateway.backstage().rebuild_transcripts().await.map_err(failed)?;
    Ok(json!({ "files": files }))
}
