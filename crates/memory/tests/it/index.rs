//! The index as a cache: whatever happens to it or to the files, the answers are those of the files.

use crate::support::{Meanings, Scene, found, places};
use jiff::civil::date;
use memory::{NoVectors, Probe, Progress, Stage, Target};
use std::{fs, io::Write as _, sync::Arc, thread};

/// Paragraphs long enough to stand alone.
fn paragraphs(word: &str, count: usize) -> String {
    (0..count)
        .map(|number| format!("{word} number {number}. {}\n\n", "And so it went on and on. ".repeat(7)))
        .collect()
}

#[test]
fn an_index_that_cannot_be_used_is_made_anew() {
    type Breaking = fn(&[u8]) -> Vec<u8>;
    let break_it: [(&str, Breaking); 5] = [
        ("cut off", |bytes| bytes[..bytes.len() / 2].to_vec()),
        ("cut off inside of its head", |bytes| bytes[..50].to_vec()),
        ("garbage", |_| b"this was never a database, but it is long enough to look like one".repeat(200)),
        ("empty", |_| Vec::new()),
        ("garbage in the middle", |bytes| {
            let mut bytes = bytes.to_vec();
            for byte in bytes.iter_mut().skip(4096) {
                *byte = 0x5a;
            }
            bytes
        }),
    ];
    for (name, change) in break_it {
        let scene = Scene::new();
        scene.put("MEMORY.md", paragraphs("tulip", 200));
        let first = scene.another(Arc::new(NoVectors));
        assert_eq!(places(found(&first, "tulip", None)).len(), 10);
        drop(first);
        let broken = change(&closed_index(&scene));
        for beside in ["memory.db-wal", "memory.db-shm"] {
            fs::remove_file(scene.root().join("data").join(beside)).ok();
        }
        fs::write(scene.index(), broken).unwrap();
        let memory = scene.another(Arc::new(NoVectors));
        assert_eq!(places(found(&memory, "tulip", None)).len(), 10, "{name}");
        assert!(memory.status().unwrap().probe.is_ready(), "{name}");
    }
}

#[test]
fn an_index_that_breaks_or_goes_while_it_is_open_is_made_anew() {
    let scene = Scene::new();
    scene.put("MEMORY.md", paragraphs("tulip", 200));
    assert_eq!(scene.places("tulip").len(), 10);
    fs::remove_file(scene.index()).unwrap();
    assert_eq!(scene.places("tulip").len(), 10);
    assert!(scene.index().exists());
    fs::remove_dir_all(scene.root().join("data")).unwrap();
    assert_eq!(scene.places("tulip").len(), 10);
    // In place, under the eyes of whoever has it open.
    fs::write(scene.index(), b"no database at all ".repeat(5_000)).unwrap();
    fs::write(scene.root().join("data/memory.db-wal"), b"nor this ".repeat(5_000)).unwrap();
    assert_eq!(scene.places("tulip").len(), 10);
    scene.put("memory/new.md", "daffodil");
    assert_eq!(scene.places("daffodil").len(), 1);
}

#[test]
fn an_index_of_another_version_is_made_anew() {
    let scene = Scene::new();
    scene.put("MEMORY.md", "tulips");
    assert_eq!(scene.places("tulips").len(), 1);
    closed_index(&scene);
    let other = rusqlite::Connection::open(scene.index()).unwrap();
    other.execute_batch("DROP TABLE chunks; PRAGMA user_version = 99").unwrap();
    drop(other);
    assert_eq!(places(found(&scene.another(Arc::new(NoVectors)), "tulips", None)).len(), 1);
}

/// The index with everything in one file, as it is when all who used it have gone.
fn closed_index(scene: &Scene) -> Vec<u8> {
    let connection = rusqlite::Connection::open(scene.index()).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    fs::read(scene.index()).unwrap()
}

#[test]
fn the_index_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new();
    scene.put("MEMORY.md", "tulips");
    scene.found("tulips");
    for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let mode = fs::metadata(scene.root().join("data").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
}

