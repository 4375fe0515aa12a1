//! `memory.search`: passages of notes and earlier conversations that fit a question.

use super::at_the_disk;
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of};
use memory::{Found, Hit, Kind, Memory, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The tool.
pub(crate) struct MemorySearch {
    pub memory: Memory,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    query: String,
    max_results: Option<usize>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// Best first.
    passages: Vec<Passage>,
    /// What could not be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Passage {
    path: String,
    line_start: usize,
    line_end: usize,
    /// From 0 to 1.
    score: f64,
    /// long_term, daily, note, extra or transcript
    #[schemars(with = "String")]
    kind: Kind,
    text: String,
}

impl TypedTool for MemorySearch {
    const NAME: &'static str = "memory.search";
    const DESCRIPTION: &'static str =
        "Search notes and earlier conversations by meaning and words. Do so before saying you do not know.";
    const LABELS: Labels = Labels { reads_private: true, idempotent: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new("Search memory", input.query.clone())
    }

    async fn run(&self, input: Input, _context: &ToolContext) -> ToolOutput {
        at_the_disk(&self.memory, move |memory| {
            let query = Query { text: input.query, limit: input.max_results, ..Query::default() };
            Ok(told(&memory.search(&query)?))
        })
        .await
    }
}

fn told(found: &Found) -> ToolOutput {
    let mut text = String::new();
    for hit in &found.hits {
        let (path, start, end) = (&hit.path, hit.line_start, hit.line_end);
        text.push_str(&format!("{path}:{start}-{end} ({:.2})\n{}\n\n", hit.score, hit.excerpt.trim()));
    }
    if text.is_empty() {
        text.push_str("Nothing in memory fits.\n");
    }
    if let Some(remark) = &found.remark {
        text.push_str(&format!("[{remark}]\n"));
    }
    let passages = found.hits.iter().map(passage).collect();
    let told = ToolOutput::text(text.trim_end()).with(&Output { passages, remark: found.remark.clone() });
    // A conversation that took in words of strangers may repeat them.
    ToolOutput { untrusted: found.hits.iter().any(|hit| hit.untrusted), ..told }
}

fn passage(hit: &Hit) -> Passage {
    Passage {
        path: hit.path.clone(),
        line_start: hit.line_start,
        line_end: hit.line_end,
        // As it is told, without the digits of a wider type.
        score: (f64::from(hit.score) * 100.0).round() / 100.0,
        kind: hit.kind,
        text: hit.excerpt.trim().to_owned(),
    }
}
