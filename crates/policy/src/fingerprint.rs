//! The approval fingerprint: one number over everything the owner was shown and everything that decides what
//! runs. It is recomputed at the moment of execution. Gathering the parts is for the driver.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{fmt, path::Path};

/// Everything an approval is bound to.
#[derive(Debug, Clone)]
pub struct Fingerprinted<'a> {
    /// The tool's dotted name.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: &'a Value,
    /// The command line as it will be started; empty when nothing is started.
    pub argv: &'a [String],
    /// Every program and script that will run, with the digest of its bytes, in the order they are named.
    pub executables: &'a [(&'a Path, [u8; 32])],
    /// Where it will run.
    pub cwd: &'a Path,
    /// Variables that differ from the fixed environment; none stands for one that is taken away.
    pub environment: &'a [(String, Option<String>)],
    /// The sandbox's profile, spelled out.
    pub sandbox: &'a str,
    /// The conversation.
    pub session: &'a str,
    /// When the approval ends, in milliseconds since 1970.
    pub expires_at_ms: i64,
}

/// A SHA-256 over a [`Fingerprinted`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Computes the fingerprint. Two different values never feed the same bytes: every field is preceded by its
/// length, every list by its count.
pub fn fingerprint(of: &Fingerprinted<'_>) -> Fingerprint {
    let mut hash = Canonical(Sha256::new());
    hash.bytes(b"steward approval 1");
    hash.bytes(of.tool.as_bytes());
    hash.json(of.arguments);
    hash.count(of.argv.len());
    of.argv.iter().for_each(|word| hash.bytes(word.as_bytes()));
    hash.count(of.executables.len());
    for (path, digest) in of.executables {
        hash.bytes(path.as_os_str().as_encoded_bytes());
        hash.bytes(digest);
    }
    hash.bytes(of.cwd.as_os_str().as_encoded_bytes());
    let mut environment: Vec<_> = of.environment.iter().collect();
    environment.sort();
    hash.count(environment.len());
    for (name, value) in environment {
        hash.bytes(name.as_bytes());
        hash.count(usize::from(value.is_some()));
        hash.bytes(value.as_deref().unwrap_or_default().as_bytes());
    }
    hash.bytes(of.sandbox.as_bytes());
    hash.bytes(of.session.as_bytes());
    hash.bytes(&of.expires_at_ms.to_be_bytes());
    Fingerprint(hash.0.finalize().into())
}

struct Canonical(Sha256);

impl Canonical {
    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_be_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    /// Feeds a JSON value with sorted keys. It walks with a stack of its own, since a model writes the value.
    fn json(&mut self, value: &Value) {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            match value {
                Value::Null => self.bytes(b"n"),
                Value::Bool(flag) => self.bytes(if *flag { b"t" } else { b"f" }),
                Value::Number(number) => {
                    self.bytes(b"d");
                    self.bytes(number.to_string().as_bytes());
                }
                Value::String(text) => {
                    self.bytes(b"s");
                    self.bytes(text.as_bytes());
                }
                Value::Array(items) => {
                    self.bytes(b"a");
                    self.count(items.len());
                    stack.extend(items.iter().rev());
                }
                Value::Object(fields) => {
                    self.bytes(b"o");
                    let mut keys: Vec<_> = fields.iter().collect();
                    keys.sort_by(|left, right| left.0.cmp(right.0));
                    self.count(keys.len());
                    keys.iter().for_each(|(key, _)| self.bytes(key.as_bytes()));
                    stack.extend(keys.into_iter().rev().map(|(_, value)| value));
                }
            }
        }
    }
}
