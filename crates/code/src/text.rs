//! JSON as the engine writes it and as the house reads it. Pure.
//!
//! JavaScript's strings may hold halves of characters, as when an emoji is cut in two, and its values may be nested
//! without end; the house's may not.

use crate::limits::MAX_DEPTH;
use serde_json::Value;

/// What JSON that the engine wrote means to the house, or why it means nothing.
pub(crate) fn value_of(json: &str) -> Result<Value, String> {
    if depth(json) > MAX_DEPTH {
        return Err(format!("it is nested more than {MAX_DEPTH} levels deep"));
    }
    serde_json::from_str(&mended(json)).map_err(|error| error.to_string())
}

/// How deep a JSON text, or a value, is nested.
pub(crate) fn depth(json: &str) -> usize {
    let (mut now, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' if !quoted => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The text with every half of a character replaced. The engine writes them as escapes, and only them.
fn mended(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push('\u{fffd}');
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            // A backslash and what it escapes, which is one byte in what the engine writes.
            (None, _) => rest.ceil_char_boundary(2),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The code unit of an escape such as `\u00e9` at the start of the text.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

/// At most so many bytes of a text, whole characters only.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_of_the_engine_becomes_a_value() {
        let check = |text: &str, value: Value| assert_eq!(value_of(text), Ok(value), "{text}");
        check(r#"{"a":[1,2.5,null]}"#, json!({"a": [1, 2.5, null]}));
        check(r#""cut \ud83d""#, json!("cut \u{fffd}"));
        check(r#""\ude00\ud83d\ude00\ud83d\ud83d\ude00""#, json!("\u{fffd}😀\u{fffd}😀"));
        check(r#""\\ud83d \"\\""#, json!("\\ud83d \"\\"));
        check(r#""\u001f\n[[[""#, json!("\u{1f}\n[[["));
        check("0.1234567890123456789", json!(0.123_456_789_012_345_68));
        check(&nested(MAX_DEPTH), serde_json::from_str(&nested(MAX_DEPTH)).unwrap());
        assert!(value_of(&nested(MAX_DEPTH + 1)).unwrap_err().contains("nested"));
    }

    fn nested(depth: usize) -> String {
        "[".repeat(depth) + &"]".repeat(depth)
    }
}
