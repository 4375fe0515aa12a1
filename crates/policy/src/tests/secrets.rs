//! Redaction: what goes, what stays, and that it costs little.

use crate::Redactor;
use std::time::{Duration, Instant};

#[test]
fn secrets_go_and_the_rest_stays() {
    let redactor = Redactor::new(&["hunter2hunter2", "abc", "known"]).unwrap();
    let check = |text: &str, expected: &str| {
        let clean = redactor.redact(text);
        assert_eq!(clean, expected);
        assert_eq!(redactor.redact(&clean), clean, "twice: {text}");
    };
    let same = |text: &str| check(text, text);
    check(&format!("key sk-ant-api03-{} end", "aB3_".repeat(8)), "key [redacted: anthropic key] end");
    check(&format!("sk-proj-{}", "aB3d".repeat(8)), "[redacted: openai key]");
    check(&format!("ghp_{}", "a1B2".repeat(9)), "[redacted: github token]");
    check(&format!("github_pat_{}", "a1B2_".repeat(10)), "[redacted: github token]");
    check("AKIAIOSFODNN7EXAMPLE", "[redacted: aws key id]");
    check(
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = [redacted: aws secret key]",
    );
    check(&format!("xoxb-{}", "123456-".repeat(3)), "[redacted: slack token]");
    check(
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXX",
        "https://hooks.slack.com/[redacted: slack webhook]",
    );
    check(&format!("bot 123456789:AA{} x", "aB3d_-".repeat(5) + "abc"), "bot [redacted: telegram token] x");
    check(&format!("AIza{}", "aB3d5".repeat(7)), "[redacted: google key]");
    check(
        "a -----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY----- b",
        "a [redacted: private key] b",
    );
    check("-----BEGIN RSA PRIVATE KEY-----\ncut off", "[redacted: private key]");
    check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "[redacted: json web token]");
    check("Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted: authorization]");
    check("authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted: authorization]");
    check("-H 'x-api-key: 0123456789abcdef'", "-H 'x-api-key: [redacted: api key header]'");
    check("password=correcthorse", "password=[redacted: password]");
    check("DB_PASSWORD: \"correct horse\"", "DB_PASSWORD: [redacted: password]");
    check("{\"client_secret\": \"s3cr3ts3cr3t\"}", "{\"client_secret\": [redacted: password]}");
    check("postgres://ada:s3cret@db/x", "postgres://ada:[redacted: password in address]@db/x");
    check("https://x:ghs_short@github.com/a", "https://x:[redacted: password in address]@github.com/a");
    check("it is hunter2hunter2!", "it is [redacted: known secret]!");
    check("://a:bcdefg@ api\u{212a}ey:abcdefgh", "://a:bcdefg@ api\u{212a}ey:abcdefgh");
    same("abc known words stay");
    same("the password is long");
    same("let token = next_token();");
    same("https://docs.rs/serde/latest");
    same("git log --format=%H 3f786850e387550fdab836ed7e6dc881de23001b");
    same("sk-learn is a library; risk-averse");
    same("ada@example.com wrote: hi");
    same("12:30:45 AA battery");
}

#[test]
fn a_hundred_kilobytes_without_secrets_cost_little() {
    let redactor = Redactor::new(&["hunter2hunter2"]).unwrap();
    let line =
        "2026-01-01 12:00:00 INFO crates/policy/src/redact.rs: nothing to see here, move along (ok=1)\n";
    let text = line.repeat(100_000 / line.len() + 1);
    redactor.redact(&text);
    let started = Instant::now();
    let clean = redactor.redact(&text);
    let took = started.elapsed();
    assert!(matches!(clean, std::borrow::Cow::Borrowed(_)));
    // A debug build on a busy machine; an optimised one needs about a hundredth.
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn every_expression_compiles() {
    for rule in crate::secret_rules::SECRET_RULES {
        assert!(regex::Regex::new(rule.expression).is_ok(), "{}", rule.name);
    }
}

#[test]
fn a_json_value_stays_one() {
    let redactor = Redactor::new(&["a \"quoted\" secret"]).unwrap();
    let mut value =
        serde_json::json!({ "a": ["say a \"quoted\" secret", 1], "b": { "c": "password=hunter2hunter2" } });
    redactor.redact_value(&mut value);
    let text = value.to_string();
    assert!(!text.contains("quoted") && !text.contains("hunter2"), "{text}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["a"][1], 1);
}

#[test]
fn a_secret_learned_later_is_looked_for_from_then_on() {
    let redactor = Redactor::new(&["first-secret"]).unwrap();
    assert_eq!(redactor.redact("a second-secret"), "a second-secret");
    redactor.learn("second-secret").unwrap();
    redactor.learn("a").unwrap();
    let clean = "a [redacted: known secret], [redacted: known secret]";
    assert_eq!(redactor.redact("a second-secret, first-secret"), clean);
    assert!(!format!("{redactor:?}").contains("secret"), "{redactor:?}");
}
