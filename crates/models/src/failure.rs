//! What went wrong, as a typed error in plain words that say what to do: which key, which URL, which model.
//! Never tells the key. Whether to try again is decided here by kind, when by `retry`.

use crate::{
    client::is_loopback,
    fault::{Fault, classify, fault_in_text, is_out_of_credit},
    redact::redact,
    retry::{Again, is_passing},
    settings::{Credential, Dialect, ProviderSettings},
};
use protocol::{ModelError, ModelErrorKind};
use reqwest::StatusCode;
use std::{error::Error, fmt::Display, sync::Arc, time::Duration};
use url::Url;

/// The longest quotation of a provider's words: enough for every real message.
const MAX_QUOTED_CHARS: usize = 600;

/// The provider and model an error is about.
pub(crate) struct Peer {
    settings: Arc<ProviderSettings>,
    model: String,
}

/// A failed try, and whether another can help.
#[derive(Debug)]
pub(crate) struct Setback {
    /// What went wrong.
    pub(crate) error: ModelError,
    /// Whether to try again.
    pub(crate) again: Again,
}

impl From<ModelError> for Setback {
    fn from(error: ModelError) -> Self {
        Self { error, again: Again::No }
    }
}

impl Peer {
    pub(crate) fn new(settings: Arc<ProviderSettings>, model: String) -> Self {
        Self { settings, model }
    }