#[test]
fn what_is_deleted_renamed_or_changed_is_found_as_it_is_now() {
    let meanings = Meanings::new();
    let scene = Scene::with(meanings.clone(), |_| {});
    scene.put("memory/a.md", paragraphs("tulip", 20));
    scene.put("memory/b.md", "roses are red");
    assert_eq!(scene.places("tulip").len(), 10);
    meanings.asked();

    fs::rename(scene.path("memory/a.md"), scene.path("memory/c.md")).unwrap();
    let hits = scene.places("tulip");
    assert!(hits.len() == 10 && hits.iter().all(|hit| hit.0 == "memory/c.md"), "{hits:?}");
    assert_eq!(meanings.asked(), 1, "the query, and nothing of the file that has another name");

    scene.put(
        "memory/c.md",
        format!("A new beginning. {}\n\n{}", "Rather long. ".repeat(15), paragraphs("tulip", 20)),
    );
    assert!(scene.places("tulip number 0").contains(&("memory/c.md".into(), 3, 3)));
    assert_eq!(meanings.asked(), 2, "the query and the new paragraph");

    fs::remove_file(scene.path("memory/c.md")).unwrap();
    assert_eq!(scene.places("tulip"), []);
    assert_eq!(scene.places("roses"), [("memory/b.md".into(), 1, 1)]);
    // As long as before, and as young as the clock can tell.
    scene.put("memory/b.md", "lilac is red.");
    assert_eq!(scene.places("lilac"), [("memory/b.md".into(), 1, 1)]);
    assert_eq!(scene.places("roses"), []);
}

#[test]
fn another_model_makes_all_vectors_anew_and_the_first_ones_are_kept() {
    let meanings = Meanings::new();
    let scene = Scene::with(meanings.clone(), |_| {});
    scene.put("MEMORY.md", "The bike is red.");
    let ask = |expected: usize| {
        assert_eq!(scene.found("cycling").hits.len(), 1);
        assert_eq!(meanings.asked(), expected);
    };
    ask(2);
    *meanings.fingerprint.lock().unwrap() = "meanings 2".into();
    ask(2);
    *meanings.fingerprint.lock().unwrap() = "meanings 1".into();
    ask(1);
}

#[test]
fn a_very_long_file_is_indexed_up_to_a_point_and_it_is_said() {
    let scene = Scene::new();
    let mut file = {
        fs::create_dir_all(scene.path("memory")).unwrap();
        fs::File::create(scene.path("memory/huge.md")).unwrap()
    };
    writeln!(file, "early bird\n").unwrap();
    let block = format!("{} \n\n", "a-very-long-word".repeat(60).replace('-', "")).repeat(1_200);
    for _ in 0..60 {
        file.write_all(block.as_bytes()).unwrap();
    }
    writeln!(file, "late bird").unwrap();
    assert!(file.metadata().unwrap().len() > 50 << 20);
    assert_eq!(scene.places("early"), [("memory/huge.md".into(), 1, 1)]);
    assert_eq!(scene.places("late"), []);
    let status = scene.memory.status().unwrap();
    assert_eq!((status.files, status.cut, status.binary), (1, 1, 0));
    assert!(scene.memory.get("memory/huge.md", None, Some(1)).unwrap().more);

    scene.put("memory/line.md", "ä".repeat(30 << 20));
    scene.found("early");
    assert_eq!(scene.memory.status().unwrap().cut, 2, "one line without an end is text too");
}

#[test]
fn what_is_not_text_is_left_out_and_counted() {
    let scene = Scene::new();
    scene.put("memory/picture.md", b"tulip \x00\x01\x02");
    scene.put("memory/latin1.md", b"tulip caf\xe9");
    scene.put("memory/good.md", "tulip");
    scene.put("memory/empty.md", "");
    assert_eq!(scene.places("tulip"), [("memory/good.md".into(), 1, 1)]);
    let status = scene.memory.status().unwrap();
    assert_eq!((status.files, status.binary, status.chunks), (4, 2, 1));
    scene.put("memory/picture.md", "tulip as text");
    assert_eq!(scene.places("tulip").len(), 2);
}

#[test]
fn many_files_at_once_are_taken_in_part_by_part_and_it_is_said() {
    let scene = Scene::new();
    for number in 0..5 {
        scene.put(&format!("memory/{number}.md"), format!("tulip {number}\n{}", "\n".repeat(8_000_000)));
    }
    let remark = scene.found("tulip").remark.unwrap();
    assert!(remark.contains("2 files are not read yet"), "{remark}");
    let remark = scene.found("tulip").remark.unwrap();
    assert!(!remark.contains("not read yet"), "{remark}");
    assert_eq!(scene.places("tulip").len(), 5);
}

