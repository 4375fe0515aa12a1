//! The one way out to the web: each hop is checked, pinned to what was checked, bounded in time and size.
//!
//! Where a request may go is `guard`'s say; what is made of an answer is the caller's. Nothing is taken from the
//! environment: a proxy there would connect where it likes.

use super::{
    body::{Body, Taken},
    guard::{Guard, Lookup, System, Target},
};
use reqwest::{
    Client, Method, Response, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION},
    redirect,
};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;
use url::Url;

/// Redirects followed before giving up.
const MAX_REDIRECTS: usize = 5;
/// How long a connection may take to be made.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// How much a fetch may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// In all, redirects included.
    pub timeout_ms: u64,
    /// Of the answer, unpacked.
    pub max_bytes: usize,
}

impl Default for FetchLimits {
    /// What a page needs, and no more than can be worked on in memory.
    fn default() -> Self {
        Self { timeout_ms: 15_000, max_bytes: 10 << 20 }
    }
}

/// Fetches from the public internet.
#[derive(Clone)]
pub struct Fetcher {
    guard: Guard,
    limits: FetchLimits,
}

/// What is asked for.
pub(super) struct Request<'a> {
    pub(super) url: &'a str,
    /// A body makes it a POST of JSON.
    pub(super) json: Option<String>,
    /// Sent to the first origin only.
    pub(super) headers: HeaderMap,
    pub(super) accept: &'static str,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Fetched {
    /// Where it came from in the end.
    pub(super) url: Url,
    pub(super) status: StatusCode,
    pub(super) content_type: String,
    pub(super) body: Taken,
}

impl Default for Fetcher {
    fn default() -> Self {
        Self::new(FetchLimits::default())
    }
}

impl Fetcher {
    /// A fetcher that reaches the public internet only.
    pub fn new(limits: FetchLimits) -> Self {
        Self::with(limits, Arc::new(System), [])
    }

    /// A fetcher that may also reach places the owner named although they may lie inside, each as `host:port`.
    pub fn reaching(limits: FetchLimits, allowed: impl IntoIterator<Item = String>) -> Self {
        Self::with(limits, Arc::new(System), allowed)
    }

    /// A fetcher with another way to look names up, and with places the owner named although they may lie inside,
    /// each as `host:port`.
    pub fn with(
        limits: FetchLimits,
        lookup: Arc<dyn Lookup>,
        allowed: impl IntoIterator<Item = String>,
    ) -> Self {
        Self { guard: Guard::new(lookup, allowed), limits }
    }

    /// The same that may also reach this URL's own host and port.
    pub(super) fn allowing(limits: FetchLimits, url: &Url) -> Self {
        let authority = url.host().zip(url.port_or_known_default());
        Self::with(limits, Arc::new(System), authority.map(|(host, port)| format!("{host}:{port}")))
    }

    /// Fetches, following redirects.
    pub(super) async fn fetch(&self, request: Request<'_>) -> Result<Fetched, String> {
        let patience = Duration::from_millis(self.limits.timeout_ms);
        match timeout(patience, self.follow(request)).await {
            Ok(result) => result,
            Err(_) => Err(format!("The answer took longer than {} s.", patience.as_secs())),
        }
    }

    async fn follow(&self, request: Request<'_>) -> Result<Fetched, String> {
        let mut target = self.guard.check(request.url).await?;
        let first = target.url.origin();
        for _ in 0..=MAX_REDIRECTS {
            let own = target.url.origin() == first;
            let response = send(&target, &request, own).await?;
            let Some(next) = redirected(&response, &target.url)? else {
                return self.take(response, target.url).await;
            };
            if request.json.is_some() {
                return Err(format!(
                    "`{}` redirects a request that may not be repeated elsewhere.",
                    target.url
                ));
            }
            target = self
                .guard
                .check(next.as_str())
                .await
                .map_err(|why| format!("It redirects to `{next}`. {why}"))?;
        }
        Err(format!("It redirects more than {MAX_REDIRECTS} times."))
    }

    async fn take(&self, mut response: Response, url: Url) -> Result<Fetched, String> {
        let header =
            |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let content_type = header(CONTENT_TYPE).to_owned();
        let mut body = Body::new(header(CONTENT_ENCODING), self.limits.max_bytes)?;
        let broken = |error: reqwest::Error| format!("The answer broke off: {}.", cause(&error));
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            if !body.push(&piece)? {
                break;
            }
        }
        Ok(Fetched { url, status: response.status(), content_type, body: body.finish() })
    }
}

async fn send(target: &Target, request: &Request<'_>, own_origin: bool) -> Result<Response, String> {
    let client = client(target).map_err(|error| format!("No request can be made: {}.", cause(&error)))?;
    let method = if request.json.is_some() { Method::POST } else { Method::GET };
    let mut builder = client
        .request(method, target.url.clone())
        .header(ACCEPT, request.accept)
        .header(ACCEPT_ENCODING, "gzip");
    if own_origin {
        builder = builder.headers(request.headers.clone());
    }
    if let Some(json) = &request.json {
        builder = builder.header(CONTENT_TYPE, "application/json").body(json.clone());
    }
    let host = target.url.host_str().unwrap_or_default().to_owned();
    builder.send().await.map_err(|error| format!("`{host}` could not be reached: {}.", cause(&error)))
}

/// A client that can reach these addresses and nothing else. A new one for every hop: nothing is shared between
/// hosts, and no connection made for one check is used under another.
fn client(target: &Target) -> reqwest::Result<Client> {
    let mut builder = Client::builder()
        .user_agent(concat!("steward/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_PATIENCE)
        .redirect(redirect::Policy::none())
        .no_proxy()
        // Unpacked by hand, with limits.
        .no_gzip()
        .referer(false);
    if let Some(name) = &target.name {
        builder = builder.resolve_to_addrs(name, &target.addresses);
    }
    if target.url.scheme() == "http" {
        builder = match without_roots() {
            Ok(config) => builder.tls_backend_preconfigured(config),
            Err(_) => builder,
        };
    }
    builder.build()
}

/// A TLS configuration that trusts nobody, for plain HTTP: loading root certificates takes longer than the request.
fn without_roots() -> Result<rustls::ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}

/// Where the answer sends on to, if it does.
fn redirected(response: &Response, from: &Url) -> Result<Option<Url>, String> {
    let sends_on = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = response.headers().get(LOCATION).filter(|_| sends_on) else { return Ok(None) };
    let location = location.to_str().map_err(|_| "It redirects to something unreadable.".to_owned())?;
    let next =
        from.join(location).map_err(|error| format!("It redirects to something unreadable: {error}."))?;
    Ok(Some(next))
}

/// The innermost reason; the outer ones only repeat the URL.
pub(super) fn cause(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
