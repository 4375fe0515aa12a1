//! One model call: the request put together, its stream shown to subscribers as it comes, its end as a fact.

use crate::agent::Agent;
use futures::StreamExt;
use models::{ModelEvent, ModelRef, ModelRequest};
use protocol::{Delta, DeltaKind, Fact, Message, ModelError, ModelErrorKind};
use store::{TurnRef, failpoint};

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
    let request = ModelRequest {
        model,
        system: agent.prompt.build(),
        messages: question.messages.clone(),
        tools: agent.hands.offered(&question.at.session),
    };
    let mut stream = agent.models.ask(request);
    let mut streams = Streams { agent, question: &question, text: 0, thinking: 0 };
    while let Some(event) = stream.next().await {
        match event {
            ModelEvent::Text(text) => {
                streams.show(DeltaKind::Text, text);
                failpoint::hit("model.first-delta");
            }
            ModelEvent::Thinking(text) => streams.show(DeltaKind::Thinking, text),
            ModelEvent::CallStarted { tool } => tracing::debug!(tool, "the model writes a call"),
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
