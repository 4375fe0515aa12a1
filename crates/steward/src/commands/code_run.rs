//! `steward code run`: checks a program and runs it where programs run, with answers from the command line instead of
//! tools. Nothing is done by it but computing; neither a home nor a daemon is needed.

use crate::terminal::say;
use crate::{cli::CodeRun, hands, terminal::clean};
use anyhow::Context as _;
use code::{
    Beginning, Call, Checked, Checker, Declarations, Delivery, ErrorName, Failure, Host, Limits, Outcome,
    Program, Runner, Step, ToolSpec,
};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    process::ExitCode,
};

/// The exit code when the program does not fit its tools.
const DOES_NOT_FIT: u8 = 2;

pub(crate) async fn run(arguments: CodeRun) -> anyhow::Result<ExitCode> {
    let file = arguments.file.display();
    let text = std::fs::read_to_string(&arguments.file).with_context(|| format!("cannot read {file}"))?;
    let mut answers = answers(&arguments.tool)?;
    let declarations = Declarations::new(answers.iter().map(|(path, answers)| spec(path, answers)).collect());
    let (javascript, lines) = match Checker::new().check(&declarations, &text) {
        Checked::Good { javascript, lines, .. } => (javascript, lines),
        Checked::Bad { diagnostics } => {
            diagnostics.iter().for_each(|diagnostic| say!("{file}:{}", clean(&diagnostic.to_string())));
            return Ok(ExitCode::from(DOES_NOT_FIT));
        }
        Checked::GaveUp { why } => anyhow::bail!("{file} could not be checked: {why}"),
    };
    let program = Program { javascript, lines, paths: answers.keys().cloned().collect() };
    let seed = uuid::Uuid::now_v7().as_u64_pair().1;
    let beginning = Beginning::new(&program.javascript, seed, now_ms());
    let host = Host::new(hands::detect());
    let mut runner = Runner::start(&host, &program, &beginning, &Limits::default()).await?;
    let mut waiting = VecDeque::new();
    loop {
        match runner.next().await {
            Step::Quiet { calls, console } => {
                print(&console);
                calls.iter().for_each(|call| {
                    say!("call {}: {} {}", call.id, call.path, clean(&call.input.to_string()))
                });
                waiting.extend(calls);
            }
            Step::Done { value, cut_bytes, console } => {
                print(&console);
                say!("result: {}", clean(&value.to_string()));
                if cut_bytes > 0 {
                    say!("({cut_bytes} bytes of its JSON are cut off)");
                }
                return Ok(ExitCode::SUCCESS);
            }
            Step::Failed { failure, console } => {
                print(&console);
                say!("failed: {}", clean(&words(&failure)));
                return Ok(ExitCode::FAILURE);
            }
            Step::Died { why } => anyhow::bail!("the process that ran the program is gone: {why}"),
        }
        let call = waiting.pop_front().context("the program waits, but not for a call")?;
        let outcome = answer(&call, &mut answers);
        match &outcome {
            Outcome::Ok { value } => say!("answer {}: {}", call.id, clean(&value.to_string())),
            Outcome::Error { message, .. } => say!("answer {}: error: {message}", call.id),
        }
        runner.deliver(&Delivery { call: call.id, now_ms: now_ms(), outcome }).await?;
    }
}

/// The answers of each tool, in the order given.
fn answers(tools: &[String]) -> anyhow::Result<BTreeMap<String, VecDeque<Value>>> {
    let mut answers: BTreeMap<String, VecDeque<Value>> = BTreeMap::new();
    for tool in tools {
        let (path, json) = tool.split_once('=').with_context(|| format!("`--tool {tool}` has no `=`"))?;
        let value = serde_json::from_str(json).with_context(|| format!("`--tool {path}=…` is not JSON"))?;
        answers.entry(path.to_owned()).or_default().push_back(value);
    }
    Ok(answers)
}

/// A tool that takes anything and gives what looks like its answers.
fn spec(path: &str, answers: &VecDeque<Value>) -> ToolSpec {
    let mut shapes: Vec<Value> = answers.iter().map(shape).collect();
    shapes.dedup();
    ToolSpec {
        path: path.to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object", "additionalProperties": true }),
        output_schema: Some(json!({ "anyOf": shapes })),
    }
}

/// The JSON Schema of values like this one.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => json!({ "type": "null" }),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(_) => json!({ "type": "number" }),
        Value::String(_) => json!({ "type": "string" }),
        Value::Array(items) => match items.first() {
            Some(first) => json!({ "type": "array", "items": shape(first) }),
            None => json!({ "type": "array" }),
        },
        Value::Object(fields) => {
            let properties: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect();
            let required: Vec<&String> = fields.keys().collect();
            json!({ "type": "object", "properties": properties, "required": required })
        }
    }
}

/// The next answer; the last one stays.
fn answer(call: &Call, answers: &mut BTreeMap<String, VecDeque<Value>>) -> Outcome {
    let value = answers.get_mut(&call.path).and_then(|left| match left.len() {
        0 | 1 => left.front().cloned(),
        _ => left.pop_front(),
    });
    match value {
        Some(value) => Outcome::Ok { value },
        None => Outcome::Error {
            name: ErrorName::ToolUnknown,
            message: format!("no answer was given for `{}`", call.path),
        },
    }
}

fn words(failure: &Failure) -> String {
    let place = failure.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    format!("{place}{}: {}", failure.name, failure.message)
}

fn print(console: &str) {
    console.lines().for_each(|line| say!("console: {}", clean(line)));
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
