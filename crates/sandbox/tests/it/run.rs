//! A command's life: output, caps, time, signals, input, terminals, leftovers.

use crate::support::{found, run, run_with, sandbox, scratch, shell};
use sandbox::{CommandSpec, Finished, Isolation, Output, OutputCaps, Profile, SpawnError, Stdin};
use std::{
    path::Path,
    time::{Duration, Instant},
};

fn finished(output: &Finished) -> (Option<i32>, Option<i32>, String) {
    (output.exit, output.signal, output.output.text())
}

#[tokio::test]
async fn output_and_exit_codes_come_back() {
    let dir = scratch();
    for (line, wanted) in [
        ("echo out; echo err >&2; exit 7", (Some(7), None, "out\nerr\n".to_owned())),
        ("kill -TERM $$", (None, Some(15), String::new())),
        ("true", (Some(0), None, String::new())),
        ("pwd", (Some(0), None, format!("{}\n", dir.path().display()))),
        ("cat", (Some(0), None, String::new())),
    ] {
        assert_eq!(finished(&run(line, dir.path()).await), wanted, "{line}");
    }
}

#[tokio::test]
async fn a_missing_program_reads_as_in_a_shell() {
    let dir = scratch();
    let done = sandbox()
        .run(&Profile::new(dir.path()), CommandSpec::new(["no-such-program"], dir.path()), |_| {})
        .await;
    let done = done.expect("a sandbox");
    assert_eq!(done.exit, Some(127));
    assert!(
        done.output.text().starts_with("cannot run `no-such-program`: No such file"),
        "{}",
        done.output.text()
    );
}

#[tokio::test]
async fn output_is_capped_head_and_tail_and_streamed() {
    let dir = scratch();
    let mut spec = shell("seq 1 3000000; echo end", dir.path());
    spec.caps = OutputCaps { head_bytes: 10, tail_bytes: 10 };
    let mut streamed = 0;
    let done = sandbox()
        .run(&Profile::new(dir.path()), spec, |piece| streamed += piece.len())
        .await
        .expect("a sandbox");
    assert_eq!(
        (done.output.head.as_slice(), done.output.tail.as_slice()),
        (&b"1\n2\n3\n4\n5\n"[..], &b"00000\nend\n"[..])
    );
    assert_eq!(done.output.cut_bytes as usize + 20, streamed);
    assert!(done.output.text().contains("bytes cut here]"));
}

#[tokio::test]
async fn a_timeout_kills_grandchildren_and_leaves_no_zombie() {
    let dir = scratch();
    let mark = format!("3{:05}", std::process::id() % 100_000);
    let mut spec = shell(
        &format!("setsid sleep {mark} & (sleep {mark} & sleep {mark}) & echo started; wait"),
        dir.path(),
    );
    spec.timeout = Some(Duration::from_millis(400));
    let begun = Instant::now();
    let running = sandbox().spawn(&Profile::new(dir.path()), spec).await.expect("a sandbox");
    let helper = running.id().expect("a process");
    let done = running.finish().await;
    assert_eq!(
        (done.timed_out, done.exit, done.signal, done.output.text().as_str()),
        (true, None, Some(9), "started\n")
    );
    assert!(begun.elapsed() < Duration::from_secs(20), "it hung for {:?}", begun.elapsed());
    assert_eq!(processes_with(&mark), Vec::<String>::new());
    assert!(!Path::new(&format!("/proc/{helper}")).exists(), "the helper was not reaped");
}

