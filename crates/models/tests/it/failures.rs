//! Every way an exchange fails is an error of a kind, in words that say what to do and never tell the key;
//! what had arrived is kept.

use crate::bench::{Bench, DIALECTS, Heard, KEY, QUICK, call, hear, hello, provider, without_ids};
use futures::StreamExt;
use models::{Dialect, ModelEvent, ModelTiming, Models};
use protocol::{Block, ModelErrorKind};
use std::time::Duration;
use testkit::Script;

/// Fails with this kind and with all of these words in its message, and without the key.
fn check(name: &str, dialect: Dialect, heard: Heard, kind: ModelErrorKind, words: &[&str]) {
    let (error, _) = heard.failure();
    assert_eq!(
        (error.kind, error.provider.as_str()),
        (kind, "fake"),
        "{name}, {dialect:?}: {}",
        error.message
    );
    for word in words {
        assert!(error.message.contains(word), "{name}, {dialect:?}: {word:?} is not in {:?}", error.message);
    }
    assert!(!error.message.contains("0123456789"), "{name}, {dialect:?}: tells the key: {}", error.message);
}

/// A request turned away for good: one request, no retry.
async fn turned_away(name: &str, script: Script, kind: ModelErrorKind, words: &[&str]) {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let heard = bench.ask(hello(), [script.clone()]).await;
        check(name, dialect, heard, kind, words);
        assert_eq!(bench.fake.requests().len(), 1, "{name}, {dialect:?}");
    }
}

