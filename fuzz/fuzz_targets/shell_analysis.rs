//! Any text as a shell command under the most open policy: no panic, no hang, and never "allow" for a command
//! that was not understood.

#![no_main]

use libfuzzer_sys::fuzz_target;
use policy::{
    CallInfo, ExecutableFact, Facts, Labels, PathFact, Places, Policy, PolicySettings, Preset, Resolved, RuleSettings,
    Taint,
};
use std::{path::Path, sync::LazyLock};

static OPEN: LazyLock<Policy> = LazyLock::new(|| {
    let everything = vec!["*".to_owned()];
    let settings = PolicySettings {
        preset: Preset::Sandboxed,
        rules: RuleSettings { allow: everything.clone(), grants: everything, ..RuleSettings::default() },
        allowed_commands: Vec::new(),
        extra_validation: Vec::new(),
        places: Places {
            workspace: "/w".into(),
            home: "/home/ada".into(),
            steward_home: "/home/ada/.steward".into(),
            read_dirs: vec!["/".into()],
            write_dirs: vec!["/".into()],
        },
        sandbox_available: true,
    };
    Policy::new(settings).expect("good rules")
});

fuzz_target!(|script: &str| {
    let input = serde_json::json!({ "command": script });
    let call = CallInfo { tool: "bash", input: &input, labels: Labels::default(), cwd: Path::new("/w") };
    let mut facts = Facts::default();
    let needs = OPEN.needs(&call);
    for need in needs.paths {
        let found = Resolved { path: need.path.clone(), exists: true, is_symlink: false, is_dir: false };
        facts.paths.insert(need.path, PathFact::Resolved(found));
    }
    for name in needs.executables {
        let found = ExecutableFact::Found { path: Path::new("/usr/bin").join(&name), system: true };
        facts.executables.insert(name, found);
    }
    let judged = OPEN.judge(&call, &facts, Taint::default());
    let allowed = format!("{:?}", judged.verdict) == "Allow";
    assert!(judged.understood || !allowed);
    // Nothing the shell would replace may be left outside quotes.
    let plain = !script.contains(['\'', '"', '\\', '#', '<']);
    assert!(!(allowed && plain && script.contains(['$', '`', '*', '?'])), "{script:?}");
    policy::present(script);
    OPEN.suggest_rules(&call);
});
