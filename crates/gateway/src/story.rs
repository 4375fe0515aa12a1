//! What happened in a conversation, put so that any door can tell it: feed items in, things worth telling out.
//! Pure; each listener has one of its own. Whatever deltas were lost, repeated or begun again, the text told
//! adds up to the answer.

use crate::programs::{Programs, Run};
use protocol::{
    ApprovalId, AskedCall, Block, Call, CallId, CallResult, ClientCall, Decision, DeltaKind, Event, Fact,
    Forecast, Outcome, RUN_CODE, Trigger, TurnId, Usage, code_of,
};
use std::collections::HashMap;
use store::FeedItem;

/// What stands between two answers of one turn.
const GAP: &str = "\n\n";

/// One conversation as far as it was told.
#[derive(Debug, Default)]
pub(crate) struct Story {
    turn: Option<TurnId>,
    attempt: u32,
    /// How much of the running attempt's text was told, in bytes of the model's own text.
    told: usize,
    /// The answers of this turn that are complete.
    text: String,
    usage: Usage,
    /// The calls of this turn, those of programs among them.
    calls: HashMap<CallId, Call>,
    programs: Programs,
    /// Which of them the client runs.
    handed_over: Vec<CallId>,
}

/// Something worth telling.
#[derive(Debug, PartialEq)]
pub(crate) enum Told<'a> {
    /// A turn began.
    Started(&'a Trigger),
    /// The model is being asked.
    Asking,
    /// More text. `offset` counts bytes within the attempt; a higher attempt voids the text of a lower one.
    Text { attempt: u32, offset: usize, text: String },
    /// A tool reports.
    Progress { tool: Option<&'a str>, text: &'a str },
    /// One answer of the model is complete; it may be empty.
    Said(&'a [Block]),
    /// The model wrote a program. Whether it fits and what it does is told later.
    Program { call: CallId, code: String },
    /// The owner is asked; with a forecast if these are calls of a program.
    Asked { approval: ApprovalId, calls: &'a [AskedCall], forecast: Option<&'a Forecast> },
    /// The owner, or the clock, decided.
    Decided { approval: ApprovalId, decisions: &'a [Decision] },
    /// The client is to run these.
    HandedOver(&'a [ClientCall]),
    /// A call has its result.
    Done { result: &'a CallResult, call: Option<Call>, whose: Whose },
    /// The turn is over; this is all it said and cost.
    Over { outcome: &'a Outcome, text: String, usage: Usage },
}

/// Where a call comes from, and who ran it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Whose {
    /// The program that asked for it; the model itself if there is none.
    pub parent: Option<CallId>,
    /// What came of the program it handed in, if it did.
    pub program: Option<Run>,
    /// Whether the client ran it.
    pub by_client: bool,
}

impl Story {
    /// The turn under way, if one is.
    pub fn turn(&self) -> Option<TurnId> {
        self.turn
    }

    /// A call of the turn under way.
    pub fn call(&self, id: CallId) -> Option<&Call> {
        self.calls.get(&id)
    }

    /// How much of the running attempt was told, if anything.
    pub fn position(&self) -> Option<(u32, usize)> {
        (self.told > 0).then(|| (self.attempt, self.gap().len() + self.told))
    }

    /// Takes note that a client was told so much of an attempt before.
    pub fn told(&mut self, attempt: u32, offset: usize) {
        if attempt >= self.attempt {
            self.attempt = attempt;
            self.told = offset.saturating_sub(self.gap().len());
        }
    }

    /// What to tell of an item.
    pub fn take<'a>(&mut self, item: &'a FeedItem) -> Vec<Told<'a>> {
        match item {
            FeedItem::Event(event) => self.event(event),
            FeedItem::Delta(delta) => match delta.kind {
                DeltaKind::Text if self.turn == Some(delta.turn) => {
                    self.delta(delta.attempt, delta.offset, &delta.text).into_iter().collect()
                }
                DeltaKind::Progress => {
                    vec![Told::Progress { tool: delta.tool.as_deref(), text: &delta.text }]
                }
                DeltaKind::Text | DeltaKind::Thinking => Vec::new(),
            },
        }
    }

    fn event<'a>(&mut self, event: &'a Event) -> Vec<Told<'a>> {
        if self.turn.is_some_and(|turn| turn != event.turn) {
            // A queued turn that is stopped begins and ends while another is under way, and must not disturb it.
            return Self { turn: Some(event.turn), ..Self::default() }.event(event);
        }
        match &event.fact {
            Fact::TurnStarted { trigger, .. } => {
                *self = Self { turn: Some(event.turn), ..Self::default() };
                vec![Told::Started(trigger)]
            }
            Fact::ModelAsked { attempt, .. } => {
                if *attempt > self.attempt {
                    (self.attempt, self.told) = (*attempt, 0);
                }
                vec![Told::Asking]
            }
            Fact::ModelDone { blocks, usage, .. } => {
                self.usage += *usage;
                for block in blocks {
                    if let Block::Call(call) = block {
                        self.calls.insert(call.id, call.clone());
                    }
                }
                let mut told: Vec<Told<'a>> = self.complete(blocks).into_iter().collect();
                told.push(Told::Said(blocks));
                told.extend(blocks.iter().filter_map(program));
                told
            }
            Fact::ModelFailed { partial, .. } | Fact::TurnAborted { partial } => {
                self.complete(partial).into_iter().collect()
            }
            Fact::ApprovalRequested { approval, calls, forecast, .. } => {
                vec![Told::Asked { approval: *approval, calls, forecast: forecast.as_ref() }]
            }
            Fact::ApprovalDecided { approval, decisions, .. } => {
                vec![Told::Decided { approval: *approval, decisions }]
            }
            Fact::ClientAsked { calls } => {
                self.handed_over.extend(calls.iter().map(|handed| handed.call.id));
                vec![Told::HandedOver(calls)]
            }
            Fact::CallDone { result } => {
                let call = self.calls.get(&result.call).cloned();
                vec![Told::Done { result, whose: self.whose(result, call.as_ref()), call }]
            }
            Fact::ProgramAsked { program, calls, .. } => {
                self.calls.extend(calls.iter().map(|call| (call.id, call.clone())));
                self.programs.asked(*program, calls);
                Vec::new()
            }
            Fact::ProgramEnded { program, end, .. } => {
                self.programs.ended(*program, end);
                Vec::new()
            }
            Fact::TurnFinished { outcome } => {
                let ended = std::mem::take(self);
                vec![Told::Over { outcome, text: ended.text, usage: ended.usage }]
            }
            _ => Vec::new(),
        }
    }

    fn whose(&mut self, result: &CallResult, call: Option<&Call>) -> Whose {
        self.programs.done(result);
        let program = call.filter(|call| call.tool == RUN_CODE).map(|call| self.programs.close(call.id));
        let by_client = self.handed_over.contains(&result.call);
        Whose { parent: self.programs.parent(result.call), program, by_client }
    }

    /// What separates the running attempt's text from what was said before in this turn.
    fn gap(&self) -> &'static str {
        if self.text.is_empty() { "" } else { GAP }
    }

    fn delta<'a>(&mut self, attempt: u32, offset: usize, text: &str) -> Option<Told<'a>> {
        if attempt < self.attempt {
            return None;
        }
        if attempt > self.attempt {
            (self.attempt, self.told) = (attempt, 0);
        }
        // What begins after a gap waits until the whole answer is there.
        let unseen = self.told.checked_sub(offset).and_then(|seen| text.get(seen..))?;
        self.tell(unseen)
    }

    /// An answer is complete: what its deltas did not bring is told now.
    fn complete<'a>(&mut self, blocks: &[Block]) -> Option<Told<'a>> {
        let text = Block::text_of(blocks);
        let rest = text.get(self.told..).unwrap_or_default();
        let told = self.tell(rest);
        if !text.is_empty() {
            self.text.push_str(self.gap());
            self.text.push_str(&text);
        }
        // A delta that was on its way meanwhile has nothing to add.
        (self.attempt, self.told) = (self.attempt + 1, 0);
        told
    }

    fn tell<'a>(&mut self, text: &str) -> Option<Told<'a>> {
        if text.is_empty() {
            return None;
        }
        let gap = self.gap();
        let (offset, lead) = if self.told == 0 { (0, gap) } else { (gap.len() + self.told, "") };
        self.told += text.len();
        Some(Told::Text { attempt: self.attempt, offset, text: format!("{lead}{text}") })
    }
}

