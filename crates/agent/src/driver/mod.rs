//! Takes one turn to its end: performs effects, writes the facts they lead to, folds what comes back. The
//! machine decides; the driver only keeps track of what is under way.

mod calls;
mod model;

use crate::{agent::Agent, history::Earlier, journal::Journal, programs::Running};
use protocol::{CallId, CallResult, CallStatus, Event, Fact, ModelError, ModelErrorKind};
use std::collections::{HashMap, HashSet};
use store::{Claim, Durability, Finish, Signals, StoreError, TurnRef};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use turn::{Effect, Turn};

/// Drives a claimed turn until it is over, waits for somebody outside, or `stop`.
pub(crate) async fn drive(agent: &Agent, claim: Claim, stop: &CancellationToken) -> Result<(), StoreError> {
    let mut driver = Driver::take_up(agent, claim).await?;
    let mut effects = turn::resume(&driver.turn);
    loop {
        while !effects.is_empty() {
            effects = driver.perform(effects).await?;
        }
        if driver.turn.outcome().is_some() {
            return Ok(());
        }
        if driver.under_way.is_empty() {
            if !driver.turn.awaits_outside() {
                effects = turn::resume(&driver.turn);
                continue;
            }
            match agent.store.park(&driver.at, driver.seen).await? {
                Finish::Done(_) => return Ok(()),
                Finish::Stale(news) => effects = driver.take_in(news),
            }
            continue;
        }
        effects = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = driver.signals.next() => driver.hear().await?,
            Some(ended) = driver.tasks.join_next_with_id() => driver.ended(ended).await?,
        };
    }
}

/// One piece of work under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Work {
    Thinking,
    /// Of this call and those judged with it.
    Judging(CallId),
    Running(CallId),
    /// The program this call handed in.
    Program(CallId),
}

struct Driver<'a> {
    agent: &'a Agent,
    at: TurnRef,
    turn: Turn,
    /// The last event folded.
    seen: u64,
    signals: Signals,
    tasks: JoinSet<Vec<Fact>>,
    under_way: HashMap<Work, AbortHandle>,
    /// What the log says of its programs, and those that have a process.
    journal: Journal,
    programs: HashMap<CallId, Running>,
    /// Its first event.
    began: u64,
    /// The conversation before this turn, read once.
    earlier: Option<Earlier>,
    /// Notes that fit what was said, looked up once.
    recalled: Option<Option<String>>,
}

impl<'a> Driver<'a> {
    async fn take_up(agent: &'a Agent, claim: Claim) -> Result<Self, StoreError> {
        let signals = agent.store.signals(claim.turn.turn);
        let mut driver = Self {
            agent,
            at: claim.turn,
            turn: Turn::new(),
            seen: 0,
            signals,
            tasks: JoinSet::new(),
            under_way: HashMap::new(),
            journal: Journal::default(),
            programs: HashMap::new(),
            began: claim.events.first().map_or(0, |event| event.seq),
            earlier: None,
            recalled: None,
        };
        // A rule made while the turn was set aside counts, unless it was taken back since.
        if claim.events.iter().any(|event| rules_of(&event.fact).next().is_some()) {
            agent.store.view().rules().await?.iter().for_each(|rule| agent.hands.learn(rule));
        }
        // What these facts led to was performed or will be found outstanding.
        drop(driver.fold(claim.events));
        Ok(driver)
    }

    /// Starts or writes each effect; returns the effects that follow from what was written.
    async fn perform(&mut self, effects: Vec<Effect>) -> Result<Vec<Effect>, StoreError> {
        let mut next = Vec::new();
        let mut facts = Vec::new();
        let mut to_run = Vec::new();
        for effect in effects {
            match effect {
                Effect::AskModel { attempt } => next.extend(self.ask_model(attempt).await?),
                Effect::Judge { calls } => self.judge(calls).await?,
                Effect::RunCall { call, approved } => {
                    facts.push(Fact::CallStarted { call: call.id });
                    to_run.push((call, approved));
                }
                // A result that came meanwhile stands.
                Effect::Settle { result } if !self.turn.is_open(result.call) => {}
                Effect::Settle { result } => facts.push(Fact::CallDone { result }),
                Effect::Ask { calls, program } => next.extend(self.ask_owner(calls, program).await?),
                Effect::RunProgram { program } => self.run_program(program),
                Effect::CloseProgram { program } => facts.extend(self.close_program(program)),
                Effect::AwaitClient { .. } => next.extend(self.hand_over().await?),
                Effect::Finish { .. } => next.extend(self.finish().await?),
            }
        }
        answer_once(&mut facts);
        if !facts.is_empty() {
            // The intents of one step share one commit, and it is on disk before anything acts.
            next.extend(self.write(Durability::Synced, facts).await?);
            for (call, approved) in to_run {
                self.run(call, approved).await?;
            }
        }
        Ok(next)
    }

    /// Ends the turn as it stands now: what came since the wish to end it counts.
    async fn finish(&mut self) -> Result<Vec<Effect>, StoreError> {
        let Some(Effect::Finish { outcome, requeue }) = self.turn.closing() else { return Ok(Vec::new()) };
        let news = match self.agent.store.finish(&self.at, self.seen, outcome, requeue).await? {
            Finish::Done(news) | Finish::Stale(news) => news,
        };
        Ok(self.take_in(news))
    }

