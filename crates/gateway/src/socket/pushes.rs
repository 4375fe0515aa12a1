//! What a client is told unasked, in the order of the log: the conversations it named as chat pushes, approvals
//! and notices of all conversations, that standing orders changed, and the log itself if it listens to that. One
//! subscription feeds all of it.

use super::{changes::Changes, frames::push, methods};
use crate::{
    doors::approvals,
    story::{Story, Told},
};
use protocol::{ApprovalId, AskedCall, CallId, Delta, Event, Fact, Outcome, SessionKey, TurnId};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};
use store::{FeedItem, Store, StoreError, Subscription};

/// How many conversations a client is told of; the one it named first goes first.
const MAX_NAMED: usize = 256;

/// What is told when standing orders changed.
const CHANGED: [&str; 2] = ["jobs.changed", "tasks.changed"];

/// Tools whose details are the command itself.
const COMMANDS: [&str; 2] = ["bash", "exec"];

pub(super) struct Pushes {
    store: Store,
    feed: Subscription,
    /// The last event told in chat and approval pushes.
    seen: u64,
    named: Vec<Named>,
    /// How the client listens to the log, if it does.
    log: Option<Listen>,
    /// Calls the owner was asked about and that are undecided.
    waiting: HashMap<CallId, ApprovalId>,
    /// Whether standing orders changed.
    changes: Changes,
}

/// One conversation the client named.
struct Named {
    session: SessionKey,
    story: Story,
    /// The attempt of a turn whose text was told and is not complete.
    unfinished: Option<(TurnId, u32)>,
    /// The last line of progress told; a subscription that begins anew gives it again.
    progress: String,
}

/// What of the log a client wants.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listen {
    /// The last event it has; from now on if none is given.
    pub since: Option<u64>,
    /// Only this conversation.
    session_key: Option<SessionKey>,
    /// Text as it streams, too.
    #[serde(default)]
    deltas: bool,
}

impl Listen {
    fn wants(&self, session: &SessionKey) -> bool {
        self.session_key.as_ref().is_none_or(|only| only == session)
    }
}

impl Pushes {
    /// Tells from now on.
    pub async fn begin(store: &Store) -> Result<Self, StoreError> {
        let feed = store.subscribe_from_now();
        let open = store.view().open_approvals().await?;
        let calls = open.iter().flat_map(|open| open.calls.iter().map(|asked| (asked.call, open.approval)));
        let waiting = calls.collect();
        let (seen, changes) = (feed.last(), Changes::begin(store));
        Ok(Self { store: store.clone(), seen, feed, named: Vec::new(), log: None, waiting, changes })
    }

    /// The last event of which the client has everything it wants.
    pub fn position(&self) -> u64 {
        self.log.as_ref().and_then(|log| log.since).map_or(self.seen, |log| log.min(self.seen))
    }

    /// Tells of a conversation from now on, beginning with the text that is just being said in it.
    pub async fn follow(&mut self, session: &SessionKey) -> Result<(), StoreError> {
        if self.named.iter().any(|named| named.session == *session) {
            return Ok(());
        }
        let mut story = Story::default();
        for event in self.store.view().turn_under_way(session, self.seen).await? {
            story.take(&FeedItem::Event(Arc::new(event)));
        }
        let speaking = story.turn().is_some();
        if self.named.len() >= MAX_NAMED {
            self.named.remove(0);
        }
        let (session, progress) = (session.clone(), String::new());
        self.named.push(Named { session, story, unfinished: None, progress });
        if speaking {
            self.begin_anew();
        }
        Ok(())
    }

    /// Tells the log, too; gives the event it is told from.
    pub fn listen(&mut self, listen: Listen) -> u64 {
        let since = listen.since.unwrap_or(self.seen);
        self.log = Some(Listen { since: Some(since), ..listen });
        self.begin_anew();
        since
    }

    /// A subscription that begins anew gives the running text from its start. What was told is not told again:
    /// events are compared with what was seen, and stories know how much text they told.
    fn begin_anew(&mut self) {
        self.feed = self.store.subscribe(self.position());
    }

