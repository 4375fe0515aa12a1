//! Setting up what to think with while Steward runs: keys are tried before they are kept, servers on this machine are
//! found by asking them.

use crate::{
    backstage::BehindDoors,
    providers::{self, AUTO, Providers},
};
use futures::{StreamExt, future::join_all};
use gateway::{Detected, FoundKey, FoundServer, NewKey, NotDone};
use models::{
    Credential, ModelEvent, ModelRef, ModelRequest, ModelTiming, Models, ProviderSettings, SystemPrompt,
};
use protocol::{Block, Message};
use std::{sync::Arc, time::Duration};

/// How long a server on this machine may take to say which models it has.
const SERVER_PATIENCE: Duration = Duration::from_millis(300);

/// How a key is tried: the owner waits for it, and does not want a second try.
const TRIAL: ModelTiming =
    ModelTiming { idle_timeout: Duration::from_secs(30), max_retries: 0, retry_base: Duration::ZERO };

/// What a model is asked to see whether it answers.
const QUESTION: &str = "Answer with the single word: yes";

/// The longest key: many times as long as any.
const MAX_KEY_BYTES: usize = 4096;

impl BehindDoors {
    /// Keys that are set and servers that answer.
    pub async fn find_models(&self) -> Detected {
        let models = &self.providers.models;
        let key = |provider: &Arc<ProviderSettings>| {
            let source = provider.credential.as_ref()?.source.clone();
            Some(FoundKey { provider: provider.name.clone(), source })
        };
        Detected { keys: models.providers().iter().filter_map(key).collect(), servers: servers(models).await }
    }

    /// Asks with a key, and keeps it if told to.
    pub async fn take_key(&self, new: NewKey, keep: bool) -> Result<String, NotDone> {
        let key = new.key.trim().to_owned();
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            return Err(NotDone::Mistake("`key` is empty, or longer than any key".into()));
        }
        let provider =
            self.providers.models.provider(&new.provider).ok_or_else(|| self.unknown(&new.provider))?;
        if let Some(why) = self.providers.key_set_elsewhere(&new.provider).filter(|_| keep) {
            return Err(NotDone::Mistake(why));
        }
        let model = self.trial_model(&new)?;
        try_key(&provider, &key, model.clone()).await.map_err(NotDone::Mistake)?;
        // Only now: had an ordinary word been entered by mistake, it would be blacked out everywhere.
        self.redactor.learn(&key).map_err(NotDone::Trouble)?;
        if keep {
            self.change(move |providers| providers.keep_key(&new.provider, &key)).await?;
        }
        Ok(model.to_string())
    }

    /// Asks another model from now on.
    pub async fn take_model(&self, model: String) -> Result<String, NotDone> {
        if let Some(place) = self.providers.model_set_in() {
            let why = format!("the model is set by {place}: change it there, and start Steward again");
            return Err(NotDone::Mistake(why));
        }
        let model = model.trim().to_owned();
        if model != AUTO {
            let parsed: ModelRef =
                model.parse().map_err(|error: models::BadModelRef| NotDone::Mistake(error.to_string()))?;
            let checked = self.providers.models.check_key(&parsed);
            checked.map_err(|error| NotDone::Mistake(error.message))?;
        }
        self.change(move |providers| providers.keep_model(&model)).await?;
        Ok(self.providers.models.default_model().to_string())
    }

    /// The disk is waited for elsewhere, and to the end, even if the client leaves.
    async fn change(
        &self,
        work: impl FnOnce(&Providers) -> anyhow::Result<()> + Send + 'static,
    ) -> Result<(), NotDone> {
        let providers = self.providers.clone();
        let changed = tokio::task::spawn_blocking(move || work(&providers)).await;
        let changed = changed.map_err(|error| NotDone::Trouble(error.to_string()))?;
        changed.map_err(|error| NotDone::Trouble(format!("{error:#}")))
    }

    fn trial_model(&self, new: &NewKey) -> Result<ModelRef, NotDone> {
        let default = self.providers.models.default_model();
        let wrong = |why: String| NotDone::Mistake(format!("`model`: {why}"));
        let named = match (&new.model, providers::usual_model(&new.provider)) {
            (Some(named), _) => named.as_str(),
            (None, _) if default.provider == new.provider => return Ok(default),
            (None, Some(usual)) => usual,
            (None, None) => {
                return Err(wrong(format!("name one of `{}`, to try the key with", new.provider)));
            }
        };
        let model: ModelRef = named.parse().map_err(|error: models::BadModelRef| wrong(error.to_string()))?;
        match model.provider == new.provider {
            true => Ok(model),
            false => Err(wrong(format!("`{model}` is not one of `{}`", new.provider))),
        }
    }

    fn unknown(&self, name: &str) -> NotDone {
        let providers = self.providers.models.providers();
        let known: Vec<String> = providers.iter().map(|it| format!("`{}`", it.name)).collect();
        NotDone::Mistake(format!("there is no provider `{name:.80}`; known: {}", known.join(", ")))
    }
}

/// A line for each model server of this machine that could be asked in place of the offline helper. A server that is not
/// there says so at once; one that hangs is waited for as long as the page would.
pub(crate) async fn offers(models: &Models) -> Vec<String> {
    servers(models).await.iter().filter_map(offer).collect()
}

/// The servers of this machine that answer.
async fn servers(models: &Models) -> Vec<FoundServer> {
    let server = async |name: &'static str| {
        let base_url = models.provider(name)?.shown_url()?;
        let models = models.served(name, SERVER_PATIENCE).await?;
        Some(FoundServer { provider: name.into(), base_url, models })
    };
    join_all(providers::local_servers().map(server)).await.into_iter().flatten().collect()
}

fn offer(server: &FoundServer) -> Option<String> {
    // Servers keep models for embedding among the others, and those cannot talk.
    let mut talking = server.models.iter().filter(|model| !model.contains("embed"));
    let model = format!("{}/{}", server.provider, talking.next()?).parse::<ModelRef>().ok()?;
    let further = match talking.count() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    Some(format!(
        "{} runs here with {}{further}: to use it, write `model = \"{model}\"` under `[agent]` in config.toml",
        server.provider, model.model
    ))
}

/// Asks a model something small. Its first sign of an answer is enough.
async fn try_key(provider: &ProviderSettings, key: &str, model: ModelRef) -> Result<(), String> {
    let credential = Credential { secret: key.to_owned().into(), source: "your input".into() };
    let provider = ProviderSettings {
        credential: Some(credential),
        key_hint: "Check the key, or make a new one".into(),
        ..provider.clone()
    };
    let request = ModelRequest {
        model,
        system: SystemPrompt::default(),
        messages: vec![Message::user(vec![Block::text(QUESTION)])],
        tools: Vec::new(),
    };
    match Models::new(vec![provider], TRIAL).ask(request).next().await {
        Some(ModelEvent::Failed { error, .. }) => Err(error.message),
        Some(_) => Ok(()),
        None => Err("The model gave no answer.".into()),
    }
}
