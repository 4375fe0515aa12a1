//! The same tests as an ordinary user, when the runner is root: modes and capabilities make a difference.

use crate::support::{helper_path, scratch};
use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

/// `nobody`: has no rights anywhere and an entry in every user database.
const ORDINARY: &str = "65534";

#[test]
fn everything_again_as_an_ordinary_user() {
    if !rustix::process::getuid().is_root() {
        println!("not run: the runner is not root, so the other tests ran as an ordinary user already");
        println!("not run: the tests as root, for the same reason");
        return;
    }
    // The target directory may lie where only root can go.
    let dir = scratch();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let (tests, helper) = (dir.path().join("it"), dir.path().join("helper"));
    fs::copy(std::env::current_exe().expect("a test binary"), &tests).expect("a copy");
    fs::copy(helper_path(), &helper).expect("a copy");
    let mut command = Command::new("setpriv");
    command.args(["--reuid", ORDINARY, "--regid", ORDINARY, "--clear-groups"]).arg(&tests);
    command.args(["--skip", "everything_again", "--nocapture"]).current_dir("/");
    command.env("SANDBOX_TEST_HELPER", &helper).env("HOME", "/nonexistent");
    let done = match command.output() {
        Ok(done) => done,
        Err(error) => return println!("not run as an ordinary user: setpriv: {error}"),
    };
    let text = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    println!("{text}");
    assert!(done.status.success(), "{text}\n{errors}");
}
