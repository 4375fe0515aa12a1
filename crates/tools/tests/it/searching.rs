//! `glob` and `grep` over a small tree and over large ones.

use crate::support::Bench;
use serde_json::json;
use std::time::{Duration, SystemTime};

fn tree() -> Bench {
    let bench = Bench::new();
    for (age, path) in
        ["src/main.rs", "src/deep/mod.rs", "notes.md", ".config/x.toml", "target/out.rs"].iter().enumerate()
    {
        let file =
            std::fs::File::open(bench.file(path, format!("// {path}\nlet Value = 1;\nend\n"))).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age as u64 * 60)).unwrap();
    }
    bench.file(".gitignore", "target\n");
    bench.file(".git/config", "let Value = 2;\n");
    bench
}

#[tokio::test]
async fn paths_fit_patterns() {
    let bench = tree();
    let check = async |arguments, expected: &str| assert_eq!(bench.ok("glob", arguments).await, expected);
    check(json!({ "pattern": "*.rs" }), "src/main.rs\nsrc/deep/mod.rs\n").await;
    check(json!({ "pattern": "src/*.rs" }), "src/main.rs\n").await;
    check(json!({ "pattern": "**/*.{md,toml}" }), "notes.md\n.config/x.toml\n").await;
    check(json!({ "pattern": "*.rs", "path": "src/deep" }), "src/deep/mod.rs\n").await;
    check(json!({ "pattern": "./notes.*" }), "notes.md\n").await;
    check(json!({ "pattern": "*.none" }), "No files fit.").await;
    assert!(bench.fails("glob", json!({ "pattern": "a[" })).await.contains("cannot be read"));
    assert!(
        bench.fails("glob", json!({ "pattern": "*", "path": "none" })).await.contains("There is no `none`")
    );
    assert!(bench.fails("glob", json!({ "pattern": "*", "path": ".." })).await.contains("lies outside"));
}

#[tokio::test]
async fn lines_fit_expressions() {
    let bench = tree();
    let check = async |arguments, expected: &str| assert_eq!(bench.ok("grep", arguments).await, expected);
    check(json!({ "pattern": "Value", "path": "src/main.rs" }), "src/main.rs:2:let Value = 1;\n").await;
    check(
        json!({ "pattern": "value", "glob": "*.rs", "ignoreCase": true }),
        "src/deep/mod.rs:2:let Value = 1;\n\nsrc/main.rs:2:let Value = 1;\n",
    )
    .await;
    check(
        json!({ "pattern": "Value", "path": "notes.md", "context": 1 }),
        "notes.md-1-// notes.md\nnotes.md:2:let Value = 1;\nnotes.md-3-end\n",
    )
    .await;
    check(
        json!({ "pattern": "Value", "filesOnly": true }),
        ".config/x.toml\nnotes.md\nsrc/deep/mod.rs\nsrc/main.rs\n",
    )
    .await;
    check(json!({ "pattern": "nowhere" }), "No matches.").await;
    assert!(bench.fails("grep", json!({ "pattern": "(" })).await.contains("cannot be used"));
    assert!(bench.fails("grep", json!({ "pattern": "\\w{1000}{1000}" })).await.contains("cannot be used"));
}

#[tokio::test]
async fn too_much_is_cut_and_said() {
    let bench = Bench::new();
    for number in 0..300 {
        bench.file(&format!("many/{number}.txt"), "needle\n");
    }
    bench.file("long.txt", format!("needle {}\n", "x".repeat(1_000_000)));
    bench.file("binary", b"needle\0needle\n");
    let paths = bench.call("glob", json!({ "pattern": "many/*" })).await;
    assert!(paths.truncated && paths.output.ends_with("[100 more; narrow the pattern]\n"));
    let lines = bench.call("grep", json!({ "pattern": "needle" })).await;
    assert!(lines.truncated, "{}", lines.output);
    assert!(lines.output.contains("[stopped after 200 matches in 200 files"), "{}", lines.output);
    let line = bench.ok("grep", json!({ "pattern": "needle", "path": "long.txt" })).await;
    assert!(line.len() < 500 && line.contains("[999607 more]"), "{line}");
    assert_eq!(bench.ok("grep", json!({ "pattern": "needle", "glob": "binary" })).await, "No matches.");
}
