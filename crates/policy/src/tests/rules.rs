//! Rules: how they are read, what they match, which list wins.

use super::ground::{Said, Said::Allow, Said::Ask, Said::Deny, judge, judge_script, policy, said, settings};
use crate::{CallInfo, Labels, Policy, Preset, Taint};
use serde_json::json;
use std::path::Path;

#[test]
fn an_allow_rule_holds_for_every_command_or_not_at_all() {
    let check = |rules: &[&str], script: &str, expected: Said| {
        let judged = judge_script(&policy(Preset::Guarded, rules), script);
        assert_eq!(said(&judged), expected, "{rules:?} {script:?} {:?}", judged.verdict);
    };
    let status: &[&str] = &["allow bash(git status:*)"];
    check(status, "git status", Allow);
    check(status, "git status -s", Allow);
    check(status, "git status; rm notes.md", Ask);
    check(status, "git status && git push", Ask);
    check(status, "git status | tee x", Ask);
    check(status, "git status > x", Allow);
    check(status, "git status > /etc/x", Ask);
    check(status, "git status $(id)", Ask);
    check(status, "git statusx", Ask);
    check(status, "git -c a=b status", Ask);
    check(status, "./git status", Ask);
    check(status, "env git status", Allow);
    check(status, "sh -c 'git status'", Allow);
    check(status, "sh -c 'git status; id'", Ask);
    check(status, "sudo git status", Ask);
    check(&["allow bash(ls:*)", "allow bash(wc:*)"], "ls | wc -l", Allow);
    check(&["allow bash(cargo test:*)"], "cargo test --workspace", Allow);
    check(&["allow bash(cargo test:*)"], "cargo test --manifest-path=/tmp/x/Cargo.toml", Ask);
    check(&["allow bash(cargo test:*)"], "cargo test; cargo publish", Ask);
    check(&["allow bash(own-tool:*)"], "own-tool x", Ask);
    check(&["allow bash(missing:*)"], "missing x", Ask);
    check(&["allow bash(./build.sh)"], "./build.sh", Allow);
    check(&["allow bash(./build.sh)"], "./build.sh x", Ask);
    check(&["allow bash(cd src && cargo test)"], "cd src && cargo test", Allow);
    check(&["allow bash(cd src && cargo test)"], "cd src && cargo test x", Ask);
    check(&["allow bash(find:*)"], "find . -exec rm {} \\;", Ask);
    check(&["allow bash(python3:*)"], "python3 x.py", Allow);
    check(&["allow bash(python3:*)"], "python3 -c 1", Ask);
    check(&["allow bash"], "make test", Allow);
    check(&["allow bash(*)"], "make test", Allow);
    check(&["allow *"], "make test", Allow);
    check(&["allow *"], "cat /etc/passwd", Ask);
    check(&["allow *"], "echo $x", Ask);
    check(&["allow *"], "rm -rf /", Deny);
    check(&["allow bash(cat:*)", "allow read(/etc/hosts)"], "cat /etc/hosts", Allow);
    check(&["allow bash(cat:*)", "allow read(/etc/hosts)"], "cat /etc/passwd", Ask);
    check(&["allow bash(tee:*)", "allow read(/opt/**)"], "tee /opt/x", Ask);
    check(&["allow bash(tee:*)", "allow write(/opt/**)"], "tee /opt/x", Allow);
    check(&["allow bash(rm:*)"], "rm -rf out", Allow);
}

#[test]
fn deny_beats_ask_beats_allow() {
    let check = |rules: &[&str], script: &str, expected: Said| {
        let judged = judge_script(&policy(Preset::Sandboxed, rules), script);
        assert_eq!(said(&judged), expected, "{rules:?} {script:?} {:?}", judged.verdict);
    };
    check(&["deny bash(ls:*)", "ask bash(ls:*)", "allow bash(ls:*)"], "ls", Deny);
    check(&["ask bash(ls:*)", "allow bash(ls:*)"], "ls", Ask);
    check(&["deny bash(rm:*)"], "ls; rm x", Deny);
    check(&["deny bash(rm:*)"], "ls; /bin/rm x", Deny);
    check(&["deny bash(rm:*)"], "sudo rm x", Deny);
    check(&["deny bash(rm:*)"], "echo $(rm x)", Deny);
    check(&["deny bash(rm:*)"], "find . -exec rm {} +", Deny);
    check(&["deny bash(git push:*)"], "git status", Allow);
    check(&["deny bash(git push:*)"], "sh -c 'git push'", Deny);
    check(&["deny write(./locked/**)"], "echo x > locked/a", Deny);
    check(&["deny read(./locked/**)"], "cat locked/a", Deny);
    check(&["deny read(./locked/**)"], "grep -r x .", Ask);
    check(&["deny read(./locked/**)"], "cat src/a.txt", Allow);
    check(&["deny write"], "echo x > a", Deny);
    check(&["deny *"], "ls", Deny);
}

