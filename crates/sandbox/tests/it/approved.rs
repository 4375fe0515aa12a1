//! What was approved is what runs, whatever becomes of the file meanwhile.

use crate::support::{StopOnDrop, sandbox, scratch};
use sandbox::{ApprovedCopy, CommandSpec, Profile};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\necho {text}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
}

async fn output(dir: &Path, argv: &[&str], copies: &[&Path]) -> String {
    let mut spec = CommandSpec::new(argv.iter().copied(), dir);
    spec.approved = copies.iter().map(|path| ApprovedCopy::take(path, dir).expect("a copy")).collect();
    for path in copies {
        script(&dir.join(path), "changed");
    }
    let done = sandbox().run(&Profile::new(dir), spec, |_| {}).await.expect("a sandbox");
    done.output.text()
}

#[tokio::test]
async fn the_approved_bytes_run_after_a_change() {
    let dir = scratch();
    let path = dir.path().join("deploy.sh");
    for argv in [
        vec!["./deploy.sh"],
        vec!["sh", "./deploy.sh"],
        vec!["sh", "-c", "./deploy.sh"],
        vec!["sh", "-c", "sh deploy.sh"],
        vec!["sh", "-c", "/dev/approved/0/deploy.sh"],
    ] {
        script(&path, "approved");
        assert_eq!(output(dir.path(), &argv, &[Path::new("./deploy.sh")]).await, "approved\n", "{argv:?}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "#!/bin/sh\necho changed\n");
    }
}

#[tokio::test]
async fn the_copy_cannot_be_changed_from_inside() {
    let dir = scratch();
    script(&dir.path().join("deploy.sh"), "approved");
    let line = "echo evil > deploy.sh; rm -f deploy.sh; mv deploy.sh x; chmod 777 /dev/approved/0/deploy.sh; \
                echo evil > /dev/approved/0/deploy.sh; touch /dev/approved/x; cat deploy.sh";
    let text = output(dir.path(), &["sh", "-c", line], &[Path::new("deploy.sh")]).await;
    assert!(text.ends_with("#!/bin/sh\necho approved\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn someone_renaming_the_script_all_the_while_changes_nothing() {
    let dir = scratch();
    let path = dir.path().join("deploy.sh");
    script(&path, "approved");
    let copy = ApprovedCopy::take(Path::new("deploy.sh"), dir.path()).expect("a copy");
    let stop = AtomicBool::new(false);
    let other = dir.path().join("other.sh");
    let text = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                script(&other, "changed");
                fs::rename(&other, &path).expect("renamed");
            }
        });
        let runs = async {
            let mut said = Vec::new();
            for argv in [["sh", "deploy.sh"], ["sh", "/dev/approved/0/deploy.sh"]].iter().cycle().take(60) {
                let mut spec = CommandSpec::new(*argv, dir.path());
                spec.approved = vec![copy.try_clone().expect("a copy")];
                match sandbox().run(&Profile::new(dir.path()), spec, |_| {}).await {
                    Ok(done) => said.push(done.output.text()),
                    // Swapped at the very moment of covering it: then nothing ran.
                    Err(error) => println!("not run: {error}"),
                }
            }
            said
        };
        let _stop = StopOnDrop(&stop);
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(runs))
    });
    assert!(text.len() > 20, "only {} of 60 ran", text.len());
    assert!(text.iter().all(|line| line == "approved\n"), "{text:?}");
}
