//! Vectors over HTTP, from anything that speaks OpenAI's dialect of `/embeddings`. What a request and its answer look
//! like is in `dialect`; here they are sent.

mod dialect;

use crate::{arithmetic::to_unit_length, embedder::ModelInfo, own_thread::in_own_thread};
use reqwest::{Client, RequestBuilder, Response, StatusCode, header::RETRY_AFTER, redirect};
use secrecy::{ExposeSecret, SecretString};
use std::{io, sync::OnceLock, time::Duration};
use url::{Host, Url};

/// How many texts a request has. Enough for the request itself to cost little, few enough for a refused one to be
/// no loss.
const BATCH: usize = 64;

/// How long an answer may take: a server that loads its model first needs that long, and nobody waits longer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How long connecting may take: a host that has not answered by then is down or unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait before the one retry when the server does not say.
const PAUSE: Duration = Duration::from_secs(1);

/// The longest wait a server may ask for; beyond it the caller should hear of it.
const MAX_PAUSE: Duration = Duration::from_secs(20);

/// The longest answer that is read: 64 vectors of 4096 numbers have 6 MB.
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// What is embedded to learn how long a model's vectors are.
const PROBE: &str = "dimensions";

/// Where vectors come from and what to ask for.
#[derive(Debug, Clone)]
pub struct EndpointSettings {
    /// Where the dialect begins, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The key, if one is needed.
    pub api_key: Option<SecretString>,
    /// How long vectors shall be, for models that leave it open.
    pub dimensions: Option<usize>,
}

/// Why an endpoint gave no vectors. Never holds the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// The address is none.
    #[error("`{0}` is not an address to get embeddings from: it must begin with http:// or https://")]
    BadAddress(String),
    /// The server was not reached, or stopped answering.
    #[error("no embeddings from {url}: {why}")]
    Unreachable {
        /// Where they were asked for.
        url: String,
        /// What happened.
        why: String,
    },
    /// The server wants another key.
    #[error("no embeddings from {url}: it refused the key (status {status}); check the key for embeddings")]
    KeyRefused {
        /// Where they were asked for.
        url: String,
        /// What it answered with.
        status: u16,
    },
    /// The server said no.
    #[error("no embeddings from {url}: it answered with status {status}: {said}")]
    Refused {
        /// Where they were asked for.
        url: String,
        /// What it answered with.
        status: u16,
        /// What it said, shortened.
        said: String,
    },
    /// The answer is not what was asked for.
    #[error("no embeddings from {url}: {why}")]
    Malformed {
        /// Where they were asked for.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}

/// An endpoint and what is known of it.
pub(crate) struct Endpoint {
    settings: EndpointSettings,
    /// Kept, since making one loads certificates. It keeps no connections: those would end with a call's thread.
    client: OnceLock<Client>,
    learned: OnceLock<usize>,
}

impl Endpoint {
    /// Asks nothing yet.
    pub(crate) fn new(settings: EndpointSettings) -> Self {
        Self { settings, client: OnceLock::new(), learned: OnceLock::new() }
    }

    /// Which model there is. If nobody said how long its vectors are, one is asked for, once.
    pub(crate) fn model(&self) -> Result<ModelInfo, EndpointError> {
        let EndpointSettings { base_url, model, dimensions, .. } = &self.settings;
        let size = dimensions.map(|it| format!(":{it}")).unwrap_or_default();
        Ok(ModelInfo {
            name: model.clone(),
            fingerprint: format!("endpoint:{}:{model}{size}", shown(&address(base_url)?)),
            dimensions: self.dimensions()?,
        })
    }

    /// A vector for each text; zeroes for those without words.
    pub(crate) fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EndpointError> {
        let sent: Vec<&str> =
            texts.iter().map(|text| dialect::cut(text)).filter(|it| !it.is_empty()).collect();
        let mut answered = self.ask(&sent)?.into_iter();
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            let vector = if dialect::cut(text).is_empty() { None } else { answered.next() };
            vectors.push(match vector {
                Some(vector) => vector,
                None => vec![0.0; self.dimensions()?],
            });
        }
        Ok(vectors)
    }

    fn dimensions(&self) -> Result<usize, EndpointError> {
        if let Some(known) = self.settings.dimensions.or_else(|| self.learned.get().copied()) {
            return Ok(known);
        }
        let probe = self.ask(&[PROBE])?;
        Ok(probe.first().map_or(0, Vec::len))
    }

    /// Asks for vectors of texts that have words, batch by batch.
    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EndpointError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let url = address(&self.settings.base_url)?;
        let exchange = Exchange { settings: &self.settings, client: self.client(&url)?, url };
        let failed = |error: io::Error| EndpointError::Unreachable {
            url: shown(&exchange.url),
            why: error.to_string(),
        };
        let vectors = in_own_thread(|| exchange.all(texts), || ()).map_err(failed)??;
        let length = self.settings.dimensions.or_else(|| self.learned.get().copied());
        let length = length.unwrap_or_else(|| vectors.first().map_or(0, Vec::len));
        if let Some(other) = vectors.iter().find(|vector| vector.len() != length) {
            return Err(
                exchange.malformed(format!("a vector has {} numbers instead of {length}", other.len()))
            );
        }
        self.learned.get_or_init(|| length);
        Ok(vectors)
    }

    fn client(&self, url: &Url) -> Result<Client, EndpointError> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let mut builder = Client::builder()
            .user_agent(concat!("steward/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .pool_max_idle_per_host(0)
            // A redirect would carry the key and the texts to a host nobody configured.
            .redirect(redirect::Policy::none());
        if is_loopback(url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| unreachable(url, error))?;
        Ok(self.client.get_or_init(|| client).clone())
    }
}

