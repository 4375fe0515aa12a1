//! What the tests share: where programs run, and running one with tools that answer at once.

use code::{Beginning, Call, Delivery, Host, Limits, Outcome, Program, Recorded, Runner, Step};
use sandbox::{Helper, Sandbox};
use serde_json::json;

/// The tools every test program can call.
pub const PATHS: &[&str] = &["echo", "mail.send", "mail.search", "odd-name.do-thing", "fail"];

pub fn host() -> Host {
    Host::new(sandbox())
}

pub fn sandbox() -> Sandbox {
    let binary = env!("CARGO_BIN_EXE_code-host");
    let sandbox = Sandbox::detect_with(Helper { program: binary.into(), args: vec!["sandbox-exec".into()] });
    assert_eq!(sandbox.degraded(), None, "{:?}", sandbox.primitives());
    sandbox
}

/// A program of which only the body is written, on the lines as they are.
pub fn program(body: &str) -> Program {
    let paths = PATHS.iter().map(|path| (*path).to_owned()).collect();
    Program {
        javascript: format!(
            "async function program() {{ {body}
}}"
        ),
        lines: Vec::new(),
        paths,
    }
}

pub fn begin(program: &Program) -> Beginning {
    Beginning::new(&program.javascript, 7, 1_800_000_000_000)
}

/// What the tools of the tests answer: what they were given, except one that fails.
pub fn answer(call: &Call) -> Outcome {
    match call.path.as_str() {
        "fail" => Outcome::Error { name: code::ErrorName::ToolError, message: "it is broken".to_owned() },
        _ => Outcome::Ok { value: json!({ "path": call.path, "input": call.input }) },
    }
}

/// How a run ended, with its record and its console.
#[derive(Debug, PartialEq)]
pub struct Ended {
    pub step: Step,
    pub recorded: Recorded,
    pub console: String,
}

/// Runs a program to its end; calls are answered in the order asked for.
pub async fn run(body: &str, limits: &Limits) -> Ended {
    let program = program(body);
    let beginning = begin(&program);
    let mut recorded = Recorded::new(beginning.clone());
    let mut console = String::new();
    let mut runner = Runner::start(&host(), &program, &beginning, limits).await.expect("a process");
    loop {
        let step = runner.next().await;
        match &step {
            Step::Quiet { calls, console: more } => {
                recorded.calls.extend(calls.iter().cloned());
                console += more;
            }
            Step::Done { console: more, .. } | Step::Failed { console: more, .. } => {
                console += more;
                return Ended { step, recorded, console };
            }
            Step::Died { .. } => return Ended { step, recorded, console },
        }
        let call = recorded.open().next().expect("an open call").clone();
        let now_ms = 1_800_000_000_001 + i64::from(call.id);
        let delivery = Delivery { call: call.id, now_ms, outcome: answer(&call) };
        runner.deliver(&delivery).await.expect("an open call");
        recorded.deliveries.push(delivery);
    }
}

/// The process that runs the program: below the helper and pid 1 of the sandbox it is the last.
pub fn innermost(runner: &Runner) -> u32 {
    let mut pid = runner.process_id().expect("a process");
    while let Ok(children) = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
        && let Some(child) = children.split_whitespace().next()
    {
        pid = child.parse().expect("a process id");
    }
    pid
}
