//! `read`: a window of a text file with line numbers, or a picture.
//!
//! Finding files is `glob`'s and `grep`'s; coming to one is `place`'s.

use super::{
    picture::{MAX_PICTURE_BYTES, Picture},
    place::Grounds,
};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
};

/// Lines given unless asked otherwise.
const DEFAULT_LINES: usize = 2_000;
/// Characters of a line shown; minified files have lines of megabytes.
const MAX_LINE_CHARS: usize = 2_000;
/// Bytes of a line kept while reading: the characters shown, at four bytes each.
const MAX_LINE_BYTES: usize = MAX_LINE_CHARS * 4;
/// Bytes looked at to tell text from something else.
const SNIFF_BYTES: usize = 8_192;
/// Bytes read in one call before giving up, whether many lines or one: some seconds at most.
const MAX_SCAN_BYTES: u64 = 256 << 20;

/// The tool.
pub(crate) struct Read;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// Absolute, or relative to the workspace.
    path: String,
    /// First line, from 1.
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// Lines; default 2000.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// The lines without numbers; of a picture, what it is.
    text: String,
    /// Offset to go on with, if more follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<usize>,
    /// Whether text is what the file holds there: nothing cut, no bytes replaced.
    exact: bool,
}

impl TypedTool for Read {
    const NAME: &'static str = "read";
    const DESCRIPTION: &'static str = "Read a text file, with line numbers, or look at a picture.";
    const LABELS: Labels = Labels { reads_private: true, idempotent: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new(format!("Read {}", input.path), &input.path)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let grounds = Grounds::of(context);
        let max_bytes = context.limits.max_output_bytes;
        super::blocking(move || read(&grounds?, &input, max_bytes)).await
    }
}

fn read(grounds: &Grounds, input: &Input, max_bytes: usize) -> Result<ToolOutput, String> {
    let place = grounds.readable(&input.path)?;
    let file = grounds.open(&place)?;
    let unreadable = |error: io::Error| format!("`{}` cannot be read: {error}.", place.shown);
    let bytes = file.metadata().map_err(unreadable)?.len();
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let start = sniff(&mut reader).map_err(unreadable)?;
    if let Some(picture) = Picture::of(&start) {
        return show_picture(picture, start, reader, &place.shown);
    }
    if start.contains(&0) {
        return Err(format!(
            "`{}` is not a text file ({}). Look into it with a command such as `file` or `xxd`.",
            place.shown,
            text::size(bytes)
        ));
    }
    let start = io::Cursor::new(start);
    let window = Window::read(start.chain(reader), input, max_bytes).map_err(unreadable)?;
    Ok(window.output(&place.shown))
}

/// The first bytes, as many as there are up to the limit.
fn sniff(reader: &mut BufReader<File>) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(SNIFF_BYTES as u64).read_to_end(&mut start)?;
    Ok(start)
}

fn show_picture(
    picture: Picture,
    start: Vec<u8>,
    rest: BufReader<File>,
    shown: &str,
) -> Result<ToolOutput, String> {
    let mut bytes = start;
    rest.take(MAX_PICTURE_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("`{shown}` cannot be read: {error}."))?;
    let name = shown.rsplit('/').next().map(str::to_owned);
    let attachment =
        picture.attach(&bytes, name).map_err(|why| format!("`{shown}` is a picture, but {why}."))?;
    let text = format!("`{shown}`: {} of {} × {} pixels.", picture.mime_type, picture.width, picture.height);
    let value = Output { text: text.clone(), next: None, exact: false };
    Ok(ToolOutput { attachments: vec![attachment], ..ToolOutput::text(text).with(&value) })
}

/// The lines asked for.
struct Window {
    first: usize,
    text: String,
    /// The same lines without numbers, each with the end it has in the file.
    plain: String,
    /// Whether these are as in the file.
    exact: bool,
    /// Lines shown.
    count: usize,
    /// Where to go on, if anything follows.
    next: Option<usize>,
    cut_lines: usize,
    replaced: bool,
    gave_up: bool,
}

