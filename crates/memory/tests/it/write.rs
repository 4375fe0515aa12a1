//! Appending: where it goes, what separates notes, what is refused, and many writers at once.

use crate::support::Scene;
use jiff::civil::{Date, date};
use memory::{MAX_CONTENT_BYTES, MemoryError, Target};
use std::{collections::BTreeSet, fs, os::unix::fs::symlink, thread};

const DAY: Date = date(2026, 5, 1);

#[test]
fn each_target_has_its_file() {
    let scene = Scene::new();
    assert_eq!(scene.memory.write(Target::LongTerm, "Anna likes tea.", DAY).unwrap(), "MEMORY.md");
    assert_eq!(scene.memory.write(Target::Daily, "Met Anna.", DAY).unwrap(), "memory/2026-05-01.md");
    assert_eq!(scene.memory.write(Target::Daily, "Bought tea.", DAY).unwrap(), "memory/2026-05-01.md");
    assert_eq!(scene.text("MEMORY.md"), "Anna likes tea.\n");
    assert_eq!(scene.text("memory/2026-05-01.md"), "# 2026-05-01\n\nMet Anna.\n\nBought tea.\n");
    let targets: Vec<Target> = serde_json::from_str(r#"["long_term", "daily"]"#).unwrap();
    assert_eq!(targets, [Target::LongTerm, Target::Daily]);
}

#[test]
fn a_note_stands_as_a_paragraph_after_whatever_was_there() {
    let check = |before: &str, content: &str, after: &str| {
        let scene = Scene::new();
        scene.put("MEMORY.md", before);
        scene.memory.write(Target::LongTerm, content, DAY).unwrap();
        assert_eq!(scene.text("MEMORY.md"), after, "{before:?} + {content:?}");
    };
    check("", "new", "new\n");
    check("old", "new", "old\n\nnew\n");
    check("old\n", "new", "old\n\nnew\n");
    check("old\n\n", "new", "old\n\nnew\n");
    check("old\r\n\r\n", "new", "old\r\n\r\nnew\n");
    check("\n", "new", "\n\nnew\n");
    check("old\n", "\n\n  - a\n\n  - b\n\n\n", "old\n\n  - a\n\n  - b\n");
}

#[test]
fn what_is_no_note_is_refused_in_plain_words() {
    let scene = Scene::new();
    let check = |content: &str, expected: &str| {
        let error = scene.memory.write(Target::Daily, content, DAY).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    check("", "nothing to remember");
    check(" \n\t\r\n", "nothing to remember");
    check("a\0b", "NUL");
    check(&"x".repeat(MAX_CONTENT_BYTES + 1), "at most 262144: write it in parts");
    assert!(!scene.path("memory").exists(), "a refusal leaves no trace");
    scene.memory.write(Target::Daily, &"x".repeat(MAX_CONTENT_BYTES), DAY).unwrap();
}

#[test]
fn nothing_is_written_through_a_symlink() {
    let scene = Scene::new();
    let refused = |target| {
        let error = scene.memory.write(target, "secret", DAY).unwrap_err();
        assert!(matches!(error, MemoryError::Symlink(_)), "{error}");
    };
    fs::write(scene.outside("file.md"), "theirs\n").unwrap();
    symlink(scene.outside("file.md"), scene.path("MEMORY.md")).unwrap();
    refused(Target::LongTerm);
    symlink(scene.outside(""), scene.path("memory")).unwrap();
    refused(Target::Daily);
    fs::remove_file(scene.path("memory")).unwrap();
    fs::create_dir(scene.path("memory")).unwrap();
    symlink("../../outside/new.md", scene.path("memory/2026-05-01.md")).unwrap();
    refused(Target::Daily);
    assert_eq!(fs::read_to_string(scene.outside("file.md")).unwrap(), "theirs\n");
    assert_eq!(fs::read_dir(scene.outside("")).unwrap().count(), 1, "nothing was made outside");
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let scene = Scene::new();
    let check = || {
        let error = scene.memory.write(Target::LongTerm, "note", DAY).unwrap_err();
        assert!(matches!(error, MemoryError::NotAFile(_)), "{error}");
    };
    fs::create_dir(scene.path("MEMORY.md")).unwrap();
    check();
    fs::remove_dir(scene.path("MEMORY.md")).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, scene.path("MEMORY.md"), fifo, mode, 0).unwrap();
    check();
}

#[test]
fn many_writers_at_once_lose_and_mix_nothing() {
    let scene = Scene::new();
    let note = |writer: usize, number: usize| {
        format!("writer {writer} note {number}\n{}", format!("{writer} ").repeat(2_000).trim_end())
    };
    thread::scope(|scope| {
        for writer in 0..8 {
            let memory = scene.memory.clone();
            scope.spawn(move || {
                for number in 0..10 {
                    memory.write(Target::Daily, &note(writer, number), DAY).unwrap();
                }
            });
        }
    });
    let text = scene.text("memory/2026-05-01.md");
    let paragraphs: Vec<&str> = text.strip_suffix('\n').unwrap().split("\n\n").collect();
    assert_eq!(paragraphs[0], "# 2026-05-01");
    assert_eq!(paragraphs.len(), 81);
    let written: BTreeSet<String> = paragraphs[1..].iter().map(|it| (*it).to_owned()).collect();
    let expected = (0..8).flat_map(|writer| (0..10).map(move |number| note(writer, number)));
    assert_eq!(written, expected.collect());
}
