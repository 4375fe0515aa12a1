//! What a check costs: the first one, those after it, memory, and the bytes that stand in every prompt.

use super::{
    beside::{Cost, Node},
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
    let_go(checker);
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
        let_go(checker);
    }
    let checker = Checker::new();
    (0..GROUPS).for_each(|group| check(&checker, &declarations, group));
    for round in 0..runs {
        warm.push(timed(|| check(&checker, &declarations, round % GROUPS)));
    }
    let (cold, in_process) = node.checks(&declarations, &program(0), runs);
    let row =
        |what: &str, ours: &[Cost], of: fn(&Cost) -> Duration, theirs: &Result<Cost, String>, name: &str| {
            let ours: Vec<Duration> = ours.iter().map(of).collect();
            beside(&format!("{what}, {tools} tools"), middle_ms(&ours), theirs.as_ref().map(of), name)
        };
    let wall: fn(&Cost) -> Duration = |cost| cost.wall;
    let cpu: fn(&Cost) -> Duration = |cost| cost.cpu;
    vec![
        row("first check, wall", &first, wall, &cold, "`node` and `tsc`"),
        row("first check, CPU", &first, cpu, &cold, "`node` and `tsc`"),
        row("a check after it, wall", &warm, wall, &in_process, "warm compiler in `node`"),
        row("a check after it, CPU", &warm, cpu, &in_process, "warm compiler in `node`"),
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
pub fn beside(what: &str, ours: f64, theirs: Result<Duration, &String>, name: &str) -> Row {
    match theirs {
        Ok(theirs) => Row::new(what, "ms", ours, theirs.as_secs_f64() * 1e3, name),
        Err(why) => Row::alone(what, "ms", ours, why),
    }
}

fn check(checker: &Checker, declarations: &Declarations, group: usize) {
    let checked = checker.check(declarations, &program(group % (declarations.paths().count() / GROUP_SIZE)));
    assert!(matches!(checked, Checked::Good { .. }), "{checked:?}");
}

/// What this takes, in all threads.
pub fn timed(act: impl FnOnce()) -> Cost {
    let (begin, used) = (Instant::now(), processor_time());
    act();
    Cost { wall: begin.elapsed(), cpu: processor_time().saturating_sub(used) }
}

/// What all threads that are still there have used: exact for those that sleep, to a tick of the kernel's for others.
fn processor_time() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let used = tasks.filter_map(|task| fs::read_to_string(task.path().join("schedstat")).ok());
    let used = used.filter_map(|line| line.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()));
    Duration::from_nanos(used.sum())
}

/// Drops the compiler as when nothing was checked for a minute, and waits until its thread has ended: what that costs, and
/// what the thread had used, would be found in the next figure.
fn let_go(checker: Checker) {
    drop(checker);
    let is_there = || {
        let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
        let mut names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
        names.any(|name| name.trim() == "checker")
    };
    while is_there() {
        thread::sleep(Duration::from_millis(1));
    }
}

fn resident_mb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1e3
}