#[tokio::test]
async fn a_request_that_is_turned_away_says_why() {
    let echo = format!("invalid x-api-key: {KEY}");
    let part = format!("Incorrect API key provided: {}...", &KEY[..20]);
    let key_words = ["environment variable FAKE_KEY", "Set FAKE_KEY in ~/.steward/.env.", "401"];
    turned_away("401", Script::http(401).message(echo.clone()), ModelErrorKind::Auth, &key_words).await;
    turned_away(
        "403",
        Script::http(403).message(part),
        ModelErrorKind::Auth,
        &["FAKE_KEY", "Incorrect API key"],
    )
    .await;
    turned_away("echo", Script::http(400).message(echo), ModelErrorKind::BadRequest, &["[key]"]).await;
    turned_away(
        "404",
        Script::http(404),
        ModelErrorKind::BadRequest,
        &["`claude-or-gpt`", "http://127.0.0.1"],
    )
    .await;
    let too_long = "prompt is too long: 210000 tokens > 200000 maximum";
    turned_away(
        "400",
        Script::http(400).message(too_long),
        ModelErrorKind::ContextTooLong,
        &["fake/claude-or-gpt"],
    )
    .await;
    let window = "This model's maximum context length is 128000 tokens.";
    turned_away("400", Script::http(400).message(window), ModelErrorKind::ContextTooLong, &["128000"]).await;
    turned_away("413", Script::http(413), ModelErrorKind::ContextTooLong, &[]).await;
    let policy = Script::http(400).kind("content_policy_violation").message("Not this");
    turned_away("refused", policy, ModelErrorKind::Refused, &["Not this"]).await;
    turned_away("400", Script::http(400).message("bad thing"), ModelErrorKind::BadRequest, &["bad thing"])
        .await;
    turned_away(
        "redirect",
        Script::http(302).header("location", "http://127.0.0.1:1/"),
        ModelErrorKind::Provider,
        &["302"],
    )
    .await;
    let credit = Script::http(429).kind("insufficient_quota").message("You exceeded your current quota");
    let limited = ModelErrorKind::RateLimited { retry_after_ms: None };
    turned_away("credit", credit, limited, &["out of credit"]).await;
    let page = Script::http(200).body("text/html", "<html>Welcome</html>");
    turned_away("a web page", page, ModelErrorKind::Provider, &["base URL"]).await;
    let json = Script::http(200).body("application/json", r#"{"error": {"message": "no such thing"}}"#);
    turned_away("an error with status 200", json, ModelErrorKind::Provider, &["no such thing"]).await;
}

#[tokio::test]
async fn a_missing_key_is_told_without_asking() {
    for (dialect, name, base_url) in [
        (Dialect::Anthropic, "anthropic", "http://127.0.0.1:9"),
        (Dialect::OpenAi, "openai", "https://api.openai.com/v1"),
    ] {
        let mut settings = provider(dialect, base_url);
        name.clone_into(&mut settings.name);
        settings.credential = None;
        let mut request = hello();
        name.clone_into(&mut request.model.provider);
        let (error, _) = hear(Models::new(vec![settings], QUICK).ask(request)).await.failure();
        assert_eq!(error.kind, ModelErrorKind::Auth);
        assert_eq!(
            error.message,
            format!(
                "No key is set for provider `{name}`, so it was not asked. Set FAKE_KEY in ~/.steward/.env."
            )
        );
    }
}

#[tokio::test]
async fn a_provider_nobody_configured_is_told_with_those_there_are() {
    let models = Models::new(vec![provider(Dialect::OpenAi, "http://127.0.0.1:9")], QUICK);
    let mut request = hello();
    request.model = "mistral/large".parse().unwrap();
    let (error, partial) = hear(models.ask(request)).await.failure();
    assert_eq!(
        (error.kind, error.provider.as_str(), partial),
        (ModelErrorKind::BadRequest, "mistral", vec![])
    );
    for word in ["`mistral`", "`fake`", "`offline`"] {
        assert!(error.message.contains(word), "{}", error.message);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let timing = ModelTiming { max_retries: 1, ..QUICK };
    let port = {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        socket.local_addr().unwrap().port()
    };
    for (base_url, words) in [
        (
            format!("http://user:hunter2@127.0.0.1:{port}/v1"),
            vec![format!("http://127.0.0.1:{port}/v1"), "running".to_owned()],
        ),
        ("not a url".to_owned(), vec!["`not a url`".to_owned()]),
        ("ftp://example.com".to_owned(), vec!["`ftp://example.com`".to_owned()]),
    ] {
        for dialect in DIALECTS {
            let models = Models::new(vec![provider(dialect, &base_url)], timing);
            let (error, _) = hear(models.ask(hello())).await.failure();
            assert!(matches!(error.kind, ModelErrorKind::Network | ModelErrorKind::BadRequest), "{error:?}");
            assert!(words.iter().all(|word| error.message.contains(word)), "{}", error.message);
            assert!(!error.message.contains("hunter2"), "{}", error.message);
        }
    }
}

#[tokio::test]
async fn a_cut_answer_is_never_taken_for_a_whole_one() {
    let script = || {
        Script::new()
            .text("Half an ")
            .call_with_id("whole", "bash", "{}")
            .call_with_id("cut", "bash", r#"{"query":"long"}"#)
            .argument_chunks_of(4)
    };
    for dialect in DIALECTS {
        // The event that makes the answer whole is the next one.
        let last = match dialect {
            Dialect::Anthropic => 17,
            Dialect::OpenAi => 9,
        };
        for events in 1..=last {
            for script in [script().hang_up_after(events), script().end_after(events)] {
                let bench = Bench::new(dialect).await;
                let (error, partial) = bench.ask(hello(), [script]).await.failure();
                assert_eq!(error.kind, ModelErrorKind::Truncated, "{dialect:?} after {events}");
                let partial = without_ids(partial);
                let possible = [
                    vec![],
                    vec![Block::text("Half an ")],
                    vec![Block::text("Half an "), call("whole", "bash", "{}")],
                    vec![
                        Block::text("Half an "),
                        call("whole", "bash", "{}"),
                        call("cut", "bash", r#"{"query":"long"}"#),
                    ],
                ];
                assert!(possible.contains(&partial), "{dialect:?} after {events}: {partial:?}");
            }
        }
        let bench = Bench::new(dialect).await;
        let answer = bench.ask(hello(), [script().end_after(last + 1)]).await.answer();
        assert_eq!(answer.blocks.len(), 3, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_silent_provider_is_given_up_and_what_it_said_is_kept() {
    let timing = ModelTiming { idle_timeout: Duration::from_millis(600), ..QUICK };
    for dialect in DIALECTS {
        let bench = Bench::with_timing(dialect, timing).await;
        let script = Script::reply("Wait…").stall(Duration::from_secs(60)).text("never");
        let (error, partial) = bench.ask(hello(), [script]).await.failure();
        assert_eq!(error.kind, ModelErrorKind::TimedOut, "{dialect:?}");
        assert_eq!(partial, [Block::text("Wait…")], "{dialect:?}");
        bench.fake.until_abandoned(1).await;
    }
}

#[tokio::test]
async fn pings_keep_a_slow_answer_alive() {
    let timing = ModelTiming { idle_timeout: Duration::from_millis(1200), ..QUICK };
    for dialect in DIALECTS {
        let bench = Bench::with_timing(dialect, timing).await;
        let script =
            (0..4).fold(Script::new(), |it, _| it.stall(Duration::from_millis(400)).ping()).text("late");
        let answer = bench.ask(hello(), [script]).await.answer();
        assert_eq!(answer.blocks, [Block::text("late")], "{dialect:?}");
    }
}

#[tokio::test]
async fn a_whole_answer_is_not_held_up_by_a_connection_left_open() {
    let timing = ModelTiming { idle_timeout: Duration::from_millis(600), ..QUICK };
    let bench = Bench::with_timing(Dialect::OpenAi, timing).await;
    let finish = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let script = Script::reply("All of it.").raw(format!("{finish}\n\n")).stall(Duration::from_secs(60));
    let answer = bench.ask(hello(), [script]).await.answer();
    assert_eq!(answer.blocks, [Block::text("All of it.")]);
}

#[tokio::test]
async fn an_error_in_the_stream_ends_it() {
    let cases = [
        ("overloaded_error", "Overloaded", ModelErrorKind::Overloaded),
        ("rate_limit_error", "slow down", ModelErrorKind::RateLimited { retry_after_ms: None }),
        ("api_error", "Internal server error", ModelErrorKind::Provider),
        ("invalid_request_error", "prompt is too long", ModelErrorKind::ContextTooLong),
    ];
    for dialect in DIALECTS {
        for (vendor_kind, words, kind) in cases {
            let bench = Bench::new(dialect).await;
            let message = format!("{words} for {KEY}");
            let heard = bench.ask(hello(), [Script::reply("So").error_event(vendor_kind, message)]).await;
            let ModelEvent::Failed { partial, .. } = &heard.last else { panic!("{heard:?}") };
            assert_eq!(partial, &[Block::text("So")], "{vendor_kind}, {dialect:?}");
            check(vendor_kind, dialect, heard, kind, &[words]);
            assert_eq!(bench.fake.requests().len(), 1, "words already told are not taken back by a retry");
        }
        let bench = Bench::new(dialect).await;
        let heard = bench.ask(hello(), [Script::reply("So").raw("data: {broken\n\n")]).await;
        check("broken", dialect, heard, ModelErrorKind::Provider, &["cannot be understood"]);
    }
}

#[tokio::test]
async fn dropping_the_stream_cancels_the_request() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        bench.fake.script(Script::reply("Once").stall(Duration::from_secs(600)));
        let mut stream = bench.models.ask(hello());
        assert_eq!(stream.next().await, Some(ModelEvent::Text("Once".to_owned())), "{dialect:?}");
        drop(stream);
        tokio::time::timeout(Duration::from_secs(10), bench.fake.until_abandoned(1))
            .await
            .expect("cancelled");
    }
}

#[tokio::test]
async fn a_key_no_header_can_carry_is_told_without_asking() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let mut settings = provider(dialect, "http://127.0.0.1:9");
        if let Some(credential) = &mut settings.credential {
            credential.secret = secrecy::SecretString::from("two\nlines");
        }
        let heard = hear(Models::new(vec![settings], QUICK).ask(hello())).await;
        check("two lines", dialect, heard, ModelErrorKind::Auth, &["environment variable FAKE_KEY"]);
        assert_eq!(bench.fake.requests().len(), 0);
    }
}
