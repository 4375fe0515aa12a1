//! What happens in a conversation, in the words of the desk.

use crate::{
    asking::{fault_of, turn_of},
    doors::approvals::forecast_shown,
    sse::{Dialect, Frame},
    story::{Story, Told, Whose},
};
use protocol::{ApprovalId, AskedCall, Call, CallId, CallResult, CallStatus, ClientCall, Forecast, TurnId};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use store::FeedItem;

/// Tells one turn, or a whole conversation.
pub(super) struct DeskEvents {
    story: Story,
    /// The only turn told.
    only: Option<TurnId>,
    /// Calls that had their result before this client came. It is not asked for them again: it may have run them.
    settled: HashSet<CallId>,
    over: bool,
}

impl DeskEvents {
    pub fn new(only: Option<TurnId>, settled: HashSet<CallId>) -> Self {
        Self { story: Story::default(), only, settled, over: false }
    }

    fn frames(&self, turn: TurnId, told: Told<'_>) -> Vec<Frame> {
        match told {
            Told::Text { attempt, offset, text } => {
                let until = offset + text.len();
                let data = json!({ "text": text, "attempt": attempt, "offset": offset });
                vec![Frame::passing("assistant.delta", data, attempt, until)]
            }
            Told::HandedOver(calls) => calls.iter().map(|handed| self.request(handed)).collect(),
            Told::Asked { approval, calls, forecast } => {
                calls.iter().map(|asked| self.approval(approval, asked, forecast)).collect()
            }
            Told::Decided { decisions, .. } => decisions
                .iter()
                .map(|decision| {
                    let data = json!({ "id": decision.call, "approved": decision.approved });
                    Frame::lasting(Some("approval.resolved"), data)
                })
                .collect(),
            Told::Done { result, call, whose } => vec![done(result, call, &whose)],
            Told::Over { outcome, text, usage } => vec![match fault_of(outcome) {
                None => {
                    let data = json!({ "text": text, "usage": usage, "run_id": turn });
                    Frame::lasting(Some("assistant.final"), data)
                }
                Some(fault) => {
                    let data = json!({ "code": fault.code, "message": fault.message, "run_id": turn });
                    Frame::lasting(Some("error"), data)
                }
            }],
            Told::Started(_) | Told::Asking | Told::Said(_) => Vec::new(),
            Told::Program { .. } | Told::Progress { .. } => Vec::new(),
        }
    }

    fn request(&self, handed: &ClientCall) -> Frame {
        let ClientCall { call, risk, reason } = handed;
        if self.settled.contains(&call.id) {
            return Frame::untold();
        }
        let data = json!({
            "id": call.id, "name": call.tool, "arguments": arguments(Some(call)), "risk": risk, "reason": reason,
        });
        Frame::lasting(Some("tool.request"), data)
    }

    fn approval(&self, approval: ApprovalId, asked: &AskedCall, forecast: Option<&Forecast>) -> Frame {
        let mut data = json!({
            "id": asked.call,
            "approval_id": approval,
            "name": asked.tool,
            "arguments": arguments(self.story.call(asked.call)),
            "risk": asked.risk,
            "reason": asked.reason,
            "summary": asked.summary,
            "details": asked.details,
            "flags": asked.flags,
            "working_dir": asked.cwd,
            "confinement": asked.confinement,
            "rules": asked.rules,
        });
        if let Some(forecast) = forecast {
            data["forecast"] = forecast_shown(forecast);
        }
        Frame::lasting(Some("approval.request"), data)
    }
}

impl Dialect for DeskEvents {
    fn tell(&mut self, item: &FeedItem) -> Vec<Frame> {
        let turn = turn_of(item);
        if self.only.is_some_and(|only| only != turn) {
            return Vec::new();
        }
        let told = self.story.take(item);
        self.over |= self.only.is_some() && told.iter().any(|told| matches!(told, Told::Over { .. }));
        told.into_iter().flat_map(|told| self.frames(turn, told)).collect()
    }

    fn story(&mut self) -> &mut Story {
        &mut self.story
    }

    fn over(&self) -> bool {
        self.over
    }

    fn idle(&mut self) -> bool {
        // A turn that waits behind another is under way for the one who asked for it.
        self.only.is_none() && self.story.turn().is_none()
    }
}

/// A call's arguments. A model may have written something else than an object; then there are none.
fn arguments(call: Option<&Call>) -> Map<String, Value> {
    call.and_then(|call| serde_json::from_str(&call.arguments).ok()).unwrap_or_default()
}

fn done(result: &CallResult, call: Option<Call>, whose: &Whose) -> Frame {
    let reported = matches!(result.status, CallStatus::Succeeded | CallStatus::Failed);
    if whose.by_client && reported {
        return Frame::lasting(Some("tool.result.ack"), json!({ "id": result.call }));
    }
    let ok = !result.is_error();
    let (given, error) = if ok { (Some(&result.output), None) } else { (None, Some(&result.output)) };
    let name = call.map(|call| call.tool);
    let mut data = json!({ "id": result.call, "name": name, "ok": ok, "result": given, "error": error });
    if let Some(parent) = whose.parent {
        data["parent"] = json!(parent);
    }
    Frame::lasting(Some("tool.result"), data)
}
