//! `glob`: files whose path fits a pattern, newest first.
//!
//! Walking is `walk`'s; looking into files is `grep`'s.

use super::{
    place::Grounds,
    walk::{self, Stop},
};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of};
use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{path::PathBuf, sync::Arc, time::SystemTime};

/// Paths given back; more than this is a pattern to be narrowed.
const MAX_PATHS: usize = 200;
/// Paths kept while looking, to find the newest among them.
const MAX_FOUND: usize = 50_000;

/// The tool.
pub(crate) struct Glob;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as `*.md` or `src/**/*.rs`.
    pattern: String,
    /// Directory; default the workspace.
    path: Option<String>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// Newest first.
    paths: Vec<String>,
    /// Whether there may be more.
    truncated: bool,
}

impl TypedTool for Glob {
    const NAME: &'static str = "glob";
    const DESCRIPTION: &'static str = "Find files by path, newest first, without ignored ones.";
    const LABELS: Labels = Labels { reads_private: true, idempotent: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn show(&self, input: &Input) -> Presentation {
        let place = input.path.as_deref().unwrap_or("the workspace");
        Presentation::new("Find files", format!("{} in {place}", input.pattern))
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let grounds = Grounds::of(context);
        let (stop, _held) = Stop::after(context.limits.timeout_ms);
        super::blocking(move || find(&Arc::new(grounds?), &input, &stop)).await
    }
}

/// A pattern as shells read it: `*` stays within a directory. One without a slash fits at any depth.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let glob = GlobBuilder::new(&anywhere).literal_separator(true).empty_alternates(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| format!("The pattern cannot be read: {error}."))
}

fn find(grounds: &Arc<Grounds>, input: &Input, stop: &Stop) -> Result<ToolOutput, String> {
    let fits = matcher(&input.pattern)?;
    let top = walk::top(grounds, input.path.as_deref())?;
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    let whole = walk::walk(grounds, &top, stop, |path| {
        let inner = path.strip_prefix(&top).unwrap_or(path);
        if fits.is_match(inner) || fits.is_match(path) {
            let changed = path.symlink_metadata().and_then(|data| data.modified());
            found.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), path.to_owned()));
        }
        found.len() < MAX_FOUND
    });
    found.sort_by(|(a, first), (b, second)| b.cmp(a).then_with(|| first.cmp(second)));
    let count = found.len();
    // A name that has come to lead elsewhere meanwhile is not told.
    let leads_here = |path: &&PathBuf| path.to_str().is_some_and(|path| grounds.readable(path).is_ok());
    let shown = found.iter().take(MAX_PATHS).map(|(_, path)| path).filter(leads_here);
    let paths: Vec<String> = shown.map(|path| grounds.shown(path)).collect();
    let truncated = count > MAX_PATHS || !whole;
    let mut output: String = paths.iter().map(|path| format!("{path}\n")).collect();
    let value = Output { paths, truncated };
    if output.is_empty() && whole {
        return Ok(ToolOutput::text("No files fit.").with(&value));
    }
    if count > MAX_PATHS {
        output.push_str(&format!("[{} more; narrow the pattern]\n", count - MAX_PATHS));
    }
    if !whole {
        output.push_str("[stopped early: too many files or too much time; look in a smaller directory]\n");
    }
    Ok(ToolOutput::text(output).with(&value).truncated(truncated))
}