    /// What to tell next; waits for it. `None` when the store is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Option<Vec<String>>, StoreError> {
        let item = tokio::select! {
            biased;
            () = self.changes.next() => return Ok(Some(CHANGED.map(|event| push(event, json!({}))).into())),
            item = self.feed.next() => item?,
        };
        let Some(item) = item else { return Ok(None) };
        Ok(Some(match &item {
            FeedItem::Event(event) => self.event(event, &item),
            FeedItem::Delta(delta) => self.delta(delta, &item),
        }))
    }

    fn event(&mut self, event: &Event, item: &FeedItem) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(log) = self.log.as_mut().filter(|log| log.since < Some(event.seq)) {
            log.since = Some(event.seq);
            if log.wants(&event.session) {
                told.push(push("log.event", json!(event)));
            }
        }
        if event.seq > self.seen {
            self.seen = event.seq;
            told.extend(self.approval(event));
            if let Fact::Noticed { notice } = &event.fact {
                told.push(push("notice", methods::shown_notice(event, notice)));
            }
            if concerns_orders(event) {
                self.changes.note();
            }
            told.extend(self.chat(&event.session, event.turn, item));
        }
        told
    }

    fn delta(&mut self, delta: &Delta, item: &FeedItem) -> Vec<String> {
        let log = self.log.as_ref().filter(|log| log.deltas && log.wants(&delta.session));
        let mut told: Vec<String> = log.map(|_| push("log.delta", json!(delta))).into_iter().collect();
        told.extend(self.chat(&delta.session, delta.turn, item));
        told
    }

    fn chat(&mut self, session: &SessionKey, turn: TurnId, item: &FeedItem) -> Vec<String> {
        let Some(named) = self.named.iter_mut().find(|named| named.session == *session) else {
            return Vec::new();
        };
        let told = named.story.take(item);
        told.into_iter().filter_map(|told| named.tell(turn, told)).collect()
    }

    /// Approvals go to every client: any of them may be where the owner is.
    fn approval(&mut self, event: &Event) -> Option<String> {
        match &event.fact {
            Fact::ApprovalRequested { approval, calls, expires_at, forecast } => {
                self.waiting.extend(calls.iter().map(|asked| (asked.call, *approval)));
                let mut data = request(event, *approval, calls, &json!(expires_at));
                if let Some(forecast) = forecast {
                    data["forecast"] = approvals::forecast_shown(forecast);
                }
                Some(push("exec.approval_request", data))
            }
            Fact::ApprovalDecided { approval, decisions, .. } => {
                for decision in decisions {
                    self.waiting.remove(&decision.call);
                }
                let decided = decisions.iter().map(|decision| (decision.call, decision.approved));
                Some(resolved(event, *approval, decided))
            }
            // A turn that was stopped answers its calls without a decision.
            Fact::CallDone { result } => {
                let approval = self.waiting.remove(&result.call)?;
                Some(resolved(event, approval, [(result.call, false)].into_iter()))
            }
            _ => None,
        }
    }
}

impl Named {
    fn tell(&mut self, turn: TurnId, told: Told<'_>) -> Option<String> {
        let session = &self.session;
        match told {
            Told::Text { attempt, offset, text } => {
                // The attempt before broke off; what was shown of it is void.
                let again = self.unfinished.is_some_and(|(of, earlier)| of == turn && earlier < attempt);
                self.unfinished = Some((turn, attempt));
                let mut data = json!({
                    "runId": turn, "sessionKey": session, "text": text, "attempt": attempt, "offset": offset,
                });
                if again {
                    data["again"] = true.into();
                }
                Some(push("chat.delta", data))
            }
            Told::Said(_) => {
                self.unfinished = None;
                None
            }
            Told::Progress { text, .. } if text == self.progress => None,
            Told::Progress { tool, text } => {
                text.clone_into(&mut self.progress);
                let tool = tool.unwrap_or_default();
                let data = json!({ "runId": turn, "sessionKey": session, "tool": tool, "message": text });
                Some(push("tool.progress", data))
            }
            Told::Done { .. } => {
                self.progress.clear();
                None
            }
            Told::Over { outcome: Outcome::Failed { error }, .. } => {
                let kind = json!(error.kind)["kind"].take();
                let data =
                    json!({ "runId": turn, "sessionKey": session, "message": error.message, "kind": kind });
                Some(push("chat.error", data))
            }
            Told::Over { outcome, text, usage } => {
                let usage = json!({ "inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens });
                let mut data = json!({
                    "runId": turn, "sessionKey": session, "text": text, "usage": usage,
                    "outcome": json!(outcome)["status"],
                });
                if let Outcome::LimitReached { reason } = outcome {
                    data["reason"] = reason.as_str().into();
                }
                Some(push("chat.final", data))
            }
            Told::Started(_) | Told::Asking | Told::Program { .. } | Told::Asked { .. } => None,
            Told::Decided { .. } | Told::HandedOver(_) => None,
        }
    }
}

/// Whether it changes how far a standing order has come.
fn concerns_orders(event: &Event) -> bool {
    match &event.fact {
        Fact::TurnStarted { trigger, .. } => matches!(trigger.source.as_str(), "task" | "job" | "hook"),
        Fact::ApprovalRequested { .. } | Fact::ApprovalDecided { .. } | Fact::TurnFinished { .. } => {
            event.session.place() == "task"
        }
        _ => false,
    }
}

fn request(event: &Event, approval: ApprovalId, calls: &[AskedCall], expires_at: &Value) -> Value {
    let first = calls.first();
    let mut details = json!({ "workingDir": first.map(|asked| &asked.cwd) });
    if let Some(asked) = first.filter(|asked| COMMANDS.contains(&asked.tool.as_str())) {
        details["command"] = asked.details.as_str().into();
    }
    details["calls"] = calls.iter().map(approvals::shown).collect();
    let summaries: Vec<&str> = calls.iter().map(|asked| asked.summary.as_str()).collect();
    json!({
        "approvalId": approval, "toolName": first.map(|asked| &asked.tool), "summary": summaries.join("; "),
        "details": details, "sessionKey": event.session, "runId": event.turn, "expiresAt": expires_at,
    })
}

fn resolved(event: &Event, approval: ApprovalId, decided: impl Iterator<Item = (CallId, bool)>) -> String {
    let decisions: Vec<Value> =
        decided.map(|(call, approved)| json!({ "callId": call, "approved": approved })).collect();
    let data = json!({
        "approvalId": approval, "sessionKey": event.session, "runId": event.turn, "decisions": decisions,
    });
    push("exec.approval_resolved", data)
}
