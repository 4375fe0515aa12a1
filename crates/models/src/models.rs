//! The handle others hold: finds the provider a request names and starts the exchange with it. What happens
//! on the wire is for `exchange`.

use crate::{
    client::Clients,
    exchange::{self, Exchange},
    failure::Peer,
    listing,
    offline::Helper,
    request::{ModelRef, ModelRequest, OFFLINE},
    settings::{ModelTiming, ProviderSettings},
    stream::{ModelEvent, ModelStream},
};
use embed::Embedder;
use protocol::{ModelError, ModelErrorKind};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

/// All configured providers, and the model that is asked when nobody names one. Cheap to clone; connections are made
/// on first use and shared by clones. What is changed counts for every clone from the next question on.
#[derive(Clone)]
pub struct Models {
    shared: Arc<Shared>,
}

struct Shared {
    table: RwLock<Table>,
    timing: ModelTiming,
    clients: Clients,
}

/// What can change while it is used.
struct Table {
    providers: BTreeMap<String, Arc<ProviderSettings>>,
    default: ModelRef,
    helper: Helper,
}

impl Models {
    /// Takes the configured providers; if two share a name, the later one counts. Connects to nothing yet. Unless
    /// told otherwise the offline helper is asked when nobody names a model.
    pub fn new(providers: Vec<ProviderSettings>, timing: ModelTiming) -> Self {
        let helper = Helper::new(Embedder::absent("no embedding model was set up"));
        let table = Table { providers: by_name(providers), default: ModelRef::offline(), helper };
        Self { shared: Arc::new(Shared { table: RwLock::new(table), timing, clients: Clients::default() }) }
    }

    /// Lets the offline helper tell wishes apart by their meaning.
    pub fn set_embedder(&self, embedder: Embedder) {
        self.table_to_change().helper = Helper::new(embedder);
    }

    /// Takes other providers in place of those there were.
    pub fn set_providers(&self, providers: Vec<ProviderSettings>) {
        self.table_to_change().providers = by_name(providers);
    }

    /// All providers, by name.
    pub fn providers(&self) -> Vec<Arc<ProviderSettings>> {
        self.table().providers.values().cloned().collect()
    }

    /// The provider of this name.
    pub fn provider(&self, name: &str) -> Option<Arc<ProviderSettings>> {
        self.table().providers.get(name).cloned()
    }

    /// Has this model asked when nobody names one.
    pub fn set_default(&self, model: ModelRef) {
        self.table_to_change().default = model;
    }

    /// The model that is asked when nobody names one.
    pub fn default_model(&self) -> ModelRef {
        self.table().default.clone()
    }

    /// Asks a model. The answer, or why there is none, arrives in the stream.
    pub fn ask(&self, request: ModelRequest) -> ModelStream {
        if let Some(provider) = self.provider(&request.model.provider) {
            return exchange::start(Exchange {
                request,
                provider,
                timing: self.shared.timing,
                clients: self.shared.clients.clone(),
            });
        }
        if request.model.provider == OFFLINE {
            let helper = self.table().helper.clone();
            return helper.answer(request);
        }
        failed(self.unknown_provider(&request.model))
    }

    /// Whether a model's provider is there. Whether the provider has the model, only asking it can tell.
    pub fn check(&self, model: &ModelRef) -> Result<(), ModelError> {
        let known = self.provider(&model.provider).is_some() || model.provider == OFFLINE;
        if known { Ok(()) } else { Err(self.unknown_provider(model)) }
    }

    /// Whether a model's provider is there and has the key it wants.
    pub fn check_key(&self, model: &ModelRef) -> Result<(), ModelError> {
        self.check(model)?;
        let Some(provider) = self.provider(&model.provider) else { return Ok(()) };
        let has_key = provider.credential.is_some();
        let peer = Peer::new(provider, model.model.clone());
        if has_key || !peer.needs_key(&peer.base_url()?) { Ok(()) } else { Err(peer.key_missing()) }
    }

    /// The models a provider that speaks OpenAI's dialect says it has; `None` if it does not tell in time.
    pub async fn served(&self, provider: &str, patience: Duration) -> Option<Vec<String>> {
        let provider = self.provider(provider)?;
        tokio::time::timeout(patience, listing::ask(&provider, &self.shared.clients)).await.ok()?
    }

    fn table(&self) -> RwLockReadGuard<'_, Table> {
        self.shared.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn table_to_change(&self) -> RwLockWriteGuard<'_, Table> {
        self.shared.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn unknown_provider(&self, model: &ModelRef) -> ModelError {
        let name = &model.provider;
        let known: Vec<String> = self
            .table()
            .providers
            .keys()
            .map(String::as_str)
            .chain([OFFLINE])
            .map(|it| format!("`{it}`"))
            .collect();
        ModelError {
            kind: ModelErrorKind::BadRequest,
            provider: name.clone(),
            message: format!(
                "No provider named `{name}` is configured, so `{model}` cannot be asked. Configure `{name}` with \
                 its base URL and key, or choose a model of a configured provider: {}.",
                known.join(", ")
            ),
        }
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models").field("providers", &self.table().providers.keys()).finish_non_exhaustive()
    }
}

fn by_name(providers: Vec<ProviderSettings>) -> BTreeMap<String, Arc<ProviderSettings>> {
    providers.into_iter().map(|it| (it.name.clone(), Arc::new(it))).collect()
}

/// A stream that only fails.
pub(crate) fn failed(error: ModelError) -> ModelStream {
    Box::pin(futures::stream::iter([ModelEvent::Failed { error, partial: Vec::new() }]))
}
