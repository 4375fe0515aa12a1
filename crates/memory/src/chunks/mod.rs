//! A file cut into passages: what is indexed, found and shown. Pure; reading files is left to others.

mod markdown;
mod transcript;
#[cfg(test)]
mod tests;

pub(crate) use markdown::markdown;
pub(crate) use transcript::{transcript, transcript_lines};

/// Characters taken for one token. English has about 4, German a few more, code fewer; a passage that is a quarter too
/// long or too short does no harm.
const CHARACTERS_PER_TOKEN: usize = 4;

/// How passages are cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// Bytes of the longest passage.
    pub most: usize,
    /// Bytes repeated at most where a text had to be cut.
    pub overlap: usize,
}

/// A passage with its place, lines counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The headings it stands below: indexed with it, not shown.
    pub heading: String,
    /// As it stands in the file.
    pub text: String,
    pub line_start: usize,
    pub line_end: usize,
    /// Whether words of strangers may have had a part in it.
    pub untrusted: bool,
}

impl Cut {
    pub fn new(tokens: usize, overlap: usize) -> Self {
        // Less than a line could not be shown with any sense, and an overlap must leave room to go on.
        let most = tokens.max(16) * CHARACTERS_PER_TOKEN;
        Self { most, overlap: (overlap * CHARACTERS_PER_TOKEN).min(most / 2) }
    }
}

impl Chunk {
    /// What is turned into a vector.
    pub fn embedded_text(&self) -> String {
        embedded_text(&self.heading, &self.text)
    }
}

/// What is turned into a vector: a passage with the headings that say what it is about.
pub(crate) fn embedded_text(heading: &str, text: &str) -> String {
    if heading.is_empty() { text.to_owned() } else { format!("{heading}\n{text}") }
}

/// A line of a text without its line break.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

/// Lines as passages of at most `cut.most` bytes. Each but the first repeats whole lines of the one before; a line that
/// is itself too long is cut at blanks.
fn cut_lines(lines: &[Line<'_>], cut: Cut) -> Vec<(String, usize, usize)> {
    let (mut done, mut start) = (Vec::new(), 0);
    while let Some(first) = lines.get(start) {
        if first.text.len() > cut.most {
            done.extend(
                cut_line(first.text, cut)
                    .into_iter()
                    .map(|text| (text.to_owned(), first.number, first.number)),
            );
            start += 1;
            continue;
        }
        let (mut end, mut bytes) = (start, 0);
        while lines
            .get(end)
            .is_some_and(|line| bytes + line.text.len() < cut.most + usize::from(end == start))
        {
            bytes += lines[end].text.len() + 1;
            end += 1;
        }
        let taken = &lines[start..end];
        let text = taken.iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
        done.push((text, first.number, taken.last().map_or(first.number, |line| line.number)));
        // What is repeated must leave room for the line that follows, or nothing new would be said.
        let room = lines.get(end).map_or(0, |next| cut.most.saturating_sub(next.text.len() + 1));
        start = end - repeated(taken, cut.overlap.min(room));
    }
    done
}

/// How many of the last lines fit into the overlap; never all, so that it goes on.
fn repeated(lines: &[Line<'_>], overlap: usize) -> usize {
    let mut bytes = 0;
    let fits = |line: &&Line<'_>| {
        bytes += line.text.len() + 1;
        bytes <= overlap
    };
    lines.iter().skip(1).rev().take_while(fits).count()
}

fn cut_line(line: &str, cut: Cut) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), line);
    while rest.len() > cut.most {
        let most = rest.floor_char_boundary(cut.most);
        let end = rest[..most].rfind(char::is_whitespace).filter(|end| *end > cut.most / 2).unwrap_or(most);
        pieces.push(rest[..end].trim_end());
        let back = rest.ceil_char_boundary(end.saturating_sub(cut.overlap));
        let word = rest[back..end].find(char::is_whitespace).map_or(end, |blank| back + blank);
        rest = rest[word..].trim_start();
    }
    pieces.push(rest);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}
