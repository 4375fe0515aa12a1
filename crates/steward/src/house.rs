//! The wiring: one opened home with its store, its agent at work and its files followed.

use crate::{
    backstage::BehindDoors,
    config::{self, Settings},
    environment::Environment,
    hands::{self, Parts},
    home::{self, Home, HomeLock},
    logs, notes,
    providers::Providers,
    standing::Standing,
    token,
    transcripts::Transcripts,
};
use agent::{Agent, AgentSettings, Projections, Spending, Workbench};
use anyhow::Context;
use gateway::{Gateway, GatewayParts};
use memory::{Memory, MemoryError, Watcher};
use std::sync::Arc;
use store::{Store, View};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A home in use by this process.
pub(crate) struct House {
    pub store: Store,
    /// Ends everything that runs here.
    pub stop: CancellationToken,
    behind: Arc<BehindDoors>,
    agent: Agent,
    memory: Memory,
    standing: Standing,
    watcher: Option<Watcher>,
    work: JoinSet<()>,
    _lock: HomeLock,
}

/// Where the doors are, and who may come in.
pub(crate) struct Doors {
    pub host: String,
    pub port: u16,
    pub allowed_hosts: Vec<String>,
    pub token: String,
}

/// The home and what its owner wants, before anything is opened for writing.
pub(crate) fn enter() -> anyhow::Result<(Home, Settings, Environment)> {
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
    /// Opens the home for writing and takes up what was left undone; nothing runs yet.
    pub async fn open(
        home: &Home,
        settings: &Settings,
        environment: &Environment,
        lock: HomeLock,
    ) -> anyhow::Result<Self> {
        home::seed_workspace(&settings.workspace)?;
        let providers = Providers::open(home, settings, environment)?;
        let clock = tasks::clock_of_house();
        let time = clock.clone();
        let store = Store::open_with_time(&home.database(), Arc::new(move || time.now())).await?;
        let standing = Standing::new(settings, &store, clock)?;
        let redactor = Arc::new(hands::redactor(home, settings, environment)?);
        logs::redact_with(&redactor);
        let embedder = notes::embedder(home, settings, environment, &providers.models)?;
        providers.models.set_embedder(notes::helpers_embedder(home, settings, environment, &embedder));
        let memory = notes::memory(home, settings, embedder);
        let parts = Parts {
            store: store.clone(),
            memory: memory.clone(),
            orders: standing.orders.clone(),
            redactor: redactor.clone(),
        };
        let hands = Arc::new(hands::workbench(home, settings, environment, parts).await?);
        let agent = agent(settings, &store, &providers, hands.clone(), &memory);
        agent.recover().await?;
        let projections = Projections::new(store.clone(), home.data(), redactor.clone());
        let behind = BehindDoors {
            home: home.clone(),
            settings: settings.clone(),
            providers: Arc::new(providers),
            redactor,
            hands,
            transcripts: Transcripts::new(projections),
            token_set_in: token::find(home, environment)?.and_then(|token| token.set_in),
        };
        let (stop, work) = (CancellationToken::new(), JoinSet::new());
        Ok(Self {
            store,
            stop,
            behind: Arc::new(behind),
            agent,
            memory,
            standing,
            watcher: None,
            work,
            _lock: lock,
        })
    }

    /// Sets the agent to work, beginning with what was left undone.
    pub fn start(&mut self) {
        let (agent, stop) = (self.agent.clone(), self.stop.clone());
        // Should the agent crash, everything ends.
        let guard = stop.clone().drop_guard();
        self.work.spawn(async move {
            agent.run(stop).await;
            drop(guard);
        });
        let (behind, store, stop) = (self.behind.clone(), self.store.clone(), self.stop.clone());
        self.work.spawn(async move { behind.transcripts.follow(store, stop).await });
    }

    /// Keeps the standing orders and the index of the memory, too: for as long as somebody stays. Without the latter a
    /// search is as good, and looks at the files first.
    pub fn stay(&mut self) {
        self.standing.start(&mut self.work, &self.stop);
        if self.behind.settings.memory.enabled {
            let failed =
                |error: &MemoryError| tracing::warn!(%error, "the memory is not watched; each search looks");
            self.watcher = self.memory.watch().inspect_err(failed).ok();
        }
    }

    /// The front doors of this house.
    pub fn gateway(&self, doors: Doors) -> Gateway {
        Gateway::new(GatewayParts {
            store: self.store.clone(),
            memory: self.memory.clone(),
            orders: self.standing.orders.clone(),
            backstage: self.behind.clone(),
            token: doors.token,
            host: doors.host,
            port: doors.port,
            allowed_hosts: doors.allowed_hosts,
            max_queue_size: self.behind.settings.gateway.max_queue_size.get(),
            stop: self.stop.clone(),
        })
    }

    /// Stops the agent where it stands and brings the files up to date. What was under way goes on with
    /// the next start.
    pub async fn close(mut self) -> anyhow::Result<()> {
        self.stop.cancel();
        if let Err(error) = self.behind.transcripts.write().await {
            tracing::error!(%error, "cannot write transcripts");
            eprintln!("steward: the conversation is safe, but its transcript could not be written: {error}");
        }
        while let Some(ended) = self.work.join_next().await {
            ended.context("the agent crashed")?;
        }
        Ok(())
    }
}

/// The driver of turns, as the owner wants it.
fn agent(
    settings: &Settings,
    store: &Store,
    providers: &Providers,
    hands: Arc<Workbench>,
    memory: &Memory,
) -> Agent {
    let prices = settings.spending.prices.clone();
    let limits = &settings.spending.limits;
    let spending = Spending {
        daily_tokens: Some(limits.daily_tokens).filter(|limit| *limit > 0),
        daily_cost: Some(limits.daily_cost).filter(|limit| *limit > 0.0),
        cost: Some(Arc::new(move |model, usage| prices.get(model).map(|price| price.of(usage)))),
    };
    let told = AgentSettings {
        max_iterations: settings.agent.max_iterations.get(),
        max_concurrent_turns: settings.gateway.max_concurrent_turns.get(),
        max_history_messages: settings.max_history_messages,
        workspace: settings.workspace.clone(),
    };
    let agent = Agent::new(store.clone(), providers.models.clone(), hands, told).spending(spending);
    match settings.memory.enabled && settings.memory.recall {
        true => agent.recalling(memory.clone()),
        false => agent,
    }
}