    /// Where the provider is.
    pub(crate) fn base_url(&self) -> Result<Url, ModelError> {
        Url::parse(self.settings.base_url.trim())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| self.bad_base_url())
    }

    /// Whether it is useless to ask without a key. Servers on this machine that imitate OpenAI need none.
    pub(crate) fn needs_key(&self, base: &Url) -> bool {
        match self.settings.dialect {
            Dialect::Anthropic => true,
            Dialect::OpenAi => {
                !is_loopback(base)
                    && (self.settings.name == "openai" || base.host_str() == Some("api.openai.com"))
            }
        }
    }

    pub(crate) fn bad_base_url(&self) -> ModelError {
        // Before an `@` there may be a password.
        let shown = self.settings.base_url.rsplit('@').next().unwrap_or_default();
        self.error(
            ModelErrorKind::BadRequest,
            format!(
                "The base URL of provider `{}` is not an http or https address: `{}`.",
                self.settings.name, shown
            ),
        )
    }

    pub(crate) fn key_missing(&self) -> ModelError {
        let hint = sentence(&self.settings.key_hint);
        self.error(
            ModelErrorKind::Auth,
            format!("No key is set for provider `{}`, so it was not asked. {hint}", self.settings.name),
        )
    }

    pub(crate) fn key_malformed(&self, credential: &Credential) -> ModelError {
        let hint = sentence(&self.settings.key_hint);
        self.error(
            ModelErrorKind::Auth,
            format!(
                "The key for provider `{}` from {} contains characters that no key has. {hint}",
                self.settings.name, credential.source
            ),
        )
    }

    /// The request could not even be made.
    pub(crate) fn not_sent(&self, cause: &(dyn Error + 'static)) -> ModelError {
        let cause = root_cause(cause);
        self.error(
            ModelErrorKind::Provider,
            format!("The request to provider `{}` could not be made: {cause}.", self.settings.name),
        )
    }

    /// There is nothing to connect with.
    pub(crate) fn no_client(&self, cause: &reqwest::Error) -> ModelError {
        let cause = root_cause(cause);
        self.error(
            ModelErrorKind::Network,
            format!(
                "A connection to provider `{}` could not be prepared: {cause}. Check that the system's root \
                 certificates are installed, often in a package named `ca-certificates`.",
                self.settings.name
            ),
        )
    }

    /// No answer came: connecting failed, or the connection broke before the first byte.
    pub(crate) fn unreachable(&self, error: &reqwest::Error) -> Setback {
        let cause = if error.is_timeout() { "no connection in time".to_owned() } else { root_cause(error) };
        let error = self.error(
            ModelErrorKind::Network,
            format!(
                "Provider `{}` could not be reached at {}: {cause}. {}",
                self.settings.name,
                self.shown_url(),
                self.what_to_check()
            ),
        );
        Setback { error, again: Again::Yes { after: None } }
    }

    /// The answer ended before it began.
    pub(crate) fn empty(&self) -> Setback {
        Setback { error: self.cut(), again: Again::Yes { after: None } }
    }

    /// The stream ended before the answer did.
    pub(crate) fn cut(&self) -> ModelError {
        self.error(
            ModelErrorKind::Truncated,
            format!("The answer of provider `{}` was cut off before its end.", self.settings.name),
        )
    }

    /// The connection broke in the middle of the answer.
    pub(crate) fn interrupted(&self, error: &reqwest::Error) -> ModelError {
        let cause = root_cause(error);
        self.error(
            ModelErrorKind::Truncated,
            format!("The answer of provider `{}` was cut off before its end: {cause}.", self.settings.name),
        )
    }

    /// The provider said nothing for too long.
    pub(crate) fn silent(&self, waited: Duration) -> ModelError {
        self.error(
            ModelErrorKind::TimedOut,
            format!(
                "Provider `{}` at {} sent nothing for {} seconds.",
                self.settings.name,
                self.shown_url(),
                waited.as_secs_f64()
            ),
        )
    }

    /// The provider broke off the answer with an error of its own, or sent what cannot be read.
    pub(crate) fn complained(&self, fault: &Fault) -> ModelError {
        let kind = classify(None, None, fault);
        self.error(kind, self.explain(kind, None, fault))
    }

    /// The provider answered with an error status.
    pub(crate) fn turned_away(&self, status: StatusCode, after: Option<Duration>, body: &str) -> Setback {
        let fault = fault_in_text(body);
        let kind = classify(Some(status), after, &fault);
        let passing = is_passing(status)
            && !is_out_of_credit(&fault)
            && !matches!(kind, ModelErrorKind::ContextTooLong | ModelErrorKind::Refused);
        let again = if passing { Again::Yes { after } } else { Again::No };
        Setback { error: self.error(kind, self.explain(kind, Some(status), &fault)), again }
    }

    /// The provider answered with a document where a stream was asked for.
    pub(crate) fn not_a_stream(&self, body: &str) -> Setback {
        let mut fault = fault_in_text(body);
        if fault == Fault::default() {
            fault.words = "answered with a document instead of a stream; check the base URL".to_owned();
        }
        self.complained(&fault).into()
    }

    fn explain(&self, kind: ModelErrorKind, status: Option<StatusCode>, fault: &Fault) -> String {
        let name = &self.settings.name;
        let model = &self.model;
        let status_note = status.map(|it| format!(" (HTTP {})", it.as_u16())).unwrap_or_default();
        let quoted = quote(&fault.words);
        let hint = sentence(&self.settings.key_hint);
        match kind {
            ModelErrorKind::Auth => {
                let key = match &self.settings.credential {
                    Some(credential) => format!("the key from {}", credential.source),
                    None => "a request without a key".to_owned(),
                };
                // The words of a 401 say no more than this and may echo the key.
                let quoted = if status == Some(StatusCode::UNAUTHORIZED) { String::new() } else { quoted };
                format!("Provider `{name}` did not accept {key}{status_note}{quoted}. {hint}")
            }
            ModelErrorKind::RateLimited { .. } if is_out_of_credit(fault) => {
                format!("Provider `{name}` says the account is out of credit{status_note}{quoted}.")
            }
            ModelErrorKind::RateLimited { retry_after_ms: Some(wait) } => format!(
                "Provider `{name}` is limiting requests{status_note}{quoted}. Try again in {} seconds.",
                wait.div_ceil(1000)
            ),
            ModelErrorKind::RateLimited { .. } => {
                format!("Provider `{name}` is limiting requests{status_note}{quoted}. Try again later.")
            }
            ModelErrorKind::Overloaded => {
                format!(
                    "Provider `{name}` has no capacity at the moment{status_note}{quoted}. Try again later."
                )
            }
            ModelErrorKind::ContextTooLong => format!(
                "The conversation is too long for `{name}/{model}`{status_note}{quoted}. Shorten it or choose a \
                 model with a larger context."
            ),
            ModelErrorKind::Refused => {
                format!("Provider `{name}` refused this content{status_note}{quoted}.")
            }
            ModelErrorKind::BadRequest if status == Some(StatusCode::NOT_FOUND) => format!(
                "Provider `{name}` at {} does not know model `{model}`{status_note}{quoted}. Check the model's \
                 name and the provider's base URL.",
                self.shown_url()
            ),
            ModelErrorKind::BadRequest => {
                format!("Provider `{name}` did not accept the request for `{model}`{status_note}{quoted}.")
            }
            _ => format!("Provider `{name}` failed{status_note}{quoted}."),
        }
    }

    /// The base URL without a user name or password it may hold.
    fn shown_url(&self) -> String {
        self.settings.shown_url().unwrap_or_else(|| "its base URL".to_owned())
    }

    fn what_to_check(&self) -> String {
        match Url::parse(self.settings.base_url.trim()) {
            Ok(url) if is_loopback(&url) && (url.port() == Some(11434) || self.settings.name == "ollama") => {
                "Is Ollama running? Start it with `ollama serve`.".to_owned()
            }
            Ok(url) if is_loopback(&url) => {
                format!(
                    "Is the model server on this machine running on port {}?",
                    url.port_or_known_default().unwrap_or(80)
                )
            }
            _ => "Check the network connection, the proxy settings and the provider's base URL.".to_owned(),
        }
    }

    fn error(&self, kind: ModelErrorKind, message: String) -> ModelError {
        let secret = self.settings.credential.as_ref().map(|credential| &credential.secret);
        ModelError { kind, provider: self.settings.name.clone(), message: redact(&message, secret) }
    }
}

fn quote(words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.trim_end_matches('.');
    match words.char_indices().nth(MAX_QUOTED_CHARS) {
        _ if words.is_empty() => String::new(),
        Some((end, _)) => format!(": {}…", &words[..end]),
        None => format!(": {words}"),
    }
}

fn sentence(hint: &str) -> String {
    let hint = hint.trim();
    if hint.is_empty() || hint.ends_with(['.', '!', '?']) { hint.to_owned() } else { format!("{hint}.") }
}

/// The innermost cause, which is the one that says something.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let words: &dyn Display = &cause;
    words.to_string().trim_end_matches('.').to_owned()
}
