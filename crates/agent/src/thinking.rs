//! One model call: the request put together, its stream shown to subscribers as it comes, its end as a fact.

use crate::agent::Agent;
use futures::{FutureExt, StreamExt, stream::Peekable};
use models::{ModelEvent, ModelRef, ModelRequest, ModelStream};
use protocol::{Delta, DeltaKind, Fact, Message, ModelError, ModelErrorKind};
use std::pin::{Pin, pin};
use store::{TurnRef, failpoint};

/// How much text is joined into one delta: more than a screen, and little enough to show that something comes.
const MAX_DELTA_BYTES: usize = 8 * 1024;

/// What is asked, in which turn.
pub(crate) struct Question {
    pub at: TurnRef,
    pub attempt: u32,
    pub model: String,
    pub messages: Vec<Message>,
}

/// Asks, and gives `ModelDone` or `ModelFailed`.
pub(crate) async fn think(agent: &Agent, question: Question) -> Fact {
    let model: ModelRef = match question.model.parse() {
        Ok(model) => model,
        Err(error) => return bad_reference(&question.model, &error),
    };
    // The helper that answers without a model writes none.
    let writes_programs = !model.is_offline();
    let request = ModelRequest {
        model,
        system: agent.prompt.build(),
        messages: question.messages.clone(),
        tools: agent.hands.offered(&question.at.session, writes_programs).await,
    };
    let mut stream = pin!(agent.models.ask(request).peekable());
    let mut streams = Streams { agent, question: &question, text: 0, thinking: 0 };
    while let Some(event) = stream.next().await {
        match event {
            ModelEvent::Text(text) => {
                let said = |event: &ModelEvent| matches!(event, ModelEvent::Text(_));
                streams.show(DeltaKind::Text, join_ready(text, stream.as_mut(), said));
                failpoint::hit("model.first-delta");
            }
            ModelEvent::Thinking(text) => {
                let thought = |event: &ModelEvent| matches!(event, ModelEvent::Thinking(_));
                streams.show(DeltaKind::Thinking, join_ready(text, stream.as_mut(), thought));
            }
            ModelEvent::CallStarted { tool } => {
                tracing::debug!(tool, "the model writes a call");
                agent.hands.expect(&tool);
            }
            ModelEvent::Done(answer) => {
                failpoint::hit("model.last-delta");
                let model = question.model;
                return Fact::ModelDone {
                    model,
                    blocks: answer.blocks,
                    stop: answer.stop,
                    usage: answer.usage,
                };
            }
            ModelEvent::Failed { error, partial } => {
                tracing::warn!(provider = error.provider, kind = ?error.kind, "the model call failed");
                return Fact::ModelFailed { error, partial };
            }
        }
    }
    let message = "The model's answer ended without an end.".to_owned();
    let error = ModelError { kind: ModelErrorKind::Truncated, provider: question.model, message };
    Fact::ModelFailed { error, partial: Vec::new() }
}

/// The text with what follows it and has already arrived, so that subscribers are not woken for every word. It never
/// waits, so the first word is not held back.
fn join_ready(
    mut text: String,
    mut stream: Pin<&mut Peekable<ModelStream>>,
    alike: fn(&ModelEvent) -> bool,
) -> String {
    while text.len() < MAX_DELTA_BYTES {
        match stream.as_mut().next_if(alike).now_or_never().flatten() {
            Some(ModelEvent::Text(more) | ModelEvent::Thinking(more)) => text.push_str(&more),
            _ => break,
        }
    }
    text
}

fn bad_reference(model: &str, error: &models::BadModelRef) -> Fact {
    let message = format!("The model cannot be used: {error}.");
    let error = ModelError { kind: ModelErrorKind::BadRequest, provider: model.to_owned(), message };
    Fact::ModelFailed { error, partial: Vec::new() }
}

/// The streams of one call, and how far each has come.
struct Streams<'a> {
    agent: &'a Agent,
    question: &'a Question,
    text: usize,
    thinking: usize,
}

impl Streams<'_> {
    fn show(&mut self, kind: DeltaKind, text: String) {
        let offset = if kind == DeltaKind::Thinking { &mut self.thinking } else { &mut self.text };
        let start = *offset;
        *offset += text.len();
        self.agent.store.publish(Delta {
            session: self.question.at.session.clone(),
            turn: self.question.at.turn,
            attempt: self.question.attempt,
            offset: start,
            kind,
            text,
            tool: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;

    #[test]
    fn what_is_ready_is_joined_and_nothing_is_waited_for() {
        let text = |text: &str| ModelEvent::Text(text.into());
        let check = |ready: Vec<ModelEvent>, joined: &str, left: Option<ModelEvent>| {
            let stream: ModelStream = Box::pin(stream::iter(ready).chain(stream::pending()));
            let mut stream = pin!(stream.peekable());
            let alike = |event: &ModelEvent| matches!(event, ModelEvent::Text(_));
            assert_eq!(join_ready("a".into(), stream.as_mut(), alike), joined);
            assert_eq!(stream.next().now_or_never().flatten(), left, "nothing is lost");
        };
        check(vec![], "a", None);
        check(vec![text("b"), text("c")], "abc", None);
        let thought = ModelEvent::Thinking("hm".into());
        check(vec![text("b"), thought.clone(), text("c")], "ab", Some(thought));
        let long = "x".repeat(MAX_DELTA_BYTES);
        check(vec![text(&long), text("c")], &format!("a{long}"), Some(text("c")));
    }
}