#[test]
fn a_status_is_ready_only_if_a_search_finds_something() {
    let scene = Scene::with(Meanings::new(), |_| {});
    let status = scene.memory.status().unwrap();
    assert_eq!((status.probe.clone(), status.chunks), (Probe::Empty, 0));
    assert!(!status.probe.is_ready());
    scene.put("MEMORY.md", "The bike is red.");
    let status = scene.memory.status().unwrap();
    let expected =
        Probe::Found { query: "bike red".into(), path: "MEMORY.md".into(), place: 1, remark: None };
    assert_eq!(status.probe, expected);
    assert_eq!((status.files, status.chunks, status.embedded, status.pending), (1, 1, 1, 0));
    assert_eq!(status.model.as_deref(), Ok("meanings"));
    assert!(status.bytes > 0);
}

#[test]
fn a_sync_does_it_all_and_says_how_far_it_is() {
    let meanings = Meanings::new();
    let scene = Scene::with(meanings.clone(), |_| {});
    scene.put("memory/a.md", paragraphs("tulip", 100));
    scene.put("memory/b.md", paragraphs("rose", 100));
    let mut seen: Vec<Progress> = Vec::new();
    let synced = scene.memory.sync(&mut |progress| seen.push(progress)).unwrap();
    assert_eq!(
        (synced.changed, synced.gone, synced.left, synced.embedded, synced.remark),
        (2, 0, 0, 200, None)
    );
    assert_eq!(seen[0], Progress { stage: Stage::Reading, done: 0, total: 2 });
    let last = seen.last().unwrap();
    assert!(last.stage == Stage::Embedding && last.total == 200 && last.done < 200, "{last:?}");
    assert_eq!(scene.memory.sync(&mut |_| {}).unwrap().changed, 0);
    meanings.asked();
    assert_eq!(scene.memory.reindex(&mut |_| {}).unwrap().embedded, 200);
    assert_eq!(meanings.asked(), 200, "made anew means anew");
    assert_eq!(scene.places("tulip").len(), 10);
}

#[test]
fn a_file_edited_while_it_is_searched_is_found_as_it_is_in_the_end() {
    let scene = Scene::with(Meanings::new(), |_| {});
    scene.put("memory/a.md", "start");
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..200 {
                scene.put(
                    "memory/a.md",
                    format!("version v{number}v\n\n{}", paragraphs("filler", number % 7)),
                );
            }
        });
        for _ in 0..50 {
            for hit in scene.found("version").hits {
                assert!(hit.excerpt.starts_with("version v"), "{}", hit.excerpt);
            }
        }
    });
    assert_eq!(scene.places("v199v").len(), 1);
    assert_eq!(scene.places("v198v"), []);
}

#[test]
fn notes_written_while_others_search_and_edit_are_all_there() {
    let scene = Scene::with(Meanings::new(), |_| {});
    scene.memory.write(Target::LongTerm, "tulip beginning", date(2026, 5, 1)).unwrap();
    thread::scope(|scope| {
        for writer in 0..3 {
            let memory = scene.memory.clone();
            scope.spawn(move || {
                for number in 0..20 {
                    memory
                        .write(Target::LongTerm, &format!("tulip w{writer}n{number}w"), date(2026, 5, 1))
                        .unwrap();
                }
            });
        }
        scope.spawn(|| {
            for number in 0..20 {
                let read = scene.memory.read("MEMORY.md").unwrap();
                let text = format!("{}\ntulip edit e{number}e\n", read.text);
                // Refused is all right: then nothing is lost.
                scene.memory.save("MEMORY.md", &text, &read.hash).ok();
            }
        });
        for _ in 0..20 {
            scene.found("tulip");
        }
    });
    let text = scene.text("MEMORY.md");
    for writer in 0..3 {
        for number in 0..20 {
            let note = format!("w{writer}n{number}w");
            assert!(text.contains(&note), "{note} was lost");
            assert!(
                scene.found(&note).hits.iter().any(|hit| hit.excerpt.contains(&note)),
                "{note} is not found"
            );
        }
    }
}
