//! Searching: order, line numbers, kinds and bounds.

use crate::support::Scene;
use jiff::civil::date;
use memory::{Hit, Kind, MAX_HITS, Target};
use std::{fs, os::unix::fs::symlink};

const NOTES: &str = "\
# Memory

Things that stay true.

## People

Anna is the dentist; she works on Tuesdays.
Her practice is in the Goethestraße.

Ben fixes bicycles.

## Places

- the Goethestraße has a good bakery
- the market is open on Tuesdays
";

fn found(scene: &Scene, query: &str, kind: Option<Kind>) -> Vec<(String, usize, usize)> {
    let hits = scene.memory.search(query, kind, 10).unwrap();
    hits.into_iter().map(|hit| (hit.path, hit.line_start, hit.line_end)).collect()
}

#[test]
fn a_hit_names_the_lines_it_stands_on() {
    let scene = Scene::new();
    scene.put("MEMORY.md", NOTES);
    let check = |query: &str, expected: &[(usize, usize)]| {
        let hits = scene.memory.search(query, None, 10).unwrap();
        let lines: Vec<_> = hits.iter().map(|hit| (hit.line_start, hit.line_end)).collect();
        assert_eq!(lines, expected, "{query}");
        for hit in hits {
            let lines: Vec<&str> = NOTES.lines().collect();
            assert_eq!(hit.excerpt, lines[hit.line_start - 1..hit.line_end].join("\n"));
        }
    };
    check("bicycles", &[(10, 10)]);
    check("GOETHESTRASSE", &[]);
    check("GOETHESTRAßE", &[(12, 15), (5, 8)]);
    check("where is the dentist on Tuesday", &[(5, 8), (12, 15)]);
    check("people", &[(5, 8)]);
    let hits = scene.memory.search("bicycles", None, 10).unwrap();
    let expected = r#"[{"path":"MEMORY.md","excerpt":"Ben fixes bicycles.","line_start":10,"line_end":10}]"#;
    assert_eq!(serde_json::to_string(&hits).unwrap(), expected);
}

#[test]
fn what_was_written_is_found() {
    let scene = Scene::new();
    scene.memory.write(Target::Daily, "Met Anna.", date(2026, 5, 1)).unwrap();
    scene.memory.write(Target::Daily, "Anna called.\nShe is well.", date(2026, 5, 1)).unwrap();
    let hits = scene.memory.search("called", None, 10).unwrap();
    let excerpt = "Anna called.\nShe is well.".into();
    assert_eq!(hits, [Hit { path: "memory/2026-05-01.md".into(), excerpt, line_start: 5, line_end: 6 }]);
}

#[test]
fn more_words_come_before_more_often_before_newer() {
    let scene = Scene::new();
    scene.put("memory/2026-05-03.md", "tea\n\ntea tea tea");
    scene.put("memory/2026-05-01.md", "green tea");
    scene.put("memory/2026-05-04.md", "tea");
    scene.put("memory/archive/2026-05-02.md", "tea");
    let expected = [
        ("memory/2026-05-01.md", 1),
        ("memory/2026-05-03.md", 3),
        ("memory/2026-05-04.md", 1),
        ("memory/2026-05-03.md", 1),
        ("memory/archive/2026-05-02.md", 1),
    ];
    assert_eq!(found(&scene, "Green TEA", None), expected.map(|(path, line)| (path.into(), line, line)));
    let first_two = scene.memory.search("green tea", None, 2).unwrap();
    assert_eq!(
        first_two.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(),
        [expected[0].0, expected[1].0]
    );
    assert_eq!(scene.memory.search("green tea", None, 0).unwrap(), []);
}

#[test]
fn a_kind_restricts() {
    let scene = Scene::new();
    for path in ["MEMORY.md", "memory/2026-05-01.md", "memory/projects/tea.md", "AGENTS.md", "memory/tea.txt"]
    {
        scene.put(path, "tea");
    }
    let check = |kind, expected: &[&str]| {
        let mut paths: Vec<_> = found(&scene, "tea", kind).into_iter().map(|hit| hit.0).collect();
        paths.sort();
        assert_eq!(paths, expected, "{kind:?}");
    };
    check(None, &["MEMORY.md", "memory/2026-05-01.md", "memory/projects/tea.md"]);
    check(Some(Kind::LongTerm), &["MEMORY.md", "memory/projects/tea.md"]);
    check(Some(Kind::Daily), &["memory/2026-05-01.md"]);
}

#[test]
fn a_query_without_words_is_refused_and_an_empty_memory_answers_nothing() {
    let scene = Scene::new();
    for query in ["", "  ", "?!"] {
        let error = scene.memory.search(query, None, 10).unwrap_err();
        assert!(error.to_string().contains("nothing to look for"), "{error}");
    }
    assert_eq!(scene.memory.search("tea", None, 10).unwrap(), []);
}

#[test]
fn symlinks_lead_nowhere() {
    let scene = Scene::new();
    fs::write(scene.outside("private.md"), "tea").unwrap();
    scene.put("memory/2026-05-01.md", "tea");
    symlink(scene.outside("private.md"), scene.path("MEMORY.md")).unwrap();
    symlink(scene.outside("private.md"), scene.path("memory/linked.md")).unwrap();
    symlink(scene.outside(""), scene.path("memory/folder")).unwrap();
    symlink("..", scene.path("memory/round")).unwrap();
    assert_eq!(found(&scene, "tea", None), [("memory/2026-05-01.md".into(), 1, 1)]);

    fs::remove_dir_all(scene.path("memory")).unwrap();
    symlink(scene.outside(""), scene.path("memory")).unwrap();
    assert_eq!(found(&scene, "tea", None), []);
}

#[test]
fn files_and_answers_are_bounded() {
    let scene = Scene::new();
    let mut text = "filler\n\n".repeat(2 * 1024 * 1024 / 8);
    text.replace_range(..6, "early ");
    text.push_str("late\n");
    scene.put("MEMORY.md", &text);
    assert_eq!(found(&scene, "early", None), [("MEMORY.md".into(), 1, 1)]);
    assert_eq!(found(&scene, "late", None), []);
    assert_eq!(scene.memory.search("filler", None, usize::MAX).unwrap().len(), MAX_HITS);

    scene.put("memory/2026-05-01.md", b"caf\xe9 tea\n\xff\xfe");
    assert_eq!(found(&scene, "tea", None), [("memory/2026-05-01.md".into(), 1, 2)]);
    // With the file above these are 2,001 days; the oldest is the one left out.
    for (day, number) in date(2019, 1, 1).series(jiff::Span::new().days(1)).zip(0..2_000) {
        scene.put(&format!("memory/{day}.md"), format!("number n{number}n"));
    }
    assert_eq!(found(&scene, "n0n", Some(Kind::Daily)), []);
    assert_eq!(found(&scene, "n1n", Some(Kind::Daily)), [("memory/2019-01-02.md".into(), 1, 1)]);
}
