//! Searching: by words, by meaning, by both; line numbers, kinds and bounds.

use crate::support::{Meanings, Scene, found, places};
use jiff::civil::date;
use memory::{Fusion, Kind, MAX_HITS, Query, Target};
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
- the library lends out telescopes, and on the first Friday of each month it shows how to set one up on its roof garden,
  if it does not rain
";

#[test]
fn a_hit_names_the_lines_it_stands_on() {
    let scene = Scene::new();
    scene.put("MEMORY.md", NOTES);
    let check = |query: &str, expected: &[(usize, usize)]| {
        let hits = scene.found(query).hits;
        let lines: Vec<_> = hits.iter().map(|hit| (hit.line_start, hit.line_end)).collect();
        assert_eq!(lines, expected, "{query}");
        for hit in hits {
            let lines: Vec<&str> = NOTES.lines().collect();
            assert_eq!(hit.excerpt, lines[hit.line_start - 1..hit.line_end].join("\n"));
        }
    };
    check("bicycle", &[(7, 10)]);
    check("goethestrasse", &[]);
    check("GOETHESTRAßE", &[(14, 15), (7, 10)]);
    check("where can I borrow a telescope", &[(16, 17)]);
    check("people", &[(7, 10)]);
}

#[test]
fn what_was_written_is_found_at_once() {
    let scene = Scene::new();
    scene.memory.write(Target::Daily, "Met Anna.", date(2026, 5, 1)).unwrap();
    assert_eq!(scene.places("called"), []);
    scene.memory.write(Target::Daily, "Anna called.\nShe is well.", date(2026, 5, 1)).unwrap();
    let hits = scene.found("called").hits;
    assert_eq!(hits.len(), 1);
    assert_eq!(
        (hits[0].path.as_str(), hits[0].kind, hits[0].untrusted),
        ("memory/2026-05-01.md", Kind::Daily, false)
    );
    assert_eq!(hits[0].excerpt, "Met Anna.\n\nAnna called.\nShe is well.");
    assert!((0.0..=1.0).contains(&hits[0].score), "{}", hits[0].score);
}

#[test]
fn without_a_model_words_decide_and_it_is_said() {
    let scene = Scene::new();
    scene.put("memory/tea.md", "green tea and cake");
    scene.put("memory/other.md", "green walls");
    let found = scene.found("green tea");
    assert_eq!(found.remark.as_deref(), Some("keyword search only: no embedding model is set up"));
    assert_eq!(found.hits[0].path, "memory/tea.md");
    // An empty memory has nothing to remark upon.
    let empty = Scene::new().found("tea");
    assert_eq!((empty.hits.len(), empty.remark), (0, None));
}

#[test]
fn meaning_finds_what_words_do_not_and_words_what_meaning_does_not() {
    let scene = Scene::with(Meanings::new(), |_| {});
    scene.put("memory/health.md", "Toothache again; an appointment is on Monday.");
    scene.put("memory/work.md", "The build fails with ERR_4711 since Thursday.");
    scene.put("memory/other.md", "Error 47 and ERR 11 are harmless.");
    let by_meaning = scene.found("dentist");
    assert_eq!((by_meaning.hits[0].path.as_str(), by_meaning.remark), ("memory/health.md", None));
    let by_name = scene.found("what was ERR_4711 about?");
    assert_eq!(by_name.hits[0].path, "memory/work.md");
    assert!(by_name.hits.iter().all(|hit| hit.path != "memory/other.md"), "a name is found as it is spelled");
}

#[test]
fn a_model_that_fails_leaves_the_words() {
    let meanings = Meanings::new();
    let scene = Scene::with(meanings.clone(), |_| {});
    scene.put("MEMORY.md", "The dentist is called Anna.");
    *meanings.failure.lock().unwrap() = Some("the endpoint is down".into());
    let found = scene.found("dentist");
    assert_eq!(found.remark.as_deref(), Some("keyword search only: the endpoint is down"));
    assert_eq!(found.hits.len(), 1);
    *meanings.failure.lock().unwrap() = None;
    let found = scene.found("teeth");
    assert_eq!((found.hits.len(), found.remark), (1, None), "what could not be done is made up for");
}

#[test]
fn much_that_is_new_is_said_to_be_missing() {
    let meanings = Meanings::new();
    let scene = Scene::with(meanings.clone(), |_| {});
    for number in 0..50 {
        scene.put(&format!("memory/{number}.md"), format!("note {number}: {}", "a fine day ".repeat(20)));
    }
    let found = scene.found("dentist");
    assert_eq!(found.remark.as_deref(), Some("still indexing: 32 of 50 passages"));
    assert_eq!(scene.found("dentist").remark, None);
    assert_eq!(meanings.asked(), 52, "fifty passages and two queries");
}

