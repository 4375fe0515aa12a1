//! Who may come in: the token, the browser's cookie made from it, links that work once, and patience with
//! those who guess.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use subtle::ConstantTimeEq;
use tokio::sync::watch;

/// How long a link that signs in can be used.
const LINK_LASTS: Duration = Duration::from_secs(600);

/// How many unused links are kept; the oldest go first.
const MAX_LINKS: usize = 16;

/// How long a browser stays signed in, in seconds: 30 days.
pub(crate) const COOKIE_LASTS: i64 = 30 * 24 * 60 * 60;

/// How many failures a minute are answered before all of them are put off.
const MAX_FAILURES: u32 = 20;

const MINUTE: Duration = Duration::from_secs(60);

/// The keeper of the doors.
pub(crate) struct Gate {
    keys: Mutex<Keys>,
    links: Mutex<Vec<Link>>,
    failures: Mutex<Failures>,
    /// Counts rotations; whoever came in by an older token leaves when it moves.
    rotations: watch::Sender<u64>,
}

/// What a token is checked against. The token itself is not kept.
struct Keys {
    token: [u8; 32],
    cookies: [u8; 32],
}

struct Link {
    code: [u8; 32],
    until: Instant,
}

struct Failures {
    since: Instant,
    count: u32,
}

/// What to do about a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Refuse it and note it.
    Refuse,
    /// There were too many: put it off for so many seconds, and note it if it is the first of those.
    PutOff { seconds: u64, first: bool },
}

impl Gate {
    pub fn new(token: &str) -> Self {
        Self {
            keys: Mutex::new(Keys::of(token)),
            links: Mutex::default(),
            failures: Mutex::new(Failures { since: Instant::now(), count: 0 }),
            rotations: watch::Sender::new(0),
        }
    }

    /// Whether this is the token. Takes the same time for every wrong one.
    pub fn knows(&self, token: &str) -> bool {
        lock(&self.keys).token.ct_eq(&hash(token)).into()
    }

    /// Puts a new token in place of the old; cookies and links made before are void.
    pub fn rotate(&self, token: &str) {
        *lock(&self.keys) = Keys::of(token);
        lock(&self.links).clear();
        self.rotations.send_modify(|count| *count += 1);
    }

    /// Tells when the token was replaced.
    pub fn rotations(&self) -> watch::Receiver<u64> {
        self.rotations.subscribe()
    }

    /// A code that signs in once.
    pub fn make_link(&self) -> String {
        // Short enough for a line, and it works once: 128 bits.
        let code = hex(&rand::random::<[u8; 16]>());
        let mut links = lock(&self.links);
        links.retain(|link| link.until > Instant::now());
        if links.len() >= MAX_LINKS {
            links.remove(0);
        }
        links.push(Link { code: hash(&code), until: Instant::now() + LINK_LASTS });
        code
    }

    /// Uses a code up. Whether it was good.
    pub fn use_link(&self, code: &str) -> bool {
        let wanted = hash(code);
        let mut links = lock(&self.links);
        let found = links.iter().position(|link| link.code.ct_eq(&wanted).into());
        found.is_some_and(|found| links.remove(found).until > Instant::now())
    }

    /// The cookie of a browser that signs in now.
    pub fn make_cookie(&self) -> String {
        let until = Timestamp::now().as_second() + COOKIE_LASTS;
        let body = format!("{until}.{}", random());
        let seal = self.seal(&body);
        format!("{body}.{seal}")
    }

    /// Whether a cookie was made here, under this token, and has not run out.
    pub fn knows_cookie(&self, cookie: &str) -> bool {
        let Some((body, seal)) = cookie.rsplit_once('.') else { return false };
        let until = body.split('.').next().and_then(|until| until.parse::<i64>().ok());
        let fresh = until.is_some_and(|until| until > Timestamp::now().as_second());
        bool::from(self.seal(body).as_bytes().ct_eq(seal.as_bytes())) && fresh
    }

    fn seal(&self, body: &str) -> String {
        let key = lock(&self.keys).cookies;
        // An HMAC takes a key of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else { return random() };
        mac.update(body.as_bytes());
        hex(&mac.finalize().into_bytes())
    }

    /// Counts a failed attempt.
    pub fn failed(&self) -> Failure {
        let mut failures = lock(&self.failures);
        if failures.since.elapsed() > MINUTE {
            *failures = Failures { since: Instant::now(), count: 0 };
        }
        failures.count = failures.count.saturating_add(1);
        if failures.count <= MAX_FAILURES {
            return Failure::Refuse;
        }
        let seconds = MINUTE.saturating_sub(failures.since.elapsed()).as_secs() + 1;
        Failure::PutOff { seconds, first: failures.count == MAX_FAILURES + 1 }
    }
}

impl Keys {
    fn of(token: &str) -> Self {
        Self { token: hash(token), cookies: hash(&format!("cookies of {token}")) }
    }
}

/// A new token: 256 bits nobody can guess.
pub fn new_token() -> String {
    random()
}

fn random() -> String {
    hex(&rand::random::<[u8; 32]>())
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_good_until_the_token_changes() {
        let gate = Gate::new("secret");
        let cookie = gate.make_cookie();
        assert!(gate.knows_cookie(&cookie));
        let (body, seal) = cookie.rsplit_once('.').unwrap();
        let longer = body.replacen(|c: char| c.is_ascii_digit(), "9", 1);
        for forged in ["", ".", "1.2.3", &format!("{longer}.{seal}"), &format!("{cookie}0"), body] {
            assert!(!gate.knows_cookie(forged), "{forged}");
        }
        gate.rotate("other");
        assert!(!gate.knows_cookie(&cookie));
        assert!(gate.knows("other") && !gate.knows("secret") && !gate.knows(""));
    }

    #[test]
    fn a_link_works_once() {
        let gate = Gate::new("secret");
        let code = gate.make_link();
        assert!(!gate.use_link("guess"));
        assert!(gate.use_link(&code));
        assert!(!gate.use_link(&code));
        let code = gate.make_link();
        gate.rotate("other");
        assert!(!gate.use_link(&code), "a link does not outlive its token");
    }

    #[test]
    fn those_who_guess_are_put_off() {
        let gate = Gate::new("secret");
        for _ in 0..MAX_FAILURES {
            assert_eq!(gate.failed(), Failure::Refuse);
        }
        assert!(matches!(gate.failed(), Failure::PutOff { first: true, .. }));
        assert!(matches!(gate.failed(), Failure::PutOff { first: false, .. }));
        assert!(gate.knows("secret"), "the owner is never locked out");
    }
}
