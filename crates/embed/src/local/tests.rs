//! Weights that come and go, with the real ones.

use super::*;
use std::fs;

#[path = "../../tests/it/weights.rs"]
mod weights;

/// Waits for something that happens by itself, and fails if it never does.
fn until(what: &str, happened: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !happened() {
        assert!(Instant::now() < deadline, "{what}");
        thread::yield_now();
    }
}

fn waiting_threads() -> usize {
    let names = fs::read_dir("/proc/self/task").unwrap().filter_map(|task| {
        // A thread may end while it is looked at.
        fs::read_to_string(task.unwrap().path().join("comm")).ok()
    });
    names.filter(|name| name.trim() == "embed-idle").count()
}

fn resident_kilobytes() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn idle_weights_go_and_come_back() {
    let local = Local { idle: Duration::from_millis(1), ..Local::new(vec![weights::models()]) };
    let first = local.embed(&["hello"]).unwrap();
    until("idle weights stay", || local.loaded_bytes() == 0);
    until("a thread waits for nothing", || waiting_threads() == 0);
    assert_eq!(local.embed(&["hello"]).unwrap(), first);
}

#[test]
fn memory_goes_back_to_the_system() {
    let local = Local::new(vec![weights::models()]);
    let before = resident_kilobytes();
    local.embed(&["hello", &"a longer note ".repeat(100)]).unwrap();
    let loaded = resident_kilobytes();
    assert!(loaded > before + 20_000 && loaded < before + 60_000, "{before} kB, then {loaded} kB");
    assert_eq!(waiting_threads(), 1);
    drop(local);
    until("a thread waits for weights that are gone", || waiting_threads() == 0);
    let after = resident_kilobytes();
    assert!(after < before + 8_000, "{before} kB, {loaded} kB loaded, {after} kB after");
}

#[test]
fn weights_in_use_are_not_dropped() {
    let local = Local { idle: Duration::ZERO, ..Local::new(vec![weights::models()]) };
    let held = local.weights().unwrap();
    assert!(Arc::strong_count(&held) > 1);
    drop(held);
    until("weights stay after their use", || local.loaded_bytes() == 0);
}
