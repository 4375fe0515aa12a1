//! Takes secrets out of what a call gave back as data, as well as they are taken out of its text. What a secret looks like
//! is `policy`'s.

use policy::Redactor;
use serde_json::Value;

/// What stands where a piece of a secret was.
const PIECE_MARK: &str = "[redacted: part of a secret]";

/// Every string without its secrets, the names of fields too. A secret that goes through several strings, as a key does of
/// which each line was found by itself, is seen only in all of them together: what is not left of them then goes.
pub(super) fn redact_data(redactor: &Redactor, value: &mut Value) {
    let mut together = String::new();
    join(value, &mut together);
    let left = redactor.redact(&together);
    let name = |name: &str| redactor.redact(name).into_owned();
    let text = |text: &str| {
        let cleaned = redactor.redact(text);
        if left.contains(cleaned.as_ref()) { cleaned.into_owned() } else { PIECE_MARK.to_owned() }
    };
    rewrite(value, &name, &text);
}

/// All strings in their order, each on a line.
fn join(value: &Value, together: &mut String) {
    match value {
        Value::String(text) => together.extend([text, "\n"]),
        Value::Array(items) => items.iter().for_each(|item| join(item, together)),
        Value::Object(fields) => fields.values().for_each(|field| join(field, together)),
        _ => {}
    }
}

fn rewrite(value: &mut Value, name: &impl Fn(&str) -> String, text: &impl Fn(&str) -> String) {
    match value {
        Value::String(written) => *written = text(written),
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, name, text)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| rewrite(field, name, text));
            *fields = std::mem::take(fields).into_iter().map(|(key, field)| (name(&key), field)).collect();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TOKEN: &str = "hunter2-hunter2";

    fn check(mut value: Value, expected: &Value) {
        let redactor = Redactor::new(&[TOKEN]).unwrap();
        redact_data(&redactor, &mut value);
        assert_eq!(&value, expected);
        redact_data(&redactor, &mut value);
        assert_eq!(&value, expected, "doing it again changes nothing");
    }

    #[test]
    fn every_string_and_every_name_is_redacted_and_the_rest_stays() {
        let mark = "[redacted: known secret]";
        check(
            json!({ "line": 7, "deep": [{ TOKEN: format!("it is {TOKEN}."), "plain": "tea" }], "more": false }),
            &json!({ "line": 7, "deep": [{ mark: format!("it is {mark}."), "plain": "tea" }], "more": false }),
        );
    }

    #[test]
    fn a_key_found_line_by_line_is_redacted_like_one_in_a_single_text() {
        let found = |texts: [&str; 5]| {
            let matches = texts.map(|text| json!({ "path": "id_ed25519", "text": text }));
            json!({ "matches": matches, "truncated": false })
        };
        let [begin, end] = ["BEGIN", "END"].map(|word| format!("-----{word} OPENSSH PRIVATE KEY-----"));
        check(
            found(["before", &begin, "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU", &end, "after"]),
            &found(["before", "[redacted: private key]", PIECE_MARK, PIECE_MARK, "after"]),
        );
    }
}
