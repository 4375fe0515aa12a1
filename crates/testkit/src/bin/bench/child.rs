//! What a command costs: run by a process of its own, whose only child it is, so that the kernel's sums are
//! this command's alone.

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// One run of a command.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub wall: Duration,
    pub cpu: Duration,
    pub peak_kb: u64,
}

/// The middle of what was measured.
pub fn median<T: Ord + Copy>(costs: &[Cost], of: impl Fn(&Cost) -> T) -> T {
    let mut values: Vec<T> = costs.iter().map(of).collect();
    values.sort();
    values[values.len() / 2]
}

/// Runs a command with nothing but `environment` and reports its cost.
pub async fn measured(command: &[String], environment: &[(String, String)]) -> Cost {
    let output = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["measure", "--"])
        .args(command)
        .env_clear()
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{command:?} failed");
    let cost: Value = serde_json::from_slice(&output.stdout).unwrap();
    let microseconds = |name: &str| Duration::from_micros(cost[name].as_u64().unwrap());
    Cost { wall: microseconds("wall"), cpu: microseconds("cpu"), peak_kb: cost["peak_kb"].as_u64().unwrap() }
}

/// The child's side: runs the command and prints what it cost.
pub fn measure(command: &[String]) {
    let begin = Instant::now();
    let status = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    let wall = begin.elapsed();
    assert!(status.success(), "{command:?} ended with {status}");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let microseconds = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let cpu = microseconds(usage.user_time()) + microseconds(usage.system_time());
    println!("{}", json!({ "wall": wall.as_micros() as u64, "cpu": cpu, "peak_kb": usage.max_rss() }));
}
