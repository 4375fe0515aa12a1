//! Which providers there are and with which key: the vendors, known local servers, and the owner's own.

use crate::{config::Settings, environment::Environment, home::Home};
use anyhow::Context;
use models::{Credential, Dialect, ModelRef, Models, ProviderSettings};
use serde::Deserialize;
use std::{collections::BTreeMap, io};

/// A provider that is known without an entry in the configuration.
struct Known {
    name: &'static str,
    dialect: Dialect,
    base_url: &'static str,
    /// The variable that moves it elsewhere, as in the vendor's own SDK.
    base_url_env: Option<&'static str>,
    api_key_env: Option<&'static str>,
}

const KNOWN: [Known; 7] = [
    Known {
        name: "anthropic",
        dialect: Dialect::Anthropic,
        base_url: "https://api.anthropic.com",
        base_url_env: Some("ANTHROPIC_BASE_URL"),
        api_key_env: Some("ANTHROPIC_API_KEY"),
    },
    Known {
        name: "openai",
        dialect: Dialect::OpenAi,
        base_url: "https://api.openai.com/v1",
        base_url_env: Some("OPENAI_BASE_URL"),
        api_key_env: Some("OPENAI_API_KEY"),
    },
    Known {
        name: "openrouter",
        dialect: Dialect::OpenAi,
        base_url: "https://openrouter.ai/api/v1",
        base_url_env: None,
        api_key_env: Some("OPENROUTER_API_KEY"),
    },
    local("ollama", "http://127.0.0.1:11434/v1"),
    local("llamacpp", "http://127.0.0.1:8080/v1"),
    local("lmstudio", "http://127.0.0.1:1234/v1"),
    local("vllm", "http://127.0.0.1:8000/v1"),
];

const fn local(name: &'static str, base_url: &'static str) -> Known {
    Known { name, dialect: Dialect::OpenAi, base_url, base_url_env: None, api_key_env: None }
}

/// What `auto` takes when a vendor's key is there.
const AUTOMATIC: [(&str, &str); 2] =
    [("anthropic", "anthropic/claude-sonnet-4-5"), ("openai", "openai/gpt-5")];

/// One vendor's entry in `auth.json`.
#[derive(Deserialize)]
struct Stored {
    key: String,
}

/// Whom there is to ask.
pub(crate) struct Providers {
    pub models: Models,
    /// The model that is asked when nobody names one.
    pub default: ModelRef,
    /// Models that can be chosen, the default first.
    pub choices: Vec<String>,
}

/// All providers.
pub(crate) fn open(home: &Home, settings: &Settings, environment: &Environment) -> anyhow::Result<Providers> {
    let stored = stored_keys(home)?;
    let mut providers: Vec<ProviderSettings> =
        KNOWN.iter().map(|known| known.settings(home, environment, &stored)).collect();
    for (name, own) in &settings.providers {
        let credential = Some(own.api_key_env.as_str()).filter(|name| !name.is_empty());
        providers.retain(|known| known.name != *name);
        providers.push(ProviderSettings {
            name: name.clone(),
            dialect: Dialect::OpenAi,
            base_url: own.base_url.clone(),
            credential: credential.and_then(|variable| from_environment(environment, variable)),
            key_hint: hint(home, credential),
        });
    }
    let automatic = automatic(&providers);
    let default = match settings.model.as_str() {
        "auto" => automatic.first().copied().unwrap_or("offline"),
        named => named,
    };
    let default: ModelRef =
        default.parse().with_context(|| format!("`agent.model` in {}", home.config_file().display()))?;
    let further =
        automatic.iter().map(|model| (*model).to_owned()).filter(|model| *model != default.to_string());
    let choices = std::iter::once(default.to_string()).chain(further).collect();
    Ok(Providers { models: Models::new(providers, models::ModelTiming::default()), default, choices })
}

/// What can be asked without further ado, the best first; the offline helper is always there.
fn automatic(providers: &[ProviderSettings]) -> Vec<&'static str> {
    let has_key = |name: &str| providers.iter().any(|it| it.name == name && it.credential.is_some());
    let keyed = AUTOMATIC.iter().filter(|(name, _)| has_key(name)).map(|(_, model)| *model);
    keyed.chain(["offline"]).collect()
}

impl Known {
    fn settings(
        &self,
        home: &Home,
        environment: &Environment,
        stored: &BTreeMap<String, Stored>,
    ) -> ProviderSettings {
        let base_url = self.base_url_env.and_then(|name| environment.get(name)).unwrap_or(self.base_url);
        let credential = stored.get(self.name).map(|stored| Credential {
            secret: stored.key.clone().into(),
            source: format!("`{}` in {}", self.name, home.auth_file().display()),
        });
        let from_environment = || self.api_key_env.and_then(|name| from_environment(environment, name));
        ProviderSettings {
            name: self.name.into(),
            dialect: self.dialect,
            base_url: base_url.trim_end_matches('/').to_owned(),
            credential: credential.or_else(from_environment),
            key_hint: hint(home, self.api_key_env),
        }
    }
}

fn from_environment(environment: &Environment, name: &str) -> Option<Credential> {
    let (key, source) = environment.find(name)?;
    Some(Credential { secret: key.to_owned().into(), source })
}

fn hint(home: &Home, variable: Option<&str>) -> String {
    let file = home.env_file();
    match variable {
        Some(name) => format!("Set {name} in the environment, or write `{name}=…` into {}.", file.display()),
        None => format!("Give the provider an `api_key_env` in {}.", home.config_file().display()),
    }
}

/// Each vendor that wants a key, and where its key is set.
pub(crate) fn key_sources(
    home: &Home,
    environment: &Environment,
) -> anyhow::Result<Vec<(&'static str, Option<String>)>> {
    let stored = stored_keys(home)?;
    let wants_key = KNOWN.iter().filter(|known| known.api_key_env.is_some());
    let source = |known: &Known| known.settings(home, environment, &stored).credential.map(|key| key.source);
    Ok(wants_key.map(|known| (known.name, source(known))).collect())
}

/// The keys in `auth.json`, for those who must keep them out of sight.
pub(crate) fn stored_secrets(home: &Home) -> anyhow::Result<Vec<String>> {
    Ok(stored_keys(home)?.into_values().map(|stored| stored.key).collect())
}

fn stored_keys(home: &Home) -> anyhow::Result<BTreeMap<String, Stored>> {
    let path = home.auth_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    serde_json::from_str(&text).with_context(|| {
        format!("{} is not of the form {{\"anthropic\": {{\"key\": \"…\"}}}}", path.display())
    })
}
