//! What holds for any input at all: no panic, no hang, never "allow" for what was not understood.

use super::ground::{Said, judge, judge_script, policy, said, tainted};
use super::screens::reveal;
use crate::{Labels, Policy, Preset, Redactor, present, shell};
use proptest::prelude::*;
use serde_json::json;
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

static OPEN: LazyLock<Policy> = LazyLock::new(|| policy(Preset::Sandboxed, &["allow *", "grant *"]));
static REDACTOR: LazyLock<Redactor> =
    LazyLock::new(|| Redactor::new(&["hunter2hunter2", "s3cret!"]).unwrap());

/// Pieces of scripts, so that random ones are not all nonsense.
fn script() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "ls", "rm", "-rf", "/", "~", "cat", "git", "status", " ", " ", " ", ";", "&&", "||", "|", "&", "(",
        ")", "{", "}", "$(", "`", "\"", "'", "\\", "\n", "<", ">", ">>", "<<E", "E", "<(", "$x", "${x:-",
        "$((", "*", "?", "[", "]", "[[", "]]", "#", "!", "if", "then", "fi", "for", "in", "do", "done",
        "while", "case", "esac", "function", "time", "env", "sudo", "xargs", "sh", "-c", "eval", "A=1",
        "PATH=.", "find", "-exec", "{}", "\\;", "a", "b.txt", "..", "2>&1", "$'", "\u{a0}", "\t", "\r", "é",
        "sed", "s/a/b/", "awk", "tar", "xf", "--", "-", "0", "9", "<<<", "echo",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn nothing_not_understood_is_allowed(script in prop_oneof![script(), any::<String>()]) {
        let analysis = shell::analyse(&script);
        let judged = judge_script(&OPEN, &script);
        prop_assert_eq!(judged.understood, analysis.unclear.is_empty());
        if !judged.understood {
            prop_assert_ne!(said(&judged), Said::Allow);
        }
        if said(&judged) == Said::Allow {
            prop_assert!(analysis.commands.iter().all(|command| command.words.iter().all(|word| word.known().is_some())));
            prop_assert!(!script.contains(['$', '`']) || script.contains(['\'', '\\', '"', '#']));
        }
    }

    #[test]
    fn a_stricter_list_always_wins(
        lists in prop::collection::vec(0..4usize, 0..8),
        names in prop::collection::vec(prop::sample::select(vec!["bash", "bash(ls:*)", "*", "bash(ls)", "write", "bash(rm:*)"]), 8),
        is_tainted in any::<bool>(),
    ) {
        let rules: Vec<String> = lists.iter().zip(&names)
            .map(|(list, rule)| format!("{} {rule}", ["allow", "ask", "deny", "grant"][*list])).collect();
        let policy = policy(Preset::Sandboxed, &rules.iter().map(String::as_str).collect::<Vec<_>>());
        let speaks = |list: &str| rules.iter().any(|rule| {
            let rule = rule.strip_prefix(list).unwrap_or_default();
            [" bash", " bash(ls:*)", " *", " bash(ls)"].contains(&rule)
        });
        let taint = if is_tainted { tainted() } else { Default::default() };
        let judged = judge(&policy, "bash", &json!({"command": "ls"}), Labels::default(), taint);
        let expected = if speaks("deny") { Said::Deny } else if speaks("ask") { Said::Ask } else { Said::Allow };
        prop_assert_eq!(said(&judged), expected, "{:?}", rules);
    }

    #[test]
    fn redaction_is_idempotent(text in prop_oneof![any::<String>(), secretive()]) {
        let once = REDACTOR.redact(&text).into_owned();
        prop_assert_eq!(REDACTOR.redact(&once), once.as_str());
    }

    #[test]
    fn a_screen_can_be_read_back(text in any::<String>()) {
        let presented = present(&text);
        prop_assert_eq!(reveal(&presented.text), text);
    }

    #[test]
    fn rules_never_panic(text in any::<String>(), inner in script()) {
        for rule in [text, format!("bash({inner})"), format!("read(./{inner})"), format!("webfetch(host:{inner})")] {
            let mut settings = super::ground::settings(Preset::Guarded);
            settings.rules.allow.push(rule);
            let built = Policy::new(settings);
            prop_assert!(built.is_ok() || built.is_err());
        }
    }
}

/// Texts that nearly are, or are, secrets.
fn secretive() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "password",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "hunter2hunter2",
        "s3cret!",
        "token",
        "secret",
        "[redacted: ",
        "password]",
        "]",
        "sk-ant-",
        "ghp_",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "://",
        "@",
        "u",
        "Bearer ",
        "Authorization",
        "AKIA",
        "ABCDEFGHIJKLMNOP",
        "eyJ",
        ".",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "\n",
        "aws_secret",
        "xoxb-",
    ]);
    prop::collection::vec(pieces, 0..16).prop_map(|pieces| pieces.concat())
}

#[test]
fn hostile_nesting_neither_hangs_nor_overflows() {
    let deep_arrays = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let hostile = [
        format!("{}id{}", "$(".repeat(3000), ")".repeat(3000)),
        "$(".repeat(8000),
        "(".repeat(16_000),
        "(".repeat(20_000),
        format!("{}ls{}", "(".repeat(8_000), ")".repeat(8_000)),
        "<<E$[\t\t".to_owned(),
        "`".repeat(16_000),
        "\"$(".repeat(5000),
        "${x:-".repeat(3000),
        "{ ".repeat(8000),
        "if ".repeat(5000),
        "<<E ".repeat(4000),
        "((".repeat(8000),
        "[[ ".repeat(5000),
        "a|".repeat(8000),
        "! ".repeat(8000),
        "case x in ".repeat(1600),
        format!("ls {}", "x ".repeat(8000)),
        format!("sh -c \"{}\" $x", "sh -c 'x' ".repeat(1000)),
        "env ".repeat(4000) + "ls",
        "nice ".repeat(3000) + "ls",
        deep_arrays,
        "echo {1\u{10ffff}".to_owned(),
        "{\u{10ffff}}".to_owned(),
    ];
    for script in hostile {
        let started = Instant::now();
        let judged = judge_script(&OPEN, &script);
        let took = started.elapsed();
        let shown: String = script.chars().take(20).collect();
        assert_ne!(said(&judged), Said::Allow, "{shown}");
        assert!(took < Duration::from_secs(10), "{shown}: {took:?}");
    }
}
