//! Markdown cut into passages: paragraphs, items of lists and blocks of code stay whole where they fit, and each
//! passage knows the headings it stands below.

use super::{Chunk, Cut, Line, cut_lines};

/// Bytes up to which neighbours below one heading share a passage. A passage of several facts is a vector between
/// them and near to none, so a paragraph of some length stands alone.
const TOGETHER_BYTES: usize = 160;

/// Bytes of headings put before a passage; more would drown it.
const MAX_HEADING_BYTES: usize = 200;

/// The passages of a text, in order.
pub(crate) fn markdown(text: &str, cut: Cut) -> Vec<Chunk> {
    let mut reader = Reader { cut, headings: Vec::new(), open: Vec::new(), done: Vec::new() };
    let mut blocks = blocks(text);
    // A title with nothing below it is all there is to find of its part.
    let bare: Vec<bool> = blocks
        .iter()
        .zip(blocks.iter().skip(1).map(Some).chain([None]))
        .map(|(block, next)| block.heading.is_some() && next.is_none_or(|next| next.heading.is_some()))
        .collect();
    for (block, bare) in blocks.drain(..).zip(bare) {
        match block.heading {
            Some((level, title)) => {
                reader.close();
                reader.headings.retain(|(above, _)| *above < level);
                if bare {
                    reader.open = block.lines;
                    reader.close();
                }
                reader.headings.push((level, title));
            }
            None => reader.take(block.lines),
        }
    }
    reader.close();
    reader.done
}

/// Lines that belong together.
struct Block<'a> {
    lines: Vec<Line<'a>>,
    /// The level and the title, if this is a heading.
    heading: Option<(usize, &'a str)>,
}

struct Reader<'a> {
    cut: Cut,
    headings: Vec<(usize, &'a str)>,
    /// The lines of the passage that may still grow.
    open: Vec<Line<'a>>,
    done: Vec<Chunk>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, lines: Vec<Line<'a>>) {
        let together = TOGETHER_BYTES.min(self.cut.most);
        if !self.open.is_empty() && length(&self.open) + length(&lines) > together {
            self.close();
        }
        if let (Some(last), Some(first)) = (self.open.last(), lines.first()) {
            let blank = |number| Line { number, text: "" };
            self.open.extend((last.number + 1..first.number).map(blank));
        }
        self.open.extend(lines);
    }

    fn close(&mut self) {
        let heading = self.heading();
        for (text, line_start, line_end) in cut_lines(&std::mem::take(&mut self.open), self.cut) {
            if text.trim().is_empty() {
                continue;
            }
            let heading = heading.clone();
            self.done.push(Chunk { heading, text, line_start, line_end, untrusted: false });
        }
    }

    fn heading(&self) -> String {
        let mut path = self.headings.iter().map(|(_, title)| *title).collect::<Vec<_>>().join(" > ");
        path.truncate(path.floor_char_boundary(MAX_HEADING_BYTES));
        path
    }
}

fn length(lines: &[Line<'_>]) -> usize {
    lines.iter().map(|line| line.text.len() + 1).sum()
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let (mut fence, mut ended): (Option<&str>, bool) = (None, true);
    for (number, text) in (1..).zip(text.lines()) {
        let line = Line { number, text: text.trim_end() };
        if let Some(mark) = fence {
            push(&mut blocks, line, false);
            if text.trim_start().starts_with(mark) {
                (fence, ended) = (None, true);
            }
        } else if text.trim().is_empty() || is_comment(text) {
            ended = true;
        } else if let Some(heading) = heading(text) {
            blocks.push(Block { lines: vec![line], heading: Some(heading) });
            ended = true;
        } else if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.trim_start().starts_with(mark))
        {
            push(&mut blocks, line, ended);
            fence = Some(mark);
        } else {
            push(&mut blocks, line, ended || is_item(text));
            ended = false;
        }
    }
    blocks
}

fn push<'a>(blocks: &mut Vec<Block<'a>>, line: Line<'a>, begins: bool) {
    match blocks.last_mut().filter(|_| !begins) {
        Some(block) => block.lines.push(line),
        None => blocks.push(Block { lines: vec![line], heading: None }),
    }
}

/// Whether a line is a comment and nothing else: it is for whoever edits the file, not for finding.
fn is_comment(line: &str) -> bool {
    line.trim().starts_with("<!--") && line.trim().ends_with("-->")
}

/// The level and the title of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with([' ', '\t'])).then(|| (level, title.trim()))
}

/// Whether an item of a list begins here that is not part of another.
fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let bullet = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
    bullet || (number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") ")))
}