#[test]
fn rules_hold_for_other_tools() {
    let acting = Labels { acts_outside: true, ..Labels::default() };
    let check = |rules: &[&str], tool: &str, input: serde_json::Value, labels: Labels, expected: Said| {
        let judged = judge(&policy(Preset::Guarded, rules), tool, &input, labels, Taint::default());
        assert_eq!(said(&judged), expected, "{rules:?} {tool} {input} {:?}", judged.verdict);
    };
    let quiet = Labels::default();
    let url = |url: &str| json!({ "url": url });
    check(&[], "memory.search", json!({"query": "x"}), quiet, Allow);
    check(&[], "github.issues.close", json!({"id": 1}), acting, Ask);
    check(&["allow github.*"], "github.issues.close", json!({"id": 1}), acting, Allow);
    check(&["allow github.issues.*"], "github.repos.delete", json!({}), acting, Ask);
    check(&["allow *.close"], "github.issues.close", json!({}), acting, Allow);
    check(&["deny github.*", "allow github.issues.close"], "github.issues.close", json!({}), acting, Deny);
    check(&["deny memory.search"], "memory.search", json!({}), quiet, Deny);
    check(&["allow githubx"], "github", json!({}), acting, Ask);
    check(&[], "github.upload", json!({"files": [{"path": "~/.ssh/id_rsa"}]}), acting, Deny);
    check(&[], "webfetch", url("https://docs.rs/x"), quiet, Ask);
    let docs: &[&str] = &["allow webfetch(host:docs.rs)"];
    check(docs, "webfetch", url("https://docs.rs/x"), quiet, Allow);
    check(docs, "webfetch", url("https://DOCS.rs/x"), quiet, Allow);
    check(docs, "webfetch", url("https://docs.rs.evil.com/x"), quiet, Ask);
    check(docs, "webfetch", url("https://docs.rs@evil.com/x"), quiet, Ask);
    check(docs, "webfetch", url("https://u:p@docs.rs/x"), quiet, Ask);
    check(docs, "webfetch", url("https://docs.rs:8443/x"), quiet, Ask);
    check(docs, "webfetch", url("https://evil.com\\@docs.rs/"), quiet, Ask);
    check(docs, "webfetch", url("ftp://docs.rs/x"), quiet, Ask);
    check(docs, "webfetch", url("file:///etc/passwd"), quiet, Ask);
    check(docs, "webfetch", url("https://sub.docs.rs/"), quiet, Ask);
    let wild: &[&str] = &["allow webfetch(host:*.example.com)"];
    check(wild, "webfetch", url("https://a.example.com/"), quiet, Allow);
    check(wild, "webfetch", url("https://a.b.example.com/"), quiet, Allow);
    check(wild, "webfetch", url("https://example.com/"), quiet, Ask);
    check(wild, "webfetch", url("https://aexample.com/"), quiet, Ask);
    check(wild, "webfetch", url("https://attacker.example\u{0}.example.com/"), quiet, Ask);
    check(&["allow webfetch(host:localhost:8080)"], "webfetch", url("http://localhost:8080/"), quiet, Allow);
    check(
        &["allow webfetch", "deny webfetch(host:evil.com)"],
        "webfetch",
        url("https://evil.com.:444/"),
        quiet,
        Deny,
    );
    check(&["allow browser.open(host:docs.rs)"], "browser.open", url("https://docs.rs/"), acting, Allow);
    check(&["allow bash(ls:*)"], "exec", json!({"command": "ls"}), quiet, Allow);
    check(&["allow exec(ls:*)"], "bash", json!({"command": "ls"}), quiet, Ask);
    check(&["allow bash(ls:*)"], "bash", json!({"command": "ls", "env": {"PATH": "."}}), quiet, Ask);
    check(&["allow bash(ls:*)"], "bash", json!({"cmd": "ls"}), quiet, Ask);
    check(&["allow bash(ls:*)"], "bash", json!("ls"), quiet, Ask);
}

