//! A conversation made fit for the wire: roles alternate, it starts and ends with the user, every call has
//! its result in the turn that follows and an id of its own. History may be cut, aborted or from another
//! provider; a provider would refuse it as it is. How turns are spelled is for the dialects.

use crate::answer::fresh_wire_id;
use protocol::{Attachment, Block, Call, CallId, CallResult, Message, Role};
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// A conversation both dialects accept once spelled.
#[derive(Debug)]
pub(crate) struct Transcript<'a> {
    /// Alternating turns, the first and the last the user's.
    pub(crate) turns: Vec<Turn<'a>>,
    wire_ids: HashMap<CallId, String>,
}

/// One turn of the conversation.
#[derive(Debug)]
pub(crate) enum Turn<'a> {
    /// The user's, or a tool's.
    User(UserTurn<'a>),
    /// The model's; never empty.
    Assistant(Vec<&'a Block>),
}

/// What the user's side says: the results the model waits for, then everything else.
#[derive(Debug, Default)]
pub(crate) struct UserTurn<'a> {
    /// One for each call of the turn before, in that order.
    pub(crate) results: Vec<WireResult<'a>>,
    /// Text and attachments; empty only when there are results.
    pub(crate) said: Vec<Cow<'a, Block>>,
}

/// A call's result, with the id the provider knows the call by.
#[derive(Debug)]
pub(crate) struct WireResult<'a> {
    /// The provider's name for the call.
    pub(crate) wire_id: String,
    /// What the model reads.
    pub(crate) output: &'a str,
    /// Whether it is told as an error.
    pub(crate) is_error: bool,
    /// Pictures and files.
    pub(crate) attachments: &'a [Attachment],
}

/// What stands for a result that was never recorded.
const NO_RESULT: &str = "No result was recorded for this call; it may or may not have happened.";
/// What stands first when the conversation's start was cut off.
const START_LEFT_OUT: &str = "(The earlier part of this conversation is left out.)";
/// What stands last when the model spoke last: neither provider goes on from its own words.
const GO_ON: &str = "(Please go on.)";
/// What stands for a message with nothing in it.
const NOTHING_SAID: &str = "(empty message)";

impl<'a> Transcript<'a> {
    /// Puts the messages in order. `keep` says which of the model's blocks this provider may be shown again;
    /// `accepts_id` which wire ids it takes.
    pub(crate) fn new(
        messages: &'a [Message],
        keep: impl Fn(&Block) -> bool,
        accepts_id: impl Fn(&str) -> bool,
    ) -> Self {
        let spans = alternate(messages, keep);
        let wire_ids = wire_ids(&spans, accepts_id);
        let mut turns = Vec::with_capacity(spans.len() + 2);
        if spans.first().is_none_or(|span| span.role == Role::Assistant) {
            turns.push(Turn::User(user_turn(&[], &[], &wire_ids, START_LEFT_OUT)));
        }
        let mut waiting: Vec<&Call> = Vec::new();
        for span in spans {
            match span.role {
                Role::User => {
                    turns.push(Turn::User(user_turn(&span.blocks, &waiting, &wire_ids, NOTHING_SAID)));
                    waiting.clear();
                }
                Role::Assistant => {
                    waiting = calls(&span.blocks).collect();
                    turns.push(Turn::Assistant(span.blocks));
                }
            }
        }
        if matches!(turns.last(), Some(Turn::Assistant(_))) {
            turns.push(Turn::User(user_turn(&[], &waiting, &wire_ids, GO_ON)));
        }
        Self { turns, wire_ids }
    }

    /// The id the provider knows a call by.
    pub(crate) fn wire_id<'b>(&'b self, call: &'b Call) -> &'b str {
        self.wire_ids.get(&call.id).map_or(call.wire_id.as_str(), String::as_str)
    }
}

/// The arguments of a past call as an object. A model may have written something else; a provider takes
/// nothing but an object back.
pub(crate) fn arguments_object(call: &Call) -> Value {
    match serde_json::from_str(&call.arguments) {
        Ok(arguments @ Value::Object(_)) => arguments,
        _ => Value::Object(serde_json::Map::new()),
    }
}

