//! Lanes: claims turns while there is room, drives each in a task of its own, and goes back to the log when
//! one fails. One turn per session at a time is the store's doing.

use crate::{driver, hands::Hands, prompt::Prompt, workbench};
use models::Models;
use protocol::TurnLimits;
use std::{path::PathBuf, sync::Arc, time::Duration};
use store::{Claim, Lane, Store, StoreError};
use tokio::task::JoinSet;
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
    worker: Arc<str>,
}

impl Agent {
    /// Joins what an agent needs. Nothing runs yet.
    pub fn new(store: Store, models: Models, hands: Arc<dyn Hands>, settings: AgentSettings) -> Self {
        let prompt = Prompt::new(settings.workspace.clone());
        let worker = uuid::Uuid::now_v7().to_string().into();
        Self { store, models, hands, settings: Arc::new(settings), prompt, worker }
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
        let mut lanes = JoinSet::new();
        let mut expiry = tokio::time::interval(EXPIRY_CHECK);
        let mut renewal = tokio::time::interval(LEASE / 3);
        loop {
            self.fill(&mut lanes, &stop).await;
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.store.inbox_changed() => {}
                Some(ended) = lanes.join_next() => {
                    if let Err(error) = ended && error.is_panic() {
                        tracing::error!(%error, "a lane panicked; its turn goes on after a restart");
                    }
                }
                _ = expiry.tick() => self.expire().await,
                _ = renewal.tick(), if !lanes.is_empty() => self.renew().await,
            }
        }
        lanes.shutdown().await;
    }

    async fn fill(&self, lanes: &mut JoinSet<()>, stop: &CancellationToken) {
        let limits = TurnLimits { max_iterations: self.settings.max_iterations };
        while lanes.len() < self.settings.max_concurrent_turns {
            match self.store.claim(&self.worker, LEASE, limits, Lane::Any).await {
                Ok(Some(claim)) => {
                    let (agent, stop) = (self.clone(), stop.clone());
                    lanes.spawn(async move { agent.lane(claim, &stop).await });
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::error!(%error, "cannot claim from the inbox");
                    return;
                }
            }
        }
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
