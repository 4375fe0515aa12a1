//! Looking through the files and changing one: what is listed, what is read whole, and that nothing another hand
//! wrote is written over.

use crate::support::Scene;
use jiff::civil::date;
use memory::{MemoryError, Target};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

#[test]
fn files_are_listed_the_newest_day_first() {
    let scene = Scene::new();
    assert_eq!(scene.memory.list().unwrap(), []);
    for path in
        ["memory/2026-05-01.md", "memory/2026-05-02.md", "memory/.hidden.md", "memory/other.txt", "SOUL.md"]
    {
        scene.put(path, "12345");
    }
    symlink(scene.outside("x.md"), scene.path("memory/link.md")).unwrap();
    let listed = scene.memory.list().unwrap();
    let shown: Vec<(&str, u64)> = listed.iter().map(|file| (file.path.as_str(), file.bytes)).collect();
    assert_eq!(shown, [("memory/2026-05-02.md", 5), ("memory/2026-05-01.md", 5)]);
    assert!(jiff::Timestamp::now().duration_since(listed[0].modified_at).as_secs().abs() < 3600);
}

#[test]
fn a_text_is_saved_over_the_one_that_was_read_and_over_no_other() {
    let scene = Scene::new();
    scene.put("memory/projects/garden.md", "Roses\n");
    fs::set_permissions(scene.path("memory/projects/garden.md"), fs::Permissions::from_mode(0o640)).unwrap();
    let path = "memory/projects/garden.md";
    let read = scene.memory.read(path).unwrap();
    assert_eq!(read.text, "Roses\n");
    let hash = scene.memory.save(path, "Roses and tulips\n", &read.hash).unwrap();
    assert_eq!(scene.text(path), "Roses and tulips\n");
    assert_eq!(scene.memory.read(path).unwrap().hash, hash);
    assert_eq!(fs::metadata(scene.path(path)).unwrap().permissions().mode() & 0o777, 0o640);
    let stale = scene.memory.save(path, "mine", &read.hash).unwrap_err();
    assert_eq!(stale.to_string(), "the file was changed meanwhile");
    assert_eq!(scene.text(path), "Roses and tulips\n");
    assert_eq!(scene.memory.save(path, "", &hash).map(|_| scene.text(path)).unwrap(), "");
    fs::remove_file(scene.path(path)).unwrap();
    assert!(matches!(scene.memory.save(path, "x", &hash), Err(MemoryError::Changed)));
    assert_eq!(fs::read_dir(scene.path("memory/projects")).unwrap().count(), 0, "nothing is left beside it");
}

#[test]
fn a_note_written_meanwhile_is_not_lost() {
    let scene = Scene::new();
    scene.memory.write(Target::LongTerm, "one", date(2026, 5, 1)).unwrap();
    let read = scene.memory.read("MEMORY.md").unwrap();
    scene.memory.write(Target::LongTerm, "two", date(2026, 5, 1)).unwrap();
    assert!(matches!(scene.memory.save("MEMORY.md", "changed", &read.hash), Err(MemoryError::Changed)));
    assert_eq!(scene.text("MEMORY.md"), "one\n\ntwo\n");
}

#[test]
fn only_what_is_memory_is_read_and_saved() {
    let scene = Scene::new();
    scene.put("SOUL.md", "soul");
    fs::write(scene.outside("x.md"), "theirs").unwrap();
    let check = |path: &str, expected: &str| {
        for error in [scene.memory.read(path).unwrap_err(), scene.memory.save(path, "x", "").unwrap_err()] {
            assert!(error.to_string().contains(expected), "{path}: {error}");
        }
    };
    for path in [
        "",
        "SOUL.md",
        "/etc/passwd",
        "memory",
        "memory/",
        "memory/x.txt",
        "memory/../SOUL.md",
        "../outside/x.md",
        "memory//x.md",
        "memory/.x.md",
        "memory/./x.md",
        "memory/.git/x.md",
        "./MEMORY.md",
        "memory/a\0.md",
        "memoryx.md",
    ] {
        check(path, "is no file of the memory");
    }
    assert!(scene.memory.read("memory/none.md").unwrap_err().to_string().contains("there is no file"));
    fs::create_dir(scene.path("memory")).unwrap();
    symlink(scene.outside("x.md"), scene.path("memory/link.md")).unwrap();
    check("memory/link.md", "symlink");
    symlink(scene.outside(""), scene.path("memory/folder")).unwrap();
    check("memory/folder/x.md", "symlink");
    scene.put("memory/bytes.md", b"\xff\xfe");
    check("memory/bytes.md", "not text");
    scene.put("memory/long.md", "x".repeat((2 << 20) + 1));
    check("memory/long.md", "too long");
    scene.put("MEMORY.md", "x");
    let hash = scene.memory.read("MEMORY.md").unwrap().hash;
    assert!(scene.memory.save("MEMORY.md", "a\0b", &hash).unwrap_err().to_string().contains("NUL"));
    assert_eq!(fs::read_to_string(scene.outside("x.md")).unwrap(), "theirs");
}
