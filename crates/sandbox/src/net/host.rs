//! A host, read once into a value that every later step uses, and the rules for which may be reached.
//!
//! Pure: looking a name up is `proxy`'s business, which then asks [`vet`] about what it found.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    str::FromStr,
};

/// A host as it stands in a URL: a name in lower case, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name of letters, digits, hyphens and underscores.
    Name(String),
    /// An address, with IPv4 never dressed up as IPv6.
    Address(IpAddr),
}

/// Why something is not a host or a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a host: {reason}", .text.escape_debug())]
pub struct BadHost {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// Hosts that may be reached: `docs.rs`, `docs.rs:8443`, `*.example.org`, `192.0.2.1:80`, `[2001:db8::1]:443`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct HostRule {
    host: Host,
    /// Every name below `host`, but not `host` itself.
    below: bool,
    /// Without one, the web's own two.
    port: Option<u16>,
}

impl FromStr for Host {
    type Err = BadHost;

    fn from_str(text: &str) -> Result<Self, BadHost> {
        let bad = |reason| BadHost { text: text.to_owned(), reason };
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let address: Ipv6Addr = inner.parse().map_err(|_| bad("not an IPv6 address"))?;
            return Ok(Self::Address(IpAddr::from(address).to_canonical()));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Ok(Self::Address(address.into()));
        }
        if text.is_empty() || text.len() > 253 {
            return Err(bad("wrong length"));
        }
        if text.ends_with('.') {
            return Err(bad("ends in a dot"));
        }
        for label in text.split('.') {
            let letters =
                label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
            if label.is_empty()
                || label.len() > 63
                || !letters
                || label.starts_with('-')
                || label.ends_with('-')
            {
                return Err(bad("a part of the name is empty, too long or has a character no name has"));
            }
        }
        // Resolvers read `127.1`, `0x7f.1` and `2130706433` as addresses; a real top-level name is never a number.
        let last = text.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let hex =
            last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if hex || last.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(bad("an unusual spelling of an address"));
        }
        Ok(Self::Name(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => out.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(out, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(out, "[{address}]"),
        }
    }
}

impl Host {
    /// Splits `host:port`; the port may be left out when there is a default.
    pub fn with_port(text: &str, default: Option<u16>) -> Result<(Self, u16), BadHost> {
        let bad = |reason| BadHost { text: text.to_owned(), reason };
        let (host, port) = split_port(text).ok_or_else(|| bad("not a port"))?;
        Ok((host.parse()?, port.or(default).ok_or_else(|| bad("no port"))?))
    }
}

/// The host and the port, if there is one. A port is digits only: no sign, no spaces.
fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let after_bracket = text.rfind(']').unwrap_or(0);
    match text[after_bracket..].rfind(':') {
        None => Some((text, None)),
        Some(colon) => {
            let (host, port) = text.split_at(after_bracket + colon);
            let port =
                port.strip_prefix(':').filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()))?;
            Some((host, Some(port.parse().ok().filter(|port| *port > 0)?)))
        }
    }
}

impl FromStr for HostRule {
    type Err = BadHost;

    fn from_str(text: &str) -> Result<Self, BadHost> {
        let bad = |reason| BadHost { text: text.to_owned(), reason };
        let (host, port) = split_port(text).ok_or_else(|| bad("not a port"))?;
        let (below, host) = host.strip_prefix("*.").map_or((false, host), |rest| (true, rest));
        let host: Host = host.parse()?;
        if below && !matches!(&host, Host::Name(name) if name.contains('.')) {
            return Err(bad("`*.` needs a name with a dot after it"));
        }
        Ok(Self { host, below, port })
    }
}

impl TryFrom<String> for HostRule {
    type Error = BadHost;

    fn try_from(text: String) -> Result<Self, BadHost> {
        text.parse()
    }
}

impl From<HostRule> for String {
    fn from(rule: HostRule) -> Self {
        rule.to_string()
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", if self.below { "*." } else { "" }, self.host)?;
        self.port.map_or(Ok(()), |port| write!(out, ":{port}"))
    }
}

impl HostRule {
    /// Whether the rule lets a command reach this host at this port.
    pub fn allows(&self, host: &Host, port: u16) -> bool {
        let port_fits = self.port.map_or(port == 80 || port == 443, |own| own == port);
        port_fits
            && match (&self.host, host) {
                (Host::Name(own), Host::Name(name)) if self.below => {
                    name.strip_suffix(own.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
                }
                (own, host) => own == host,
            }
    }
}

/// What may be connected to, given what a host was resolved to: everything or nothing. A name that leads to a single
/// address inside the machine or the local network is refused whole; such an address must be allowed by itself.
pub fn vet(host: &Host, port: u16, found: &[IpAddr]) -> Result<Vec<SocketAddr>, String> {
    if found.is_empty() {
        return Err("no address".into());
    }
    if let (Host::Name(_), Some(address)) = (host, found.iter().find(|address| !is_public(**address))) {
        return Err(format!("it leads to {address}, which is not a public address"));
    }
    Ok(found.iter().map(|address| SocketAddr::new(*address, port)).collect())
}

/// Whether an address belongs to the public internet, whatever it is dressed up as.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // A cloud's own service behind a public-looking address.
    let metadata = address == Ipv4Addr::new(168, 63, 129, 16);
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b & 0xfe) == 18)
        || metadata)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, ..] = address.segments();
    // Only this block is handed out at all; it leaves out loopback, local, site and multicast addresses.
    let global = a & 0xe000 == 0x2000;
    let embeds_v4 = a == 0x2002 || (a == 0x2001 && b == 0);
    let documentation = (a == 0x2001 && b == 0xdb8) || (a == 0x3fff && b < 0x1000);
    let special = a == 0x2001 && (b == 2 && c == 0 || (0x10..0x40).contains(&b));
    // NAT64 addresses (64:ff9b::/96) lie outside the block and so are refused as well.
    global && !embeds_v4 && !documentation && !special
}
