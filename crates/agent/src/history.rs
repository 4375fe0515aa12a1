//! What was said before: a session's earlier turns as messages, read backwards until there are enough, and what the
//! owner was told between them.

use policy::Taint;
use protocol::{Block, Event, Fact, Message, Notice, Role, TriggerKind};
use store::{StoreError, TurnRef, View};
use turn::Turn;

/// How many turns are looked up at once.
const PAGE: usize = 16;

/// How many notices are shown among the messages: the owner talks of the latest.
const MAX_NOTICES: usize = 20;

/// The conversation before a turn.
pub(crate) struct Earlier {
    /// What the model is shown of it: oldest first, never beginning with a result whose call is cut off.
    pub messages: Vec<Message>,
    /// What the owner was told since, to stand before what is said now.
    pub notices: Vec<Block>,
    /// Whether there is as much of it as is ever shown.
    pub full: bool,
    /// What it has taken in.
    pub taint: Taint,
}

/// One earlier turn.
struct Past {
    /// Its first event.
    began: u64,
    turn: Turn,
}

/// Reads the conversation before a turn that began with event `began`, at most `limit` messages of it. A turn that
/// brought its own history stands for all that was before it; one that cut the history keeps what it says.
pub(crate) async fn before(
    view: &View,
    at: &TurnRef,
    began: u64,
    limit: usize,
) -> Result<Earlier, StoreError> {
    let (turns, shown) = turns_before(view, at, limit).await?;
    let oldest = turns.last().map_or(0, |past| past.began);
    let mut notices = view.notices(&at.session, oldest, began, MAX_NOTICES).await?;
    let mut taint = turns.iter().map(|past| taint_of(&past.turn)).fold(Taint::default(), both);
    taint.untrusted |= notices.iter().filter_map(notice_of).any(|notice| notice.untrusted);
    let brought = turns.iter().position(|past| past.turn.brings_history());
    let count = brought.map_or(turns.len(), |brought| brought + 1);
    let mut messages = Vec::new();
    for Past { began, turn } in turns.iter().take(count).rev() {
        let told = notices.partition_point(|event| event.seq < *began);
        let mut said = turn.messages().to_vec();
        if let (Some(first), false) = (said.first_mut(), turn.brings_history()) {
            first.blocks.splice(0..0, notices.drain(..told).filter_map(|event| told_block(&event)));
        }
        messages.extend(said);
    }
    // After a cut, fewer are shown until the view has filled again.
    let full = shown >= limit && messages.len() >= limit;
    let notices = notices.iter().filter_map(told_block).collect();
    Ok(Earlier { messages: latest(messages, shown), notices, full, taint })
}

/// The turns before, the newest first, and how many of their messages are shown.
async fn turns_before(view: &View, at: &TurnRef, limit: usize) -> Result<(Vec<Past>, usize), StoreError> {
    let (mut turns, mut count, mut shown) = (Vec::new(), 0, limit);
    let mut before = Some(at.turn);
    loop {
        let page = view.turns(&at.session, before, PAGE).await?;
        before = page.last().map(|row| row.turn);
        for row in page.iter().filter(|row| row.over) {
            let events = view.turn_events(row.turn, 0).await?;
            let turn = turn::fold(events.iter().map(|event| &event.fact));
            count += turn.messages().len();
            if let Some(kept) = turn.kept() {
                shown = shown.min(count + kept);
            }
            turns.push(Past { began: events.first().map_or(0, |event| event.seq), turn });
            if count >= shown {
                return Ok((turns, shown));
            }
        }
        if page.len() < PAGE {
            return Ok((turns, shown));
        }
    }
}

/// What a turn has taken in: what its results brought, and words whose origin nobody here has seen.
pub(crate) fn taint_of(turn: &Turn) -> Taint {
    let results = || {
        turn.messages().iter().flat_map(|message| &message.blocks).filter_map(|block| match block {
            Block::Result(result) => Some(result),
            _ => None,
        })
    };
    let fresh = || turn.fresh_results();
    let strange = turn.brings_history() || turn.kind() == TriggerKind::Hook;
    Taint {
        untrusted: strange || results().chain(fresh()).any(|result| result.untrusted),
        private: results().chain(fresh()).any(|result| result.private),
    }
}

/// What comes of taking in both.
pub(crate) fn both(one: Taint, other: Taint) -> Taint {
    Taint { untrusted: one.untrusted || other.untrusted, private: one.private || other.private }
}

fn notice_of(event: &Event) -> Option<&Notice> {
    if let Fact::Noticed { notice } = &event.fact { Some(notice) } else { None }
}

/// A notice as the model is shown it, ahead of what was said next.
fn told_block(event: &Event) -> Option<Block> {
    let notice = notice_of(event)?;
    Some(Block::text(format!("[Meanwhile the owner was told here, by {}: {}]", notice.from, notice.text)))
}

/// The last `limit` messages, from the first on that can stand at the beginning of a conversation.
fn latest(mut messages: Vec<Message>, limit: usize) -> Vec<Message> {
    let start = messages.len().saturating_sub(limit);
    let begins = |message: &Message| {
        message.role == Role::User && !message.blocks.iter().any(|block| matches!(block, Block::Result(_)))
    };
    match messages.iter().skip(start).position(begins) {
        Some(offset) => messages.split_off(start + offset),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Call, CallId, CallResult, CallStatus};

    #[test]
    fn a_call_is_never_split_from_its_result() {
        let id = CallId::from(uuid::Uuid::nil());
        let call = Call { id, wire_id: "1".into(), tool: "t".into(), arguments: "{}".into() };
        let said = |text: &str| Message::user(vec![Block::text(text)]);
        let messages = vec![
            said("one"),
            Message::assistant(vec![Block::Call(call)]),
            Message::user(vec![Block::Result(CallResult::new(id, CallStatus::Succeeded, "r"))]),
            Message::assistant(vec![Block::text("done")]),
            said("two"),
        ];
        let check = |limit: usize, expected: usize| {
            assert_eq!(
                latest(messages.clone(), limit),
                messages[messages.len() - expected..],
                "limit {limit}"
            );
        };
        check(5, 5);
        check(9, 5);
        check(4, 1);
        check(3, 1);
        check(2, 1);
        check(0, 0);
    }
}
