//! What a binary does itself, confined: it finds nothing.

use crate::support::sandbox;
use sandbox::{CommandSpec, Primitives, Profile};

async fn look(sandbox: &sandbox::Sandbox) -> (Option<i32>, String) {
    let mut spec = CommandSpec::new(["/etc/passwd", "/proc/self/status", "/dev/null", "/tmp", "."], "/");
    spec.own = true;
    let mut profile = Profile::new("/dev/null");
    profile.isolation = sandbox::Isolation::Available;
    let done = sandbox.run(&profile, spec, |_| {}).await.expect("a sandbox");
    (done.exit, done.output.text())
}

#[tokio::test]
async fn it_finds_no_file_no_network_and_no_descriptor() {
    let (exit, saw) = look(&sandbox()).await;
    assert_eq!(exit, Some(7), "{saw}");
    for line in [
        "/etc/passwd: closed",
        "/proc/self/status: closed",
        "/dev/null: closed",
        "/tmp: closed",
        "entries: 0 and 0",
        "written: false",
        "connected: false",
        "next descriptor: 3",
        "variables: 0",
        "process: 2",
    ] {
        assert!(saw.lines().any(|said| said == line), "{line} is not in\n{saw}");
    }
}

#[tokio::test]
async fn without_mounts_of_its_own_it_still_opens_nothing() {
    let all = sandbox();
    let less = Primitives {
        namespaces: false,
        network_namespace: false,
        fresh_proc: false,
        ..all.primitives().clone()
    };
    let (exit, saw) = look(&all.limited_to(less)).await;
    assert_eq!(exit, Some(7), "{saw}");
    for line in ["/etc/passwd: closed", "written: false", "connected: false", "next descriptor: 3"] {
        assert!(saw.lines().any(|said| said == line), "{line} is not in\n{saw}");
    }
}
