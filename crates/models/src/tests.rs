//! The pure pieces alone: names, pauses, keys kept out of messages, and the fixed answers.

use crate::{
    names::ToolNames,
    redact::redact,
    request::{BadModelRef, ModelRef},
    retry::{Again, pause, retry_after},
    settings::ModelTiming,
    sse::{EventTooLarge, SseDecoder, SseEvent},
};
use jiff::Timestamp;
use proptest::prelude::*;
use protocol::ToolDefinition;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;
use std::time::Duration;

#[test]
fn a_model_is_named_with_its_provider() {
    let check = |text: &str, expected: Result<(&str, &str), BadModelRef>| {
        let parsed = text.parse::<ModelRef>();
        let expected = expected
            .map(|(provider, model)| ModelRef { provider: provider.to_owned(), model: model.to_owned() });
        assert_eq!(parsed, expected, "{text:?}");
        if let Ok(parsed) = parsed {
            assert_eq!(parsed.to_string(), text.trim());
        }
    };
    check("anthropic/claude-sonnet-4-5", Ok(("anthropic", "claude-sonnet-4-5")));
    check("openrouter/meta/llama-4:free", Ok(("openrouter", "meta/llama-4:free")));
    check(" ollama/qwen3:8b ", Ok(("ollama", "qwen3:8b")));
    check("offline", Ok(("offline", "offline")));
    check("offline/x", Ok(("offline", "x")));
    check("", Err(BadModelRef::Empty));
    check("gpt-5", Err(BadModelRef::NoProvider("gpt-5".to_owned())));
    check("/gpt-5", Err(BadModelRef::EmptyPart("/gpt-5".to_owned())));
    check("openai/", Err(BadModelRef::EmptyPart("openai/".to_owned())));
    check("open ai/gpt", Err(BadModelRef::BadCharacter("open ai/gpt".to_owned())));
    assert!("gpt-5".parse::<ModelRef>().unwrap_err().to_string().contains("`provider/model`"));
}

fn events(input: &[u8], sizes: &[usize], limit: usize) -> Result<Vec<SseEvent>, EventTooLarge> {
    let mut decoder = SseDecoder::with_limit(limit);
    let mut events = Vec::new();
    let mut rest = input;
    for size in sizes.iter().copied().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(size.clamp(1, rest.len()));
        events.extend(decoder.take(piece)?);
        rest = after;
    }
    events.extend(decoder.finish());
    Ok(events)
}

#[test]
fn events_are_read_as_the_standard_asks() {
    let check = |input: &str, expected: &[(&str, &str)]| {
        let expected: Vec<SseEvent> = expected
            .iter()
            .map(|(name, data)| SseEvent { name: (*name).into(), data: (*data).into() })
            .collect();
        for sizes in [[usize::MAX].as_slice(), &[1], &[2], &[3, 1]] {
            assert_eq!(events(input.as_bytes(), sizes, 1000), Ok(expected.clone()), "{input:?}");
        }
    };
    check("data: a\n\n", &[("", "a")]);
    check("data:a\n\ndata:  b\n\n", &[("", "a"), ("", " b")]);
    check("event: x\ndata: a\ndata: b\n\n", &[("x", "a\nb")]);
    check("event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", &[("x", "a"), ("", "b")]);
    check("event: x\rdata: a\r\rdata: b\r\r", &[("x", "a"), ("", "b")]);
    check("data: a\r\n\ndata: b\n\r\n", &[("", "a"), ("", "b")]);
    check("\u{feff}data: a\n\n", &[("", "a")]);
    check("data: \u{feff}\n\n", &[("", "\u{feff}")]);
    check(": comment\n\ndata: a\n: comment\n\n", &[("", "a")]);
    check("id: 7\nretry: 5\nodd: x\nodd\ndata: a\n\n", &[("", "a")]);
    check("data\n\n", &[("", "")]);
    check("data\ndata\n\n", &[("", "\n")]);
    check("event: x\n\ndata: a\n\n", &[("", "a")]);
    check("data: ü🦀\u{2028}\u{85}x\n\n", &[("", "ü🦀\u{2028}\u{85}x")]);
    check("data: [DONE]", &[("", "[DONE]")]);
    check("data: [DONE]\n", &[("", "[DONE]")]);
    check("", &[]);
    check("\n\n\r\n", &[]);
}

#[test]
fn an_event_has_a_largest_size() {
    let long = |length: usize| format!("data: {}", "x".repeat(length));
    assert!(events(format!("{}\n\n", long(90)).as_bytes(), &[7], 100).is_ok());
    assert!(events(long(200).as_bytes(), &[7], 100).is_err());
    assert!(events(format!("{}\n{}\n", long(60), long(60)).as_bytes(), &[7], 100).is_err());
    assert!(events(format!(":{}\n", "x".repeat(200)).as_bytes(), &[200], 100).is_err());
    let many = format!("{}\n\n", long(60)).repeat(100);
    assert_eq!(events(many.as_bytes(), &[7], 100).map(|it| it.len()), Ok(100));
}

