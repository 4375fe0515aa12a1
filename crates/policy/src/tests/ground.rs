//! A made-up owner with a made-up disk, so that policy can be asked without touching a real one.

use crate::*;
use protocol::Verdict;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(super) const WORKSPACE: &str = "/home/ada/.steward/workspace";

/// One word for a verdict, for tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Allow,
    Ask,
    Deny,
}

pub(super) fn said(judged: &Judged) -> Said {
    match judged.verdict {
        Verdict::Allow => Said::Allow,
        Verdict::Ask { .. } => Said::Ask,
        Verdict::Deny { .. } => Said::Deny,
        Verdict::Client { .. } => panic!("policy knows no clients"),
    }
}

pub(super) fn settings(preset: Preset) -> PolicySettings {
    PolicySettings {
        preset,
        rules: RuleSettings::default(),
        allowed_commands: DEFAULT_ALLOWED_COMMANDS.iter().map(|name| (*name).to_owned()).collect(),
        extra_validation: DEFAULT_EXTRA_VALIDATION.iter().map(|name| (*name).to_owned()).collect(),
        places: Places {
            workspace: WORKSPACE.into(),
            home: "/home/ada".into(),
            steward_home: "/home/ada/.steward".into(),
            read_dirs: vec!["/srv/books".into()],
            write_dirs: vec!["/srv/shared".into()],
        },
        sandbox_available: true,
    }
}

/// A policy with rules given as `allow x`, `ask x`, `deny x`, `grant x`.
pub(super) fn policy(preset: Preset, rules: &[&str]) -> Policy {
    let mut settings = settings(preset);
    for rule in rules {
        let (list, rule) = rule.split_once(' ').expect("a list and a rule");
        let list = match list {
            "allow" => &mut settings.rules.allow,
            "ask" => &mut settings.rules.ask,
            "deny" => &mut settings.rules.deny,
            _ => &mut settings.rules.grants,
        };
        list.push(rule.to_owned());
    }
    Policy::new(settings).expect("good rules")
}

/// Looks things up on the made-up disk: `link` in the workspace leads to `/etc`, `keys` to the owner's keys,
/// `loop` to itself; everything else leads where its letters say. Programs named `own…` are in the workspace.
pub(super) fn look_up(needs: &Needs) -> Facts {
    let mut facts = Facts::default();
    for need in &needs.paths {
        facts.paths.insert(need.path.clone(), resolve(&need.path));
    }
    for name in &needs.executables {
        let base =
            Path::new(name).file_name().map(|base| base.to_string_lossy().into_owned()).unwrap_or_default();
        let own = base.starts_with("own") || name.starts_with("./");
        let fact = match (own, base.starts_with("missing")) {
            (_, true) => ExecutableFact::NotFound,
            (true, _) => ExecutableFact::Found { path: Path::new(WORKSPACE).join(base), system: false },
            (false, _) => ExecutableFact::Found { path: Path::new("/usr/bin").join(base), system: true },
        };
        facts.executables.insert(name.clone(), fact);
    }
    facts
}

fn resolve(path: &Path) -> PathFact {
    let mut real = PathBuf::new();
    let mut is_symlink = false;
    for part in path.components() {
        is_symlink = false;
        match part.as_os_str().to_str() {
            Some("..") => {
                real.pop();
            }
            Some(".") => {}
            Some("link") if real == Path::new(WORKSPACE) => {
                real = "/etc".into();
                is_symlink = true;
            }
            Some("keys") if real == Path::new(WORKSPACE) => {
                real = "/home/ada/.ssh".into();
                is_symlink = true;
            }
            Some("loop") => return PathFact::Unresolvable("it leads to itself".into()),
            _ => real.push(part),
        }
    }
    let is_dir = real.extension().is_none();
    PathFact::Resolved(Resolved { path: real, exists: true, is_symlink, is_dir })
}

pub(super) fn judge(policy: &Policy, tool: &str, input: &Value, labels: Labels, taint: Taint) -> Judged {
    let call = CallInfo { tool, input, labels, cwd: Path::new(WORKSPACE) };
    let facts = look_up(&policy.needs(&call));
    policy.judge(&call, &facts, taint)
}

pub(super) fn judge_script(policy: &Policy, script: &str) -> Judged {
    judge(policy, "bash", &json!({ "command": script }), Labels::default(), Taint::default())
}

pub(super) fn tainted() -> Taint {
    Taint { untrusted: true, private: true }
}