impl Window {
    fn read(lines: impl BufRead, input: &Input, max_bytes: usize) -> io::Result<Self> {
        let first = input.offset.unwrap_or(1).max(1);
        let limit = input.limit.unwrap_or(DEFAULT_LINES).max(1);
        let mut window = Self {
            first,
            text: String::new(),
            plain: String::new(),
            exact: true,
            count: 0,
            next: None,
            cut_lines: 0,
            replaced: false,
            gave_up: false,
        };
        let mut lines = lines.take(MAX_SCAN_BYTES);
        for number in 1.. {
            let Some(line) = next_line(&mut lines)? else { break };
            if lines.limit() == 0 {
                window.gave_up = true;
                break;
            }
            if number < first {
                continue;
            }
            let shown = window.format(number, &line);
            if window.count == limit
                || window.text.len() + shown.numbered.len() > max_bytes && window.count > 0
            {
                window.next = Some(number);
                break;
            }
            window.text.push_str(&shown.numbered);
            window.plain.push_str(&shown.plain);
            window.exact &= shown.exact;
            window.count += 1;
        }
        Ok(window)
    }

    fn format(&mut self, number: usize, line: &Line) -> Shown {
        let whole = line.kept.len() as u64 == line.bytes;
        let kept = if whole { &line.kept[..] } else { &line.kept[..text::whole_characters(&line.kept)] };
        let decoded = String::from_utf8_lossy(kept);
        self.replaced |= matches!(decoded, std::borrow::Cow::Owned(_));
        let (head, cut) = text::head(decoded.trim_end_matches(['\n', '\r']), MAX_LINE_CHARS);
        // No more than this is taken of a line's end: it may be a megabyte of returns.
        let ending = ["\r\n", "\n"].into_iter().find(|ending| decoded.ends_with(ending));
        if cut == 0 && whole {
            let plain = format!("{head}{}", ending.unwrap_or_default());
            let exact = plain.as_bytes() == line.kept;
            return Shown { numbered: format!("{number:>6}\t{head}\n"), plain, exact };
        }
        self.cut_lines += 1;
        let size = text::size(line.bytes);
        let numbered = format!("{number:>6}\t{head} … [line cut, {size} in all]\n");
        Shown { numbered, plain: format!("{head}\n"), exact: false }
    }

    fn output(self, shown: &str) -> ToolOutput {
        if self.gave_up && self.count == 0 {
            return ToolOutput::failed(format!(
                "`{shown}`: line {} is too far into the file; use a command such as `sed` or `tail`.",
                self.first
            ));
        }
        if self.count == 0 && self.first > 1 {
            return ToolOutput::failed(format!("`{shown}` ends before line {}.", self.first));
        }
        let value = Output { text: self.plain, next: self.next, exact: self.exact && !self.gave_up };
        if self.count == 0 {
            return ToolOutput::text(format!("`{shown}` is empty.")).with(&value);
        }
        let mut output = self.text;
        if let Some(next) = self.next {
            output.push_str(&format!("[more follows; go on with offset {next}]\n"));
        }
        if self.gave_up {
            output.push_str("[the next line is too long to be shown; use a command such as `cut`]\n");
        }
        if self.replaced {
            output.push_str("[some bytes are not UTF-8 and were replaced]\n");
        }
        let output = ToolOutput::text(output).with(&value);
        output.truncated(self.next.is_some() || self.gave_up || self.cut_lines > 0)
    }
}

/// A line as it is given.
struct Shown {
    numbered: String,
    plain: String,
    /// Whether the plain one is as in the file.
    exact: bool,
}

struct Line {
    kept: Vec<u8>,
    bytes: u64,
}

/// The next line with its end, keeping only its first bytes however long it is.
fn next_line(lines: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Line { kept: Vec::new(), bytes: 0 };
    loop {
        let buffer = match lines.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if buffer.is_empty() {
            return Ok((line.bytes > 0).then_some(line));
        }
        let end = memchr::memchr(b'\n', buffer).map(|at| at + 1);
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        let room = MAX_LINE_BYTES.saturating_sub(line.kept.len()).min(piece.len());
        line.kept.extend_from_slice(&piece[..room]);
        line.bytes += piece.len() as u64;
        let taken = piece.len();
        lines.consume(taken);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}
