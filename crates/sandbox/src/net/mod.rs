//! Letting a command reach a few hosts: names and addresses that cannot be misread, and a proxy that checks them.
//!
//! `host` parses and judges, `proxy` carries bytes. Other rooms use `host` for their own requests.

mod host;
mod proxy;

pub use host::{BadHost, Host, HostRule, is_public, vet};
pub(crate) use proxy::{Proxy, Refusals};

/// Where the proxy listens inside the command's network namespace, in which no other port is taken.
pub(crate) const PROXY_PORT: u16 = 3128;

#[cfg(test)]
mod tests;
