//! The rules of the house as tests: layers, sizes, module docs, names. What is measured is measured as
//! text, so formatted code is assumed.

use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Which room may know which, besides `protocol`, which all may. The same table stands in ARCHITECTURE.md.
const LAYERS: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("turn", &[]),
    ("schedule", &[]),
    ("embed", &[]),
    ("store", &[]),
    ("models", &["embed", "schedule"]),
    ("memory", &["embed"]),
    ("policy", &[]),
    ("sandbox", &[]),
    ("code", &["sandbox"]),
    ("tasks", &["store", "schedule"]),
    ("tools", &["sandbox", "memory", "tasks"]),
    ("agent", &["turn", "store", "models", "policy", "sandbox", "tools", "memory", "code"]),
    ("gateway", &["store", "memory", "tasks"]),
    (
        "steward",
        &[
            "agent", "gateway", "memory", "embed", "store", "models", "policy", "sandbox", "tools", "tasks",
            "schedule", "code",
        ],
    ),
    ("testkit", &["store", "memory", "embed", "code", "sandbox"]),
];

const MAX_FILE_LINES: usize = 400;
const MAX_FUNCTION_LINES: usize = 70;
const MAX_STRUCT_FIELDS: usize = 12;

/// Names that say nothing about what a thing is for.
const EMPTY_NAMES: &[&str] = &["manager", "util", "utils", "misc", "common", "service", "v2"];

/// Words that do not belong into a finished tree.
const UNFINISHED: &[&str] =
    &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];

#[test]
fn rooms_know_only_the_rooms_they_may() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    // An example is a client: it knows what goes over the wire and no room at all.
    let is_room = |package: &Package| package.manifest_path.starts_with(root().join("crates"));
    let rooms: BTreeSet<&str> =
        metadata.packages.iter().filter(|it| is_room(it)).map(|it| it.name.as_str()).collect();
    assert_eq!(rooms, allowed.keys().copied().collect(), "every room has a line in the table");
    for package in &metadata.packages {
        for dependency in &package.dependencies {
            let known = dependency.name.as_str();
            if !rooms.contains(known) || dependency.kind == DependencyKind::Development {
                continue;
            }
            let may = allowed.get(package.name.as_str());
            let knows = may.is_some_and(|may| known == "protocol" || may.contains(&known));
            assert!(knows, "`{}` must not know `{known}`", package.name);
        }
    }
}

#[test]
fn the_architecture_page_has_the_same_table() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (room, may) in LAYERS {
        let line = page.lines().find(|line| line.starts_with(&format!("| `{room}` |")));
        let line = line.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{room}`"));
        let listed = line.rsplit('|').nth(1).unwrap();
        let listed: BTreeSet<&str> = listed.split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, may.iter().copied().collect(), "what `{room}` may know, in ARCHITECTURE.md");
    }
}

#[test]
fn pure_rooms_have_no_way_to_the_outside() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    for package in metadata
        .packages
        .iter()
        .filter(|package| ["protocol", "turn", "policy", "schedule"].contains(&package.name.as_str()))
    {
        for dependency in package.dependencies.iter().filter(|it| it.kind == DependencyKind::Normal) {
            let impure = ["tokio", "rusqlite", "reqwest", "rand", "futures"];
            assert!(
                !impure.contains(&dependency.name.as_str()),
                "`{}` uses {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn only_few_rooms_know_sql() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    for package in &metadata.packages {
        let knows = |it: &cargo_metadata::Dependency| {
            it.name == "rusqlite" && it.kind == DependencyKind::Normal && !it.optional
        };
        if package.dependencies.iter().any(knows) {
            // What `store` keeps is the truth; what `memory` keeps follows from files and may be deleted at any time.
            assert!(["store", "memory"].contains(&package.name.as_str()), "`{}` knows SQL", package.name);
        }
    }
}

#[test]
fn unsafe_code_stands_in_few_places() {
    /// Folders and files that may hold it: each says why.
    const PLACES: &[&str] = &[
        "crates/sandbox/",
        "crates/code/src/alloc.rs",
        "crates/code/src/bytecode.rs",
        "crates/embed/src/kernel.rs",
        "crates/memory/src/dot.rs",
        "crates/testkit/src/bin/bench-memory/extension.rs",
    ];
    let mut elsewhere = Vec::new();
    for (path, text) in rust_files() {
        let path = path.strip_prefix(root()).unwrap().display().to_string();
        let allows =
            text.lines().any(|line| line.trim_start().starts_with(concat!("#![allow(unsafe", "_code)]")));
        if allows && !PLACES.iter().any(|place| path.starts_with(place)) {
            elsewhere.push(path);
        }
    }
    assert_eq!(elsewhere, Vec::<String>::new());
}

#[test]
fn every_file_opens_with_its_responsibility() {
    let silent: Vec<PathBuf> =
        rust_files().into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|it| it.0).collect();
    assert_eq!(silent, Vec::<PathBuf>::new(), "files that do not begin with `//!`");
}