#[test]
fn both_ways_of_fusion_put_first_what_both_searches_like() {
    for fusion in [Fusion::Weighted, Fusion::Rrf] {
        let scene = Scene::with(Meanings::new(), |settings| settings.fusion = fusion);
        scene.put("memory/both.md", "The bike shop opens at ten.");
        scene.put("memory/words.md", "The shop for shoes opens late.");
        scene.put("memory/neither.md", "Nothing to see.");
        let hits = scene.found("cycling shop").hits;
        assert_eq!(hits[0].path, "memory/both.md", "{fusion:?}");
        assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{hits:?}");
        assert!(hits.iter().all(|hit| hit.path != "memory/neither.md"));
    }
}

#[test]
fn a_score_below_the_least_is_not_shown() {
    let scene = Scene::with(Meanings::new(), |_| {});
    scene.put("MEMORY.md", "The bike, the tea and the dentist.");
    let hits = |min_score| {
        let query = Query { text: "vacation bike".into(), min_score: Some(min_score), ..Query::default() };
        scene.memory.search(&query).unwrap().hits.len()
    };
    assert_eq!((hits(0.2), hits(0.99)), (1, 0));
}

#[test]
fn a_kind_restricts_and_a_limit_limits() {
    let scene = Scene::with(Meanings::new(), |_| {});
    for path in ["MEMORY.md", "memory/2026-05-01.md", "memory/projects/tea.md", "AGENTS.md", "memory/tea.txt"]
    {
        scene.put(path, format!("tea in {path}"));
    }
    scene.put_transcript("terminal--default.jsonl", r#"{"role":"user","content":"I like tea"}"#);
    let check = |kind, expected: &[&str]| {
        let mut paths: Vec<_> =
            places(found(&scene.memory, "tea", kind)).into_iter().map(|it| it.0).collect();
        paths.sort();
        assert_eq!(paths, expected, "{kind:?}");
    };
    let all =
        ["MEMORY.md", "memory/2026-05-01.md", "memory/projects/tea.md", "sessions/terminal--default.jsonl"];
    check(None, &all);
    check(Some(Kind::LongTerm), &all[..1]);
    check(Some(Kind::Daily), &all[1..2]);
    check(Some(Kind::Note), &all[2..3]);
    check(Some(Kind::Transcript), &all[3..]);
    check(Some(Kind::Extra), &[]);
    let limited = |limit| {
        let query = Query { text: "tea".into(), limit: Some(limit), ..Query::default() };
        scene.memory.search(&query).unwrap().hits.len()
    };
    assert_eq!((limited(0), limited(2), limited(usize::MAX)), (0, 2, 4));
}

#[test]
fn a_rare_kind_is_found_behind_many_others() {
    let scene = Scene::with(Meanings::new(), |_| {});
    let many: String =
        (0..900).map(|number| format!("## {number}\n\nbike and bicycle {number}\n\n")).collect();
    scene.put("memory/many.md", many);
    scene.put("memory/2026-05-01.md", "Went cycling, had tea.");
    scene.memory.sync(&mut |_| {}).unwrap();
    let hits = found(&scene.memory, "bike", Some(Kind::Daily)).hits;
    assert_eq!(hits.len(), 1, "{hits:?}");
}

#[test]
fn extra_paths_are_searched_and_may_be_links() {
    let outside = tempfile::tempdir().unwrap();
    let (folder, link) = (outside.path().join("real"), outside.path().join("link"));
    fs::create_dir_all(folder.join("deep")).unwrap();
    fs::write(folder.join("deep/garden.md"), "Tulips are planted in October.").unwrap();
    fs::write(folder.join("secret.txt"), "tulips").unwrap();
    fs::write(outside.path().join("single.txt"), "Tulips need sun.").unwrap();
    symlink(&folder, &link).unwrap();
    symlink(outside.path().join("single.txt"), folder.join("inner.md")).unwrap();
    let single = outside.path().join("single.txt");
    let scene = Scene::with(Meanings::new(), |settings| {
        settings.extra_paths = vec![link.clone(), single.clone(), "/nowhere".into()];
    });
    let mut paths: Vec<_> = scene.places("tulips").into_iter().map(|it| it.0).collect();
    paths.sort();
    let garden = link.join("deep/garden.md").to_string_lossy().into_owned();
    assert_eq!(paths, [garden.clone(), single.to_string_lossy().into_owned()]);
    assert_eq!(scene.memory.get(&garden, None, None).unwrap().text, "Tulips are planted in October.");
}

#[test]
fn a_transcript_is_found_by_what_was_said_and_keeps_what_it_took_in() {
    let scene = Scene::new();
    let lines = [
        r#"{"role":"user","content":"My bike is red","timestamp":"2026-05-01T10:00:00Z"}"#,
        r#"{"role":"assistant","content":"Noted: a red bike.","timestamp":"2026-05-01T10:00:01Z"}"#,
        r#"{"role":"user","content":"Look at that page","timestamp":"2026-05-01T10:01:00Z"}"#,
        r#"{"role":"tool_use","content":"{\"url\":\"zebra\"}","toolName":"fetch"}"#,
        r#"{"role":"tool_result","content":"zebra zebra","toolName":"fetch","untrusted":true}"#,
        r#"{"role":"assistant","content":"It speaks of giraffes."}"#,
        r#"{"role":"user","content":"And elephants"}"#,
        r#"{"role":"assistant","content":"half a li"#,
    ];
    scene.put_transcript("web--1.jsonl", &lines.join("\n"));
    let hit = |query: &str| scene.found(query).hits.into_iter().next();
    let bike = hit("red bike").unwrap();
    assert_eq!((bike.line_start, bike.line_end, bike.untrusted, bike.kind), (1, 2, false, Kind::Transcript));
    assert_eq!(bike.excerpt, "User: My bike is red\nAssistant: Noted: a red bike.");
    let giraffe = hit("giraffes").unwrap();
    assert_eq!((giraffe.line_start, giraffe.line_end, giraffe.untrusted), (3, 6, true));
    assert!(hit("elephants").unwrap().untrusted, "what came in stays in");
    assert_eq!(hit("zebra"), None, "what tools gave is not remembered as said");
    let read = scene.memory.get("sessions/web--1.jsonl", Some(2), Some(2)).unwrap();
    assert_eq!(
        (read.text.as_str(), read.line_end, read.more),
        ("Assistant: Noted: a red bike.\nUser: Look at that page", 3, true)
    );
}

#[test]
fn only_what_is_searched_is_shown() {
    let scene = Scene::new();
    scene.put("MEMORY.md", "one\ntwo\nthree\n");
    scene.put("SOUL.md", "soul");
    fs::write(scene.root().join("data/token"), "secret").unwrap();
    fs::write(scene.root().join("data/sessions/.hidden.jsonl"), "{}").unwrap();
    let read = scene.memory.get("MEMORY.md", Some(2), Some(1)).unwrap();
    assert_eq!((read.line_start, read.line_end, read.text.as_str(), read.more), (2, 2, "two", true));
    let end = scene.memory.get("MEMORY.md", Some(9), None).unwrap();
    assert_eq!((end.text.as_str(), end.more), ("", false));
    let index = scene.index().to_string_lossy().into_owned();
    for path in [
        "SOUL.md",
        "sessions/../token",
        "sessions/.hidden.jsonl",
        "sessions/x.md",
        "../data/token",
        "/etc/passwd",
        "memory/../SOUL.md",
        index.as_str(),
        "",
    ] {
        let error = scene.memory.get(path, None, None).unwrap_err();
        assert!(error.to_string().contains("is not searched"), "{path}: {error}");
    }
    assert!(
        scene.memory.get("memory/none.md", None, None).unwrap_err().to_string().contains("there is no file")
    );
}

#[test]
fn a_query_without_words_is_refused_and_any_other_is_not() {
    let scene = Scene::new();
    scene.put("MEMORY.md", "Anna's e-mail is anna@example.org (NOT bob's) AND that is that");
    for text in ["", "  ", "?!"] {
        let error = scene.memory.search(&Query { text: text.into(), ..Query::default() }).unwrap_err();
        assert!(error.to_string().contains("nothing to look for"), "{error}");
    }
    let hostile = [
        "\"",
        "anna\"",
        "NEAR(anna",
        "anna*",
        "AND",
        "NOT anna",
        "-anna",
        "text:anna",
        "anna^2",
        "(",
        "a\0b",
        "'--",
    ];
    for text in hostile {
        if text.contains(char::is_alphanumeric) {
            scene.found(text);
        }
    }
    assert_eq!(scene.places("anna@example.org").len(), 1);
    scene.found(&"word ".repeat(100_000));
}

#[test]
fn words_are_found_inside_of_scripts_that_write_them_together_and_by_their_beginning() {
    let scene = Scene::new();
    scene.put("memory/tokyo.md", "明日の会議は三時です");
    scene.put("memory/doctor.md", "Die Ärztekammer hat geschrieben");
    assert_eq!(scene.places("会議"), [("memory/tokyo.md".into(), 1, 1)]);
    assert_eq!(scene.places("議会"), []);
    assert_eq!(scene.places("ärztek"), [("memory/doctor.md".into(), 1, 1)]);
    assert_eq!(scene.places("ARZTEKAMMER"), [("memory/doctor.md".into(), 1, 1)]);
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
    assert_eq!(scene.places("tea"), [("memory/2026-05-01.md".into(), 1, 1)]);
    assert!(scene.memory.get("memory/linked.md", None, None).unwrap_err().to_string().contains("symlink"));

    fs::remove_dir_all(scene.path("memory")).unwrap();
    symlink(scene.outside(""), scene.path("memory")).unwrap();
    assert_eq!(scene.places("tea"), []);
}

#[test]
fn answers_are_bounded() {
    let scene = Scene::new();
    let text: String = (0..300).map(|number| format!("# {number}\n\nfiller {number}\n\n")).collect();
    scene.put("MEMORY.md", text);
    let query = Query { text: "filler".into(), limit: Some(usize::MAX), ..Query::default() };
    assert_eq!(scene.memory.search(&query).unwrap().hits.len(), MAX_HITS);
}
