//! What an owner is told to expect of a tool agrees with what its calls get.

use super::ground::{Said, Said::Allow, Said::Ask, Said::Deny, judge, policy, said};
use crate::{Labels, Preset, Taint, Usually};
use serde_json::{Value, json};

#[test]
fn what_is_usual_is_what_a_plain_call_gets() {
    let calls: [(&str, Value, bool); 7] = [
        ("bash", json!({ "command": "ls" }), true),
        ("exec", json!({ "command": "ls" }), true),
        ("read", json!({ "path": "notes.md" }), false),
        ("write", json!({ "path": "notes.md" }), true),
        ("webfetch", json!({ "url": "https://docs.rs" }), true),
        ("github.issues.close", json!({}), true),
        ("memory.search", json!({ "query": "x" }), false),
    ];
    let check = |preset: Preset, rules: &[&str], expected: [Said; 7]| {
        let policy = policy(preset, rules);
        for ((tool, input, acts_outside), expected) in calls.iter().zip(expected) {
            let labels = Labels { acts_outside: *acts_outside, ..Labels::default() };
            let told = match policy.usually(tool, labels) {
                Usually::Allow(_) => Allow,
                Usually::Ask(_) => Ask,
                Usually::Deny(_) => Deny,
            };
            let judged = judge(&policy, tool, input, labels, Taint::default());
            assert_eq!((told, said(&judged)), (expected, expected), "{preset:?} {rules:?} {tool}");
        }
    };
    check(Preset::Guarded, &[], [Ask, Ask, Allow, Ask, Ask, Ask, Allow]);
    check(Preset::Sandboxed, &[], [Allow, Allow, Allow, Allow, Ask, Ask, Allow]);
    check(Preset::Readonly, &[], [Ask, Ask, Allow, Deny, Deny, Deny, Allow]);
    check(Preset::Guarded, &["deny *"], [Deny; 7]);
    check(Preset::Guarded, &["ask *", "allow *"], [Ask; 7]);
    check(Preset::Guarded, &["allow bash", "grant github.*"], [Allow, Allow, Allow, Ask, Ask, Allow, Allow]);
}

#[test]
fn the_reason_names_the_rule_or_says_that_there_are_some() {
    let check = |rules: &[&str], tool: &str, expected: &str| {
        let (Usually::Allow(why) | Usually::Ask(why) | Usually::Deny(why)) =
            policy(Preset::Guarded, rules).usually(tool, Labels::default());
        assert_eq!(why, expected);
    };
    check(&["deny web*"], "webfetch", "the rule `web*` denies it");
    check(&[], "bash", "every command asks unless a rule allows it");
    check(
        &["allow bash(ls)"],
        "bash",
        "every command asks unless a rule allows it; your rules say otherwise of some calls",
    );
}