#[test]
fn files_functions_and_structs_stay_small() {
    let mut too_big = Vec::new();
    for (path, text) in rust_files().into_iter().filter(|(path, _)| !is_test(path)) {
        let lines = production_lines(&text);
        if lines.len() > MAX_FILE_LINES {
            too_big.push(format!("{}: {} lines", path.display(), lines.len()));
        }
        for (name, body) in blocks(&lines, is_function) {
            if body.len() > MAX_FUNCTION_LINES {
                too_big.push(format!("{}: `{name}` has {} lines", path.display(), body.len()));
            }
        }
        for (name, body) in blocks(&lines, is_struct) {
            let indent = indent_of(body[0]) + 4;
            let fields = body.iter().filter(|line| indent_of(line) == indent && is_field(line)).count();
            if fields > MAX_STRUCT_FIELDS {
                too_big.push(format!("{}: `{name}` has {fields} fields", path.display()));
            }
        }
    }
    assert_eq!(too_big, Vec::<String>::new());
}

#[test]
fn names_say_what_things_are_for() {
    let mut empty = Vec::new();
    for (path, text) in rust_files() {
        let stem = path.file_stem().unwrap().to_string_lossy().to_lowercase();
        if EMPTY_NAMES.contains(&stem.as_str()) {
            empty.push(path.display().to_string());
        }
        for line in text.lines().filter(|line| is_struct(line) || line.trim_start().starts_with("mod ")) {
            let lower = line.to_lowercase();
            if EMPTY_NAMES
                .iter()
                .any(|name| lower.split(|c: char| !c.is_alphanumeric()).any(|word| word.ends_with(name)))
            {
                empty.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert_eq!(empty, Vec::<String>::new());
}

#[test]
fn nothing_is_left_for_later() {
    let mut left = Vec::new();
    for (path, text) in rust_files() {
        for (number, line) in (1..).zip(text.lines()) {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric());
            if words.into_iter().any(|word| UNFINISHED.contains(&word)) {
                left.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn no_error_is_swallowed_silently() {
    let mut swallowed = Vec::new();
    for (path, text) in rust_files().into_iter().filter(|(path, _)| !is_test(path)) {
        for line in production_lines(&text) {
            if line.trim_start().starts_with("let _ = ") {
                swallowed.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert_eq!(swallowed, Vec::<String>::new());
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn rust_files() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("crates"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    assert!(files.len() > 50, "the tree was not found");
    files
}

fn is_test(path: &Path) -> bool {
    let test_folder =
        path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "testkit");
    test_folder || path.file_name().is_some_and(|name| name == "tests.rs")
}

/// The lines outside `#[cfg(test)]` items.
fn production_lines(text: &str) -> Vec<&str> {
    let mut production = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !line.trim_start().starts_with("#[cfg(test)]") {
            production.push(line);
            continue;
        }
        let end = format!("{}}}", " ".repeat(indent_of(line)));
        let first = lines.next().unwrap_or_default();
        if first.ends_with('{') {
            lines.by_ref().find(|line| *line == end);
        }
    }
    production
}

/// Items that begin at a line for which `begins` holds, to the closing brace at the same indent.
fn blocks<'a>(lines: &[&'a str], begins: fn(&str) -> bool) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins(line)) {
        let end = format!("{}}}", " ".repeat(indent_of(line)));
        let length = lines[start..].iter().position(|line| *line == end).map_or(1, |last| last + 1);
        found.push((line.trim(), lines[start..start + length].to_vec()));
    }
    found
}

fn is_function(line: &str) -> bool {
    let words: Vec<&str> = line.trim_start().split(' ').collect();
    words.iter().take(5).any(|word| *word == "fn")
        && !line.trim_start().starts_with("//")
        && !line.ends_with(';')
}

fn is_struct(line: &str) -> bool {
    let words: Vec<&str> = line.trim_start().split(' ').collect();
    words.iter().take(3).any(|word| *word == "struct") && !line.trim_start().starts_with("//")
}

fn is_field(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with("//") && !line.starts_with('#') && line.contains(": ")
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