#[tokio::test]
async fn what_a_command_leaves_running_ends_with_it() {
    let dir = scratch();
    let mark = format!("4{:05}", std::process::id() % 100_000);
    let done = run(&format!("setsid sleep {mark} & echo gone"), dir.path()).await;
    assert_eq!(finished(&done), (Some(0), None, "gone\n".to_owned()));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_a_running_command_kills_it() {
    let dir = scratch();
    let mark = format!("5{:05}", std::process::id() % 100_000);
    let mut running = sandbox()
        .spawn(&Profile::new(dir.path()), shell(&format!("echo up; sleep {mark}"), dir.path()))
        .await
        .expect("a sandbox");
    assert_eq!(running.next().await.as_deref(), Some(&b"up\n"[..]));
    drop(running);
    let begun = Instant::now();
    while !processes_with(&mark).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "still running");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn killing_is_told_apart_from_dying() {
    let dir = scratch();
    let mut running = sandbox()
        .spawn(&Profile::new(dir.path()), shell("echo up; sleep 1000", dir.path()))
        .await
        .expect("a sandbox");
    assert_eq!(running.next().await.as_deref(), Some(&b"up\n"[..]));
    running.kill();
    let done = running.finish().await;
    assert_eq!((done.killed, done.timed_out, done.signal), (true, false, Some(9)));
}

#[tokio::test]
async fn a_helper_that_is_killed_takes_the_command_with_it() {
    let dir = scratch();
    let mark = format!("7{:05}", std::process::id() % 100_000);
    let spec = shell(&format!("setsid sleep {mark} & echo up; sleep {mark}"), dir.path());
    let mut running = sandbox().spawn(&Profile::new(dir.path()), spec).await.expect("a sandbox");
    assert_eq!(running.next().await.as_deref(), Some(&b"up\n"[..]));
    let helper =
        running.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())).expect("a process");
    rustix::process::kill_process(helper, rustix::process::Signal::KILL).expect("killed");
    let done = running.finish().await;
    assert_eq!((done.exit, done.signal, done.killed), (None, Some(9), false));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[tokio::test]
