//! A turn told as OpenAI streams an answer.

use super::{Head, Tokens, finish_reason};
use crate::{
    asking::{fault_of, stop_of, turn_of},
    sse::{Dialect, Frame},
    story::{Story, Told},
};
use protocol::{Outcome, StopReason, TurnId, Usage};
use serde_json::{Value, json};
use store::FeedItem;

/// What is said while the owner is asked; nobody who only reads text would know otherwise.
const WAITING: &str = "\n\n(This waits for the owner's decision: `steward approvals list` shows it.)\n\n";

/// What is said when an answer was cut off and is asked for again. What was sent cannot be taken back.
const ANEW: &str = "\n\n(The answer was cut off. It begins anew.)\n\n";

/// Tells one turn in pieces.
pub(super) struct Chunks {
    story: Story,
    turn: TurnId,
    head: Head,
    include_usage: bool,
    stop: Option<StopReason>,
    /// The attempt whose text was begun and is not complete.
    unfinished: Option<u32>,
    over: bool,
}

impl Chunks {
    pub fn new(turn: TurnId, head: Head, include_usage: bool) -> Self {
        let story = Story::default();
        Self { story, turn, head, include_usage, stop: None, unfinished: None, over: false }
    }

    fn frames(&mut self, told: Told<'_>) -> Vec<Frame> {
        match told {
            Told::Started(_) => vec![self.piece(json!({ "role": "assistant", "content": "" }), None)],
            Told::Text { attempt, text, .. } => {
                let again = self.unfinished.replace(attempt).is_some_and(|begun| begun != attempt);
                vec![self.said(&if again { format!("{ANEW}{text}") } else { text })]
            }
            Told::Said(_) => {
                self.unfinished = None;
                Vec::new()
            }
            Told::Asked { .. } => vec![self.said(WAITING)],
            Told::Over { outcome, usage, .. } => {
                self.over = true;
                self.end(outcome, usage)
            }
            _ => Vec::new(),
        }
    }

    fn said(&self, text: &str) -> Frame {
        self.piece(json!({ "content": text }), None)
    }

    fn piece(&self, delta: Value, finish_reason: Option<&str>) -> Frame {
        self.chunk(json!([{ "index": 0, "delta": delta, "finish_reason": finish_reason }]), None)
    }

    fn chunk(&self, choices: Value, usage: Option<Tokens>) -> Frame {
        let Head { id, created, model } = &self.head;
        let mut chunk = json!({
            "id": id, "object": "chat.completion.chunk", "created": created, "model": model, "choices": choices,
        });
        if self.include_usage {
            chunk["usage"] = json!(usage);
        }
        Frame::lasting(None, chunk)
    }

    fn end(&self, outcome: &Outcome, usage: Usage) -> Vec<Frame> {
        if let Some(fault) = fault_of(outcome) {
            return vec![Frame::lasting(None, json!(fault.envelope()))];
        }
        let mut frames = vec![self.piece(json!({}), Some(finish_reason(self.stop)))];
        if self.include_usage {
            frames.push(self.chunk(json!([]), Some(usage.into())));
        }
        frames
    }
}

impl Dialect for Chunks {
    fn tell(&mut self, item: &FeedItem) -> Vec<Frame> {
        if turn_of(item) != self.turn {
            return Vec::new();
        }
        self.stop = stop_of(item).or(self.stop);
        let told = self.story.take(item);
        told.into_iter().flat_map(|told| self.frames(told)).collect()
    }

    fn story(&mut self) -> &mut Story {
        &mut self.story
    }

    fn over(&self) -> bool {
        self.over
    }

    fn idle(&mut self) -> bool {
        false
    }

    fn numbered(&self) -> bool {
        false
    }

    fn farewell(&self) -> &'static str {
        "data: [DONE]\n\n"
    }
}
