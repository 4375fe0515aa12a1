//! Nothing leads out of the allowed directories: not spelling, not symlinks, not symlinks that come and go.

use crate::support::Bench;
use protocol::CallStatus;
use serde_json::json;
use std::{
    os::unix::fs::symlink,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

#[tokio::test]
async fn no_spelling_leads_out() {
    let bench = Bench::new();
    bench.file("inside.txt", "inside");
    bench.beside("secret.txt", "TOP SECRET");
    bench.beside("workspace-twin/secret.txt", "TOP SECRET");
    symlink("../secret.txt", bench.path("link")).unwrap();
    symlink("..", bench.path("up")).unwrap();
    symlink("/", bench.path("root")).unwrap();
    symlink("loop", bench.path("loop")).unwrap();
    symlink("/proc/self/root", bench.path("magic")).unwrap();
    let outside = bench.dir.path().display().to_string();
    let paths = [
        "../secret.txt",
        "./../secret.txt",
        "x/../../secret.txt",
        "../workspace/../secret.txt",
        "../workspace-twin/secret.txt",
        "link",
        "up/secret.txt",
        "loop",
        "/etc/passwd",
        "/etc/../etc/passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "magic/etc/passwd",
        &format!("root{outside}/secret.txt"),
        &format!("{outside}/secret.txt"),
        &format!("{outside}/workspace/../secret.txt"),
        &format!("{outside}/workspace-twin/secret.txt"),
    ];
    for path in paths {
        let calls = [
            ("read", json!({ "path": path })),
            ("write", json!({ "path": path, "content": "broken" })),
            ("edit", json!({ "path": path, "old": "TOP", "new": "broken" })),
            ("glob", json!({ "pattern": "*", "path": path })),
            ("grep", json!({ "pattern": "SECRET|root", "path": path })),
        ];
        for (tool, arguments) in calls {
            let result = bench.call(tool, arguments).await;
            assert_eq!(result.status, CallStatus::Failed, "{tool} {path}: {}", result.output);
            assert!(!result.output.contains("TOP SECRET"), "{tool} {path}");
        }
    }
    assert_eq!(std::fs::read_to_string(bench.dir.path().join("secret.txt")).unwrap(), "TOP SECRET");
    assert_eq!(bench.ok("read", json!({ "path": "up/workspace/inside.txt" })).await, "     1\tinside\n");
}

#[tokio::test]
async fn searching_follows_no_symlink() {
    let bench = Bench::new();
    bench.beside("outside/secret.txt", "TOP SECRET");
    bench.file("inside.txt", "SECRET too");
    symlink("../outside", bench.path("dir")).unwrap();
    symlink("../outside/secret.txt", bench.path("file.txt")).unwrap();
    assert_eq!(bench.ok("glob", json!({ "pattern": "**/*" })).await, "inside.txt\n");
    assert_eq!(bench.ok("grep", json!({ "pattern": "SECRET" })).await, "inside.txt:1:SECRET too\n");
}

#[tokio::test]
async fn further_directories_and_hidden_ones_are_kept_apart() {
    let mut bench = Bench::new();
    let base = bench.dir.path().to_owned();
    bench.beside("docs/a.txt", "docs");
    bench.beside("docs/private/b.txt", "PRIVATE");
    bench.beside("docs/private/shared/c.txt", "shared");
    bench.beside("project/d.txt", "project");
    bench.file("vault/e.txt", "VAULT");
    bench.file("f.txt", "workspace");
    // A hidden path may be given by another name than its real one.
    symlink(bench.path("vault"), base.join("vault-link")).unwrap();
    bench.context.read_dirs =
        vec![base.join("docs"), base.join("not-there"), base.join("docs/private/shared")];
    bench.context.write_dirs = vec![base.join("project")];
    // Hiding everything above the workspace does not hide the workspace.
    bench.context.hidden = vec![base.clone(), base.join("docs/private"), base.join("vault-link")];
    let at = |inner: &str| base.join(inner).display().to_string();
    for (path, text) in [
        (at("docs/a.txt"), "docs"),
        (at("docs/private/shared/c.txt"), "shared"),
        (at("project/d.txt"), "project"),
        ("f.txt".into(), "workspace"),
    ] {
        assert_eq!(bench.ok("read", json!({ "path": path })).await, format!("     1\t{text}\n"));
    }
    for path in [at("docs/private/b.txt"), at("docs/private"), "vault/e.txt".into(), at("vault-link/e.txt")] {
        let why = bench.fails("read", json!({ "path": path })).await;
        assert!(why.contains("out of reach"), "{why}");
    }
    assert!(
        bench
            .fails("write", json!({ "path": at("docs/a.txt"), "content": "x" }))
            .await
            .contains("lies outside")
    );
    assert!(
        bench
            .fails("write", json!({ "path": "vault/new.txt", "content": "x" }))
            .await
            .contains("out of reach")
    );
    bench.ok("write", json!({ "path": at("project/new/x.txt"), "content": "x" })).await;
    let found = bench.ok("grep", json!({ "pattern": "PRIVATE|VAULT|docs|shared", "path": at("docs") })).await;
    assert_eq!(
        found,
        format!("{}:1:docs\n\n{}:1:shared\n", at("docs/a.txt"), at("docs/private/shared/c.txt"))
    );
    assert_eq!(bench.ok("glob", json!({ "pattern": "**" })).await, "f.txt\n");
}

/// One thread swaps directories for symlinks that lead out, or into what is hidden, while the tools are at work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_that_becomes_a_symlink_meanwhile_leads_nowhere() {
    let mut bench = Bench::new();
    bench.beside("outside/file.txt", "TOP SECRET");
    bench.file("vault/file.txt", "TOP SECRET");
    bench.context.hidden = vec![bench.path("vault")];
    let traps = [bench.dir.path().join("outside"), bench.path("vault")];
    let mut doors = Vec::new();
    // Relative targets: the kernel refuses absolute ones below a root by itself.
    for (number, target) in ["../outside", "vault"].into_iter().enumerate() {
        bench.file(&format!("door{number}/file.txt"), "harmless");
        symlink(target, bench.path(&format!("trap{number}"))).unwrap();
        doors.push((bench.path(&format!("door{number}")), bench.path(&format!("trap{number}"))));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let swapper = std::thread::spawn(move || {
        let mut swaps = 0_u64;
        while !stopped.load(Ordering::Relaxed) {
            for (door, trap) in &doors {
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(rustix::fs::CWD, door, rustix::fs::CWD, trap, flags).unwrap();
                swaps += 1;
            }
        }
        swaps
    });
    let begun = std::time::Instant::now();
    let mut harmless = 0;
    while begun.elapsed().as_millis() < 4_000 {
        for door in ["door0", "door1"] {
            for (tool, arguments) in [
                ("read", json!({ "path": format!("{door}/file.txt") })),
                ("grep", json!({ "pattern": ".", "path": door })),
                ("write", json!({ "path": format!("{door}/new.txt"), "content": "x" })),
                ("edit", json!({ "path": format!("{door}/file.txt"), "old": "TOP", "new": "broken" })),
                ("read", json!({ "path": format!("{door}/file.txt") })),
            ] {
                let result = bench.call(tool, arguments).await;
                assert!(!result.output.contains("SECRET"), "{tool}: {}", result.output);
                harmless += u32::from(result.output.contains("harmless"));
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    let swaps = swapper.join().unwrap();
    for trap in traps {
        assert_eq!(std::fs::read_dir(&trap).unwrap().count(), 1, "{trap:?}");
        assert_eq!(std::fs::read_to_string(trap.join("file.txt")).unwrap(), "TOP SECRET");
    }
    println!("{harmless} honest reads against {swaps} swaps");
    assert!(harmless > 0 && swaps > 100, "the race was not run: {harmless} reads, {swaps} swaps");
}
