//! What running a program costs: starting and dropping its process, a call, and repeating a thousand results.
//!
//! Prints figures and asserts nothing: wall time depends on the machine's load. `cargo run --release -p code --example
//! run-cost -- target/release/code-host`

use code::{Beginning, Delivery, Host, Limits, Outcome, Program, Recorded, Runner, Step};
use sandbox::{Helper, Sandbox};
use serde_json::json;
use std::{path::PathBuf, time::Instant};

/// Enough runs for a steady median.
const RUNS: usize = 50;
type Failed = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let binary = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: run-cost CODE-HOST")?;
    let sandbox = Sandbox::detect_with(Helper { program: binary, args: vec!["sandbox-exec".into()] });
    println!("sandbox: {}", sandbox.degraded().map_or("whole".to_owned(), |degraded| degraded.to_string()));
    let host = Host::new(sandbox);
    empty(&host).await?;
    for calls in [100, 1000] {
        one_after_the_other(&host, calls).await?;
    }
    at_once(&host, 100).await?;
    repeat(&host, 1000).await
}

/// A program that does nothing.
async fn empty(host: &Host) -> Result<(), Failed> {
    let program = program("return 1");
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        let (step, _) = run(host, &program).await?;
        drop(step);
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    show("start, run nothing, drop", &mut times);
    Ok(())
}

async fn one_after_the_other(host: &Host, calls: u32) -> Result<(), Failed> {
    let program =
        program(&format!("for (let i = 0; i < {calls}; i++) await tools.echo({{ i, text: 'some words' }})"));
    let mut times = Vec::new();
    for _ in 0..RUNS / 5 {
        let begun = Instant::now();
        run(host, &program).await?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    show(&format!("{calls} calls one after the other"), &mut times);
    Ok(())
}

async fn at_once(host: &Host, calls: u32) -> Result<(), Failed> {
    let body = format!(
        "return (await Promise.all(Array.from({{ length: {calls} }}, (_, i) => tools.echo({{ i }})))).length"
    );
    let program = program(&body);
    let mut times = Vec::new();
    for _ in 0..RUNS / 5 {
        let begun = Instant::now();
        run(host, &program).await?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    show(&format!("{calls} calls at once"), &mut times);
    Ok(())
}

async fn repeat(host: &Host, calls: u32) -> Result<(), Failed> {
    let program =
        program(&format!("for (let i = 0; i < {calls}; i++) await tools.echo({{ i, text: 'some words' }})"));
    let (_, recorded) = run(host, &program).await?;
    let mut times = Vec::new();
    for _ in 0..RUNS / 5 {
        let begun = Instant::now();
        let (_, step) = Runner::resume(host, &program, &recorded, &Limits::default()).await?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        if !matches!(step, Step::Done { .. }) {
            return Err(format!("{step:?}").into());
        }
    }
    show(&format!("repeat a run of {} results", recorded.deliveries.len()), &mut times);
    Ok(())
}

fn program(body: &str) -> Program {
    let javascript = format!("async function program() {{ {body} }}");
    Program { javascript, lines: Vec::new(), paths: vec!["echo".to_owned()] }
}

/// Runs a program to its end; each call is answered with a small object.
async fn run(host: &Host, program: &Program) -> Result<(Step, Recorded), Failed> {
    let mut recorded = Recorded::new(Beginning::new(&program.javascript, 1, 1_800_000_000_000));
    let mut runner = Runner::start(host, program, &recorded.beginning, &Limits::default()).await?;
    let mut told = 0;
    loop {
        match runner.next().await {
            Step::Quiet { calls, .. } => recorded.calls.extend(calls),
            done @ Step::Done { .. } => return Ok((done, recorded)),
            other => return Err(format!("{other:?}").into()),
        }
        let outcome = Outcome::Ok { value: json!({ "output": "some words", "exitCode": 0 }) };
        let delivery = Delivery { call: told, now_ms: 1_800_000_000_000, outcome };
        runner.deliver(&delivery).await?;
        recorded.deliveries.push(delivery);
        told += 1;
    }
}

fn show(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let (least, median) = (times.first().copied().unwrap_or_default(), times[times.len() / 2]);
    println!("{what}: median {median:.2} ms, least {least:.2} ms ({} runs)", times.len());
}
