//! For whoever found a passage and wants to read what stands around it.

use crate::{chunks::transcript_lines, error::MemoryError, kind::Kind, memory::Memory, sources};

/// Lines given unless asked for others: what fits on a few screens.
const USUAL_LINES: usize = 200;

/// Bytes given at once; more would not fit into a conversation.
const MAX_BYTES: usize = 64 * 1024;

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The file, as it was asked for.
    pub path: String,
    /// The first line, counted from 1.
    pub line_start: usize,
    /// The last line; one less than the first if there are none.
    pub line_end: usize,
    /// The lines. Those of a transcript are put as people read them.
    pub text: String,
    /// Whether there is more after them.
    pub more: bool,
    /// Whether words of strangers may stand there, as in what was said in sessions.
    pub untrusted: bool,
}

impl Memory {
    /// Lines of a file that is searched, by the path a search gave. Nothing else is read. Blocks.
    pub fn get(&self, path: &str, from: Option<usize>, lines: Option<usize>) -> Result<Excerpt, MemoryError> {
        let (kind, content) = sources::read(self.settings(), path)?;
        let text = content.text.ok_or_else(|| MemoryError::NotText(path.into()))?;
        let all: Vec<String> = match kind {
            Kind::Transcript => transcript_lines(&text),
            _ => text.lines().map(str::to_owned).collect(),
        };
        let line_start = from.unwrap_or(1).max(1);
        let mut given = String::new();
        let mut line_end = line_start - 1;
        for line in all.iter().skip(line_end).take(lines.unwrap_or(USUAL_LINES)) {
            if given.len() + line.len() > MAX_BYTES {
                // One line that is too long by itself is better begun than not shown.
                if given.is_empty() {
                    given.push_str(&line[..line.floor_char_boundary(MAX_BYTES)]);
                    line_end += 1;
                }
                break;
            }
            if line_end >= line_start {
                given.push('\n');
            }
            given.push_str(line);
            line_end += 1;
        }
        Ok(Excerpt {
            path: path.into(),
            line_start,
            line_end,
            text: given,
            more: line_end < all.len() || content.cut,
            untrusted: kind == Kind::Transcript,
        })
    }
}