proptest! {
    #[test]
    fn however_bytes_are_cut_the_events_are_the_same(
        input in proptest::collection::vec(
            prop_oneof![
                Just(b"data: ".to_vec()), Just(b"event: ".to_vec()), Just(b"\n".to_vec()), Just(b"\r".to_vec()),
                Just(b"\r\n".to_vec()), Just(b":".to_vec()), Just("ü🦀".as_bytes().to_vec()),
                Just(b"\xEF\xBB\xBF".to_vec()), proptest::collection::vec(any::<u8>(), 0..6),
            ],
            0..40,
        ),
        sizes in proptest::collection::vec(1_usize..9, 1..20),
        limit in 10_usize..200,
    ) {
        let input: Vec<u8> = input.concat();
        prop_assert_eq!(events(&input, &sizes, limit), events(&input, &[usize::MAX], limit));
    }

    #[test]
    fn what_is_written_is_what_is_read(
        written in proptest::collection::vec(("[a-z_]{0,8}", "[^\r\n]{0,20}(\n[^\r\n]{0,20}){0,3}"), 0..8),
        sizes in proptest::collection::vec(1_usize..9, 1..20),
    ) {
        let mut input = String::new();
        let mut expected = Vec::new();
        for (name, data) in written {
            if !name.is_empty() {
                input.push_str(&format!("event: {name}\n"));
            }
            for line in data.split('\n') {
                input.push_str(&format!("data: {line}\n"));
            }
            input.push('\n');
            expected.push(SseEvent { name, data });
        }
        prop_assert_eq!(events(input.as_bytes(), &sizes, 10_000), Ok(expected));
    }

    #[test]
    fn tool_names_are_valid_and_come_back(names in proptest::collection::hash_set(".{0,80}", 0..12)) {
        let tools: Vec<ToolDefinition> = names
            .iter()
            .map(|name| ToolDefinition { name: name.clone(), description: String::new(), input_schema: serde_json::Value::Null })
            .collect();
        let both = ToolNames::new(&tools);
        for name in &names {
            let wire = both.spelled(name);
            prop_assert!((1..=64).contains(&wire.len()), "{}", wire);
            prop_assert!(wire.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{}", wire);
            prop_assert_eq!(&both.dotted(&wire), name);
        }
    }

    #[test]
    fn no_long_piece_of_a_key_is_told(
        before in ".{0,20}", after in ".{0,20}", key in "sk-[a-zA-Z0-9]{20,40}", cut in 0_usize..12,
    ) {
        let secret = SecretString::from(key.as_str());
        let told = redact(&format!("{before}{}{after}", &key[cut..]), Some(&secret));
        for start in 0..=key.len() - 12 {
            prop_assert!(!told.contains(&key[start..start + 12]), "{} in {}", &key[start..start + 12], told);
        }
    }
}

#[test]
fn names_that_are_not_offered_pass_through() {
    let names = ToolNames::default();
    assert_eq!(
        (names.dotted("web_fetch").as_str(), names.spelled("web.fetch").as_str()),
        ("web_fetch", "web_fetch")
    );
}

#[test]
fn ordinary_words_stay_in_messages() {
    let check = |key: &str, text: &str, expected: &str| {
        assert_eq!(redact(text, Some(&SecretString::from(key))), expected);
    };
    check("ollama", "is ollama running?", "is ollama running?");
    check("sk-ant-0123456789", "key sk-ant-0123456789 is bad", "key [key] is bad");
    check("sk-ant-0123456789", "key sk-ant-0123... is bad", "key sk-ant-0123... is bad");
    check("sk-ant-0123456789", "key sk-ant-012345... is bad", "key [key]... is bad");
    check("sk-ant-0123456789", "größe sk-ant-0123456789", "größe [key]");
    check(" sk-ant-0123456789\n", "key sk-ant-0123456789", "key [key]");
    assert_eq!(redact("anything", None), "anything");
}

#[test]
fn pauses_grow_and_give_way_to_what_a_provider_asks() {
    let timing = ModelTiming { max_retries: 9, ..ModelTiming::default() };
    let ms = Duration::from_millis;
    let check = |made: u32, after: Option<Duration>, chance: f64, expected: Option<Duration>| {
        assert_eq!(
            pause(&timing, made, Again::Yes { after }, chance),
            expected,
            "{made}, {after:?}, {chance}"
        );
    };
    check(0, None, 0.0, Some(ms(250)));
    check(0, None, 1.0, Some(ms(500)));
    check(1, None, 1.0, Some(ms(1000)));
    check(2, None, 1.0, Some(ms(2000)));
    check(8, None, 1.0, Some(ms(30_000)));
    check(9, None, 1.0, None);
    check(0, Some(ms(7000)), 1.0, Some(ms(7000)));
    check(0, Some(ms(1)), 1.0, Some(ms(500)));
    check(0, Some(ms(60_000)), 1.0, Some(ms(60_000)));
    check(0, Some(ms(60_001)), 1.0, None);
    assert_eq!(pause(&timing, 0, Again::No, 0.5), None);
}

#[test]
fn the_pause_a_provider_asks_for_is_read_in_every_form() {
    let now: Timestamp = "2026-11-15T08:49:30Z".parse().unwrap();
    let check = |headers: &[(&'static str, &'static str)], expected: Option<f64>| {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs_f64), "{headers:?}");
    };
    check(&[], None);
    check(&[("retry-after", "7")], Some(7.0));
    check(&[("retry-after", " 0.5 ")], Some(0.5));
    check(&[("retry-after-ms", "1500"), ("retry-after", "7")], Some(1.5));
    check(&[("retry-after", "Sun, 15 Nov 2026 08:49:37 GMT")], Some(7.0));
    check(&[("retry-after", "Sun, 15 Nov 2026 08:00:00 GMT")], Some(0.0));
    check(&[("retry-after", "soon")], None);
    check(&[("retry-after", "-3")], None);
    check(&[("retry-after", "NaN")], None);
    check(&[("retry-after", "1e300")], None);
}
