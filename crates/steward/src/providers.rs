//! Which providers there are and with which key: the vendors, known local servers, and the owner's own.

use crate::{
    config::{self, Settings},
    environment::Environment,
    home::{self, Home},
};
use anyhow::Context;
use models::{Credential, Dialect, ModelRef, Models, ProviderSettings};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

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

/// What the owner writes for whatever there is a key for.
pub(crate) const AUTO: &str = "auto";

/// What `auto` takes when a vendor's key is there.
const AUTOMATIC: [(&str, &str); 2] =
    [("anthropic", "anthropic/claude-sonnet-4-5"), ("openai", "openai/gpt-5")];

/// One vendor's entry in `auth.json`.
#[derive(Serialize, Deserialize)]
struct Stored {
    key: String,
}

/// Whom there is to ask. What changes here counts at once for everybody who has a clone of `models`.
pub(crate) struct Providers {
    pub models: Models,
    home: Home,
    environment: Environment,
    own: Vec<(String, config::Provider)>,
    /// What the owner wants asked: a model, or `auto`. Held while anything is changed.
    wanted: Mutex<String>,
}

impl Providers {
    /// All providers.
    pub fn open(home: &Home, settings: &Settings, environment: &Environment) -> anyhow::Result<Self> {
        let providers = Self {
            models: Models::new(Vec::new(), models::ModelTiming::default()),
            home: home.clone(),
            environment: environment.clone(),
            own: settings.providers.clone(),
            wanted: Mutex::new(settings.agent.model.clone()),
        };
        providers.take_up(&settings.agent.model)?;
        Ok(providers)
    }

    /// Models that can be chosen, the one asked by itself first.
    pub fn choices(&self) -> Vec<String> {
        let default = self.models.default_model().to_string();
        let automatic = automatic(&self.models.providers());
        let further = automatic.into_iter().filter(|model| *model != default).map(str::to_owned);
        std::iter::once(default.clone()).chain(further).collect()
    }

    /// Whether only the offline helper answers, and not because the owner wants it.
    pub fn need_setup(&self) -> bool {
        *self.wanted() == AUTO && self.models.default_model().is_offline()
    }

    /// Keeps a key for the next start, and uses it from now on.
    pub fn keep_key(&self, name: &str, key: &str) -> anyhow::Result<()> {
        let wanted = self.wanted();
        let mut stored = stored_keys(&self.home)?;
        stored.insert(name.to_owned(), Stored { key: key.to_owned() });
        home::replace(&self.home.auth_file(), &format!("{}\n", serde_json::to_string_pretty(&stored)?))?;
        tracing::info!(provider = name, "a key was saved");
        self.take_up(&wanted)
    }

    /// Keeps the model for the next start, and asks it from now on.
    pub fn keep_model(&self, model: &str) -> anyhow::Result<()> {
        let mut wanted = self.wanted();
        config::set_model(&self.home, &self.environment, model)?;
        tracing::info!(model, "the model was changed");
        *wanted = model.to_owned();
        self.take_up(&wanted)
    }

    /// Where the model is set, if it cannot be changed here.
    pub fn model_set_in(&self) -> Option<String> {
        config::model_set_in(&self.environment)
    }

    /// Why a provider's key is not kept here, if it is one of the owner's own.
    pub fn key_set_elsewhere(&self, name: &str) -> Option<String> {
        let (_, own) = self.own.iter().find(|(own, _)| own == name)?;
        let variable = Some(own.api_key_env.as_str()).filter(|variable| !variable.is_empty());
        Some(format!("`{name}` is written in config.toml. {}", hint(&self.home, variable)))
    }

    fn wanted(&self) -> MutexGuard<'_, String> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the keys anew, and says from now on whom to ask.
    fn take_up(&self, wanted: &str) -> anyhow::Result<()> {
        let (home, environment) = (&self.home, &self.environment);
        let stored = stored_keys(home)?;
        let mut providers: Vec<ProviderSettings> =
            KNOWN.iter().map(|known| known.settings(home, environment, &stored)).collect();
        for (name, own) in &self.own {
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
        self.models.set_providers(providers);
        let default: ModelRef = match wanted {
            AUTO => automatic(&self.models.providers()).first().copied().unwrap_or("offline").parse(),
            named => named.parse(),
        }
        .with_context(|| format!("`agent.model` in {}", home.config_file().display()))?;
        self.models.set_default(default);
        Ok(())
    }
}

/// What can be asked without further ado, the best first; the offline helper is always there.
fn automatic(providers: &[Arc<ProviderSettings>]) -> Vec<&'static str> {
    let has_key = |name: &str| providers.iter().any(|it| it.name == name && it.credential.is_some());
    let keyed = AUTOMATIC.iter().filter(|(name, _)| has_key(name)).map(|(_, model)| *model);
    keyed.chain(["offline"]).collect()
}

/// The model a provider is tried with when nobody names one.
pub(crate) fn usual_model(provider: &str) -> Option<&'static str> {
    AUTOMATIC.iter().find(|(name, _)| *name == provider).map(|(_, model)| *model)
}

/// The servers that may run on the owner's machine.
pub(crate) fn local_servers() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().filter(|known| known.api_key_env.is_none()).map(|known| known.name)
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