/// All requests of one call.
struct Exchange<'a> {
    settings: &'a EndpointSettings,
    client: Client,
    url: Url,
}

impl Exchange<'_> {
    async fn all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EndpointError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let answer = self.batch(batch).await?;
            let mut batch = dialect::vectors(&answer, batch.len()).map_err(|why| self.malformed(why))?;
            batch.iter_mut().for_each(|vector| to_unit_length(vector));
            vectors.append(&mut batch);
        }
        Ok(vectors)
    }

    /// One request, and another one if the server is only busy.
    async fn batch(&self, texts: &[&str]) -> Result<Vec<u8>, EndpointError> {
        let body = dialect::request(&self.settings.model, self.settings.dimensions, texts);
        let mut request = self.client.post(self.url.clone()).json(&body);
        if let Some(key) = &self.settings.api_key {
            request = request.bearer_auth(key.expose_secret());
        }
        let again = request.try_clone();
        let first = self.send(request).await?;
        match (pause(first.status(), first.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok())), again)
        {
            (Some(pause), Some(again)) => {
                tokio::time::sleep(pause).await;
                let second = self.send(again).await?;
                self.read(second).await
            }
            _ => self.read(first).await,
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, EndpointError> {
        request.send().await.map_err(|error| unreachable(&self.url, error))
    }

    async fn read(&self, mut answer: Response) -> Result<Vec<u8>, EndpointError> {
        let status = answer.status();
        let url = shown(&self.url);
        // What it says then may quote the key.
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(EndpointError::KeyRefused { url, status: status.as_u16() });
        }
        let mut body = Vec::new();
        while let Some(bytes) = answer.chunk().await.map_err(|error| unreachable(&self.url, error))? {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_ANSWER_BYTES {
                return Err(self.malformed("the answer is too long".to_owned()));
            }
        }
        if status.is_success() {
            return Ok(body);
        }
        let key = self.settings.api_key.as_ref().map_or("", |key| key.expose_secret());
        Err(EndpointError::Refused { url, status: status.as_u16(), said: dialect::complaint(&body, key) })
    }

    fn malformed(&self, why: String) -> EndpointError {
        EndpointError::Malformed { url: shown(&self.url), why }
    }
}

/// How long to wait before trying again; nothing if that cannot help.
fn pause(status: StatusCode, retry_after: Option<&str>) -> Option<Duration> {
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return None;
    }
    let asked = retry_after.and_then(|it| it.trim().parse().ok()).map(Duration::from_secs);
    Some(asked.unwrap_or(PAUSE)).filter(|pause| *pause <= MAX_PAUSE)
}

fn address(base_url: &str) -> Result<Url, EndpointError> {
    let url = Url::parse(&format!("{}/embeddings", base_url.trim_end_matches('/')));
    let url = url.ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| EndpointError::BadAddress(base_url.to_owned()))
}

/// An address without what may be secret in it.
fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn unreachable(url: &Url, error: reqwest::Error) -> EndpointError {
    let why = match () {
        () if error.is_timeout() => "it did not answer in time".to_owned(),
        () if error.is_connect() => "nobody answers there; is it running?".to_owned(),
        () => error.without_url().to_string(),
    };
    EndpointError::Unreachable { url: shown(url), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_busy_server_is_asked_again() {
        let check = |status: u16, retry_after, expected: Option<u64>| {
            let pause = pause(StatusCode::from_u16(status).unwrap(), retry_after);
            assert_eq!(pause, expected.map(Duration::from_secs), "{status} {retry_after:?}");
        };
        check(200, None, None);
        check(400, Some("1"), None);
        check(401, None, None);
        check(429, None, Some(1));
        check(429, Some("7"), Some(7));
        check(429, Some("0"), Some(0));
        check(429, Some("3600"), None);
        check(429, Some("soon"), Some(1));
        check(500, None, Some(1));
        check(503, Some(" 2 "), Some(2));
    }

    #[test]
    fn addresses_are_shown_without_secrets() {
        let check = |base: &str, expected: &str| {
            let found = address(base).map(|url| shown(&url)).unwrap_or_else(|error| error.to_string());
            assert_eq!(found, expected, "{base}");
        };
        check("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/embeddings");
        check("https://user:secret@host.example/v1/", "https://host.example/v1/embeddings");
        let refused =
            "`ftp://host` is not an address to get embeddings from: it must begin with http:// or https://";
        check("ftp://host", refused);
    }
}
