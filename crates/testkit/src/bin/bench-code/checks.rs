//! What a check costs: the first one, those after it, memory, and the bytes that stand in every prompt.

use super::{
    beside::Node,
    tools::{GROUP_SIZE, program, specs},
};
use code::{Checked, Checker, Declarations};
use serde_json::json;
use std::{
    fs, thread,
    time::{Duration, Instant},
};
use testkit::{Row, middle_ms};

/// How many checks come between the first and the look at memory: more than are made in one conversation.
const CHECKS: usize = 40;

/// How many groups the programs of a house are about.
const GROUPS: usize = 3;

/// Resident memory before, with and after the compiler. It must be measured first.
pub fn memory() -> Vec<Row> {
    let declarations = Declarations::new(specs(50));
    let before = resident_mb();
    let checker = Checker::new();
    check(&checker, &declarations, 0);
    let first = resident_mb();
    (0..CHECKS).for_each(|round| check(&checker, &declarations, round % GROUPS));
    let many = resident_mb();
    // What ends the thread is the same as when nothing was checked for a minute.
    drop(checker);
    while threads().any(|name| name.trim() == "checker") {
        thread::sleep(Duration::from_millis(1));
    }
    let row = |what: &str, resident: f64| Row::new(what, "MB", resident, before, "before any check");
    vec![
        row("RSS after the first check", first),
        row(&format!("RSS after {CHECKS} more"), many),
        row("RSS once the compiler is let go", resident_mb()),
    ]
}

/// The first check and those after it.
pub fn checks(tools: usize, runs: usize, node: &Node) -> Vec<Row> {
    let declarations = Declarations::new(specs(tools));
    let (mut first, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..runs.min(10) {
        let checker = Checker::new();
        first.push(timed(|| check(&checker, &Declarations::new(specs(tools)), 0)));
    }
    let checker = Checker::new();
    (0..GROUPS).for_each(|group| check(&checker, &declarations, group));
    for round in 0..runs {
        warm.push(timed(|| check(&checker, &declarations, round % GROUPS)));
    }
    let (cold, in_process) = node.checks(&declarations, &program(0), runs);
    let slowest = warm.iter().max().copied().unwrap_or_default().as_secs_f64() * 1e3;
    vec![
        beside(&format!("first check, {tools} tools"), middle_ms(&first), &cold, "`node` and `tsc`"),
        beside(
            &format!("a check after it, {tools} tools (slowest {slowest:.0} ms)"),
            middle_ms(&warm),
            &in_process,
            "warm compiler in `node`",
        ),
    ]
}

/// What stands in every prompt, beside the schemas that would stand there instead.
pub fn prompt(tools: usize) -> Row {
    let specs = specs(tools);
    let schemas: usize = specs
        .iter()
        .map(|it| json!({ "name": it.path, "description": it.description, "input_schema": it.input_schema }))
        .map(|it| it.to_string().len())
        .sum();
    let index = Declarations::new(specs).index().len();
    Row::new(
        &format!("in every prompt, {tools} tools"),
        "kB",
        index as f64 / 1e3,
        schemas as f64 / 1e3,
        "all schemas",
    )
}

/// A row with the figure of another program, or why there is none.
pub fn beside(what: &str, ours: f64, theirs: &Result<f64, String>, name: &str) -> Row {
    match theirs {
        Ok(theirs) => Row::new(what, "ms", ours, *theirs, name),
        Err(why) => Row::alone(what, "ms", ours, why),
    }
}

fn check(checker: &Checker, declarations: &Declarations, group: usize) {
    let checked = checker.check(declarations, &program(group % (declarations.paths().count() / GROUP_SIZE)));
    assert!(matches!(checked, Checked::Good { .. }), "{checked:?}");
}

fn timed(act: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    act();
    begin.elapsed()
}

fn threads() -> impl Iterator<Item = String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok())
}

fn resident_mb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1e3
}
