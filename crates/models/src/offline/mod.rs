//! What answers when there is no language model: an honest helper that recognises a few wishes, calls the tools they
//! need and tells in plain words what came of it. It is not a language model and does not pretend to be one.
//!
//! It remembers nothing: what to do next follows from the messages. Reading order: `intent` is what can be wanted,
//! `route` finds out what is, with `examples`, `words` and `slots`; `wish` does something about it, with the tools that
//! are `offered`; `told`, `passages` and `reminders` tell what came of it; `reckon` calculates, and `occasion` knows the
//! messages that no person wrote.

mod intent;
mod route;
mod examples;
mod words;
mod slots;
mod wish;
mod offered;
mod told;
mod passages;
mod reminders;
mod reckon;
mod occasion;

#[cfg(test)]
mod tests;

pub use examples::vectors_file;

use crate::{
    request::ModelRequest,
    stream::{ModelAnswer, ModelEvent, ModelStream},
};
use embed::Embedder;
use examples::{Meanings, rank};
use futures::{StreamExt, stream};
use jiff::Zoned;
use occasion::{Occasion, occasion};
use offered::Offered;
use protocol::{Block, Call, CallId, CallResult, Message, Role, StopReason, Usage};
use route::{Route, route};
use std::sync::Arc;
use told::{Outcome, go_on};
use uuid::Uuid;
use wish::{Step, Wanted, grant, not_understood};

/// Words the house puts before the owner's, each a block of its own.
const HOUSE_WORDS: &[&str] =
    &["[From your notes,", "[Meanwhile the owner was told", "[The conversation has grown long"];

/// The helper. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Helper {
    embedder: Embedder,
    meanings: Arc<Meanings>,
}

impl Helper {
    /// One that tells wishes apart by meaning as far as `embedder` can.
    pub fn new(embedder: Embedder) -> Self {
        Self { embedder, meanings: Arc::default() }
    }

    /// Answers what was said last.
    pub fn answer(&self, request: ModelRequest) -> ModelStream {
        let helper = self.clone();
        let thinking = async move {
            // Meaning is looked up where it holds nobody up.
            let step = tokio::task::spawn_blocking(move || helper.think(&request, &Zoned::now())).await;
            step.unwrap_or_else(|error| {
                tracing::error!(%error, "the offline helper crashed");
                Step::Say("Something went wrong in the offline helper; the log says what.\n".to_owned())
            })
        };
        Box::pin(stream::once(thinking).flat_map(|step| stream::iter(events(step))))
    }

    /// What happens next in this conversation.
    fn think(&self, request: &ModelRequest, now: &Zoned) -> Step {
        let offered = Offered(&request.tools);
        let texts = last_said(&request.messages);
        let outcomes = outcomes(&request.messages);
        let wanted = match occasion(&texts) {
            Some(Occasion::Answer(text)) if outcomes.is_empty() => return Step::Say(text),
            Some(Occasion::Wish(wish)) => wish,
            _ => texts.join("\n"),
        };
        let route = || route(&wanted, now, |text| rank(text, &self.embedder, &self.meanings));
        if !outcomes.is_empty() {
            let intent = || if let Route::Wish(intent) = route() { Some(intent) } else { None };
            return go_on(&outcomes, &wanted, intent, now, offered);
        }
        match route() {
            Route::Wish(intent) => grant(intent, &wanted, now, offered, self),
            Route::Unclear(nearest) => not_understood(&nearest),
        }
    }

    /// How it tells wishes apart, for the owner.
    fn understanding(&self) -> String {
        match self.embedder.model() {
            Ok(model) => {
                format!("Wishes are told apart by fixed rules and by nearness to examples ({}).", model.name)
            }
            Err(why) => format!("Wishes are told apart by fixed rules and by their words only: {why}."),
        }
    }
}

/// What the owner said last, without what the house added.
fn last_said(messages: &[Message]) -> Vec<&str> {
    let said = messages.iter().rev().filter(|message| message.role == Role::User).map(own_words);
    said.into_iter().find(|words| !words.is_empty()).unwrap_or_default()
}

fn own_words(message: &Message) -> Vec<&str> {
    let words = message.blocks.iter().filter_map(|block| match block {
        Block::Text { text } if !HOUSE_WORDS.iter().any(|lead| text.starts_with(lead)) => Some(text.trim()),
        _ => None,
    });
    words.filter(|text| !text.is_empty()).collect()
}

/// What the calls of the last answer came to, if nothing else was said since.
fn outcomes(messages: &[Message]) -> Vec<Outcome<'_>> {
    let Some(last) = messages.last().filter(|last| last.role == Role::User && own_words(last).is_empty())
    else {
        return Vec::new();
    };
    let results = last
        .blocks
        .iter()
        .filter_map(|block| if let Block::Result(result) = block { Some(result) } else { None });
    let call_of = |result: &CallResult| {
        let mut blocks = messages.iter().rev().flat_map(|message| &message.blocks);
        blocks.find_map(|block| match block {
            Block::Call(call) if call.id == result.call => Some(call),
            _ => None,
        })
    };
    results.filter_map(|result| Some(Outcome { call: call_of(result)?, result })).collect()
}

fn events(step: Step) -> Vec<ModelEvent> {
    let mut events = Vec::new();
    let (blocks, stop) = match step {
        Step::Say(text) => {
            events.extend(text.split_inclusive('\n').map(|line| ModelEvent::Text(line.to_owned())));
            (vec![Block::text(text)], StopReason::EndTurn)
        }
        Step::Call(wanted) => {
            events.extend(wanted.iter().map(|wanted| ModelEvent::CallStarted { tool: wanted.tool.clone() }));
            (wanted.into_iter().map(call).collect(), StopReason::ToolUse)
        }
    };
    events.push(ModelEvent::Done(ModelAnswer { blocks, stop, usage: Usage::default() }));
    events
}

fn call(wanted: Wanted) -> Block {
    let id = CallId::from(Uuid::now_v7());
    let wire_id = format!("call_{}", id.to_string().replace('-', ""));
    Block::Call(Call { id, wire_id, tool: wanted.tool, arguments: wanted.input.to_string() })
}
