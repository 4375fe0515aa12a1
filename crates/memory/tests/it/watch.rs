//! The one who looks: takes in what changed without being asked, sleeps when nothing does, and stops when told.

use crate::support::{Meanings, Scene};
use std::{
    fs,
    time::{Duration, Instant},
};

#[test]
fn a_change_is_indexed_without_a_search() {
    let meanings = Meanings::new();
    let scene = Scene::with(meanings.clone(), |_| {});
    scene.put("memory/first.md", "The bike is red.");
    let watcher = scene.memory.watch().unwrap();
    meanings.wait_for(1);
    // In a folder that was not there when it began to look.
    scene.put("memory/projects/garden/roses.md", "Roses for the daughter.");
    meanings.wait_for(2);
    scene.put_transcript("terminal--default.jsonl", r#"{"role":"user","content":"Tea, please"}"#);
    meanings.wait_for(3);
    fs::rename(scene.path("memory/first.md"), scene.path("memory/renamed.md")).unwrap();
    scene.put("MEMORY.md", "The server is in the cellar.");
    meanings.wait_for(4);
    assert_eq!(scene.places("bike"), [("memory/renamed.md".into(), 1, 1)]);
    watcher.stop();
    scene.put("memory/after.md", "The holiday begins on Friday.");
    assert_eq!(
        scene.places("vacation"),
        [("memory/after.md".into(), 1, 1)],
        "a search looks when nobody else does"
    );
}

#[test]
fn a_search_sees_a_change_that_was_made_just_before() {
    let scene = Scene::with(Meanings::new(), |_| {});
    let watcher = scene.memory.watch().unwrap();
    for number in 0..100 {
        scene.put("memory/a.md", format!("version v{number}v"));
        assert_eq!(scene.places(&format!("v{number}v")).len(), 1, "{number}");
    }
    drop(watcher);
}

#[test]
fn at_rest_it_sleeps_without_an_end() {
    let meanings = Meanings::new();
    let scene = Scene::with(meanings.clone(), |_| {});
    scene.put("MEMORY.md", "The bike is red.");
    let watcher = scene.memory.watch().unwrap();
    meanings.wait_for(1);
    let thread = fs::read_dir("/proc/self/task")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| fs::read_to_string(path.join("comm")).unwrap().trim() == "memory")
        .expect("there is a thread that looks");
    // `ppoll` with no time to end at: neither ticking nor reading.
    let endless = || {
        let call = fs::read_to_string(thread.join("syscall")).unwrap();
        let parts: Vec<&str> = call.split_whitespace().collect();
        parts.first() == Some(&"271") && parts.get(3) == Some(&"0x0")
    };
    let limit = Instant::now() + Duration::from_secs(60);
    while !endless() {
        assert!(Instant::now() < limit, "it does not come to rest");
        std::thread::yield_now();
    }
    assert_eq!(scene.memory.idle(), None, "nothing is held in memory");
    // A search is held on to for a while, and the one who looks knows when to let go.
    scene.found("bike");
    assert!(scene.memory.idle().is_some_and(|wait| wait <= memory::IDLE_AFTER));
    while endless() {
        assert!(Instant::now() < limit, "it was not told that something is in use");
        std::thread::yield_now();
    }
    watcher.stop();
}
