//! `steward code check` and `steward code preview`: programs from files, checked against the tools this house has itself,
//! and what they seem about to call. Also `steward licenses`.

use crate::terminal::say;
use crate::{client::Client, hands, terminal::clean};
use anyhow::Context;
use code::{Beginning, Checked, Checker, Declarations, Host, Limits, Program, Recorded, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

/// The calls a preview shows: more than a screen are not read.
const MOST_FORESEEN: usize = 40;

pub(crate) fn licenses() -> anyhow::Result<ExitCode> {
    say!("{}", code::licenses());
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn check(file: &Path) -> anyhow::Result<ExitCode> {
    let Some((_, groups)) = fitting(file, tools().await?)? else { return Ok(ExitCode::FAILURE) };
    match groups.as_slice() {
        [] => say!("The program fits. It calls no tool."),
        groups => say!("The program fits. It names {}.", groups.join(", ")),
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn preview(file: &Path) -> anyhow::Result<ExitCode> {
    let tools = tools().await?;
    let outputs: BTreeMap<String, Option<Value>> =
        tools.iter().map(|tool| (tool.path.clone(), tool.output_schema.clone())).collect();
    let Some((program, groups)) = fitting(file, tools)? else { return Ok(ExitCode::FAILURE) };
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let recorded = Recorded::new(Beginning::new(&program.javascript, 0, now_ms));
    let made_up = |path: &str| code::stub(outputs.get(path).and_then(Option::as_ref));
    let host = Host::new(hands::detect());
    let calls = code::foresee(&host, &program, &recorded, &made_up, &Limits::default(), MOST_FORESEEN).await;
    if groups.is_empty() {
        say!("The program fits. It calls no tool.");
    } else if calls.is_empty() {
        say!("The program fits. No call can be foreseen; `steward code run` tries it with answers you give.");
    } else {
        say!("The program fits. Forecast, with made-up results; with real ones it may call something else:");
        for call in &calls {
            say!("call {}: {} {}", call.id, call.path, clean(&call.input.to_string()));
        }
        if calls.len() == MOST_FORESEEN {
            say!("There may be more: {MOST_FORESEEN} calls are foreseen at most.");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The program of a file with the groups of tools it names, if it fits the tools; if not, what is wrong has been said.
fn fitting(file: &Path, tools: Vec<ToolSpec>) -> anyhow::Result<Option<(Program, Vec<String>)>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let declarations = Declarations::new(tools);
    match Checker::new().check(&declarations, &text) {
        Checked::Good { javascript, lines, groups } => {
            let paths = declarations.paths().map(str::to_owned).collect();
            Ok(Some((Program { javascript, lines, paths }, groups)))
        }
        Checked::Bad { diagnostics } => {
            for it in diagnostics {
                say!("{}:{}", file.display(), clean(&it.to_string()));
            }
            Ok(None)
        }
        Checked::GaveUp { why } => anyhow::bail!("{}: {why}", file.display()),
    }
}

/// A tool as the door describes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    name: String,
    description: String,
    input_schema: Value,
    output_schema: Option<Value>,
}

impl Tool {
    fn spec(self) -> ToolSpec {
        let Self { name, description, input_schema, output_schema } = self;
        ToolSpec { path: name, description, input_schema, output_schema }
    }
}

/// The tools of the house.
async fn tools() -> anyhow::Result<Vec<ToolSpec>> {
    let mut client = Client::open().await?;
    let mut answer = client.call("tools.list", json!({})).await?;
    client.close().await?;
    let tools: Vec<Tool> =
        serde_json::from_value(answer["tools"].take()).context("the list of tools cannot be read")?;
    Ok(tools.into_iter().map(Tool::spec).collect())
}
