//! HTTP clients, built when first needed and then kept: one per kind of base URL, so that a plain-HTTP server
//! on this machine costs no certificate loading. What is sent through them is for `exchange`.

use reqwest::{Client, redirect};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use url::{Host, Url};

/// How long connecting may take: a host that has not answered by then is down or unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The clients built so far, shared by clones.
#[derive(Clone, Default)]
pub(crate) struct Clients {
    built: Arc<Mutex<HashMap<ClientKind, Client>>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ClientKind {
    encrypted: bool,
    loopback: bool,
}

impl Clients {
    /// The client for this URL.
    pub(crate) fn for_url(&self, url: &Url) -> reqwest::Result<Client> {
        let kind = ClientKind { encrypted: url.scheme() != "http", loopback: is_loopback(url) };
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = built.get(&kind) {
            return Ok(client.clone());
        }
        let client = build(kind)?;
        built.insert(kind, client.clone());
        Ok(client)
    }
}

/// Whether the URL points at this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn build(kind: ClientKind) -> reqwest::Result<Client> {
    let mut builder = Client::builder()
        .user_agent(concat!("steward/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        // A redirect would carry the key and the conversation to a host nobody configured.
        .redirect(redirect::Policy::none())
        // Compressed event streams arrive in lumps.
        .no_gzip();
    if kind.loopback {
        builder = builder.no_proxy();
    }
    if !kind.encrypted {
        builder = match without_roots() {
            Ok(config) => builder.tls_backend_preconfigured(config),
            Err(error) => {
                tracing::debug!(%error, "building a client with root certificates instead of without");
                builder
            }
        };
    }
    builder.build()
}

/// A TLS configuration that trusts nobody, for clients that only speak plain HTTP: loading the system's root
/// certificates would cost a one-shot turn more than the rest of its start.
fn without_roots() -> Result<rustls::ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}
