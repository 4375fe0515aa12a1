//! The owner's word, given for a whole screen or for some of its calls.

use super::Speaker;
use crate::{
    doors::approvals::{screen, settle},
    fault::Fault,
    gateway::Gateway,
};
use protocol::{ApprovalId, AskedCall, CallId, Decision};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) async fn list(gateway: &Gateway) -> Result<Value, Fault> {
    let waiting = gateway.store().view().open_approvals().await?;
    Ok(json!({ "approvals": waiting.iter().map(screen).collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Approve {
    approval_id: String,
    /// Which calls; all of the screen unless named.
    call_ids: Option<Vec<String>>,
    /// A rule to make on the way, one of those shown.
    rule: Option<String>,
    #[serde(default)]
    client: Speaker,
}

pub(super) async fn approve(gateway: &Gateway, asked: Approve) -> Result<Value, Fault> {
    let (approval, open) = find(gateway, &asked.approval_id).await?;
    let chosen = match asked.call_ids {
        None => open.iter().map(|asked| asked.call).collect::<Vec<_>>(),
        Some(ids) => chosen(&ids)?,
    };
    let mut decisions: Vec<Decision> =
        chosen.iter().map(|call| Decision { approved: true, ..no(*call, None) }).collect();
    if let Some(rule) = asked.rule {
        let offers = |call| open.iter().any(|asked| asked.call == call && asked.rules.contains(&rule));
        let offering = decisions.iter_mut().filter(|decision| offers(decision.call));
        let made = offering.map(|decision| decision.rule = Some(rule.clone())).count();
        if made == 0 {
            return Err(Fault::bad_request(
                "`rule` is none of those shown for these calls; take one of `rules`",
            ));
        }
    }
    let rest = open.iter().map(|asked| asked.call).filter(|call| !chosen.contains(call));
    decisions.extend(rest.map(|call| no(call, Some("not chosen by the owner".into()))));
    settle(gateway, approval, decisions, asked.client.name()).await?;
    Ok(json!({ "ok": true }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deny {
    approval_id: String,
    /// Why; the model is told.
    reason: Option<String>,
    #[serde(default)]
    client: Speaker,
}

pub(super) async fn deny(gateway: &Gateway, asked: Deny) -> Result<Value, Fault> {
    let (approval, open) = find(gateway, &asked.approval_id).await?;
    let decisions = open.iter().map(|call| no(call.call, asked.reason.clone())).collect();
    settle(gateway, approval, decisions, asked.client.name()).await?;
    Ok(json!({ "ok": true }))
}

fn no(call: CallId, reason: Option<String>) -> Decision {
    Decision { call, approved: false, reason, rule: None }
}

/// The calls of a screen that are still undecided.
async fn find(gateway: &Gateway, id: &str) -> Result<(ApprovalId, Vec<AskedCall>), Fault> {
    let unknown = || Fault::not_found("there is no approval with this `approvalId`");
    let approval: ApprovalId = id.parse().map_err(|_| unknown())?;
    let view = gateway.store().view();
    let open = view.open_approvals().await?.into_iter().find(|open| open.approval == approval);
    match open {
        Some(open) => Ok((approval, open.calls)),
        None if view.was_asked(approval).await? => {
            let message = "this was decided before, or its turn was stopped; that counts";
            Err(Fault::conflict("already_settled", message))
        }
        None => Err(unknown()),
    }
}

fn chosen(ids: &[String]) -> Result<Vec<CallId>, Fault> {
    if ids.is_empty() {
        return Err(Fault::bad_request("`callIds` is empty: name calls, or use `exec.deny`"));
    }
    let parse =
        |id: &String| id.parse().map_err(|_| Fault::not_found(format!("there is no call `{id:.80}`")));
    let mut calls = ids.iter().map(parse).collect::<Result<Vec<CallId>, Fault>>()?;
    calls.sort();
    calls.dedup();
    Ok(calls)
}