#[test]
fn a_bad_rule_is_named_with_its_fix() {
    let check = |rule: &str, fix: &str| {
        let mut settings = settings(Preset::Guarded);
        settings.rules.deny.push(rule.into());
        let bad = Policy::new(settings).expect_err(rule);
        assert_eq!(bad.rule, rule);
        assert!(bad.fix.contains(fix), "{rule}: {bad}");
    };
    check("", "tool(pattern)");
    check("bash(ls", "`bash(ls)`");
    check("Bash(ls)", "`bash`");
    check("bash()", "`bash`");
    check("bash(rm -rf *)", "`bash(rm -rf:*)`");
    check("bash(git * push)", "`bash(git:*)`");
    check("bash(ls | wc:*)", "bash(git status:*)");
    check("read(src/**)", "`read(./src/**)`");
    check("read(./../x)", "full path");
    check("read(./[x)", "close every");
    check("webfetch(docs.rs)", "`webfetch(host:docs.rs)`");
    check("webfetch(host:)", "host:example.com");
    check("webfetch(host:*)", "host:example.com");
    check("webfetch(host:a.com/b)", "host:example.com");
    check("webfetch(host:a*.com)", "host:example.com");
    check("memory.search(x)", "`memory.search`");
    check("github.*(host:x.com)", "in full");
    check("bash(host:x.com)", "webfetch");
    check("rm -rf", "tool(pattern)");
}

#[test]
fn always_allow_offers_exact_and_wider_rules() {
    let policy = policy(Preset::Guarded, &[]);
    let check = |tool: &str, input: serde_json::Value, expected: &[&str]| {
        let call = CallInfo {
            tool,
            input: &input,
            labels: Labels::default(),
            cwd: Path::new(super::ground::WORKSPACE),
        };
        assert_eq!(policy.suggest_rules(&call), expected, "{input}");
    };
    let script = |script: &str| json!({ "command": script });
    check("bash", script("git status -s"), &["bash(git status -s)", "bash(git status:*)"]);
    check("bash", script("ls -l"), &["bash(ls -l)", "bash(ls:*)"]);
    check("bash", script("cargo test --all"), &["bash(cargo test --all)", "bash(cargo test:*)"]);
    check("bash", script("ls | wc -l"), &["bash(ls | wc -l)", "bash(ls:*)", "bash(wc:*)"]);
    check("bash", script("rm x"), &["bash(rm x)"]);
    check("bash", script("./build.sh"), &["bash(./build.sh)"]);
    check("bash", script("echo $x"), &[]);
    check("bash", script("python3 -c 1"), &[]);
    check("bash", script("ls *"), &[]);
    check("exec", script("make"), &["exec(make)"]);
    check("read", json!({"path": "src/a.rs"}), &["read(./src/a.rs)", "read(./src/**)"]);
    check("webfetch", json!({"url": "https://docs.rs/x"}), &["webfetch(host:docs.rs)"]);
    check("github.issues.close", json!({}), &["github.issues.close"]);
}

#[test]
fn a_call_that_is_run_elsewhere_is_denied_only_by_a_rule_that_names_its_tool() {
    let check = |rules: &[&str], input: serde_json::Value, expected: Option<&str>| {
        let call = CallInfo {
            tool: "open_app",
            input: &input,
            labels: Labels { acts_outside: true, ..Labels::default() },
            cwd: Path::new(super::ground::WORKSPACE),
        };
        let denied = policy(Preset::Readonly, rules).denied_elsewhere(&call);
        assert_eq!(denied.as_deref(), expected, "{rules:?} {input}");
    };
    check(&[], json!({"path": "/home/ada/.ssh/id"}), None);
    check(&["deny read(/srv/**)", "deny bash", "ask open_app"], json!({"path": "/srv/books"}), None);
    check(&["deny open_app"], json!({}), Some("the rule `open_app` denies it"));
    check(&["deny open_*"], json!({}), Some("the rule `open_*` denies it"));
    check(&["deny open_app(host:evil.example)"], json!({"url": "https://good.example"}), None);
    let evil = "the rule `open_app(host:evil.example)` denies it";
    check(&["deny open_app(host:evil.example)"], json!({"url": "https://evil.example"}), Some(evil));
}