/// What the model reads in place of an attachment the provider cannot show it.
pub(crate) fn attachment_note(attachment: &Attachment) -> String {
    let name = attachment.name.as_deref().unwrap_or("without a name");
    format!("[attached file: {name}, type {}; it cannot be shown here]", attachment.mime_type)
}

/// Neighbouring messages of one role.
struct Span<'a> {
    role: Role,
    blocks: Vec<&'a Block>,
}

fn alternate<'a>(messages: &'a [Message], keep: impl Fn(&Block) -> bool) -> Vec<Span<'a>> {
    let mut spans: Vec<Span<'a>> = Vec::new();
    for message in messages {
        let mut blocks: Vec<&Block> = message.blocks.iter().collect();
        if message.role == Role::Assistant {
            blocks.retain(|block| !is_blank(block) && keep(block));
            // Reasoning that led to nothing, as in an aborted turn, may not stand at a message's end.
            while matches!(blocks.last(), Some(Block::Thinking { .. } | Block::RedactedThinking { .. })) {
                blocks.pop();
            }
            if blocks.is_empty() {
                continue;
            }
        }
        match spans.last_mut() {
            Some(last) if last.role == message.role => last.blocks.append(&mut blocks),
            _ => spans.push(Span { role: message.role, blocks }),
        }
    }
    spans
}

fn is_blank(block: &Block) -> bool {
    matches!(block, Block::Text { text } if text.trim().is_empty())
}

fn calls<'a>(blocks: &[&'a Block]) -> impl Iterator<Item = &'a Call> {
    blocks.iter().filter_map(|block| if let Block::Call(call) = block { Some(call) } else { None })
}

/// Every call's id on the wire: the provider's own, unless this provider would not take it or another call
/// of the conversation already has it.
fn wire_ids(spans: &[Span<'_>], accepts_id: impl Fn(&str) -> bool) -> HashMap<CallId, String> {
    let mut used = HashSet::new();
    let mut wire_ids = HashMap::new();
    for call in spans.iter().flat_map(|span| calls(&span.blocks)) {
        let wire_id = if accepts_id(&call.wire_id) && !used.contains(&call.wire_id) {
            call.wire_id.clone()
        } else {
            fresh_wire_id(call.id)
        };
        used.insert(wire_id.clone());
        wire_ids.insert(call.id, wire_id);
    }
    wire_ids
}

fn user_turn<'a>(
    blocks: &[&'a Block],
    waiting: &[&Call],
    wire_ids: &HashMap<CallId, String>,
    when_empty: &str,
) -> UserTurn<'a> {
    let results: Vec<WireResult<'a>> = waiting
        .iter()
        .map(|call| {
            let recorded = blocks.iter().find_map(|block| match block {
                Block::Result(result) if result.call == call.id => Some(result),
                _ => None,
            });
            wire_result(wire_ids.get(&call.id).unwrap_or(&call.wire_id), recorded)
        })
        .collect();
    let is_waited_for = |result: &CallResult| waiting.iter().any(|call| call.id == result.call);
    let mut said: Vec<Cow<'a, Block>> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text { .. } if is_blank(block) => None,
            Block::Text { .. } | Block::Attachment(_) => Some(Cow::Borrowed(*block)),
            Block::Result(result) if !is_waited_for(result) => {
                Some(Cow::Owned(Block::text(format!("Result of an earlier call: {}", result.output))))
            }
            _ => None,
        })
        .collect();
    if results.is_empty() && said.is_empty() {
        said.push(Cow::Owned(Block::text(when_empty)));
    }
    UserTurn { results, said }
}

fn wire_result<'a>(wire_id: &str, recorded: Option<&'a CallResult>) -> WireResult<'a> {
    match recorded {
        Some(result) => WireResult {
            wire_id: wire_id.to_owned(),
            output: &result.output,
            is_error: result.is_error(),
            attachments: &result.attachments,
        },
        None => {
            WireResult { wire_id: wire_id.to_owned(), output: NO_RESULT, is_error: true, attachments: &[] }
        }
    }
}
