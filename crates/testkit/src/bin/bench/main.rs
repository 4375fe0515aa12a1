//! Benchmarks of the real binary, each beside a plain client that makes the same call in the same run, so
//! that a figure is a ratio and not the weather. Usage: `bench --steward PATH [--runs N]`.
//!
//! `bench measure -- CMD…` and `bench direct URL` are its own children: one process that reports what another
//! cost, and the plain client.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark may stop at once")]

mod child;
mod plain;
mod report;

use child::{Cost, measured};
use clap::{Parser, Subcommand};
use report::{Row, median, print};
use std::{path::PathBuf, time::Duration};
use testkit::FakeModel;

/// Measure Steward against a plain client.
#[derive(Parser)]
struct Options {
    /// The release binary to measure
    #[arg(long)]
    steward: Option<PathBuf>,
    /// How often each thing is done
    #[arg(long, default_value_t = 40)]
    runs: usize,
    #[command(subcommand)]
    child: Option<Child>,
}

#[derive(Subcommand)]
enum Child {
    /// Run a command and print what it cost
    #[command(hide = true)]
    Measure { command: Vec<String> },
    /// Ask the fake as a plain client does
    #[command(hide = true)]
    Direct { url: String, body: PathBuf },
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let options = Options::parse();
    match options.child {
        Some(Child::Measure { command }) => child::measure(&command),
        Some(Child::Direct { url, body }) => plain::ask(&url, &body),
        None => bench(&options.steward.expect("--steward PATH"), options.runs).await,
    }
}

async fn bench(steward: &std::path::Path, runs: usize) {
    let fake = FakeModel::start().await;
    let home = tempfile::tempdir().unwrap();
    let steward = steward.canonicalize().unwrap().display().to_string();
    let environment = [
        ("STEWARD_HOME".to_owned(), home.path().display().to_string()),
        ("ANTHROPIC_API_KEY".to_owned(), "sk-bench".to_owned()),
        ("ANTHROPIC_BASE_URL".to_owned(), fake.anthropic_url()),
        ("STEWARD_MODEL".to_owned(), "anthropic/test".to_owned()),
    ];
    let ask =
        |session: &str| vec![steward.clone(), "ask".into(), "hi".into(), "--session".into(), session.into()];
    measured(&ask("warm-up"), &environment).await;
    let request = fake.requests().remove(0);
    let body = home.path().join("request.json");
    std::fs::write(&body, request.body.to_string()).unwrap();
    let direct = plain::command(&fake.anthropic_url(), &body);

    let (mut nothing, mut start, mut plain, mut turn) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for run in 0..runs {
        nothing.push(measured(&["/bin/true".into()], &[]).await);
        start.push(measured(&[steward.clone(), "--version".into()], &environment).await);
        plain.push(measured(&direct, &[]).await);
        turn.push(measured(&ask(&format!("run-{run}")), &environment).await);
    }
    testkit::fill_session(&home.path().join("data/steward.db"), "long", 2500).await;
    let mut long = Vec::new();
    for _ in 0..runs.min(10) {
        long.push(measured(&ask("long"), &environment).await);
    }
    let sync = sync_time(home.path(), runs);
    print(&[
        Row::time("process start (`--version`), wall", &start, &nothing, "`/bin/true`", |cost| cost.wall),
        Row::time("one-shot turn, wall", &turn, &plain, "plain client", |cost| cost.wall),
        Row::time("one-shot turn, CPU", &turn, &plain, "plain client", |cost| cost.cpu),
        Row::memory("one-shot turn, peak RSS", &turn, &plain, "plain client"),
        Row::memory("one-shot turn in a session of 10,000 events, peak RSS", &long, &turn, "a new session"),
        Row::time(
            "one-shot turn in a session of 10,000 events, wall",
            &long,
            &turn,
            "a new session",
            |cost| cost.wall,
        ),
    ]);
    let overhead = median(&turn, |cost| cost.wall).saturating_sub(median(&plain, |cost| cost.wall));
    println!("turn overhead over the plain client: {:.1} ms wall", overhead.as_secs_f64() * 1e3);
    println!("of which two syncs to this disk: {:.1} ms", 2.0 * sync.as_secs_f64() * 1e3);
    println!("request for \"hi\": {} bytes", request.byte_length);
}

/// What one `fdatasync` of a small append costs here.
fn sync_time(folder: &std::path::Path, runs: usize) -> Duration {
    let mut file = std::fs::File::create(folder.join("sync")).unwrap();
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let begin = std::time::Instant::now();
            std::io::Write::write_all(&mut file, &[0; 4096]).unwrap();
            file.sync_data().unwrap();
            begin.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

impl Row {
    fn time(what: &str, ours: &[Cost], theirs: &[Cost], beside: &str, of: fn(&Cost) -> Duration) -> Self {
        let milliseconds = |costs: &[Cost]| median(costs, of).as_secs_f64() * 1e3;
        Row::new(what, "ms", milliseconds(ours), milliseconds(theirs), beside)
    }

    fn memory(what: &str, ours: &[Cost], theirs: &[Cost], beside: &str) -> Self {
        let megabytes = |costs: &[Cost]| median(costs, |cost| cost.peak_kb) as f64 / 1e3;
        Row::new(what, "MB", megabytes(ours), megabytes(theirs), beside)
    }
}
