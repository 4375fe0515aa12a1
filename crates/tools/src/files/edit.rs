//! `edit`: replaces one exact piece of a file.
//!
//! The replacing itself is pure, in [`replaced`]; coming to the file is `place`'s.

use super::place::Grounds;
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{fs::File, io::Read as _};

/// The largest file that is edited in memory.
const MAX_EDIT_BYTES: u64 = 10_000_000;

/// Occurrences counted before giving up: enough to say that there are far too many.
const MAX_OCCURRENCES: usize = 1_000;

/// The tool.
pub(crate) struct Edit;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    path: String,
    /// Exactly as in the file, where it must occur once.
    old: String,
    new: String,
}

impl TypedTool for Edit {
    const NAME: &'static str = "edit";
    const DESCRIPTION: &'static str = "Replace a piece of a text file.";
    const LABELS: Labels = Labels { acts_outside: true, ..Labels::NONE };
    type Input = Input;

    fn show(&self, input: &Input) -> Presentation {
        let minus = input.old.lines().map(|line| format!("- {line}\n"));
        let plus = input.new.lines().map(|line| format!("+ {line}\n"));
        Presentation::new(format!("Edit {}", input.path), minus.chain(plus).collect::<String>())
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let grounds = Grounds::of(context);
        super::blocking(move || {
            let grounds = grounds?;
            let place = grounds.writable(&input.path)?;
            let content = text_of(grounds.open(&place)?, &place.shown)?;
            let (content, line) = replaced(&content, &input.old, &input.new)
                .map_err(|why| format!("`{}` was not changed: {why}", place.shown))?;
            grounds.replace(&place, content.as_bytes())?;
            Ok(ToolOutput::text(format!("Edited `{}` at line {line}.", place.shown)))
        })
        .await
    }
}

/// The content with the one occurrence of `old` replaced, and the line it was found at.
pub(super) fn replaced(content: &str, old: &str, new: &str) -> Result<(String, usize), String> {
    if old.is_empty() {
        return Err("`old` is empty. To write a whole file, use write.".into());
    }
    if old == new {
        return Err("`old` and `new` are the same.".into());
    }
    let windows = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    // Models write line feeds only; the file's own line ends are kept.
    let (old, new) = if !content.contains(old) && content.contains("\r\n") {
        (windows(old), windows(new))
    } else {
        (old.to_owned(), new.to_owned())
    };
    let places = occurrences(content, &old);
    match places.as_slice() {
        [] => Err(not_found(content, &old)),
        [at] => {
            let line = line_of(content, *at);
            Ok((format!("{}{new}{}", &content[..*at], &content[at + old.len()..]), line))
        }
        many => {
            let lines: Vec<String> =
                many.iter().take(10).map(|at| line_of(content, *at).to_string()).collect();
            let more = if many.len() > 10 { ", …" } else { "" };
            Err(format!(
                "`old` occurs {} times (lines {}{more}). Add lines around it so that it occurs once.",
                many.len(),
                lines.join(", ")
            ))
        }
    }
}

/// Every place `old` stands at, overlapping ones too: each is a place the edit could have meant.
fn occurrences(content: &str, old: &str) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while places.len() < MAX_OCCURRENCES
        && let Some(found) = content.get(from..).and_then(|rest| rest.find(old))
    {
        places.push(from + found);
        from += found + step;
    }
    places
}

/// Says what was probably meant, since the model will try again.
fn not_found(content: &str, old: &str) -> String {
    let bare = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = old.lines().map(bare).find(|line| !line.is_empty()).unwrap_or_default();
    let near = content.lines().position(|line| !first.is_empty() && bare(line) == first);
    match near {
        Some(line) => format!(
            "`old` was not found. Line {} has its first line with other white space or other lines after it; read it again.",
            line + 1
        ),
        None => "`old` was not found. Read the file again and copy the text exactly.".into(),
    }
}

fn line_of(content: &str, at: usize) -> usize {
    content[..at].matches('\n').count() + 1
}

fn text_of(file: File, shown: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.take(MAX_EDIT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("`{shown}` cannot be read: {error}."))?;
    if bytes.len() as u64 > MAX_EDIT_BYTES {
        return Err(format!("`{shown}` is larger than 10 MB; edit it with a command."));
    }
    String::from_utf8(bytes).map_err(|_| format!("`{shown}` is not UTF-8 text; edit it with a command."))
}
