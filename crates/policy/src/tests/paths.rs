//! File tools: which paths are open, which ask, which are out of reach.

use super::ground::{Said, Said::Allow, Said::Ask, Said::Deny, WORKSPACE, judge, policy, said};
use crate::{Access, CallInfo, Facts, Labels, Needs, PathNeed, Preset, Taint};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn file_tools_stay_in_the_open_folders() {
    let check = |preset: Preset, rules: &[&str], tool: &str, input: Value, expected: Said| {
        let judged = judge(&policy(preset, rules), tool, &input, Labels::default(), Taint::default());
        assert_eq!(said(&judged), expected, "{preset:?} {rules:?} {tool} {input} {:?}", judged.verdict);
    };
    let at = |path: &str| json!({ "path": path });
    use Preset::{Guarded, Readonly, Sandboxed};
    check(Guarded, &[], "read", at("notes.md"), Allow);
    check(Readonly, &[], "read", at("notes.md"), Allow);
    check(Guarded, &[], "read", at("/srv/books/a.txt"), Allow);
    check(Guarded, &[], "read", at("/etc/hosts"), Ask);
    check(Guarded, &[], "read", at("link/hosts"), Ask);
    check(Guarded, &[], "read", at("loop"), Ask);
    check(Guarded, &["allow read"], "read", at("loop"), Ask);
    check(Guarded, &["allow read"], "read", at("/etc/hosts"), Allow);
    check(Guarded, &["allow read(/etc/*)"], "read", at("/etc/hosts"), Allow);
    check(Guarded, &["allow read(/etc/*)"], "read", at("link/hosts"), Allow);
    check(Guarded, &["allow read(./**)"], "read", at("link/hosts"), Ask);
    check(Guarded, &["allow read"], "read", at("keys/id"), Deny);
    check(Guarded, &["allow read"], "read", at("~/.ssh/id"), Deny);
    check(Guarded, &["allow read"], "read", at("../config.toml"), Deny);
    check(Guarded, &["deny read(./locked/**)"], "read", at("locked/x"), Deny);
    check(Guarded, &["deny read(./locked/**)"], "read", at("a/../locked/x"), Deny);
    check(Guarded, &["deny read(./locked/**)"], "grep", json!({"pattern": "x"}), Ask);
    check(Guarded, &["deny read(~/x/**)"], "read", at("/home/ada/x/y"), Deny);
    check(Guarded, &[], "read", json!({}), Ask);
    check(Guarded, &[], "read", json!({"path": 3}), Ask);
    check(Guarded, &[], "grep", json!({"pattern": "x"}), Allow);
    check(Guarded, &[], "glob", json!({"pattern": "**/*.rs"}), Allow);
    check(Guarded, &[], "glob", json!({"pattern": "/etc/*"}), Ask);
    check(Guarded, &[], "glob", json!({"pattern": "../*"}), Deny);
    check(Guarded, &[], "glob", json!({"pattern": "a/*/../../../../x"}), Ask);
    check(Guarded, &[], "write", at("notes.md"), Ask);
    check(Guarded, &["allow write(./**)"], "write", at("notes.md"), Allow);
    check(Guarded, &["allow write(./**)"], "edit", at("sub/notes.md"), Allow);
    check(Guarded, &["allow write(./*)"], "edit", at("sub/notes.md"), Ask);
    check(Guarded, &["allow edit(./**)"], "write", at("notes.md"), Ask);
    check(Sandboxed, &[], "write", at("notes.md"), Allow);
    check(Sandboxed, &[], "write", at("AGENTS.md"), Ask);
    check(Sandboxed, &[], "write", at("sub/.git/config"), Ask);
    check(Sandboxed, &[], "write", at("/srv/shared/x.txt"), Allow);
    check(Sandboxed, &[], "write", at("/srv/books/x.txt"), Ask);
    check(Sandboxed, &[], "write", at("/dev/sda"), Deny);
    check(Readonly, &["allow write(./**)"], "write", at("notes.md"), Deny);
    check(Readonly, &["allow bash", "grant bash"], "bash", json!({"command": "touch x"}), Deny);
    check(Readonly, &["allow bash"], "bash", json!({"command": "ls"}), Allow);
    check(Readonly, &[], "bash", json!({"command": "echo $x"}), Deny);
}

#[test]
fn needs_name_every_path_and_program_once() {
    let policy = policy(Preset::Sandboxed, &[]);
    let input = json!({"command": "cd sub && cp a.txt b.txt | sort && env ls a.txt"});
    let call = CallInfo { tool: "bash", input: &input, labels: Labels::default(), cwd: Path::new(WORKSPACE) };
    let need = |path: &str, access| PathNeed { path: Path::new(WORKSPACE).join(path), access };
    let expected = Needs {
        paths: vec![
            need("", Access::Mention),
            need("a.txt", Access::Read),
            need("b.txt", Access::Write),
            need("sub", Access::Read),
            need("sub/a.txt", Access::Read),
            need("sub/b.txt", Access::Write),
            need("sub/sub", Access::Read),
        ],
        executables: ["cp", "env", "ls", "sort"].map(str::to_owned).to_vec(),
    };
    assert_eq!(policy.needs(&call), expected);
}

#[test]
fn what_was_not_looked_up_asks() {
    let policy = policy(Preset::Sandboxed, &["allow bash", "allow read"]);
    for (tool, input) in [("bash", json!({"command": "ls"})), ("read", json!({"path": "x"}))] {
        let call = CallInfo { tool, input: &input, labels: Labels::default(), cwd: Path::new(WORKSPACE) };
        assert_eq!(said(&policy.judge(&call, &Facts::default(), Taint::default())), Ask, "{input}");
    }
}

#[test]
fn without_a_sandbox_the_sandboxed_preset_is_guarded() {
    let mut settings = super::ground::settings(Preset::Sandboxed);
    settings.sandbox_available = false;
    settings.rules.allow.push("bash(./build.sh)".into());
    let policy = crate::Policy::new(settings).unwrap();
    for script in ["ls", "rm x", "./build.sh"] {
        assert_eq!(said(&super::ground::judge_script(&policy, script)), Ask, "{script}");
    }
    let judged = judge(&policy, "write", &json!({"path": "x"}), Labels::default(), Taint::default());
    assert_eq!(said(&judged), Ask);
}
