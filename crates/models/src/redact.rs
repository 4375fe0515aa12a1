//! Keeps the key out of messages, also when a provider echoes it whole or in part.

use secrecy::{ExposeSecret, SecretString};

/// A key shorter than this is a placeholder such as `ollama`; hiding it would garble ordinary words.
const MIN_SECRET_BYTES: usize = 8;

/// A piece of the key this long is hidden even when the rest is missing.
const MIN_PIECE_CHARS: usize = 12;

/// What stands where the key was.
const MASK: &str = "[key]";

/// `text` without the key and without long pieces of it.
pub(crate) fn redact(text: &str, secret: Option<&SecretString>) -> String {
    let Some(secret) = secret.map(|it| it.expose_secret().trim()) else {
        return text.to_owned();
    };
    if secret.len() < MIN_SECRET_BYTES {
        return text.to_owned();
    }
    let text = text.replace(secret, MASK);
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let length = shared_piece_bytes(rest, secret);
        if length > 0 {
            clean.push_str(MASK);
            rest = &rest[length..];
        } else {
            clean.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    clean
}

/// How many bytes at the start of `text` are a piece of the secret, or zero if the piece is too short to matter.
fn shared_piece_bytes(text: &str, secret: &str) -> usize {
    let mut length = 0;
    for (count, (at, c)) in text.char_indices().enumerate() {
        let end = at + c.len_utf8();
        if !secret.contains(&text[..end]) {
            return if count >= MIN_PIECE_CHARS { length } else { 0 };
        }
        length = end;
    }
    if text.chars().count() >= MIN_PIECE_CHARS { length } else { 0 }
}
