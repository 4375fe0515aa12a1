//! What is said to an endpoint and what it answers, in OpenAI's dialect. Pure; the parent sends it.

use serde::Deserialize;
use serde_json::{Value, json};

/// The longest text that is sent, in characters. The dialect's own models take 8192 tokens and refuse more; a character
/// is rarely more than one.
const MAX_TEXT_CHARS: usize = 8000;

/// How much of a complaint is passed on; the rest is rarely news.
const MAX_COMPLAINT_CHARS: usize = 300;

/// The body of a request.
pub(super) fn request(model: &str, dimensions: Option<usize>, texts: &[&str]) -> Value {
    let mut body = json!({ "model": model, "input": texts, "encoding_format": "float" });
    if let Some(dimensions) = dimensions {
        body["dimensions"] = dimensions.into();
    }
    body
}

/// As much of a text as is sent, without the space around it.
pub(super) fn cut(text: &str) -> &str {
    let text = text.trim();
    text.char_indices().nth(MAX_TEXT_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// The vectors of an answer, in the order of the texts; or what is wrong with it.
pub(super) fn vectors(answer: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    #[derive(Deserialize)]
    struct Answer {
        data: Vec<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        index: Option<usize>,
        embedding: Vec<f32>,
    }
    let answer: Answer = serde_json::from_slice(answer)
        .map_err(|error| format!("the answer has no vectors in it: {error}"))?;
    let mut vectors = vec![Vec::new(); count];
    for (place, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(place);
        let slot = vectors.get_mut(index).ok_or("the answer has more vectors than there were texts")?;
        *slot = item.embedding;
    }
    if vectors.iter().any(Vec::is_empty) {
        return Err("the answer has fewer vectors than there were texts".to_owned());
    }
    match vectors.iter().flatten().all(|number| number.is_finite()) {
        true => Ok(vectors),
        false => Err("the answer has numbers that are none".to_owned()),
    }
}

/// What a server that refused said, without the key if it quoted that.
pub(super) fn complaint(body: &[u8], key: &str) -> String {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let message = parsed.as_ref().and_then(|it| {
        ["/error/message", "/error", "/message", "/detail"].iter().find_map(|at| it.pointer(at)?.as_str())
    });
    let whole = String::from_utf8_lossy(body);
    let mut said = message.unwrap_or(&whole).trim().to_owned();
    if !key.is_empty() {
        said = said.replace(key, "…");
    }
    match said.char_indices().nth(MAX_COMPLAINT_CHARS) {
        Some((end, _)) => format!("{}…", &said[..end]),
        None if said.is_empty() => "nothing more".to_owned(),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_the_texts() {
        let check = |answer: &str, count: usize, expected: Result<Vec<Vec<f32>>, &str>| {
            assert_eq!(vectors(answer.as_bytes(), count), expected.map_err(str::to_owned), "{answer}");
        };
        let two = Ok(vec![vec![1.0], vec![2.0]]);
        check(r#"{"data":[{"index":1,"embedding":[2]},{"index":0,"embedding":[1]}]}"#, 2, two.clone());
        check(r#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#, 2, two);
        let fewer = Err("the answer has fewer vectors than there were texts");
        check(r#"{"data":[{"index":0,"embedding":[1]}]}"#, 2, fewer.clone());
        check(r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#, 2, fewer);
        let more = Err("the answer has more vectors than there were texts");
        check(r#"{"data":[{"index":9,"embedding":[1]}]}"#, 1, more);
        // Which complaint it is depends on how numbers are read.
        assert!(vectors(br#"{"data":[{"embedding":[1e39]}]}"#, 1).is_err());
        assert!(vectors(b"<html>", 1).is_err());
    }

    #[test]
    fn complaints_are_short_and_keep_the_key() {
        let check = |body: &str, expected: &str| assert_eq!(complaint(body.as_bytes(), "sk-1"), expected);
        check(r#"{"error":{"message":"no such model"}}"#, "no such model");
        check(r#"{"error":"model not found"}"#, "model not found");
        check(r#"{"detail":"bad key sk-1!"}"#, "bad key …!");
        check("", "nothing more");
        check(&"x".repeat(400), &format!("{}…", "x".repeat(300)));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("  a b \n"), "a b");
        assert_eq!(cut(&"ä".repeat(9000)).chars().count(), 8000);
    }

    #[test]
    fn dimensions_are_asked_for_only_when_set() {
        let plain = json!({ "model": "m", "input": ["a"], "encoding_format": "float" });
        assert_eq!(request("m", None, &["a"]), plain);
        assert_eq!(request("m", Some(8), &["a"])["dimensions"], 8);
    }
}
