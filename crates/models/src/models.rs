//! The handle others hold: finds the provider a request names and starts the exchange with it. What happens
//! on the wire is for `exchange`.

use crate::{
    client::Clients,
    exchange::{self, Exchange},
    offline,
    request::{ModelRef, ModelRequest, OFFLINE},
    settings::{ModelTiming, ProviderSettings},
    stream::{ModelEvent, ModelStream},
};
use protocol::{ModelError, ModelErrorKind};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// All configured providers. Cheap to clone; connections are made on first use and shared by clones.
#[derive(Clone)]
pub struct Models {
    shared: Arc<Shared>,
}

struct Shared {
    providers: BTreeMap<String, Arc<ProviderSettings>>,
    timing: ModelTiming,
    clients: Clients,
}

impl Models {
    /// Takes the configured providers; if two share a name, the later one counts. Connects to nothing yet.
    pub fn new(providers: Vec<ProviderSettings>, timing: ModelTiming) -> Self {
        let providers = providers.into_iter().map(|it| (it.name.clone(), Arc::new(it))).collect();
        Self { shared: Arc::new(Shared { providers, timing, clients: Clients::default() }) }
    }

    /// Asks a model. The answer, or why there is none, arrives in the stream.
    pub fn ask(&self, request: ModelRequest) -> ModelStream {
        if let Some(provider) = self.shared.providers.get(&request.model.provider) {
            return exchange::start(Exchange {
                request,
                provider: Arc::clone(provider),
                timing: self.shared.timing,
                clients: self.shared.clients.clone(),
            });
        }
        if request.model.provider == OFFLINE {
            return offline::answer(&request);
        }
        failed(self.unknown_provider(&request.model))
    }

    /// Whether a model's provider is there. Whether the provider has the model, only asking it can tell.
    pub fn check(&self, model: &ModelRef) -> Result<(), ModelError> {
        let known = self.shared.providers.contains_key(&model.provider) || model.provider == OFFLINE;
        if known { Ok(()) } else { Err(self.unknown_provider(model)) }
    }

    fn unknown_provider(&self, model: &ModelRef) -> ModelError {
        let name = &model.provider;
        let known: Vec<String> = self
            .shared
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
        f.debug_struct("Models").field("providers", &self.shared.providers.keys()).finish_non_exhaustive()
    }
}

/// A stream that only fails.
pub(crate) fn failed(error: ModelError) -> ModelStream {
    Box::pin(futures::stream::iter([ModelEvent::Failed { error, partial: Vec::new() }]))
}
