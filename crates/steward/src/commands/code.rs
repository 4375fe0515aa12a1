//! `steward code check`: programs from files, checked against the tools this house has itself. Also `steward licenses`.

use crate::terminal::say;
use crate::{client::Client, terminal::clean};
use anyhow::Context;
use code::{Checked, Checker, Declarations, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{fs, path::Path, process::ExitCode};

pub(crate) fn licenses() -> anyhow::Result<ExitCode> {
    say!("{}", code::licenses());
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn check(file: &Path) -> anyhow::Result<ExitCode> {
    let program = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let declarations = Declarations::new(tools().await?.into_iter().map(Tool::spec).collect());
    match Checker::new().check(&declarations, &program) {
        Checked::Good { groups, .. } if groups.is_empty() => say!("The program fits. It calls no tool."),
        Checked::Good { groups, .. } => say!("The program fits. It names {}.", groups.join(", ")),
        Checked::Bad { diagnostics } => {
            for it in diagnostics {
                say!("{}:{}", file.display(), clean(&it.to_string()));
            }
            return Ok(ExitCode::FAILURE);
        }
        Checked::GaveUp { why } => anyhow::bail!("{}: {why}", file.display()),
    }
    Ok(ExitCode::SUCCESS)
}

/// A tool as the door describes it.
#[derive(Deserialize)]
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
async fn tools() -> anyhow::Result<Vec<Tool>> {
    let mut client = Client::open().await?;
    let mut answer = client.call("tools.list", json!({})).await?;
    client.close().await?;
    serde_json::from_value(answer["tools"].take()).context("the list of tools cannot be read")
}
