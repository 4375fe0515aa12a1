//! `bash`: output, exit codes, time, size, and what is left when it is dropped.

use crate::support::Bench;
use protocol::CallStatus;
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn output_and_exit_code_reach_the_model() {
    let bench = Bench::new();
    let check = async |command: &str, status, exit_code, output: &str| {
        let result = bench.call("bash", json!({ "command": command })).await;
        assert_eq!(
            (result.status, result.exit_code, result.output.as_str()),
            (status, exit_code, output),
            "{command}"
        );
    };
    check("echo out; echo err >&2", CallStatus::Succeeded, Some(0), "out\nerr\n").await;
    check("true", CallStatus::Succeeded, Some(0), "(no output)").await;
    check("printf half; exit 3", CallStatus::Failed, Some(3), "half\n[exit code 3]").await;
    check("exit 1", CallStatus::Failed, Some(1), "[exit code 1]").await;
    check("kill -9 $$", CallStatus::Failed, None, "[ended by signal 9]").await;
    check(
        "nothing-like-this",
        CallStatus::Failed,
        Some(127),
        "bash: line 1: nothing-like-this: command not found\n[exit code 127]",
    )
    .await;
    check("cat", CallStatus::Succeeded, Some(0), "(no output)").await;
    check("printf '\\xff'", CallStatus::Succeeded, Some(0), "\u{fffd}").await;
    check("echo 'é😀'", CallStatus::Succeeded, Some(0), "é😀\n").await;
    let place = format!("{}\n", bench.context.workspace.display());
    check("pwd", CallStatus::Succeeded, Some(0), &place).await;
    let why = bench.fails("bash", json!({ "command": "a\0b" })).await;
    assert!(why.contains("not run"), "{why}");
}

#[tokio::test]
async fn a_command_is_confined_to_the_context() {
    let mut bench = Bench::new();
    bench.beside("outside/secret", "TOP SECRET");
    bench.beside("granted/file", "granted");
    bench.file("vault/key", "TOP SECRET");
    let base = bench.dir.path().to_owned();
    bench.context.write_dirs = vec![base.join("granted")];
    bench.context.hidden = vec![bench.path("vault"), base.join("outside")];
    bench.context.command.env = vec![("GREETING".into(), "hello".into())];
    let base = base.display().to_string();
    bench.ok("bash", json!({ "command": format!("echo more >> {base}/granted/file; touch made") })).await;
    assert_eq!(std::fs::read_to_string(format!("{base}/granted/file")).unwrap(), "grantedmore\n");
    assert_eq!(bench.ok("bash", json!({ "command": "echo $GREETING" })).await, "hello\n");
    for command in [
        "cat vault/key".to_owned(),
        format!("cat {base}/outside/secret"),
        format!("touch {base}/new"),
        "exec 3<>/dev/tcp/127.0.0.1/80".to_owned(),
    ] {
        let why = bench.fails("bash", json!({ "command": command })).await;
        assert!(!why.contains("TOP SECRET"), "{command}: {why}");
    }
}

#[tokio::test]
async fn time_is_limited() {
    let bench = Bench::new();
    let begun = Instant::now();
    let result =
        bench.call("bash", json!({ "command": "echo before; sleep 60 & sleep 60", "timeoutMs": 300 })).await;
    assert_eq!(result.output, "before\n[killed: its time was over]");
    assert_eq!(result.status, CallStatus::Failed);
    assert!(begun.elapsed() < Duration::from_secs(10));
    let why = bench.fails("bash", json!({ "command": "true", "timeoutMs": 700_000 })).await;
    assert!(why.contains("maximum"), "{why}");
}

#[tokio::test]
async fn huge_output_keeps_its_head_and_tail() {
    let bench = Bench::new();
    let result = bench
        .call(
            "bash",
            json!({ "command": "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last" }),
        )
        .await;
    assert!(result.truncated);
    assert!(result.output.len() < 100_200, "{}", result.output.len());
    assert!(result.output.starts_with("first\nxxx") && result.output.ends_with("xxx\nlast\n"));
    assert!(result.output.contains("\n[49900012 bytes cut here]\n"), "{}", &result.output[49_990..50_060]);
}

#[tokio::test]
async fn a_long_command_tells_how_it_goes() {
    let bench = Bench::new();
    bench.ok("bash", json!({ "command": "echo working; sleep 3.5" })).await;
    let progress = bench.heard.progress.lock().unwrap().clone();
    assert_eq!(progress, ["3 s, 8 bytes so far: working"]);
}

#[tokio::test]
async fn dropping_the_call_kills_everything_it_started() {
    let bench = Bench::new();
    let command = "(while true; do echo x >> grows; sleep 0.05; done) & wait";
    let call = bench.call("bash", json!({ "command": command }));
    assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
    // It is gone when the file no longer grows; how long that takes is the kernel's business.
    let size = || std::fs::metadata(bench.path("grows")).unwrap().len();
    let mut before = 0;
    let mut patience = 100;
    while before != size() {
        before = size();
        patience -= 1;
        assert!(patience > 0, "it is still running");
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    assert!(before > 0);
}

#[tokio::test]
async fn a_workspace_that_was_swapped_is_not_entered() {
    let mut bench = Bench::new();
    let other = std::fs::File::open(bench.dir.path()).unwrap();
    bench.context.command.cwd_identity = Some(sandbox::Identity::of(&other).unwrap());
    let why = bench.fails("bash", json!({ "command": "echo ran" })).await;
    assert!(why.contains("not run") && !why.contains("ran\n"), "{why}");
}
