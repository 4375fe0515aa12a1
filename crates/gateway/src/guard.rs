//! What every request passes before a door sees it: the name it used for this house (a page elsewhere may have
//! made the browser believe that its own name leads here), the page it came from, and the token.

use crate::{
    fault::Fault,
    gate::{COOKIE_LASTS, Failure},
    gateway::Gateway,
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use protocol::Fact;

/// The browser's cookie. Its name holds no secret; its value is sealed.
const COOKIE: &str = "steward";

/// What a page of this house may load: only what is here. Pictures of a conversation come over the socket and are
/// shown from the page's own memory, which is what `blob:` means.
const POLICY: &str = "default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; \
     form-action 'self'";

/// The names this house is known by, as they stand in `Host`.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    hosts: Vec<String>,
}

/// How a client proved itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// By the token.
    Token,
    /// By the cookie of a browser that signed in.
    Cookie,
}

impl Names {
    /// The loopback names and the bound address, on this port, and whatever else the owner allows.
    pub fn new(host: &str, port: u16, further: &[String]) -> Self {
        let own = ["127.0.0.1", "localhost", "[::1]", host];
        let hosts = own.iter().map(|name| format!("{name}:{port}")).chain(further.iter().cloned());
        Self { hosts: hosts.map(|host| host.to_ascii_lowercase()).collect() }
    }

    fn know(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Refuses requests that were not meant for this house, or come from a page that is not its own.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Fault> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let host = text(header::HOST).unwrap_or_default();
        if !self.know(host) {
            let message =
                "this gateway is not known by that name; `gateway.allowed_hosts` in config.toml adds one";
            return Err(Fault::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", message));
        }
        let Some(origin) = text(header::ORIGIN) else { return Ok(()) };
        let from = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if from.is_some_and(|host| self.know(host)) {
            return Ok(());
        }
        let message = "pages of another origin may not use this gateway";
        Err(Fault::new(StatusCode::FORBIDDEN, "wrong_origin", message))
    }
}

/// Checks names and origin of every request, and sets the headers every answer carries.
pub(crate) async fn names(State(gateway): State<Gateway>, request: Request, next: Next) -> Response {
    let mut response = match gateway.names().check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(fault) => fault.into_response(),
    };
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    // What is said here is the owner's alone; nothing on the way may keep it.
    let private = HeaderValue::from_static("no-store");
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(private);
    response
}

/// Lets only those in who have the token, or a cookie made from it.
pub(crate) async fn token(State(gateway): State<Gateway>, request: Request, next: Next) -> Response {
    if access(&gateway, request.headers()).is_some() {
        return next.run(request).await;
    }
    // Somebody who shows nothing does not guess; only those who do are counted.
    let shows = request.headers().contains_key(header::AUTHORIZATION) || cookie(request.headers()).is_some();
    if !shows {
        return Fault::unauthorized().into_response();
    }
    refuse(&gateway, &format!("http {}", request.uri().path()), "a wrong token").await.into_response()
}

/// How the request proves itself, if it does.
pub(crate) fn access(gateway: &Gateway, headers: &HeaderMap) -> Option<Access> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    if bearer.is_some_and(|token| gateway.gate().knows(token)) {
        return Some(Access::Token);
    }
    let signed_in = cookie(headers).is_some_and(|cookie| gateway.gate().knows_cookie(cookie));
    signed_in.then_some(Access::Cookie)
}

/// Counts and notes a failed attempt; gives what to answer.
pub(crate) async fn refuse(gateway: &Gateway, door: &str, reason: &str) -> Fault {
    let (fault, note) = match gateway.gate().failed() {
        Failure::Refuse => (Fault::unauthorized(), true),
        Failure::PutOff { seconds, first } => (Fault::too_many(seconds), first),
    };
    if note {
        let door: String = door.chars().filter(|c| !c.is_control()).take(80).collect();
        gateway.note(Fact::AuthRefused { door, reason: reason.to_owned() }).await;
    }
    fault
}

/// The header that signs a browser in.
pub(crate) fn set_cookie(gateway: &Gateway) -> String {
    let value = gateway.gate().make_cookie();
    format!("{COOKIE}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_LASTS}")
}

/// The header that signs a browser out.
pub(crate) fn clear_cookie() -> String {
    format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == COOKIE).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_and_pages_pass() {
        let names = Names::new("127.0.0.1", 18789, &["steward.example".into()]);
        let check = |host: &str, origin: Option<&str>, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            let found = names.check(&headers).err().map(|fault| fault.code);
            assert_eq!(found, expected, "{host} {origin:?}");
        };
        check("127.0.0.1:18789", None, None);
        check("LOCALHOST:18789", Some("http://127.0.0.1:18789"), None);
        check("[::1]:18789", Some("http://[::1]:18789"), None);
        check("steward.example", Some("https://steward.example"), None);
        check("evil.example:18789", None, Some("wrong_host"));
        check("127.0.0.1", None, Some("wrong_host"));
        check("127.0.0.1:80", None, Some("wrong_host"));
        check("127.0.0.1:18789", Some("null"), Some("wrong_origin"));
        check("127.0.0.1:18789", Some("http://127.0.0.1:5173"), Some("wrong_origin"));
        check("127.0.0.1:18789", Some("http://evil.example"), Some("wrong_origin"));
        check("127.0.0.1:18789", Some("http://127.0.0.1:18789.evil.example"), Some("wrong_origin"));
        check("127.0.0.1:18789", Some("file://"), Some("wrong_origin"));
    }
}
