//! What the analysis finds is what bash runs. Random scripts that are understood are given to a real bash with
//! no programs to find; every command it then misses must be one the analysis listed, word for word.

use crate::shell;
use proptest::prelude::*;
use std::{
    collections::BTreeSet,
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
};

/// How bash reports a command it cannot find: its words and a last one that ends it, in one write.
const REPORTER: &str = "command_not_found_handle() { printf '%s\\0' \"$@\" $'\\1'; } >&9; ";

/// Each costs a start of bash.
const CASES: u32 = 300;

static RUNS: AtomicUsize = AtomicUsize::new(0);

fn script() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "ls",
        "cat",
        "git",
        "x",
        "a",
        "b.txt",
        " ",
        " ",
        " ",
        " ",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "(",
        ")",
        "{ ",
        "; }",
        "\"",
        "'",
        "\\",
        "\\ ",
        "\n",
        "<in",
        ">out",
        ">>out",
        " <<E\n",
        "\nE\n",
        "<<<",
        "#",
        "!",
        "if ",
        "then ",
        "fi",
        "for i in ",
        "do ",
        "done",
        "else ",
        "time ",
        "env ",
        "nice ",
        "sh -c ",
        "2>&1",
        "2",
        "-n",
        "--",
        "=",
        "~",
        "%",
        "^",
        "@",
        "{}",
        ":",
        ",",
        "é",
        "\u{a0}",
        "\u{2003}",
        "\t",
        "|&",
        "&>",
        ">|",
        "$",
        "*",
        "`",
        "[",
        "A=1",
        "LC_ALL=C ",
        "'a b'",
        "\"a b\"",
    ]);
    prop::collection::vec(pieces, 1..14).prop_map(|pieces| pieces.concat())
}

fn bash_runs(script: &str) -> Option<BTreeSet<Vec<String>>> {
    // A folder of its own for each script: what an earlier one left in the background reports elsewhere.
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("steward-policy-bash-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&dir).ok()?;
    std::fs::write(dir.join("in"), "").ok()?;
    let report = dir.join("report");
    std::fs::write(&report, "").ok()?;
    let setup = format!("exec 9>>report; {REPORTER}\n");
    Command::new("/bin/bash")
        .args(["--norc", "-c", &format!("{setup}{script}")])
        .current_dir(&dir)
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("HOME", "~")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    let seen = std::fs::read_to_string(&report).ok()?;
    std::fs::remove_dir_all(&dir).ok()?;
    let commands = seen.split_terminator("\u{1}\0");
    Some(commands.map(|command| command.split_terminator('\0').map(str::to_owned).collect()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1_000_000, failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]

    #[test]
    fn bash_runs_nothing_the_analysis_did_not_list(script in script()) {
        let analysis = shell::analyse(&script);
        prop_assume!(analysis.unclear.is_empty());
        let listed: BTreeSet<Vec<String>> = analysis.commands.iter()
            .map(|command| command.words.iter().map(|word| word.text.clone()).collect()).collect();
        // A machine without bash has nothing to compare with.
        let Some(ran) = bash_runs(&script) else { return Ok(()) };
        for command in ran {
            prop_assert!(listed.contains(&command), "{script:?} ran {command:?}, listed {listed:?}");
        }
    }
}
