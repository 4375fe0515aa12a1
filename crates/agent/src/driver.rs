//! Takes one turn to its end: performs effects, writes the facts they lead to, folds what comes back. The
//! machine decides; the driver only keeps track of what is under way.

use crate::{
    agent::Agent,
    hands::{Judged, Scene},
    history::{self, Earlier},
    recall, thinking,
};
use protocol::{
    Approved, Block, Call, CallId, CallResult, CallStatus, Event, Fact, Message, ModelError, ModelErrorKind,
    TriggerKind,
};
use std::{collections::HashMap, time::Duration};
use store::{Claim, Durability, Finish, Signals, StoreError, TurnRef};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use turn::{Effect, Turn};

/// How long a screen waits for its owner before it counts as denied.
const APPROVAL_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

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
    Judging,
    Running(CallId),
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
                Effect::Ask { calls } => next.extend(self.ask_owner(calls).await?),
                Effect::AwaitClient { .. } => next.extend(self.hand_over().await?),
                Effect::Finish { .. } => next.extend(self.finish().await?),
            }
        }
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

    /// Hands over what is to be handed over now: a turn that was stopped meanwhile hands over nothing.
    async fn hand_over(&mut self) -> Result<Vec<Effect>, StoreError> {
        let mut effects = Vec::new();
        while let Some(Effect::AwaitClient { calls }) = self.turn.await_client() {
            let news = match self.agent.store.hand_over(&self.at, self.seen, calls).await? {
                Finish::Done(news) | Finish::Stale(news) => news,
            };
            effects.extend(self.take_in(news));
        }
        Ok(effects)
    }

    async fn ask_model(&mut self, attempt: u32) -> Result<Vec<Effect>, StoreError> {
        let default = || self.agent.models.default_model().to_string();
        let model = self.turn.model().map_or_else(default, str::to_owned);
        let mut facts = Vec::new();
        if !self.turn.brings_history() && self.turn.kept().is_none() && self.earlier().await?.full {
            facts.push(Fact::HistoryCut { kept: self.agent.settings.max_history_messages / 2 });
        }
        facts.push(Fact::ModelAsked { attempt, model: model.clone() });
        let mut effects = self.write(Durability::Flushed, facts).await?;
        if !self.turn.awaits_model() {
            return Ok(effects);
        }
        if let Some(stopped) = self.spent().await? {
            effects.extend(self.write(Durability::Flushed, vec![stopped]).await?);
            return Ok(effects);
        }
        let messages = self.messages().await?;
        let question = thinking::Question { at: self.at.clone(), attempt, model, messages };
        let agent = self.agent.clone();
        self.start(Work::Thinking, async move { vec![thinking::think(&agent, question).await] });
        Ok(effects)
    }

    /// How a standing order ends that has come to the owner's limit for today.
    async fn spent(&self) -> Result<Option<Fact>, StoreError> {
        if !self.turn.kind().is_background() {
            return Ok(None);
        }
        let reached = self.agent.spending.reached(self.agent.store.view(), &jiff::Zoned::now()).await?;
        Ok(reached.map(|reason| {
            let (kind, provider) = (ModelErrorKind::Overspent, "steward".to_owned());
            let error = ModelError { kind, provider, message: format!("It stopped: {reason}.") };
            Fact::ModelFailed { error, partial: Vec::new() }
        }))
    }

    /// What the model is shown: the conversation before, then this turn. What the owner was told meanwhile, notes that
    /// fit, and a word on what will leave the view stand beside what was said.
    async fn messages(&mut self) -> Result<Vec<Message>, StoreError> {
        if self.turn.brings_history() {
            return Ok(self.turn.messages().to_vec());
        }
        let notes = self.recall().await;
        let turn = self.turn.messages().to_vec();
        let kept = self.turn.kept();
        let earlier = self.earlier().await?;
        let mut messages = earlier.messages.clone();
        let said = messages.len();
        messages.extend(turn);
        if let Some(said) = messages.get_mut(said) {
            let cut =
                kept.map(|kept| include_str!("prompts/cut.md").trim().replace("{kept}", &kept.to_string()));
            let beside = notes.into_iter().chain(cut).map(Block::text);
            // What was said comes last: it is what is to be answered.
            said.blocks.splice(0..0, earlier.notices.iter().cloned().chain(beside));
        }
        Ok(messages)
    }

    /// The notes that fit what the owner said.
    async fn recall(&mut self) -> Option<String> {
        if self.recalled.is_none() {
            let said = self.turn.messages().first().map(Message::text).unwrap_or_default();
            self.recalled = Some(match &self.agent.memory {
                Some(memory) if self.turn.kind() == TriggerKind::Message && !said.trim().is_empty() => {
                    recall::notes_for(memory, &said).await
                }
                _ => None,
            });
        }
        self.recalled.clone().flatten()
    }

    /// The conversation before this turn.
    async fn earlier(&mut self) -> Result<&Earlier, StoreError> {
        let earlier = match self.earlier.take() {
            Some(earlier) => earlier,
            None => {
                let limit = self.agent.settings.max_history_messages;
                history::before(self.agent.store.view(), &self.at, self.began, limit).await?
            }
        };
        Ok(self.earlier.insert(earlier))
    }

    /// Where calls are made now: what the model has been shown decides what they may do.
    async fn scene(&mut self) -> Result<Scene, StoreError> {
        let mut taint = history::both(self.earlier().await?.taint, history::taint_of(&self.turn));
        taint.private |= self.recalled.iter().flatten().next().is_some();
        Ok(Scene { at: self.at.clone(), taint })
    }

    async fn judge(&mut self, calls: Vec<Call>) -> Result<(), StoreError> {
        let (hands, scene) = (self.agent.hands.clone(), self.scene().await?);
        self.start(Work::Judging, async move {
            let mut facts = Vec::new();
            let mut judgements = Vec::new();
            let mut unanswered: Vec<CallId> = calls.iter().map(|call| call.id).collect();
            for judged in hands.judge(&scene, &calls).await {
                unanswered.retain(|call| *call != judged.call());
                match judged {
                    Judged::Verdict(judgement) => judgements.push(judgement),
                    Judged::Senseless(result) => facts.push(Fact::CallDone { result }),
                }
            }
            facts.extend(unanswered.into_iter().map(not_judged));
            if !judgements.is_empty() {
                facts.insert(0, Fact::CallsJudged { judgements });
            }
            facts
        });
        Ok(())
    }

    async fn ask_owner(&mut self, calls: Vec<Call>) -> Result<Vec<Effect>, StoreError> {
        let scene = self.scene().await?;
        let now = jiff::Timestamp::now();
        let expires_at = now.checked_add(APPROVAL_LASTS).unwrap_or(now);
        let asked = self.agent.hands.show(&scene, &calls, expires_at).await;
        let mut facts: Vec<Fact> = calls
            .iter()
            .filter(|call| !asked.iter().any(|asked| asked.call == call.id))
            .map(|call| not_judged(call.id))
            .collect();
        if !asked.is_empty() {
            let approval = uuid::Uuid::now_v7().into();
            facts.insert(0, Fact::ApprovalRequested { approval, calls: asked, expires_at, forecast: None });
        }
        self.write(Durability::Synced, facts).await
    }

    async fn run(&mut self, call: Call, approved: Option<Approved>) -> Result<(), StoreError> {
        let work = Work::Running(call.id);
        // Between the decision to run it and here the owner may have stopped the turn.
        if !self.turn.is_running(call.id) || self.under_way.contains_key(&work) {
            return Ok(());
        }
        let (hands, scene) = (self.agent.hands.clone(), self.scene().await?);
        self.start(work, async move {
            vec![Fact::CallDone { result: hands.run(&scene, &call, approved.as_ref()).await }]
        });
        Ok(())
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
        let facts = match ended {
            Ok((_, facts)) => facts,
            Err(error) => self.crashed(work, &error),
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
            let (turn, more) = turn::step(std::mem::take(&mut self.turn), &event.fact);
            self.turn = turn;
            effects.extend(more);
        }
        let turn = &self.turn;
        self.under_way.retain(|work, handle| {
            let wanted = match work {
                Work::Thinking => turn.awaits_model(),
                Work::Judging => !turn.unjudged().is_empty(),
                Work::Running(call) => turn.is_running(*call),
            };
            if !wanted {
                handle.abort();
            }
            wanted
        });
        effects
    }

    /// What is written when a task panicked: the turn goes on, and the truth is told.
    fn crashed(&self, work: Work, error: &JoinError) -> Vec<Fact> {
        tracing::error!(?work, %error, "work under way crashed");
        match work {
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
            Work::Judging => self.turn.unjudged().into_iter().map(not_judged).collect(),
        }
    }
}

/// The rules the owner made with a decision.
fn rules_of(fact: &Fact) -> impl Iterator<Item = &str> {
    let decisions =
        if let Fact::ApprovalDecided { decisions, .. } = fact { decisions.as_slice() } else { &[] };
    decisions.iter().filter_map(|decision| decision.rule.as_deref())
}

/// Nothing runs unjudged.
fn not_judged(call: CallId) -> Fact {
    let output = "Failed: this call could not be judged, so it was not run.";
    Fact::CallDone { result: CallResult::new(call, CallStatus::Failed, output) }
}
