//! Names of things: typed ids and the session key. Ids are UUIDv7, so they sort by birth; they are made by
//! the rooms that have a clock, never here.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// One turn. Assigned when its trigger enters the inbox, so a queued turn can already be aborted.
    /// On the wire it is the `runId`.
    TurnId
);
id!(
    /// One tool call.
    CallId
);
id!(
    /// One approval screen.
    ApprovalId
);

/// The longest session key accepted, in bytes: long enough for any platform's channel and thread ids.
const MAX_SESSION_KEY_BYTES: usize = 256;

/// The name of one conversation, such as `terminal--default` or `telegram--123456`.
///
/// It may come from outside and is never used as a file name unescaped.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionKey(String);

/// Why a text is not a session key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSessionKey {
    /// Nothing was given.
    #[error("a session key cannot be empty")]
    Empty,
    /// More than 256 bytes.
    #[error("a session key has at most {MAX_SESSION_KEY_BYTES} bytes, this one has {0}")]
    TooLong(usize),
    /// A control character or white space.
    #[error("a session key cannot contain spaces or control characters: {0:?}")]
    BadCharacter(char),
}

impl SessionKey {
    /// Checks and takes a key.
    pub fn new(key: impl Into<String>) -> Result<Self, BadSessionKey> {
        let key = key.into();
        if key.is_empty() {
            return Err(BadSessionKey::Empty);
        }
        if key.len() > MAX_SESSION_KEY_BYTES {
            return Err(BadSessionKey::TooLong(key.len()));
        }
        match key.chars().find(|c| c.is_control() || c.is_whitespace()) {
            Some(bad) => Err(BadSessionKey::BadCharacter(bad)),
            None => Ok(Self(key)),
        }
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where the conversation takes place: the part before the first `--`, such as `terminal` or `desktop`.
    pub fn place(&self) -> &str {
        self.0.split_once("--").map_or(&self.0, |(place, _)| place)
    }
}

impl TryFrom<String> for SessionKey {
    type Error = BadSessionKey;

    fn try_from(key: String) -> Result<Self, Self::Error> {
        Self::new(key)
    }
}

impl FromStr for SessionKey {
    type Err = BadSessionKey;

    fn from_str(key: &str) -> Result<Self, Self::Err> {
        Self::new(key)
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.0
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
