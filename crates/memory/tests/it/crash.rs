//! Several processes at one index, and one that is killed in the middle. The other process is this test binary again.

use crate::support::{Meanings, Scene, found, places, settings};
use memory::{Memory, Query, Stage};
use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

const ROOT: &str = "MEMORY_TEST_ROOT";
const FILES: usize = 120;
/// Paragraphs of the newest file, which is read first and takes a while.
const LARGE: usize = 1_500;

/// Does nothing unless it is the other process: then it brings the index up to date and says how far it is.
#[test]
fn other_process() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let memory = Memory::new(settings(&PathBuf::from(root)), Meanings::new());
    let synced = memory.sync(&mut |at| {
        let stage = if at.stage == Stage::Reading { "reading" } else { "embedding" };
        println!("\nat {stage} {}", at.done);
    });
    synced.unwrap();
    println!("\nat end");
}

fn start(scene: &Scene) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::other_process", "--nocapture"])
        .env(ROOT, scene.root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn scene() -> Scene {
    let scene = Scene::with(Meanings::new(), |_| {});
    for number in 0..FILES {
        let long = "and so it went on and on and on ".repeat(6);
        scene.put(
            &format!("memory/{number}.md"),
            format!("tulip n{number}n {long}\n\nrose n{number}n {long}"),
        );
    }
    let large: String =
        (0..LARGE).map(|number| format!("large l{number}l {}\n\n", "on and on and on ".repeat(10))).collect();
    scene.put("memory/large.md", large);
    scene
}

fn check(memory: &Memory) {
    memory.sync(&mut |_| {}).unwrap();
    for number in (0..FILES).step_by(7) {
        let query = Query { text: format!("n{number}n"), limit: Some(100), ..Query::default() };
        let hits = places(memory.search(&query).unwrap());
        let path = format!("memory/{number}.md");
        let mut hits: Vec<_> = hits.into_iter().filter(|hit| hit.0 == path).collect();
        hits.sort();
        assert_eq!(hits, [(path.clone(), 1, 1), (path, 3, 3)]);
    }
    for number in [0, LARGE / 2, LARGE - 1] {
        let query = Query { text: format!("l{number}l"), limit: Some(100), ..Query::default() };
        let line = 2 * number + 1;
        let hits = places(memory.search(&query).unwrap());
        assert!(hits.contains(&("memory/large.md".into(), line, line)), "l{number}l is not found");
    }
    let (status, chunks) = (memory.status().unwrap(), 2 * FILES + LARGE);
    assert_eq!((status.files, status.chunks, status.embedded), (FILES + 1, chunks, chunks));
    assert!(status.probe.is_ready());
}

#[test]
fn a_process_killed_while_indexing_leaves_an_index_that_is_right() {
    for point in ["at reading 0", "at reading 40", "at reading 119", "at embedding 0", "at embedding 960"] {
        let scene = scene();
        let mut child = start(&scene);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let reached = lines.map_while(Result::ok).any(|line| line == point);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(reached, "it never came to `{point}`");
        check(&scene.memory);
    }
}

#[test]
fn two_processes_at_once_agree() {
    let scene = scene();
    let mut children = [start(&scene), start(&scene)];
    for number in 0..10 {
        found(&scene.memory, &format!("n{number}n"), None);
    }
    for child in &mut children {
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "at end"));
        assert!(child.wait().unwrap().success());
    }
    check(&scene.memory);
}
