//! What checking and running programs costs, beside Node and the compiler it runs, in one run. Usage:
//! `bench-code --steward PATH [--typescript FOLDER] [--runs N]`; without the unpacked npm package of the compiler, or without
//! Node, the table says so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark may stop at once")]

mod tools;
mod checks;
mod runs;
mod beside;

use beside::Node;
use clap::Parser;
use std::{hint::black_box, path::PathBuf};
use testkit::{Row, middle_ms, print};

/// Measure what programs cost.
#[derive(Parser)]
struct Options {
    /// The release binary, in whose processes programs run
    #[arg(long)]
    steward: PathBuf,
    /// The unpacked npm package of the TypeScript compiler
    #[arg(long)]
    typescript: Option<PathBuf>,
    /// How often each thing is done
    #[arg(long, default_value_t = 40)]
    runs: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let options = Options::parse();
    let node = Node::find(options.typescript);
    // Before anything else has used memory.
    let mut rows = checks::memory();
    rows.push(weather(options.runs));
    for tools in [50, 500] {
        rows.extend(checks::checks(tools, options.runs, &node));
    }
    for tools in [50, 500, 2_000] {
        rows.push(checks::prompt(tools));
    }
    let steward = options.steward.canonicalize().unwrap();
    rows.extend(runs::runs(&steward, options.runs, &node).await);
    print(&rows);
}

/// How fast the machine is at the moment, and how busy: a fixed loop of arithmetic.
fn weather(runs: usize) -> Row {
    let mut wall = Vec::new();
    let all = checks::timed(|| wall.extend((0..runs as u64).map(|run| checks::timed(|| reckon(run)).wall)));
    // One run is too short for the kernel's clock of a thread that does not sleep.
    let cpu_ms = all.cpu.as_secs_f64() * 1e3 / runs as f64;
    Row::new(
        "a fixed loop of arithmetic, to compare runs by, wall",
        "ms",
        middle_ms(&wall),
        cpu_ms,
        "the same, mean CPU",
    )
}

fn reckon(begin: u64) {
    black_box((0..10_000_000_u64).fold(begin, |sum, n| (sum ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
}
