//! The wiring: one opened home with its store, its agent at work and its files followed.

use crate::{
    config,
    environment::Environment,
    hands,
    home::{self, Home, HomeLock},
    logs, providers,
};
use agent::{Agent, AgentSettings, Projections};
use anyhow::Context;
use models::ModelRef;
use protocol::{Block, SessionKey, Trigger, TriggerKind};
use std::sync::Arc;
use store::{Accepted, Store, View};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A home in use by this process.
pub(crate) struct House {
    pub store: Store,
    pub model: ModelRef,
    projections: Projections,
    stop: CancellationToken,
    agent: JoinHandle<()>,
    _lock: HomeLock,
}

/// The home and what its owner wants, before anything is opened for writing.
pub(crate) fn enter() -> anyhow::Result<(Home, config::Settings, Environment)> {
    let environment = Environment::of_process();
    let home = Home::open(&environment)?;
    let environment = environment.with_file(&home.env_file())?;
    logs::start(home.logs(), environment.get("STEWARD_LOG"))?;
    let settings = config::load(&home, &environment)?;
    Ok((home, settings, environment))
}

/// The home's database for reading only; `None` if nothing was ever written.
pub(crate) fn view(home: &Home) -> Option<View> {
    home.database().exists().then(|| View::open(&home.database()))
}

impl House {
    /// Opens the home for writing and sets the agent to work, beginning with what was left undone.
    pub async fn open() -> anyhow::Result<Self> {
        let (home, settings, environment) = enter()?;
        home::seed_workspace(&settings.workspace)?;
        let (models, model) = providers::open(&home, &settings, &environment)?;
        let lock = home.lock().await?;
        let store = Store::open(&home.database()).await?;
        let redactor = Arc::new(hands::redactor(&home, &settings, &environment)?);
        logs::redact_with(&redactor);
        let workbench = hands::workbench(&home, &settings, &environment, &store, redactor.clone()).await?;
        let agent = Agent::new(
            store.clone(),
            models,
            Arc::new(workbench),
            AgentSettings {
                model: model.clone(),
                max_iterations: settings.max_iterations,
                max_concurrent_turns: settings.gateway.max_concurrent_turns.get(),
                max_history_messages: settings.max_history_messages,
                workspace: settings.workspace,
            },
        );
        agent.recover().await?;
        let stop = CancellationToken::new();
        let running = {
            let stop = stop.clone();
            tokio::spawn(async move { agent.run(stop).await })
        };
        let projections = Projections::new(store.clone(), home.data(), redactor);
        Ok(Self { store, model, projections, stop, agent: running, _lock: lock })
    }

    /// Puts a message of the owner's into the inbox.
    pub async fn say(
        &self,
        session: &SessionKey,
        text: String,
        model: Option<String>,
    ) -> anyhow::Result<Accepted> {
        let trigger = Trigger {
            source: "terminal".into(),
            external_id: uuid::Uuid::now_v7().to_string(),
            session: session.clone(),
            kind: TriggerKind::Message,
            content: vec![Block::Text { text }],
            history: Vec::new(),
            model,
            steer: false,
        };
        self.store.accept(trigger).await.context("the message was not accepted")
    }

    /// Writes transcripts up to now.
    pub async fn write_transcripts(&self) {
        if let Err(error) = self.projections.catch_up().await {
            tracing::error!(%error, "cannot write transcripts");
            eprintln!("steward: the conversation is safe, but its transcript could not be written: {error}");
        }
    }

    /// Writes all transcripts anew.
    pub async fn rewrite_transcripts(&self) -> anyhow::Result<usize> {
        Ok(self.projections.rebuild().await?)
    }

    /// Stops the agent where it stands and brings the files up to date. What was under way goes on with
    /// the next start.
    pub async fn close(self) -> anyhow::Result<()> {
        self.stop.cancel();
        self.write_transcripts().await;
        self.agent.await.context("the agent crashed")
    }
}
