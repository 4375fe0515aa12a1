//! Everything that happened, the newest first, and whether it is still as it was written.

use super::page::Page;
use crate::{fault::Fault, gateway::Gateway};
use protocol::SessionKey;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{ChainState, EventFilter};

/// How many events are given unless the client says, and at most.
const GIVEN: usize = 100;
const MAX_GIVEN: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Wanted {
    /// Only events before this one.
    before: Option<u64>,
    limit: Option<usize>,
    kind: Option<String>,
    session_key: Option<SessionKey>,
}

pub(super) async fn list(gateway: &Gateway, wanted: Wanted) -> Result<Value, Fault> {
    let mut page = Page::of(wanted.limit.unwrap_or(GIVEN).min(MAX_GIVEN));
    let filter = EventFilter { before: wanted.before, kind: wanted.kind, session: wanted.session_key };
    for event in gateway.store().view().latest_events(filter, page.limit() + 1).await? {
        page.add(json!(event));
    }
    let (events, more) = page.end();
    Ok(json!({ "events": events, "more": more }))
}

pub(super) async fn verify(gateway: &Gateway) -> Result<Value, Fault> {
    Ok(match gateway.store().view().verify_chain().await? {
        ChainState::Whole { events, head } => json!({ "whole": true, "events": events, "head": head }),
        ChainState::Broken { seq, reason } => json!({ "whole": false, "seq": seq, "reason": reason }),
    })
}
