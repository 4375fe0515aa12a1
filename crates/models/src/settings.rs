//! Whom to ask and how patiently: what the owner's configuration means to this crate. Reading the
//! configuration and finding keys is left to others.

use secrecy::SecretString;
use std::time::Duration;
use url::Url;

/// One provider as configured.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The name used in `provider/model`.
    pub name: String,
    /// Which wire it speaks.
    pub dialect: Dialect,
    /// Where it is. For [`Dialect::OpenAi`] this includes `/v1`, for [`Dialect::Anthropic`] it does not.
    pub base_url: String,
    /// The key, if there is one.
    pub credential: Option<Credential>,
    /// In plain words, where the owner sets the key; shown when it is missing or wrong.
    pub key_hint: String,
}

impl ProviderSettings {
    /// Where it is, without a user name or password that may stand there; `None` if it is no address.
    pub fn shown_url(&self) -> Option<String> {
        let mut url = Url::parse(self.base_url.trim()).ok()?;
        url.set_username("").and_then(|()| url.set_password(None)).ok()?;
        url.set_query(None);
        Some(url.as_str().trim_end_matches('/').to_owned())
    }
}

/// A key, and where it came from.
#[derive(Debug, Clone)]
pub struct Credential {
    /// The key itself.
    pub secret: SecretString,
    /// For the owner: for example `environment variable ANTHROPIC_API_KEY`.
    pub source: String,
}

/// The wire a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions, which many others and most local servers speak too.
    OpenAi,
}

/// How long to wait and how often to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelTiming {
    /// How long a provider may be silent. There is no limit on the whole answer.
    pub idle_timeout: Duration,
    /// How often a request is repeated before it is given up.
    pub max_retries: u32,
    /// The pause before the first repeat; it doubles with each.
    pub retry_base: Duration,
}

impl Default for ModelTiming {
    fn default() -> Self {
        Self {
            idle_timeout: Duration::from_secs(120),
            max_retries: 3,
            retry_base: Duration::from_millis(500),
        }
    }
}
