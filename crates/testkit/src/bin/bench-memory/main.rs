//! What searching a large memory costs: passages that were made up, with vectors in clusters as real ones are, go
//! through the real index; what is measured is a process that only searches. With the feature `sqlite-vec` the same
//! vectors are searched by that extension in the same run. Usage: `bench-memory [--passages N] [--runs N]`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark may stop at once")]

#[cfg(feature = "sqlite-vec")]
mod extension;
mod made_up;

use clap::{Parser, Subcommand};
use made_up::{MadeUp, query};
use memory::{Memory, MemorySettings, NoVectors, Query, Vectors};
use nix::sys::resource::{UsageWho, getrusage};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

#[derive(Parser)]
struct Options {
    /// How many passages there are
    #[arg(long, default_value_t = 100_000)]
    passages: usize,
    /// How often is searched in each way
    #[arg(long, default_value_t = 60)]
    runs: usize,
    #[command(subcommand)]
    child: Option<Child>,
}

#[derive(Subcommand)]
enum Child {
    /// Search an index that was made
    #[command(hide = true)]
    Search { folder: PathBuf, runs: usize },
}

fn main() {
    let options = Options::parse();
    if let Some(Child::Search { folder, runs }) = options.child {
        return search(&folder, runs);
    }
    let folder = tempfile::tempdir().unwrap();
    let (began, cpu) = (Instant::now(), cpu_time());
    made_up::write_notes(&folder.path().join("workspace"), options.passages);
    let memory = open(folder.path(), Arc::new(MadeUp));
    let synced = memory.sync(&mut |_| {}).unwrap();
    let status = memory.status().unwrap();
    println!(
        "indexed   {} files, {} passages, {} vectors: {:.1} s wall, {:.1} s CPU, {:.1} MB on disk",
        synced.changed,
        status.chunks,
        status.embedded,
        began.elapsed().as_secs_f64(),
        (cpu_time() - cpu).as_secs_f64(),
        status.bytes as f64 / 1e6,
    );
    drop(memory);
    let child = std::env::current_exe().unwrap();
    let status =
        Command::new(child).arg("search").arg(folder.path()).arg(options.runs.to_string()).status().unwrap();
    assert!(status.success());
    #[cfg(feature = "sqlite-vec")]
    extension::compare(&folder.path().join("data/memory.db"), options.runs);
}

fn open(folder: &Path, vectors: Arc<dyn Vectors>) -> Memory {
    let mut settings = MemorySettings::new(folder.join("workspace"), folder.join("data/memory.db"));
    settings.min_score = 0.0;
    Memory::new(settings, vectors)
}

/// The process that is measured.
fn search(folder: &Path, runs: usize) {
    let at_rest = resident_kb();
    let hybrid = open(folder, Arc::new(MadeUp));
    // As in the daemon: somebody looks at the folders, so that no search does.
    let watcher = hybrid.watch().unwrap();
    let began = Instant::now();
    hybrid.search(&Query { text: query(0, made_up::WORDS), ..Query::default() }).unwrap();
    println!("first     {:>7.1} ms wall, with loading the vectors", began.elapsed().as_secs_f64() * 1e3);
    measure("hybrid", runs, |run| find(&hybrid, &query(run, made_up::WORDS)));
    measure("chatty", runs, |run| find(&hybrid, &query(run, made_up::CHATTY)));
    measure("meaning", runs, |run| find(&hybrid, &query(run, made_up::UNKNOWN)));
    println!("memory    {:>7.1} MB more than at rest", (resident_kb() - at_rest) as f64 / 1e3);
    watcher.stop();
    drop(hybrid);
    let words = open(folder, Arc::new(NoVectors));
    let watcher = words.watch().unwrap();
    find(&words, "anything");
    measure("words", runs, |run| find(&words, &query(run, made_up::WORDS)));
    watcher.stop();
}

fn find(memory: &Memory, text: &str) {
    memory.search(&Query { text: text.into(), ..Query::default() }).unwrap();
}

fn measure(name: &str, runs: usize, mut work: impl FnMut(usize)) {
    let mut cost: Vec<(Duration, Duration)> = (0..runs)
        .map(|run| {
            let (cpu, wall) = (cpu_time(), Instant::now());
            work(run);
            (cpu_time() - cpu, wall.elapsed())
        })
        .collect();
    let mut at = |percent: usize, of: fn(&(Duration, Duration)) -> Duration| {
        cost.sort_by_key(of);
        of(&cost[(cost.len() - 1) * percent / 100]).as_secs_f64() * 1e3
    };
    println!(
        "{name:<9} {:>7.2} ms CPU p50, {:>7.2} p95; {:>7.2} ms wall p50",
        at(50, |it| it.0),
        at(95, |it| it.0),
        at(50, |it| it.1),
    );
}

/// Of this thread.
fn cpu_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
    let time = |time: nix::sys::time::TimeVal| {
        Duration::new(time.tv_sec() as u64, 0) + Duration::from_micros(time.tv_usec() as u64)
    };
    time(usage.user_time()) + time(usage.system_time())
}

fn resident_kb() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
