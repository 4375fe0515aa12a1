//! Benchmarks of the real binary, each beside a plain client that makes the same call in the same run, so
//! that a figure is a ratio and not the weather. Usage: `bench --steward PATH [--runs N]`.
//!
//! `bench measure -- CMD…` and `bench direct URL` are its own children: one process that reports what another
//! cost, and the plain client.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark may stop at once")]

mod child;
mod daemon;
mod plain;

use child::{Cost, measured, median};
use clap::{Parser, Subcommand};
use std::{path::PathBuf, time::Duration};
use testkit::{FakeModel, Row, Script, print};

/// How many commands the long turn runs more than the short one.
const MORE_COMMANDS: u32 = 10;

/// Measure Steward against a plain client.
#[derive(Parser)]
struct Options {
    /// The release binary to measure
    #[arg(long)]
    steward: Option<PathBuf>,
    /// How often each thing is done
    #[arg(long, default_value_t = 40)]
    runs: usize,
    /// How many listen at once
    #[arg(long, default_value_t = 10_000)]
    crowd: usize,
    /// Measure the daemon only
    #[arg(long)]
    daemon_only: bool,
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
        None => bench(&options).await,
    }
}

async fn bench(options: &Options) {
    let steward = options.steward.as_deref().expect("--steward PATH");
    let fake = FakeModel::start().await;
    let home = tempfile::tempdir().unwrap();
    let steward = steward.canonicalize().unwrap().display().to_string();
    let environment = [
        ("STEWARD_HOME".to_owned(), home.path().display().to_string()),
        ("ANTHROPIC_API_KEY".to_owned(), "sk-bench".to_owned()),
        ("ANTHROPIC_BASE_URL".to_owned(), fake.anthropic_url()),
        ("STEWARD_MODEL".to_owned(), "anthropic/test".to_owned()),
        ("STEWARD_POLICY_ALLOW".to_owned(), "[\"bash(true)\"]".to_owned()),
    ];
    fake.reply_with(|request| match request.last_user_text().as_str() {
        "a command" => commands(1),
        "many commands" => commands(1 + MORE_COMMANDS),
        "a long answer" => daemon::long_answer(),
        _ => Script::reply("You said: hi"),
    });
    if !options.daemon_only {
        commands_of_the_binary(&steward, &environment, &fake, home.path(), options.runs).await;
    }
    daemon::bench(&steward, &environment, &fake, options.runs, options.crowd).await;
}

/// The commands an owner types, each run to its end.
async fn commands_of_the_binary(
    steward: &str,
    environment: &[(String, String)],
    fake: &FakeModel,
    home: &std::path::Path,
    runs: usize,
) {
    let steward = steward.to_owned();
    let say = |what: &str, session: &str| {
        vec![steward.clone(), "ask".into(), what.into(), "--session".into(), session.into()]
    };
    let ask = |session: &str| say("hi", session);
    measured(&ask("warm-up"), environment).await;
    let request = fake.requests().remove(0);
    let body = home.join("request.json");
    std::fs::write(&body, request.body.to_string()).unwrap();
    let direct = plain::command(&fake.anthropic_url(), &body);

    let bash: Vec<String> = ["/bin/bash", "-c", "true"].map(str::to_owned).to_vec();
    let mut samples = Samples::default();
    for run in 0..runs {
        samples.bash.push(measured(&bash, &[]).await);
        samples.command.push(measured(&say("a command", &format!("command-{run}")), environment).await);
        samples.many.push(measured(&say("many commands", &format!("many-{run}")), environment).await);
        samples.nothing.push(measured(&["/bin/true".into()], &[]).await);
        samples.start.push(measured(&[steward.clone(), "--version".into()], environment).await);
        samples.plain.push(measured(&direct, &[]).await);
        samples.turn.push(measured(&ask(&format!("run-{run}")), environment).await);
    }
    testkit::fill_session(&home.join("data/steward.db"), "long", 2500).await;
    for _ in 0..runs.min(10) {
        samples.long.push(measured(&ask("long"), environment).await);
    }
    samples.report();
    println!("two syncs to this disk: {:.1} ms", 2.0 * sync_time(home, runs).as_secs_f64() * 1e3);
    println!("request for \"hi\": {} bytes", request.byte_length);
}

/// What was measured, run by run.
#[derive(Default)]
struct Samples {
    nothing: Vec<Cost>,
    start: Vec<Cost>,
    plain: Vec<Cost>,
    turn: Vec<Cost>,
    long: Vec<Cost>,
    bash: Vec<Cost>,
    command: Vec<Cost>,
    many: Vec<Cost>,
}

impl Samples {
    fn report(&self) {
        let Self { nothing, start, plain, turn, long, bash, command, many } = self;
        let wall: fn(&Cost) -> Duration = |cost| cost.wall;
        let cpu: fn(&Cost) -> Duration = |cost| cost.cpu;
        print(&[
            time("process start (`--version`), wall", start, nothing, "`/bin/true`", wall),
            time("one-shot turn, wall", turn, plain, "plain client", wall),
            time("one-shot turn, CPU", turn, plain, "plain client", cpu),
            memory("one-shot turn, peak RSS", turn, plain, "plain client"),
            memory("one-shot turn in a session of 10,000 events, peak RSS", long, turn, "a new session"),
            time("one-shot turn in a session of 10,000 events, wall", long, turn, "a new session", wall),
        ]);
        let milliseconds = |costs: &[Cost]| median(costs, cpu).as_secs_f64() * 1e3;
        let each = (milliseconds(many) - milliseconds(command)) / f64::from(MORE_COMMANDS);
        println!(
            "`bash -c true` through policy, journal and sandbox: {each:.1} ms CPU each (turns with {} and 1 compared); \
             plain: {:.1} ms CPU; more: {:.1} ms. The first of a process also looks what the kernel offers: {:.1} ms",
            1 + MORE_COMMANDS,
            milliseconds(bash),
            each - milliseconds(bash),
            milliseconds(command) - milliseconds(turn) - each,
        );
        let overhead = median(turn, wall).saturating_sub(median(plain, wall));
        println!("turn overhead over the plain client: {:.1} ms wall", overhead.as_secs_f64() * 1e3);
    }
}

/// An answer that calls for this many commands at once.
fn commands(count: u32) -> Script {
    (0..count).fold(Script::new(), |script, _| script.call("bash", r#"{"command":"true"}"#))
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

fn time(what: &str, ours: &[Cost], theirs: &[Cost], beside: &str, of: fn(&Cost) -> Duration) -> Row {
    let milliseconds = |costs: &[Cost]| median(costs, of).as_secs_f64() * 1e3;
    Row::new(what, "ms", milliseconds(ours), milliseconds(theirs), beside)
}

fn memory(what: &str, ours: &[Cost], theirs: &[Cost], beside: &str) -> Row {
    let megabytes = |costs: &[Cost]| median(costs, |cost| cost.peak_kb) as f64 / 1e3;
    Row::new(what, "MB", megabytes(ours), megabytes(theirs), beside)
}
