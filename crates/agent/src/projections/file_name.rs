//! Session keys as file names. Keys come from outside: none may climb out of the folder, and two different
//! keys never share a file.

use protocol::SessionKey;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The longest name that is spelled out; file systems allow 255 bytes, and an ending follows.
const MAX_NAME_BYTES: usize = 180;

/// The key with everything but letters, digits, `-`, `_` and inner dots written as `%XX`; a key too long
/// for that ends in its hash instead. `%` never stands for itself, so no two keys agree.
pub(crate) fn file_name(key: &SessionKey) -> String {
    let mut name = String::new();
    for (position, byte) in key.as_str().bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
            b'.' if position > 0 => name.push('.'),
            // Writing to a string cannot fail.
            _ => write!(name, "%{byte:02X}").unwrap_or_default(),
        }
    }
    if name.len() <= MAX_NAME_BYTES {
        return name;
    }
    let hash = Sha256::digest(key.as_str().as_bytes());
    let hash: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    name.truncate(100);
    // `%%` cannot come from escaping, so a shortened name equals no spelled-out one.
    format!("{name}%%{hash}")
}
