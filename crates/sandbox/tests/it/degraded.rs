//! On a poorer machine: nothing opens silently, and what is left still confines.

use crate::support::{found, sandbox, scratch, shell};
use sandbox::{Degraded, Finished, Isolation, Network, Primitives, Profile, SpawnError};
use std::{path::Path, time::Duration};

async fn run(primitives: Primitives, profile: &Profile, line: &str) -> Result<Finished, SpawnError> {
    let mut spec = shell(line, &profile.workspace);
    spec.timeout = Some(Duration::from_secs(5));
    sandbox().limited_to(primitives).run(profile, spec, |_| {}).await
}

fn without_namespaces() -> Primitives {
    let whole = sandbox().primitives().clone();
    Primitives { namespaces: false, fresh_proc: false, network_namespace: false, ..whole }
}

fn missing(outcome: &Result<Finished, SpawnError>) -> Vec<&'static str> {
    match outcome {
        Err(SpawnError::Degraded(Degraded { missing })) => {
            missing.iter().map(|missing| missing.name).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_is_lacking_is_said_before_anything_runs() {
    let dir = scratch();
    let full = Profile::new(dir.path());
    let available = Profile { isolation: Isolation::Available, ..full.clone() };
    let hosts = Profile { network: Network::Hosts(Vec::new()), ..available.clone() };
    let whole = sandbox().primitives().clone();
    let nothing = Primitives::default();
    let no_filter = Primitives { seccomp: false, ..whole };
    let open_network = Primitives { network_namespace: false, ..no_filter.clone() };
    for (primitives, profile, wanted) in [
        (without_namespaces(), &full, vec!["namespaces", "fresh /proc", "network namespace"]),
        (no_filter, &full, vec!["seccomp"]),
        (without_namespaces(), &hosts, vec!["namespaces", "fresh /proc", "network namespace"]),
        (open_network, &available, vec!["network namespace", "seccomp"]),
        (nothing, &available, vec!["namespaces", "fresh /proc", "network namespace", "Landlock", "seccomp"]),
    ] {
        let outcome = run(primitives, profile, "touch ran").await;
        assert_eq!(missing(&outcome), wanted);
        assert!(!dir.path().join("ran").exists());
    }
}

#[tokio::test]
async fn landlock_and_the_filter_alone_still_confine() {
    let home = scratch();
    let workspace = home.path().join("work");
    std::fs::create_dir_all(home.path().join(".ssh")).expect("a directory");
    std::fs::create_dir(&workspace).expect("a directory");
    std::fs::write(home.path().join(".ssh/key"), "secret").expect("a file");
    let profile = Profile {
        isolation: Isolation::Available,
        hidden: vec![home.path().join(".ssh")],
        ..Profile::new(&workspace)
    };
    let line = format!(
        "cat {0}/.ssh/key; touch {0}/outside; touch inside && cat /etc/hostname > /dev/null && ls /usr > /dev/null && echo works",
        home.path().display()
    );
    let done = run(without_namespaces(), &profile, &line).await.expect("a sandbox");
    let text = done.output.text();
    assert!(text.contains("works") && !text.contains("secret"), "{text}");
    assert!(!home.path().join("outside").exists() && workspace.join("inside").exists());
    if found("python3", sandbox::FIXED_PATH) {
        let done = run(without_namespaces(), &profile, "python3 -c 'import socket; socket.socket()'").await;
        assert!(done.expect("a sandbox").output.text().contains("PermissionError"));
    }
}

#[tokio::test]
async fn without_a_pid_namespace_everything_still_ends() {
    let dir = scratch();
    let profile = Profile { isolation: Isolation::Available, ..Profile::new(dir.path()) };
    let mark = format!("6{:05}", std::process::id() % 100_000);
    let line = format!("setsid sleep {mark} & (setsid setsid sleep {mark} &) ; echo up");
    let done = run(without_namespaces(), &profile, &line).await.expect("a sandbox");
    assert_eq!((done.exit, done.output.text().as_str()), (Some(0), "up\n"));
    let mut spec = shell(&format!("setsid sleep {mark} & sleep {mark}"), dir.path());
    spec.timeout = Some(Duration::from_millis(300));
    let done =
        sandbox().limited_to(without_namespaces()).run(&profile, spec, |_| {}).await.expect("a sandbox");
    assert!(done.timed_out);
    assert!(!lives(&mark));
}

fn lives(mark: &str) -> bool {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(&format!("sleep\0{mark}")))
}

#[tokio::test]
async fn a_helper_that_is_none_is_nothing_to_rely_on() {
    let sandbox =
        sandbox::Sandbox::detect_with(sandbox::Helper { program: "/bin/true".into(), args: Vec::new() });
    assert!(!sandbox.primitives().any());
    assert!(sandbox.degraded().is_some());
    let spec = shell("true", Path::new("/"));
    let outcome = sandbox.run(&Profile::new("/tmp"), spec, |_| {}).await;
    assert!(matches!(outcome, Err(SpawnError::Degraded(_))));
}
