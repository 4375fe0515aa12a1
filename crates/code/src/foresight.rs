//! What a program seems about to do: runs it on from where its record ends, with made-up results, and collects the calls
//! it asks for. No tool runs. What is seen is a forecast and binds nobody: with real results the program may take another
//! way. Which results are made up for which tool is said by whoever asks; `stub` makes one of a schema.

mod stub;

use crate::{
    journal::{Call, Delivery, Outcome, Recorded},
    limits::Limits,
    process::Host,
    runner::{Program, RunError, Runner, Step},
};
use serde_json::Value;
use std::{collections::VecDeque, time::Duration};
use tokio::time::timeout;

pub use stub::stub;

/// An owner waits for what is on the screen, and what has not been seen by then is left out.
const TIME: Duration = Duration::from_secs(3);
/// Processor time: the run up to here is repeated, and a program that computes for longer is not foreseen.
const PROCESSOR_MS: u64 = 2_000;

/// The calls a program seems about to ask for beyond those in `recorded`, at most `most` of them. Those that are open there,
/// and every later one, are answered with `made_up(path)`, the oldest first. Takes a few seconds at most; if the program
/// fails, dies, takes another way than recorded or takes too long, this is what was seen until then.
pub async fn foresee(
    host: &Host,
    program: &Program,
    recorded: &Recorded,
    made_up: &(dyn Fn(&str) -> Value + Send + Sync),
    limits: &Limits,
    most: usize,
) -> Vec<Call> {
    let mut seen = Vec::new();
    if most > 0 {
        let limits = Limits { cpu_ms: limits.cpu_ms.min(PROCESSOR_MS), ..limits.clone() };
        let dreamt = timeout(TIME, dream(host, program, recorded, made_up, &limits, most, &mut seen)).await;
        match dreamt {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a program was not foreseen to its end"),
            Err(_) => tracing::debug!("a program took too long to be foreseen to its end"),
        }
        seen.truncate(most);
    }
    seen
}

/// Leaves in `seen` what the program asks for, until it has ended or asked for enough.
async fn dream(
    host: &Host,
    program: &Program,
    recorded: &Recorded,
    made_up: &(dyn Fn(&str) -> Value + Send + Sync),
    limits: &Limits,
    most: usize,
    seen: &mut Vec<Call>,
) -> Result<(), RunError> {
    // Time stands still from here on: nobody knows how long the calls will take.
    let now_ms = recorded.deliveries.last().map_or(recorded.beginning.now_ms, |delivery| delivery.now_ms);
    let mut open: VecDeque<(u32, String)> =
        recorded.open().map(|call| (call.id, call.path.clone())).collect();
    let (mut runner, mut step) = Runner::resume(host, program, recorded, limits).await?;
    while let Step::Quiet { calls, .. } = step {
        open.extend(calls.iter().map(|call| (call.id, call.path.clone())));
        seen.extend(calls);
        let Some((call, path)) = open.pop_front() else { break };
        if seen.len() >= most {
            break;
        }
        let outcome = Outcome::Ok { value: made_up(&path) };
        runner.deliver(&Delivery { call, now_ms, outcome }).await?;
        step = runner.next().await;
    }
    Ok(())
}
