//! One turn's answer as it grows: items of the feed in, what to show out. Pure; the screen is elsewhere.

use super::program::Programs;
use protocol::{Block, Call, DeltaKind, Fact, Outcome, TurnId, Usage};
use store::FeedItem;

/// Something to show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shown {
    /// The model is being asked.
    Waiting,
    /// More of the answer.
    Text(String),
    /// What was shown of the running answer is void; it begins again.
    Again,
    /// The model spoke its piece; more may follow after its calls.
    Paragraph,
    /// A call is made.
    Call(Call),
    /// The model wrote a program.
    Program(String),
    /// A line about a program and its calls, safe to show.
    Note(String),
    /// The owner is asked.
    Asked,
    /// A tool reports what it does.
    Progress(String),
    /// The turn is over.
    Over(Outcome),
}

/// Follows one turn.
#[derive(Debug)]
pub(crate) struct Answer {
    turn: TurnId,
    attempt: u32,
    /// How much of the running attempt's text was shown, in bytes.
    shown: usize,
    programs: Programs,
    /// Everything the assistant has said in finished model calls.
    pub text: String,
    pub usage: Usage,
}

impl Answer {
    pub fn new(turn: TurnId) -> Self {
        let (programs, text) = (Programs::default(), String::new());
        Self { turn, attempt: 0, shown: 0, programs, text, usage: Usage::default() }
    }

    /// The turn it follows.
    pub fn turn(&self) -> TurnId {
        self.turn
    }

    /// What an item means for this turn.
    pub fn take(&mut self, item: &FeedItem) -> Vec<Shown> {
        match item {
            FeedItem::Delta(delta) if delta.turn == self.turn => match delta.kind {
                DeltaKind::Text => self.grow(delta.attempt, delta.offset, &delta.text),
                DeltaKind::Progress => vec![Shown::Progress(delta.text.clone())],
                DeltaKind::Thinking => Vec::new(),
            },
            FeedItem::Event(event) if event.turn == self.turn => self.learn(&event.fact),
            _ => Vec::new(),
        }
    }

    fn grow(&mut self, attempt: u32, offset: usize, text: &str) -> Vec<Shown> {
        if attempt < self.attempt {
            return Vec::new();
        }
        let mut shown = self.begin(attempt);
        // A piece beyond what was shown follows a lost one; the fact will bring both.
        if let Some(new) = self.shown.checked_sub(offset).and_then(|known| text.get(known..)) {
            self.shown += new.len();
            shown.push(Shown::Text(new.to_owned()));
        }
        shown
    }

    fn begin(&mut self, attempt: u32) -> Vec<Shown> {
        if attempt <= self.attempt {
            return Vec::new();
        }
        self.attempt = attempt;
        match std::mem::take(&mut self.shown) {
            0 => Vec::new(),
            _ => vec![Shown::Again],
        }
    }

    fn learn(&mut self, fact: &Fact) -> Vec<Shown> {
        match fact {
            Fact::ModelAsked { attempt, .. } => {
                let mut shown = self.begin(*attempt);
                shown.push(Shown::Waiting);
                shown
            }
            Fact::ModelDone { blocks, usage, .. } => {
                self.usage += *usage;
                let mut shown = self.complete(blocks);
                shown.extend(blocks.iter().filter_map(|block| match block {
                    Block::Call(call) => Some(self.programs.call(call)),
                    _ => None,
                }));
                shown
            }
            Fact::ModelFailed { partial, .. } | Fact::TurnAborted { partial } => self.complete(partial),
            Fact::ApprovalRequested { .. } => vec![Shown::Asked],
            Fact::TurnFinished { outcome } => vec![Shown::Over(outcome.clone())],
            other => self.programs.learn(other).into_iter().collect(),
        }
    }

    /// A model call is over: what the deltas did not bring is shown now.
    fn complete(&mut self, blocks: &[Block]) -> Vec<Shown> {
        let text = Block::text_of(blocks);
        let mut shown = Vec::new();
        if let Some(rest) = text.get(self.shown..).filter(|rest| !rest.is_empty()) {
            shown.push(Shown::Text(rest.to_owned()));
        }
        self.shown = 0;
        if !text.is_empty() {
            if !self.text.is_empty() {
                self.text.push_str("\n\n");
            }
            self.text.push_str(&text);
            shown.push(Shown::Paragraph);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Delta, Event, SessionKey, StopReason};
    use std::sync::Arc;

    fn delta(attempt: u32, offset: usize, text: &str) -> FeedItem {
        let session = SessionKey::new("s").unwrap();
        let turn = TurnId::from(uuid::Uuid::nil());
        FeedItem::Delta(Arc::new(Delta {
            session,
            turn,
            attempt,
            offset,
            kind: DeltaKind::Text,
            text: text.into(),
            tool: None,
        }))
    }

    fn event(fact: Fact) -> FeedItem {
        let (session, turn) = (SessionKey::new("s").unwrap(), TurnId::from(uuid::Uuid::nil()));
        FeedItem::Event(Arc::new(Event { seq: 1, session, turn, at: jiff::Timestamp::UNIX_EPOCH, fact }))
    }

    fn done(text: &str) -> FeedItem {
        let (blocks, stop) = (vec![Block::text(text)], StopReason::EndTurn);
        event(Fact::ModelDone { model: "a/b".into(), blocks, stop, usage: Usage::default() })
    }

    /// Every way the stream may come in ends with the same text on the screen.
    #[test]
    fn whatever_is_lost_or_repeated_the_whole_text_is_shown_once() {
        let check = |items: &[FeedItem]| {
            let mut answer = Answer::new(TurnId::from(uuid::Uuid::nil()));
            let mut screen = String::new();
            for shown in items.iter().flat_map(|item| answer.take(item)) {
                match shown {
                    Shown::Text(text) => screen.push_str(&text),
                    Shown::Again => screen.clear(),
                    _ => {}
                }
            }
            assert_eq!((screen.as_str(), answer.text.as_str()), ("Grüße!", "Grüße!"));
        };
        check(&[delta(1, 0, "Grü"), delta(1, 4, "ße!"), done("Grüße!")]);
        check(&[done("Grüße!")]);
        check(&[delta(1, 0, "Grü"), delta(1, 0, "Grüße"), delta(1, 7, "!"), done("Grüße!")]);
        check(&[delta(1, 0, "G"), delta(1, 4, "ße!"), done("Grüße!")]);
        check(&[delta(1, 0, "Guten"), delta(2, 0, "Grüße!"), done("Grüße!")]);
        let asked = event(Fact::ModelAsked { attempt: 2, model: "a/b".into() });
        check(&[delta(1, 0, "Guten"), asked, delta(1, 5, " Tag"), done("Grüße!")]);
    }
}
