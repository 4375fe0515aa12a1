//! `grep`: lines that fit a regular expression, searched by ripgrep's own crates.
//!
//! Walking is `walk`'s; each file is opened through `place`, so a symlink planted meanwhile leads nowhere.

use super::{
    glob,
    place::Grounds,
    walk::{self, Stop},
};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of, text};
use globset::GlobMatcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt::Write as _, io, path::Path, sync::Arc};

/// Matching lines given back.
const MAX_MATCHES: usize = 200;
/// Characters of a line shown.
const MAX_LINE_CHARS: usize = 400;
/// Memory a pattern and a line may take; a single line of a huge file is passed over.
const MAX_MEMORY_BYTES: usize = 16 << 20;

/// The tool.
pub(crate) struct Grep;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    pattern: String,
    /// File or directory; default the workspace.
    path: Option<String>,
    /// Which files, such as `*.rs`.
    glob: Option<String>,
    ignore_case: Option<bool>,
    /// Lines around each match.
    #[schemars(range(max = 10))]
    context: Option<usize>,
    files_only: Option<bool>,
}

/// What it gives.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// Those with a match.
    files: Vec<String>,
    /// None with filesOnly; context lines are left out.
    matches: Vec<Match>,
    /// Whether there may be more.
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    path: String,
    line: u64,
    text: String,
    /// Characters cut from the end of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<usize>,
}

impl TypedTool for Grep {
    const NAME: &'static str = "grep";
    const DESCRIPTION: &'static str = "Search text files by regular expression, without ignored ones.";
    const LABELS: Labels = Labels { reads_private: true, idempotent: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn show(&self, input: &Input) -> Presentation {
        let place = input.path.as_deref().unwrap_or("the workspace");
        Presentation::new("Search files", format!("{} in {place}", input.pattern))
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let grounds = Grounds::of(context);
        let max_bytes = context.limits.max_output_bytes;
        let (stop, _held) = Stop::after(context.limits.timeout_ms);
        super::blocking(move || search(&Arc::new(grounds?), &input, max_bytes, &stop)).await
    }
}

fn search(
    grounds: &Arc<Grounds>,
    input: &Input,
    max_bytes: usize,
    stop: &Stop,
) -> Result<ToolOutput, String> {
    let matcher = RegexMatcherBuilder::new()
        .case_insensitive(input.ignore_case.unwrap_or(false))
        .size_limit(MAX_MEMORY_BYTES)
        .dfa_size_limit(MAX_MEMORY_BYTES)
        .line_terminator(Some(b'\n'))
        .build(&input.pattern)
        .map_err(|error| format!("The pattern cannot be used: {error}."))?;
    let only = input.glob.as_deref().map(glob::matcher).transpose()?;
    let top = walk::top(grounds, input.path.as_deref())?;
    let lines = input.context.unwrap_or(0);
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(lines)
        .after_context(lines)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_MEMORY_BYTES))
        .build();
    let mut found = Found {
        output: String::new(),
        value: Output::default(),
        matches: 0,
        files: 0,
        max_bytes,
        files_only: input.files_only.unwrap_or(false),
        full: false,
    };
    let whole = walk::walk(grounds, &top, stop, |path| {
        if fits(only.as_ref(), path, &top) {
            found.look_into(&mut searcher, &matcher, grounds, path, stop);
        }
        !found.full
    });
    Ok(found.finish(whole))
}

fn fits(only: Option<&GlobMatcher>, path: &Path, top: &Path) -> bool {
    let inner = path.strip_prefix(top).unwrap_or(path);
    only.is_none_or(|only| only.is_match(inner) || only.is_match(path))
}

/// What was found so far.
struct Found {
    output: String,
    value: Output,
    matches: usize,
    files: usize,
    max_bytes: usize,
    files_only: bool,
    full: bool,
}

impl Found {
    fn look_into(
        &mut self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        grounds: &Grounds,
        path: &Path,
        stop: &Stop,
    ) {
        let Some(file) = grounds.open_found(path) else { return };
        let shown = grounds.shown(path);
        let before = self.matches;
        let mut sink = Lines { found: self, shown: &shown, stop, first: true };
        // A file that cannot be read to its end is passed over from there on.
        if let Err(error) = searcher.search_file(matcher, &file, &mut sink) {
            tracing::debug!(%error, path = shown, "a file was not searched to its end");
        }
        if self.matches > before {
            self.files += 1;
        }
    }

    /// Adds a line if there is room for it, and says whether there was.
    fn add(&mut self, line: &str) -> bool {
        let fits = self.output.len() + line.len() <= self.max_bytes;
        if fits {
            self.output.push_str(line);
        }
        self.full |= !fits;
        fits
    }

    fn add_file(&mut self, shown: &str) {
        if self.value.files.last().is_none_or(|last| last != shown) {
            self.value.files.push(shown.to_owned());
        }
    }

    fn finish(mut self, whole: bool) -> ToolOutput {
        self.value.truncated = !whole;
        if self.matches == 0 && whole {
            return ToolOutput::text("No matches.").with(&self.value);
        }
        if self.full {
            let note = format!(
                "[stopped after {} matches in {} files; narrow the search]\n",
                self.matches, self.files
            );
            self.output.push_str(&note);
        } else if !whole {
            self.output
                .push_str("[stopped early: too many files or too much time; look in a smaller directory]\n");
        }
        ToolOutput::text(self.output).with(&self.value).truncated(!whole)
    }
}

/// Takes the lines of one file.
struct Lines<'a> {
    found: &'a mut Found,
    shown: &'a str,
    stop: &'a Stop,
    first: bool,
}

impl Lines<'_> {
    fn add(&mut self, number: Option<u64>, separator: char, bytes: &[u8]) -> Option<Match> {
        if self.first && !self.found.output.is_empty() {
            self.found.add("\n");
        }
        self.first = false;
        let line = String::from_utf8_lossy(bytes);
        let (head, cut) = text::head(line.trim_end_matches(['\n', '\r']), MAX_LINE_CHARS);
        let mut shown = String::new();
        let number = number.unwrap_or(0);
        let ending = if cut > 0 { format!(" … [{cut} more]") } else { String::new() };
        // Writing to a String cannot fail.
        writeln!(shown, "{}{separator}{number}{separator}{head}{ending}", self.shown).unwrap_or_default();
        let path = self.shown.to_owned();
        let cut = (cut > 0).then_some(cut);
        self.found.add(&shown).then(|| Match { path, line: number, text: head.to_owned(), cut })
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.matches += 1;
        if self.found.files_only {
            if self.found.add(&format!("{}\n", self.shown)) {
                self.found.add_file(self.shown);
            }
            self.found.full |= self.found.matches >= MAX_MATCHES;
            return Ok(false);
        }
        if let Some(fitting) = self.add(found.line_number(), ':', found.bytes()) {
            self.found.add_file(self.shown);
            self.found.value.matches.push(fitting);
        }
        self.found.full |= self.found.matches >= MAX_MATCHES;
        Ok(!self.found.full && !self.stop.now())
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.add(context.line_number(), '-', context.bytes());
        Ok(!self.found.full)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        self.found.add("--\n");
        Ok(true)
    }
}
