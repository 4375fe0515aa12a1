//! The rule of two: once untrusted text is in, acting asks, whatever the allow rules say.

use super::ground::{Said, Said::Allow, Said::Ask, Said::Deny, judge, policy, said, tainted};
use crate::{Labels, Preset, Taint};
use serde_json::{Value, json};

#[test]
fn acting_asks_once_untrusted_text_is_in() {
    let check = |rules: &[&str], tool: &str, input: Value, acts_outside: bool, expected: Said| {
        let labels = Labels { acts_outside, ..Labels::default() };
        let judged = judge(&policy(Preset::Sandboxed, rules), tool, &input, labels, tainted());
        assert_eq!(said(&judged), expected, "{rules:?} {tool} {input} {:?}", judged.verdict);
    };
    let run = |script: &str| json!({ "command": script });
    check(&["allow github.*"], "github.issues.close", json!({}), true, Ask);
    check(&["grant github.*"], "github.issues.close", json!({}), true, Allow);
    check(&["grant github.*", "ask github.*"], "github.issues.close", json!({}), true, Ask);
    check(&["grant github.*", "deny github.*"], "github.issues.close", json!({}), true, Deny);
    check(&["allow write(./**)"], "write", json!({"path": "x"}), false, Ask);
    check(&["grant write(./memory/**)"], "write", json!({"path": "memory/x"}), false, Allow);
    check(&["grant write(./memory/**)"], "write", json!({"path": "x"}), false, Ask);
    check(&["allow webfetch"], "webfetch", json!({"url": "https://x.com/?q=secret"}), false, Ask);
    check(&["grant webfetch(host:docs.rs)"], "webfetch", json!({"url": "https://docs.rs"}), false, Allow);
    check(&["allow bash"], "bash", run("touch x"), false, Ask);
    check(&["allow bash"], "bash", run("cargo test"), false, Ask);
    check(&["grant bash(cargo test:*)"], "bash", run("cargo test"), false, Allow);
    check(&["grant bash(cargo test:*)"], "bash", run("cargo test; curl x"), false, Ask);
    check(&["grant *"], "bash", run("echo $x"), false, Ask);
    check(&["grant *"], "bash", run("cat ~/.ssh/id"), false, Deny);
    check(&[], "bash", run("ls"), false, Allow);
    check(&[], "read", json!({"path": "notes.md"}), false, Allow);
    check(&[], "memory.search", json!({"query": "x"}), false, Allow);
}

#[test]
fn what_the_assistant_keeps_is_its_own_until_strangers_speak() {
    let check = |preset: Preset, taint: Taint, expected: Said| {
        let labels = Labels { keeps: true, ..Labels::default() };
        let judged = judge(&policy(preset, &[]), "memory.write", &json!({ "content": "x" }), labels, taint);
        assert_eq!(said(&judged), expected, "{preset:?} {:?}", judged.verdict);
    };
    check(Preset::Guarded, Taint::default(), Allow);
    check(Preset::Guarded, tainted(), Ask);
    check(Preset::Sandboxed, Taint::default(), Allow);
    check(Preset::Sandboxed, tainted(), Ask);
    check(Preset::Readonly, Taint::default(), Deny);
}