/// The program in a block, if there is one.
fn program<'a>(block: &Block) -> Option<Told<'a>> {
    let Block::Call(call) = block else { return None };
    code_of(call).map(|code| Told::Program { call: call.id, code })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Receipt;
    use protocol::{CallStatus, Delta, ProgramEnd, SessionKey, StopReason, TriggerKind, TurnLimits};
    use std::sync::Arc;

    fn event(fact: Fact) -> FeedItem {
        let (session, turn) = (SessionKey::new("s").unwrap(), TurnId::from(uuid::Uuid::nil()));
        FeedItem::Event(Arc::new(Event { seq: 1, session, turn, at: jiff::Timestamp::UNIX_EPOCH, fact }))
    }

    fn started() -> FeedItem {
        let session = SessionKey::new("s").unwrap();
        let trigger = Trigger {
            source: "test".into(),
            external_id: "1".into(),
            session,
            kind: TriggerKind::Message,
            content: vec![Block::text("hi")],
            model: None,
            steer: false,
            history: Vec::new(),
        };
        event(Fact::TurnStarted { trigger, limits: TurnLimits { max_iterations: 5 } })
    }

    fn asked(attempt: u32) -> FeedItem {
        event(Fact::ModelAsked { attempt, model: "a/b".into() })
    }

    fn delta(attempt: u32, offset: usize, text: &str) -> FeedItem {
        let (session, turn) = (SessionKey::new("s").unwrap(), TurnId::from(uuid::Uuid::nil()));
        let kind = DeltaKind::Text;
        FeedItem::Delta(Arc::new(Delta {
            session,
            turn,
            attempt,
            offset,
            kind,
            tool: None,
            text: text.into(),
        }))
    }

    fn done(text: &str) -> FeedItem {
        let (blocks, stop) = (vec![Block::text(text)], StopReason::EndTurn);
        let usage = Usage { input_tokens: 1, output_tokens: 2, ..Usage::default() };
        event(Fact::ModelDone { model: "a/b".into(), blocks, stop, usage })
    }

    fn finished() -> FeedItem {
        event(Fact::TurnFinished { outcome: Outcome::Completed })
    }

    /// A client that does what the protocol says: a higher attempt voids the text of the one before.
    fn read(story: &mut Story, items: &[FeedItem]) -> (String, Option<String>) {
        let (mut kept, mut running, mut current) = (String::new(), String::new(), 0);
        let mut whole = None;
        for told in items.iter().flat_map(|item| story.take(item)) {
            match told {
                Told::Text { attempt, offset, text } => {
                    if attempt > current {
                        (current, running) = (attempt, String::new());
                    }
                    assert_eq!(offset, running.len(), "text follows on text");
                    running.push_str(&text);
                }
                Told::Said(_) => kept.push_str(&std::mem::take(&mut running)),
                Told::Over { text, .. } => whole = Some(text),
                _ => {}
            }
        }
        (kept, whole)
    }

    #[test]
    fn whatever_is_lost_or_repeated_the_text_adds_up() {
        let check = |items: &[FeedItem]| {
            let turn: Vec<FeedItem> =
                [started(), asked(1)].into_iter().chain(items.iter().cloned()).chain([finished()]).collect();
            let (told, whole) = read(&mut Story::default(), &turn);
            assert_eq!((told.as_str(), whole.as_deref()), ("Grüße!", Some("Grüße!")), "{items:?}");
        };
        check(&[delta(1, 0, "Grü"), delta(1, 4, "ße!"), done("Grüße!")]);
        check(&[done("Grüße!")]);
        check(&[delta(1, 0, "Grü"), delta(1, 0, "Grüße"), delta(1, 7, "!"), done("Grüße!")]);
        check(&[delta(1, 0, "G"), delta(1, 4, "ße!"), done("Grüße!")]);
        check(&[delta(1, 0, "Guten"), delta(2, 0, "Grüße!"), done("Grüße!")]);
        check(&[delta(1, 0, "Guten"), asked(2), delta(1, 5, " Tag"), delta(2, 0, "Grü"), done("Grüße!")]);
    }

    #[test]
    fn answers_of_one_turn_are_paragraphs() {
        let items = [
            started(),
            asked(1),
            delta(1, 0, "One"),
            done("One."),
            asked(2),
            delta(2, 0, "Tw"),
            delta(2, 2, "o"),
            done("Two"),
            finished(),
        ];
        let (told, whole) = read(&mut Story::default(), &items);
        assert_eq!((told.as_str(), whole.as_deref()), ("One.\n\nTwo", Some("One.\n\nTwo")));
    }

    #[test]
    fn a_client_that_comes_back_gets_only_the_rest() {
        let mut story = Story::default();
        for item in [started(), asked(1), done("One."), asked(2)] {
            story.take(&item);
        }
        // It had been told "\n\nTw" of the second attempt.
        story.told(2, 4);
        let so_far = delta(2, 0, "Two, th");
        assert_eq!(story.take(&so_far), [Told::Text { attempt: 2, offset: 4, text: "o, th".into() }]);
        let rest = done("Two, three");
        assert_eq!(story.take(&rest)[0], Told::Text { attempt: 2, offset: 9, text: "ree".into() });
    }

    #[test]
    fn a_delta_that_comes_after_its_answer_tells_nothing() {
        let mut story = Story::default();
        read(&mut story, &[started(), asked(1), delta(1, 0, "One"), done("One")]);
        assert_eq!(story.take(&delta(1, 0, "One")), []);
        story.take(&asked(2));
        assert_eq!(story.take(&delta(1, 3, "?")), []);
        let next = Told::Text { attempt: 2, offset: 0, text: "\n\nTwo".into() };
        assert_eq!(story.take(&delta(2, 0, "Two")), [next]);
    }

    fn call(number: u128, tool: &str, arguments: &str) -> Call {
        let id = CallId::from(uuid::Uuid::from_u128(number));
        Call { id, wire_id: String::new(), tool: tool.into(), arguments: arguments.into() }
    }

    fn calls(calls: &[Call]) -> FeedItem {
        let blocks = calls.iter().cloned().map(Block::Call).collect();
        let (stop, usage) = (StopReason::ToolUse, Usage::default());
        event(Fact::ModelDone { model: "a/b".into(), blocks, stop, usage })
    }

    fn result(call: &Call, status: CallStatus, output: &str) -> FeedItem {
        event(Fact::CallDone { result: CallResult::new(call.id, status, output) })
    }

    fn program_asked(program: &Call, calls: &[Call]) -> FeedItem {
        let (program, calls) = (program.id, calls.to_vec());
        event(Fact::ProgramAsked { program, calls, told: 0, console: String::new() })
    }

    /// Whose call an item settles.
    fn whose(story: &mut Story, item: &FeedItem) -> (Option<Call>, Whose) {
        match story.take(item).pop() {
            Some(Told::Done { call, whose, .. }) => (call, whose),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_calls_of_a_program_have_a_parent_and_leave_receipts() {
        let mut story = Story::default();
        let program = call(1, RUN_CODE, r#"{"code":"return 1"}"#);
        let (plain, one, two) = (call(2, "read", "{}"), call(3, "a.b", "{}"), call(4, "c", "{}"));
        story.take(&started());
        let wrote = calls(&[program.clone(), plain.clone()]);
        let code = Told::Program { call: program.id, code: "return 1".into() };
        assert_eq!(story.take(&wrote).pop(), Some(code));
        assert_eq!(story.take(&program_asked(&program, std::slice::from_ref(&one))), []);
        assert_eq!(story.take(&program_asked(&program, std::slice::from_ref(&two))), []);
        let child = Whose { parent: Some(program.id), ..Whose::default() };
        assert_eq!(whose(&mut story, &result(&two, CallStatus::Denied, "no")), (Some(two.clone()), child));
        let (_, plain) = whose(&mut story, &result(&plain, CallStatus::Succeeded, "text"));
        assert_eq!(plain, Whose::default(), "what the model asks for itself has no parent");
        story.take(&result(&one, CallStatus::Succeeded, &"x".repeat(1000)));
        let end = ProgramEnd::Returned { value: "1".into(), cut_bytes: 0 };
        story.take(&event(Fact::ProgramEnded {
            program: program.id,
            end: end.clone(),
            console: String::new(),
        }));
        let receipt = |call: &Call, status, preview: String| Receipt {
            call: call.id,
            tool: call.tool.clone(),
            status: Some(status),
            preview,
        };
        let run = Run {
            receipts: vec![
                receipt(&one, CallStatus::Succeeded, "x".repeat(120)),
                receipt(&two, CallStatus::Denied, "no".into()),
            ],
            end: Some(end),
        };
        let over = whose(&mut story, &result(&program, CallStatus::Succeeded, "2 calls"));
        assert_eq!(over, (Some(program), Whose { program: Some(run), ..Whose::default() }));
    }

    #[test]
    fn a_program_that_does_not_fit_is_told_and_leaves_nothing() {
        let mut story = Story::default();
        story.take(&started());
        let (wrong, nonsense) =
            (call(1, RUN_CODE, r#"{"code":"retrun"}"#), call(2, RUN_CODE, r#"{"cod":1}"#));
        let wrote = calls(&[wrong.clone(), nonsense.clone()]);
        let told = story.take(&wrote);
        let code = Told::Program { call: wrong.id, code: "retrun".into() };
        assert_eq!(told[1..], [code], "what has no code cannot be shown");
        for call in [wrong, nonsense] {
            let (_, whose) = whose(&mut story, &result(&call, CallStatus::Failed, "1:1 no such name"));
            assert_eq!(whose, Whose { program: Some(Run::default()), ..Whose::default() });
        }
    }
}
