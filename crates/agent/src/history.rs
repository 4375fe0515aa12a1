//! What was said before: a session's earlier turns as messages, read backwards until there are enough.

use protocol::{Block, Event, Message, Role, SessionKey};
use store::{StoreError, TurnRef, View};

/// How many turns are looked up at once.
const PAGE: usize = 16;

/// The messages before a turn, oldest first, at most `limit`, never beginning with a result whose call is cut off.
pub(crate) async fn before(view: &View, at: &TurnRef, limit: usize) -> Result<Vec<Message>, StoreError> {
    let mut turns = Vec::new();
    let mut count = 0;
    let mut before = Some(at.turn);
    'pages: loop {
        let page = view.turns(&at.session, before, PAGE).await?;
        before = page.last().map(|row| row.turn);
        let last_page = page.len() < PAGE;
        for row in page.iter().filter(|row| row.over) {
            let messages = messages(&view.turn_events(row.turn, 0).await?);
            count += messages.len();
            turns.push(messages);
            if count >= limit {
                break 'pages;
            }
        }
        if last_page {
            break;
        }
    }
    let messages: Vec<Message> = turns.into_iter().rev().flatten().collect();
    Ok(latest(messages, limit))
}

/// The events of the latest turns of a session, oldest turn first.
pub async fn recent_turns(
    view: &View,
    session: &SessionKey,
    limit: usize,
) -> Result<Vec<Vec<Event>>, StoreError> {
    let mut turns = Vec::new();
    for row in view.turns(session, None, limit).await?.into_iter().rev() {
        turns.push(view.turn_events(row.turn, 0).await?);
    }
    Ok(turns)
}

fn messages(events: &[Event]) -> Vec<Message> {
    turn::fold(events.iter().map(|event| &event.fact)).messages().to_vec()
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
