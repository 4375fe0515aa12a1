//! What a run costs besides what its tools do: starting the confined process, a call, and repeating a thousand results.

use super::{beside::Node, checks::beside};
use code::{Beginning, Delivery, Host, Limits, Outcome, Program, Recorded, Runner, Step};
use sandbox::{Helper, Sandbox};
use serde_json::json;
use std::{path::Path, time::Instant};
use testkit::{Row, middle_ms};

/// Calls of the program whose calls are measured.
const CALLS: u32 = 100;
/// Results of the run that is repeated.
const RESULTS: u32 = 1000;
const NOW_MS: i64 = 1_800_000_000_000;

/// Measures runs in processes of this binary.
pub async fn runs(steward: &Path, runs: usize, node: &Node) -> Vec<Row> {
    let helper = Helper { program: steward.to_owned(), args: vec!["sandbox-exec".into()] };
    let sandbox = Sandbox::detect_with(helper);
    assert_eq!(sandbox.degraded(), None, "programs run only where the sandbox is whole");
    let host = Host::new(sandbox);
    let nothing = program("return 1");
    let calls = program(&calling(CALLS));
    let many = program(&calling(RESULTS));
    let recorded = run(&host, &many).await;
    let (mut starts, mut called, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let begin = Instant::now();
        run(&host, &nothing).await;
        starts.push(begin.elapsed());
        let begin = Instant::now();
        run(&host, &calls).await;
        called.push(begin.elapsed());
        let begin = Instant::now();
        let resumed = Runner::resume(&host, &many, &recorded, &Limits::default()).await;
        assert!(matches!(resumed, Ok((_, Step::Done { .. }))));
        repeated.push(begin.elapsed());
    }
    let least = starts.iter().min().copied().unwrap_or_default().as_secs_f64() * 1e3;
    let start = format!("a program that does nothing, started confined and ended (least {least:.1} ms)");
    let each = (middle_ms(&called) - middle_ms(&starts)) / f64::from(CALLS);
    vec![
        beside(&start, middle_ms(&starts), node.start(runs).as_ref().copied(), "`node -e 0`"),
        Row::alone(
            &format!("{CALLS} calls one after the other"),
            "ms",
            middle_ms(&called),
            &format!("{each:.3} ms a call"),
        ),
        Row::alone(&format!("a run of {RESULTS} results, repeated"), "ms", middle_ms(&repeated), ""),
    ]
}

fn calling(times: u32) -> String {
    format!("for (let i = 0; i < {times}; i++) await tools.echo({{ i, text: 'some words' }})")
}

fn program(body: &str) -> Program {
    let javascript = format!("async function program() {{ {body} }}");
    Program { javascript, lines: Vec::new(), paths: vec!["echo".to_owned()] }
}

/// Runs a program to its end; each call is answered with a small object.
async fn run(host: &Host, program: &Program) -> Recorded {
    let mut recorded = Recorded::new(Beginning::new(&program.javascript, 1, NOW_MS));
    let mut runner = Runner::start(host, program, &recorded.beginning, &Limits::default()).await.unwrap();
    let mut told = 0;
    loop {
        match runner.next().await {
            Step::Quiet { calls, .. } => recorded.calls.extend(calls),
            Step::Done { .. } => return recorded,
            other => panic!("{other:?}"),
        }
        let outcome = Outcome::Ok { value: json!({ "output": "some words", "exitCode": 0 }) };
        let delivery = Delivery { call: told, now_ms: NOW_MS, outcome };
        runner.deliver(&delivery).await.unwrap();
        recorded.deliveries.push(delivery);
        told += 1;
    }
}