    fn start(&mut self, work: Work, task: impl Future<Output = Vec<Fact>> + Send + 'static) {
        let handle = self.tasks.spawn(task);
        self.under_way.insert(work, handle);
    }

    /// Work has come to its end, by itself or because it was no longer wanted.
    async fn ended(&mut self, ended: Result<(Id, Vec<Fact>), JoinError>) -> Result<Vec<Effect>, StoreError> {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let work = self.under_way.iter().find(|(_, handle)| handle.id() == id).map(|(work, _)| *work);
        let Some(work) = work else { return Ok(Vec::new()) };
        self.under_way.remove(&work);
        let facts = match (ended, work) {
            (Ok((_, facts)), Work::Program(program)) if facts.is_empty() => self.bury(program),
            (Ok((_, facts)), _) => facts,
            (Err(error), _) => self.crashed(work, &error),
        };
        self.write(Durability::Flushed, facts).await
    }

    /// A signal was written to the turn.
    async fn hear(&mut self) -> Result<Vec<Effect>, StoreError> {
        let news = self.agent.store.news(self.at.turn, self.seen).await?;
        Ok(self.take_in(news))
    }

    async fn write(&mut self, durability: Durability, facts: Vec<Fact>) -> Result<Vec<Effect>, StoreError> {
        if facts.is_empty() {
            return Ok(Vec::new());
        }
        let events = self.agent.store.append(&self.at, self.seen, durability, facts).await?;
        Ok(self.take_in(events))
    }

    /// Takes news of the turn in. A rule the owner made with a decision counts from now on.
    fn take_in(&mut self, news: Vec<Event>) -> Vec<Effect> {
        news.iter().flat_map(|event| rules_of(&event.fact)).for_each(|rule| self.agent.hands.learn(rule));
        self.fold(news)
    }

    /// Folds events of the log into the turn, and drops work that is no longer wanted.
    fn fold(&mut self, events: Vec<Event>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for event in events {
            self.seen = event.seq;
            self.journal.take(&event);
            let (turn, more) = turn::step(std::mem::take(&mut self.turn), &event.fact);
            self.turn = turn;
            effects.extend(more);
        }
        let turn = &self.turn;
        self.under_way.retain(|work, handle| {
            let wanted = match work {
                Work::Thinking => turn.awaits_model(),
                Work::Judging(call) => turn.unjudged().contains(call),
                Work::Running(call) => turn.is_running(*call),
                Work::Program(program) => turn.is_live(*program),
            };
            if !wanted {
                handle.abort();
            }
            wanted
        });
        effects
    }

    /// What is written when a task panicked: the turn goes on, and the truth is told.
    fn crashed(&mut self, work: Work, error: &JoinError) -> Vec<Fact> {
        tracing::error!(?work, %error, "work under way crashed");
        match work {
            Work::Program(program) => self.bury(program),
            Work::Running(call) => {
                let output = "Failed: the tool crashed; it may have had an effect.";
                vec![Fact::CallDone { result: CallResult::new(call, CallStatus::Failed, output) }]
            }
            Work::Thinking => {
                let message = "Steward failed while asking the model. The log has details.".to_owned();
                let error =
                    ModelError { kind: ModelErrorKind::Provider, provider: "steward".into(), message };
                vec![Fact::ModelFailed { error, partial: Vec::new() }]
            }
            Work::Judging(_) => self.turn.unjudged().into_iter().map(not_judged).collect(),
        }
    }
}

/// The rules the owner made with a decision.
fn rules_of(fact: &Fact) -> impl Iterator<Item = &str> {
    let decisions =
        if let Fact::ApprovalDecided { decisions, .. } = fact { decisions.as_slice() } else { &[] };
    decisions.iter().filter_map(|decision| decision.rule.as_deref())
}

/// Two reasons to answer a call may come together: the first counts.
fn answer_once(facts: &mut Vec<Fact>) {
    let mut answered = HashSet::new();
    facts.retain(|fact| match fact {
        Fact::CallDone { result } => answered.insert(result.call),
        _ => true,
    });
}

/// Nothing runs unjudged.
fn not_judged(call: CallId) -> Fact {
    let output = "Failed: this call could not be judged, so it was not run.";
    Fact::CallDone { result: CallResult::new(call, CallStatus::Failed, output) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_answers_to_a_call_counts() {
        let id = |number: u128| CallId::from(uuid::Uuid::from_u128(number));
        let answer = |number, status| Fact::CallDone { result: CallResult::new(id(number), status, "") };
        let (denied, aborted) = (CallStatus::Denied, CallStatus::Aborted);
        let started = Fact::CallStarted { call: id(1) };
        let mut facts = vec![answer(1, denied), answer(2, aborted), started.clone(), answer(1, aborted)];
        answer_once(&mut facts);
        assert_eq!(facts, [answer(1, denied), answer(2, aborted), started]);
    }
}
