//! Where a request may go: web addresses on the public internet, judged by what their names really lead to.
//!
//! A name is looked up once, every address it leads to is judged, and the connection is made to those addresses and
//! no others; making it is `fetch`'s. Which addresses are public is the sandbox's knowledge.

use futures::future::BoxFuture;
use std::{
    collections::BTreeSet,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};
use url::{Host, Url};

/// The longest URL that is taken.
const MAX_URL_BYTES: usize = 8_192;

/// Looks names up.
pub trait Lookup: Send + Sync + 'static {
    /// Every address of a name.
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The machine's own resolver.
pub(super) struct System;

impl Lookup for System {
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Judges where requests may go.
#[derive(Clone)]
pub(super) struct Guard {
    lookup: Arc<dyn Lookup>,
    /// `host:port` the owner named, which may lie inside.
    allowed: BTreeSet<String>,
}

/// A URL that may be fetched, and the addresses to fetch it from.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) url: Url,
    /// The name the addresses are for; nothing when the URL holds the address itself.
    pub(super) name: Option<String>,
    pub(super) addresses: Vec<SocketAddr>,
}

impl Guard {
    pub(super) fn new(lookup: Arc<dyn Lookup>, allowed: impl IntoIterator<Item = String>) -> Self {
        Self { lookup, allowed: allowed.into_iter().collect() }
    }

    /// Reads a URL and finds out where it leads.
    pub(super) async fn check(&self, text: &str) -> Result<Target, String> {
        let url = read(text)?;
        let (host, port) = host_and_port(&url)?;
        let found = match &host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => self.lookup.addresses(name).await.map_err(|error| {
                tracing::debug!(%error, name, "a name could not be looked up");
                format!("The host `{name}` was not found.")
            })?,
        };
        if found.is_empty() {
            return Err(format!("The host `{host}` has no address."));
        }
        // Every address is judged: with one inside among them, the connection might be made to that one.
        let allowed = self.allowed.contains(&format!("{host}:{port}"));
        if !allowed && !found.iter().all(|address| sandbox::net::is_public(*address)) {
            return Err(format!("`{host}` does not lead to the public internet; it is not fetched."));
        }
        let name = if let Host::Domain(name) = &host { Some(name.clone()) } else { None };
        let addresses = found.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        Ok(Target { url, name, addresses })
    }
}

fn read(text: &str) -> Result<Url, String> {
    if text.len() > MAX_URL_BYTES {
        return Err("The URL is too long.".into());
    }
    // The parser would quietly drop these, and what was shown would not be what is fetched.
    if text.chars().any(|character| character.is_control() || character.is_whitespace() || character == '\\')
    {
        return Err("The URL has white space, a control character or a backslash in it.".into());
    }
    let url = Url::parse(text).map_err(|error| format!("This is not a URL: {error}."))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("Only http and https are fetched, not `{}`.", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("A URL with a user name or a password in it is not fetched.".into());
    }
    Ok(url)
}

fn host_and_port(url: &Url) -> Result<(Host<String>, u16), String> {
    let host = url.host().ok_or("The URL has no host.")?.to_owned();
    let port = url.port_or_known_default().filter(|port| *port != 0).ok_or("The URL has no port.")?;
    if let Host::Domain(name) = &host {
        // Resolvers add search domains to short names and read odd numbers as addresses.
        let plain: Result<sandbox::net::Host, _> = name.parse();
        if plain.is_err() {
            return Err(format!("`{}` is not a host name.", name.escape_debug()));
        }
    }
    Ok((host, port))
}