async fn input_reaches_the_command() {
    let dir = scratch();
    let mut spec = shell("wc -c", dir.path());
    spec.stdin = Stdin::Piped;
    let mut running = sandbox().spawn(&Profile::new(dir.path()), spec).await.expect("a sandbox");
    let mut input = running.take_input().expect("an input");
    let writer = tokio::spawn(async move { input.write_all(&vec![b'x'; 3_000_000]).await });
    let done = running.finish().await;
    writer.await.expect("a writer").expect("written");
    assert_eq!(done.output.text().trim(), "3000000");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_do_not_disturb_each_other() {
    let dir = scratch();
    let sandbox = sandbox();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..40 {
        let (sandbox, path) = (sandbox.clone(), dir.path().to_owned());
        tasks.spawn(async move {
            let spec =
                shell(&format!("echo {number} > /tmp/same; sleep 0.1; cat /tmp/same; exit {number}"), &path);
            let done = sandbox.run(&Profile::new(&path), spec, |_| {}).await.expect("a sandbox");
            assert_eq!(finished(&done), (Some(number), None, format!("{number}\n")));
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("a run");
    }
}

#[tokio::test]
async fn standard_error_can_be_dropped() {
    let dir = scratch();
    let mut spec = shell("echo out; echo err >&2", dir.path());
    spec.output = Output::StdoutOnly;
    let done = sandbox().run(&Profile::new(dir.path()), spec, |_| {}).await.expect("a sandbox");
    assert_eq!(done.output.text(), "out\n");
}

#[tokio::test]
async fn a_terminal_is_a_terminal() {
    let dir = scratch();
    let mut spec = shell("test -t 0 && test -t 1 && stty size && read line && echo got $line", dir.path());
    spec.output = Output::Terminal { rows: 30, columns: 99 };
    let mut running = sandbox().spawn(&Profile::new(dir.path()), spec).await.expect("a sandbox");
    let mut input = running.take_input().expect("an input");
    input.write_all(b"hello\n").await.expect("written");
    let done = running.finish().await;
    let text = done.output.text();
    assert!(done.exit == Some(0) && text.contains("30 99") && text.contains("got hello"), "{done:?}");
}

#[tokio::test]
async fn the_environment_is_built_from_empty() {
    let dir = scratch();
    let profile = Profile { env: vec![("KEY".into(), "value".into())], ..Profile::new(dir.path()) };
    let done =
        sandbox().run(&profile, CommandSpec::new(["env"], dir.path()), |_| {}).await.expect("a sandbox");
    let text = done.output.text();
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    let path = format!("PATH={}", sandbox::FIXED_PATH);
    assert_eq!(lines, ["KEY=value", "LANG=C.UTF-8", path.as_str(), "TMPDIR=/tmp"]);
}

#[tokio::test]
async fn limits_hold() {
    let dir = scratch();
    let mut profile = Profile::new(dir.path());
    profile.limits.file_bytes = 1 << 20;
    profile.limits.processes = 40;
    profile.limits.tmp_bytes = 1 << 20;
    for (line, wanted) in [
        ("head -c 3000000 /dev/zero > big; stat -c %s big", "1048576"),
        ("head -c 3000000 /dev/zero > /tmp/big; stat -c %s /tmp/big", "1048576"),
    ] {
        let done = run_with(&profile, line).await;
        assert!(done.output.text().contains(wanted), "{line}: {done:?}");
    }
    if found("python3", sandbox::FIXED_PATH) {
        let done = run_with(
            &profile,
            "python3 -c '
import os
count = 0
try:
    while count < 5000:
        if os.fork() == 0:
            os.read(0, 1) and None
            __import__(\"time\").sleep(1000)
        count += 1
except OSError:
    pass
print(count)'",
        )
        .await;
        let started: usize = done.output.text().trim().parse().expect("a number");
        assert!(started < 400, "{started} processes");
    }
}

#[tokio::test]
async fn a_workspace_below_tmp_or_below_something_hidden_is_there() {
    let home = scratch();
    let hidden = home.path().join("steward");
    let below_hidden = hidden.join("workspace");
    std::fs::create_dir_all(&below_hidden).expect("a directory");
    std::fs::write(hidden.join("auth.json"), "secret").expect("a file");
    let below_tmp = tempfile::tempdir().expect("a directory");
    for workspace in [&below_hidden, &below_tmp.path().to_owned()] {
        let profile = Profile { hidden: vec![hidden.clone()], ..Profile::new(workspace) };
        let line =
            format!("echo kept > file; cat file; cat {0}/auth.json; ls {0}; touch {0}/x", hidden.display());
        let done = run_with(&profile, &line).await;
        assert_eq!(std::fs::read_to_string(workspace.join("file")).expect("written"), "kept\n");
        let text = done.output.text();
        assert!(text.starts_with("kept\n") && !text.contains("secret"), "{text}");
        assert!(!hidden.join("x").exists());
    }
}

#[tokio::test]
async fn a_hidden_place_inside_a_writable_one_cannot_be_moved_into_sight() {
    let home = scratch();
    let secret = home.path().join(".config/gh");
    std::fs::create_dir_all(&secret).expect("a directory");
    std::fs::write(secret.join("hosts.yml"), "token").expect("a file");
    std::fs::write(home.path().join(".netrc"), "password").expect("a file");
    let profile =
        Profile { hidden: vec![secret.clone(), home.path().join(".netrc")], ..Profile::new(home.path()) };
    let done = run_with(
        &profile,
        "mv .config elsewhere; mv .config/gh gh; mv .netrc n; rm -rf .netrc; cat .netrc .config/gh/hosts.yml; ln .netrc m; chmod -f 700 gh; rm -rf gh n m; echo done > made",
    )
    .await;
    assert!(!done.output.text().contains("token") && !done.output.text().contains("password"), "{done:?}");
    assert_eq!(std::fs::read_to_string(secret.join("hosts.yml")).expect("still there"), "token");
    assert_eq!(std::fs::read_to_string(home.path().join(".netrc")).expect("still there"), "password");
    assert_eq!(std::fs::read_to_string(home.path().join("made")).expect("written"), "done\n");
}

#[tokio::test]
async fn another_directory_in_the_same_place_is_refused() {
    let dir = scratch();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    std::fs::create_dir(&one).expect("a directory");
    std::fs::create_dir(&two).expect("a directory");
    let mut spec = shell("echo ran", &one);
    spec.cwd_identity = sandbox::resolve(&one, Path::new("/")).expect("resolved").identity;
    std::fs::remove_dir(&one).expect("removed");
    std::fs::rename(&two, &one).expect("renamed");
    let outcome = sandbox().run(&Profile::new(dir.path()), spec, |_| {}).await;
    assert!(
        matches!(&outcome, Err(SpawnError::Setup { step, .. }) if step.contains("same working directory")),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn without_isolation_only_when_asked_for() {
    let dir = scratch();
    let outside = dir.path().join("outside");
    let workspace = dir.path().join("workspace");
    std::fs::create_dir(&workspace).expect("a directory");
    let line = format!("touch {}", outside.display());
    run(&line, &workspace).await;
    assert!(!outside.exists());
    let profile = Profile { isolation: Isolation::Off, ..Profile::new(&workspace) };
    assert_eq!(run_with(&profile, &line).await.exit, Some(0));
    assert!(outside.exists());
}

/// The command lines of living processes that mention `mark`.
fn processes_with(mark: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&format!("sleep {mark}"))).collect()
}
