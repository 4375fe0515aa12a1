//! `write` and `edit`: what is on the disk afterwards.

use crate::support::Bench;
use serde_json::json;
use std::os::unix::fs::{PermissionsExt as _, symlink};

#[tokio::test]
async fn a_file_is_written_with_its_directories() {
    let bench = Bench::new();
    assert_eq!(
        bench.ok("write", json!({ "path": "a/b/c.txt", "content": "é" })).await,
        "Wrote `a/b/c.txt` (2 bytes)."
    );
    assert_eq!(bench.content("a/b/c.txt"), "é");
    let said = bench.ok("write", json!({ "path": "a/b/c.txt", "content": "" })).await;
    assert_eq!(said, "Replaced `a/b/c.txt` (0 bytes).");
    assert_eq!(bench.content("a/b/c.txt"), "");
    let names: Vec<_> = std::fs::read_dir(bench.path("a/b")).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file is left behind");
}

#[tokio::test]
async fn a_replaced_file_keeps_its_mode_and_a_link_its_target() {
    let bench = Bench::new();
    let script = bench.file("real/run.sh", "old");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    symlink("real/run.sh", bench.path("link.sh")).unwrap();
    bench.ok("write", json!({ "path": "link.sh", "content": "new" })).await;
    assert_eq!(bench.content("real/run.sh"), "new");
    assert!(bench.path("link.sh").is_symlink());
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o777, 0o750);
}

#[tokio::test]
async fn what_cannot_be_written_is_said_in_words() {
    let bench = Bench::new();
    bench.file("dir/a", "x");
    let check = async |path: &str, part: &str| {
        let why = bench.fails("write", json!({ "path": path, "content": "x" })).await;
        assert!(why.contains(part), "{why}");
    };
    check("dir", "is a directory").await;
    check(".", "is a directory").await;
    check("dir/a/b", "no directory").await;
    check(&format!("dir/{}", "x".repeat(300)), "cannot be used").await;
}

#[tokio::test]
async fn an_edit_changes_one_place_and_nothing_else() {
    let bench = Bench::new();
    bench.file("a.rs", "fn a() {}\nfn b() {}\nfn a() {}\n");
    let said = bench.ok("edit", json!({ "path": "a.rs", "old": "fn b() {}", "new": "fn c() {}" })).await;
    assert_eq!(said, "Edited `a.rs` at line 2.");
    assert_eq!(bench.content("a.rs"), "fn a() {}\nfn c() {}\nfn a() {}\n");
    let check = async |path: &str, old: &str, part: &str| {
        let why = bench.fails("edit", json!({ "path": path, "old": old, "new": "z" })).await;
        assert!(why.contains(part), "{why}");
    };
    check("a.rs", "fn a() {}", "occurs 2 times (lines 1, 3)").await;
    check("a.rs", "fn d() {}", "was not found").await;
    check("nothing", "x", "There is no file").await;
    check(".", "x", "is a directory").await;
    bench.file("latin", b"caf\xe9");
    check("latin", "caf", "not UTF-8").await;
    bench.file("large", "x".repeat(10_000_001));
    check("large", "x", "larger than 10 MB").await;
    assert_eq!(bench.content("a.rs"), "fn a() {}\nfn c() {}\nfn a() {}\n");
}
