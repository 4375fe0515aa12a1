//! The configuration in two steps: what was written (`written`), with its line for every mistake, then what
//! it means (`Settings`), handed to the rooms.

mod change;
mod complaint;
mod overrides;
mod written;

pub(crate) use change::set_model;
pub(crate) use written::{
    Agent, Gateway, Heartbeat, Limits, Memory, Policy, Price, Provider, Sandbox, Tools, Written,
};

use crate::{
    environment::Environment,
    home::{self, Home},
};
use anyhow::Context;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The file as it is written on first run: every key with its default and a comment.
const TEMPLATE: &str = include_str!("../../templates/config.toml");

/// What the configuration means.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub agent: Agent,
    pub workspace: PathBuf,
    pub max_history_messages: usize,
    pub providers: Vec<(String, Provider)>,
    pub tools: Tools,
    pub policy: Policy,
    pub sandbox: Sandbox,
    pub gateway: Gateway,
    pub memory: Memory,
    pub heartbeat: Heartbeat,
    pub spending: Spending,
}

/// What may be spent, and what things cost.
#[derive(Debug, Clone)]
pub(crate) struct Spending {
    pub limits: Limits,
    /// By `provider/model`.
    pub prices: BTreeMap<String, Price>,
}

/// Where the model is set, if not in the file: it cannot be changed in the file then.
pub(crate) fn model_set_in(environment: &Environment) -> Option<String> {
    overrides::set_in("agent", "model", environment)
}

/// Reads the home's configuration, writing it first if there is none.
pub(crate) fn load(home: &Home, environment: &Environment) -> anyhow::Result<Settings> {
    let path = home.config_file();
    home::create_once(&path, TEMPLATE)?;
    let written = read(&text_of(&path)?, &path, environment)?;
    Ok(mean(written, home))
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn read(text: &str, path: &Path, environment: &Environment) -> anyhow::Result<Written> {
    // The file is checked by itself, so that a mistake in it is shown with its line.
    let checked: Result<Written, _> = toml::from_str(text);
    checked.map_err(|error| complaint::about_file(path, text, &error))?;
    let table = text.parse::<toml::Table>().map_err(|error| complaint::about_file(path, text, &error))?;
    overrides::apply(table, environment)
}

fn mean(written: Written, home: &Home) -> Settings {
    let workspace = match written.agent.workspace.as_str() {
        "" => home.default_workspace(),
        path => PathBuf::from(path),
    };
    Settings {
        agent: written.agent,
        workspace,
        max_history_messages: written.session.max_history_messages.get(),
        providers: written.providers.into_iter().collect(),
        tools: written.tools,
        policy: written.policy,
        sandbox: written.sandbox,
        gateway: written.gateway,
        memory: written.memory,
        heartbeat: written.heartbeat,
        spending: Spending { limits: written.limits, prices: written.prices },
    }
}

#[cfg(test)]
mod tests;
