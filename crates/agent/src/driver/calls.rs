//! The calls' part of a turn: having them judged, asked, handed over and run, whoever asked for them, and running programs
//! on.

use super::{Driver, Work, not_judged};
use crate::{
    hands::{Judged, Scene},
    history,
    programs::{self, Stretch},
};
use protocol::{Approved, Call, CallId, CallResult, CallStatus, Fact, Forecast, RUN_CODE};
use std::time::Duration;
use store::{Durability, Finish, StoreError};
use turn::Effect;

/// How long a screen waits for its owner before it counts as denied.
const APPROVAL_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl Driver<'_> {
    /// Hands over what is to be handed over now: a turn that was stopped meanwhile hands over nothing.
    pub(super) async fn hand_over(&mut self) -> Result<Vec<Effect>, StoreError> {
        let mut effects = Vec::new();
        while let Some(Effect::AwaitClient { calls }) = self.turn.await_client() {
            let news = match self.agent.store.hand_over(&self.at, self.seen, calls).await? {
                Finish::Done(news) | Finish::Stale(news) => news,
            };
            effects.extend(self.take_in(news));
        }
        Ok(effects)
    }

    /// Where calls are made now: what the model has been shown decides what they may do.
    async fn scene(&mut self, program: bool) -> Result<Scene, StoreError> {
        let mut taint = history::both(self.earlier().await?.taint, history::taint_of(&self.turn));
        taint.private |= self.recalled.iter().flatten().next().is_some();
        Ok(Scene { at: self.at.clone(), taint, program })
    }

    pub(super) async fn judge(&mut self, calls: Vec<Call>) -> Result<(), StoreError> {
        let Some(first) = calls.first().map(|call| call.id) else { return Ok(()) };
        let (hands, scene) = (self.agent.hands.clone(), self.scene(false).await?);
        self.start(Work::Judging(first), async move {
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

    /// Puts calls to the owner, unless a screen that was put up meanwhile has them.
    pub(super) async fn ask_owner(
        &mut self,
        mut calls: Vec<Call>,
        program: Option<CallId>,
    ) -> Result<Vec<Effect>, StoreError> {
        calls.retain(|call| self.turn.is_to_ask(call.id));
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        let scene = self.scene(program.is_some()).await?;
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
            let forecast = self.forecast(program).await;
            facts.insert(0, Fact::ApprovalRequested { approval, calls: asked, expires_at, forecast });
        }
        self.write(Durability::Synced, facts).await
    }

    pub(super) async fn run(&mut self, call: Call, approved: Option<Approved>) -> Result<(), StoreError> {
        let work = Work::Running(call.id);
        // Between the decision to run it and here the owner may have stopped the turn.
        if !self.turn.is_running(call.id) || self.under_way.contains_key(&work) {
            return Ok(());
        }
        let of_program = self.turn.program_of(call.id).is_some();
        let (hands, scene) = (self.agent.hands.clone(), self.scene(of_program).await?);
        self.start(work, async move {
            if call.tool == RUN_CODE && !of_program {
                return vec![match hands.check(&scene, &call).await {
                    Ok(program) => Fact::ProgramStarted { call: call.id, program },
                    Err(why) => Fact::CallDone { result: CallResult::new(call.id, CallStatus::Failed, why) },
                }];
            }
            vec![Fact::CallDone { result: hands.run(&scene, &call, approved.as_ref()).await }]
        });
        Ok(())
    }

    /// Runs a program on, unless that is under way; then what came of its calls is told when it next falls quiet.
    pub(super) fn run_program(&mut self, program: CallId) {
        let work = Work::Program(program);
        if !self.turn.is_live(program) || self.under_way.contains_key(&work) {
            return;
        }
        let Some(entry) = self.journal.get(program) else { return };
        let running = self.programs.entry(program).or_default().clone();
        let stretch = Stretch::new(program, entry, self.agent.hands.host(), running);
        self.start(work, async move { stretch.run().await.into_iter().collect() });
    }

    /// Its process died in the middle: it gets another, or is given up.
    pub(super) fn bury(&mut self, program: CallId) -> Vec<Fact> {
        match self.programs.entry(program).or_default().died() {
            true => {
                self.run_program(program);
                Vec::new()
            }
            false => vec![programs::given_up(program)],
        }
    }

    /// What the model is told of a program, once all its calls have their results.
    pub(super) fn close_program(&mut self, program: CallId) -> Option<Fact> {
        self.programs.remove(&program);
        let entry = self.journal.get(program).filter(|_| self.turn.is_to_close(program))?;
        Some(Fact::CallDone { result: entry.receipts(program) })
    }

    async fn forecast(&self, program: Option<CallId>) -> Option<Forecast> {
        let program = program?;
        let entry = self.journal.get(program)?;
        let calls = self.agent.hands.foresee(&entry.runnable(), &entry.recorded()).await;
        Some(Forecast { program, calls })
    }
}
