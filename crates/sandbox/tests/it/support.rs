//! What the tests share: a place to work in, the sandbox with the crate's own helper, and running one shell line.

use sandbox::{CommandSpec, Finished, Helper, Profile, Sandbox};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};
use tempfile::TempDir;

/// A directory outside `/tmp`, which every sandbox replaces.
pub fn scratch() -> TempDir {
    tempfile::Builder::new().prefix("sandbox-test-").tempdir_in("/var/tmp").expect("a scratch directory")
}

/// The crate's own helper binary, or the copy an ordinary user can execute.
pub fn helper_path() -> PathBuf {
    std::env::var_os("SANDBOX_TEST_HELPER").map_or(env!("CARGO_BIN_EXE_sandbox-helper").into(), PathBuf::from)
}

pub fn sandbox() -> Sandbox {
    let sandbox = Sandbox::detect_with(Helper { program: helper_path(), args: Vec::new() });
    assert_eq!(sandbox.degraded(), None, "{:?}", sandbox.primitives());
    sandbox
}

/// A shell line in `workspace`.
pub fn shell(line: &str, workspace: &Path) -> CommandSpec {
    CommandSpec::new(["bash", "-c", line], workspace)
}

/// Runs a shell line that may change nothing but `workspace`.
pub async fn run(line: &str, workspace: &Path) -> Finished {
    run_with(&Profile::new(workspace), line).await
}

pub async fn run_with(profile: &Profile, line: &str) -> Finished {
    let spec = shell(line, &profile.workspace);
    sandbox().run(profile, spec, |_| {}).await.expect("a sandbox")
}

/// Whether a program can be found; says why a test is skipped if not.
pub fn found(program: &str, path: &str) -> bool {
    let found = sandbox::lookup(program, path, Path::new("/")).is_some();
    if !found {
        println!("not run: no `{program}` on this machine");
    }
    found
}

/// Tells a racing thread to stop, also when the test fails: the scope would wait for it for ever.
pub struct StopOnDrop<'a>(pub &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
