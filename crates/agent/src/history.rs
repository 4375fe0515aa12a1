//! What was said before: a session's earlier turns as messages, read backwards until there are enough.

use policy::Taint;
use protocol::{Block, Message, Role};
use store::{StoreError, TurnRef, View};
use turn::Turn;

/// How many turns are looked up at once.
const PAGE: usize = 16;

/// The conversation before a turn.
pub(crate) struct Earlier {
    /// What the model is shown of it: oldest first, never beginning with a result whose call is cut off.
    pub messages: Vec<Message>,
    /// What it has taken in.
    pub taint: Taint,
}

/// Reads the conversation before a turn, at most `limit` messages of it. A turn that brought its own history
/// stands for all that was before it.
pub(crate) async fn before(view: &View, at: &TurnRef, limit: usize) -> Result<Earlier, StoreError> {
    let mut turns = Vec::new();
    let mut count = 0;
    let mut before = Some(at.turn);
    'pages: loop {
        let page = view.turns(&at.session, before, PAGE).await?;
        before = page.last().map(|row| row.turn);
        let last_page = page.len() < PAGE;
        for row in page.iter().filter(|row| row.over) {
            let events = view.turn_events(row.turn, 0).await?;
            let turn = turn::fold(events.iter().map(|event| &event.fact));
            count += turn.messages().len();
            turns.push(turn);
            if count >= limit {
                break 'pages;
            }
        }
        if last_page {
            break;
        }
    }
    let taint = turns.iter().map(taint_of).fold(Taint::default(), both);
    let shown = turns.iter().position(Turn::brings_history).map_or(turns.len(), |brought| brought + 1);
    let messages = turns.iter().take(shown).rev().flat_map(Turn::messages).cloned().collect();
    Ok(Earlier { messages: latest(messages, limit), taint })
}

/// What a turn has taken in: what its results brought, and words whose origin nobody here has seen.
pub(crate) fn taint_of(turn: &Turn) -> Taint {
    let results = || {
        turn.messages().iter().flat_map(|message| &message.blocks).filter_map(|block| match block {
            Block::Result(result) => Some(result),
            _ => None,
        })
    };
    Taint {
        untrusted: turn.brings_history() || results().any(|result| result.untrusted),
        private: results().any(|result| result.private),
    }
}

/// What comes of taking in both.
pub(crate) fn both(one: Taint, other: Taint) -> Taint {
    Taint { untrusted: one.untrusted || other.untrusted, private: one.private || other.private }
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
