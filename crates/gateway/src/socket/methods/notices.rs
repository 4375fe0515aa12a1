//! What the owner was told outside of any turn, the newest first.

use super::page::Page;
use crate::{fault::Fault, gateway::Gateway};
use protocol::{Event, Fact, Notice};
use serde::Deserialize;
use serde_json::{Value, json};
use store::EventFilter;

/// How many are given unless the client says, and at most.
const GIVEN: usize = 50;
const MAX_GIVEN: usize = 500;

#[derive(Deserialize)]
pub(super) struct Wanted {
    /// Only those before this event.
    before: Option<u64>,
    limit: Option<usize>,
}

pub(super) async fn list(gateway: &Gateway, wanted: Wanted) -> Result<Value, Fault> {
    let mut page = Page::of(wanted.limit.unwrap_or(GIVEN).min(MAX_GIVEN));
    let filter = EventFilter { before: wanted.before, kind: Some("notice".into()), session: None };
    for event in gateway.store().view().latest_events(filter, page.limit() + 1).await? {
        if let Fact::Noticed { notice } = &event.fact {
            page.add(shown(&event, notice));
        }
    }
    let (notices, more) = page.end();
    Ok(json!({ "notices": notices, "more": more }))
}

/// A notice as it is listed and pushed.
pub(in crate::socket) fn shown(event: &Event, notice: &Notice) -> Value {
    json!({ "seq": event.seq, "at": event.at, "sessionKey": event.session, "notice": notice })
}
