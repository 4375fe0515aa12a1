//! Lanes: claims turns while there is room, drives each in a task of its own, and goes back to the log when
//! one fails. One turn per session at a time is the store's doing.

use crate::{
    driver,
    hands::Hands,
    prompt::Prompt,
    spending::{self, Spending},
    workbench,
};
use memory::Memory;
use models::Models;
use protocol::{Fact, TurnLimits};
use std::{collections::HashSet, path::PathBuf, sync::Arc, time::Duration};
use store::{Claim, Lane, NewNotice, Store, StoreError};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// How long a turn stays with a worker that gives no sign of life.
pub(crate) const LEASE: Duration = Duration::from_secs(60);

/// The longest pause between two tries to go on with a turn the store could not write for.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// How often approvals are checked for having expired; they last for days.
const EXPIRY_CHECK: Duration = Duration::from_secs(60);

/// What the agent is told.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// How many model calls one turn may make.
    pub max_iterations: u32,
    /// How many turns run side by side.
    pub max_concurrent_turns: usize,
    /// How many earlier messages the model is shown.
    pub max_history_messages: usize,
    /// The folder with the convention files.
    pub workspace: PathBuf,
}

/// The driver of turns. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    pub(crate) store: Store,
    pub(crate) models: Models,
    pub(crate) hands: Arc<dyn Hands>,
    pub(crate) settings: Arc<AgentSettings>,
    pub(crate) prompt: Prompt,
    /// Where notes that fit a message are sought, if they are.
    pub(crate) memory: Option<Memory>,
    pub(crate) spending: Spending,
    worker: Arc<str>,
}

impl Agent {
    /// Joins what an agent needs. Nothing runs yet.
    pub fn new(store: Store, models: Models, hands: Arc<dyn Hands>, settings: AgentSettings) -> Self {
        let prompt = Prompt::new(settings.workspace.clone());
        let worker = uuid::Uuid::now_v7().to_string().into();
        Self {
            store,
            models,
            hands,
            settings: Arc::new(settings),
            prompt,
            memory: None,
            spending: Spending::default(),
            worker,
        }
    }

    /// The same, but standing orders stop where the owner's limits are reached.
    pub fn spending(self, spending: Spending) -> Self {
        Self { spending, ..self }
    }

    /// The same, but with every message of the owner's goes what this memory holds on it.
    pub fn recalling(self, memory: Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Takes up what an earlier process left, before anything new is accepted: its turns are queued again,
    /// and conversations hear of processes that were lost with it.
    pub async fn recover(&self) -> Result<(), StoreError> {
        let recovered = self.store.recover().await?;
        if recovered > 0 {
            tracing::info!(recovered, "going on with turns of an earlier process");
        }
        workbench::tell_of_lost(&self.store).await
    }

    /// Serves the inbox until `stop`. Turns that run then are dropped where they stand; the log has all that
    /// is needed to go on with them.
    pub async fn run(&self, stop: CancellationToken) {
        let mut lanes = Lanes::default();
        let mut expiry = tokio::time::interval(EXPIRY_CHECK);
        let mut renewal = tokio::time::interval(LEASE / 3);
        loop {
            let held = self.fill(&mut lanes, &stop).await;
            let tomorrow = spending::until_tomorrow(&jiff::Zoned::now());
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.store.inbox_changed() => {}
                Some(ended) = lanes.tasks.join_next_with_id() => lanes.ended(ended),
                _ = expiry.tick() => self.expire().await,
                _ = renewal.tick(), if !lanes.tasks.is_empty() => self.renew().await,
                () = tokio::time::sleep(tomorrow), if held => {}
            }
        }
        lanes.tasks.shutdown().await;
    }

    /// Starts turns while there is room for them. Whether some were held back until tomorrow.
    async fn fill(&self, lanes: &mut Lanes, stop: &CancellationToken) -> bool {
        let limits = TurnLimits { max_iterations: self.settings.max_iterations };
        let mut held = false;
        while lanes.tasks.len() < self.settings.max_concurrent_turns {
            held = held || self.must_wait().await;
            // One lane is kept free for the owner, if there is more than one.
            let full = lanes.background.len() + 1 >= self.settings.max_concurrent_turns.max(2);
            let lane = if held || full { Lane::OwnerOnly } else { Lane::Any };
            match self.store.claim(&self.worker, LEASE, limits, lane).await {
                Ok(Some(claim)) => {
                    let background = is_background(&claim);
                    let (agent, stop) = (self.clone(), stop.clone());
                    let task = lanes.tasks.spawn(async move { agent.lane(claim, &stop).await });
                    if background {
                        lanes.background.insert(task.id());
                    }
                }
                Ok(None) => return held,
                Err(error) => {
                    tracing::error!(%error, "cannot claim from the inbox");
                    return held;
                }
            }
        }
        held
    }

    /// Whether standing orders must wait, because enough was spent today. If some do, the owner is told, once a day.
    async fn must_wait(&self) -> bool {
        let now = jiff::Zoned::now();
        let waits = async {
            let Some(reason) = self.spending.reached(self.store.view(), &now).await? else {
                return Ok(false);
            };
            if self.store.view().background_waits().await? {
                let text = format!(
                    "Standing orders wait until tomorrow: {reason}. Your own messages are answered as ever."
                );
                let (key, target, from) = (format!("spend:{}", now.date()), "last".into(), "steward".into());
                self.store.notify(NewNotice { key, target, from, text }).await?;
            }
            Ok::<_, StoreError>(true)
        };
        waits.await.unwrap_or_else(|error| {
            tracing::error!(%error, "cannot tell what was spent today");
            false
        })
    }

    /// Drives a turn to its end. When the store fails in between, the turn is taken up from the log again.
    async fn lane(&self, mut claim: Claim, stop: &CancellationToken) {
        let mut pause = Duration::from_millis(200);
        loop {
            let turn = claim.turn.clone();
            let Err(error) = driver::drive(self, claim, stop).await else { return };
            tracing::error!(%error, turn = %turn.turn, "a turn could not go on; trying again");
            let events = loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(pause) => {}
                }
                pause = (pause * 2).min(MAX_PAUSE);
                match self.store.view().turn_events(turn.turn, 0).await {
                    Ok(events) => break events,
                    Err(error) => tracing::error!(%error, turn = %turn.turn, "cannot read the turn"),
                }
            };
            claim = Claim { turn, events };
        }
    }

    /// Denies what has waited too long for the owner.
    async fn expire(&self) {
        match self.store.expire_approvals().await {
            Ok(0) => {}
            Ok(calls) => tracing::info!(calls, "approvals expired"),
            Err(error) => tracing::warn!(%error, "cannot expire approvals"),
        }
    }

    async fn renew(&self) {
        if let Err(error) = self.store.renew(&self.worker, LEASE).await {
            tracing::warn!(%error, "cannot renew leases");
        }
    }
}

/// The turns under way.
#[derive(Default)]
struct Lanes {
    tasks: JoinSet<()>,
    /// Those that are not the owner's own.
    background: HashSet<Id>,
}

impl Lanes {
    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, ())| *id);
        self.background.remove(&id);
        if let Err(error) = ended
            && error.is_panic()
        {
            tracing::error!(%error, "a lane panicked; its turn goes on after a restart");
        }
    }
}

fn is_background(claim: &Claim) -> bool {
    matches!(claim.events.first().map(|event| &event.fact),
        Some(Fact::TurnStarted { trigger, .. }) if trigger.kind.is_background())
}
