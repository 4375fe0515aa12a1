//! Markdown as it streams, for a terminal: text in, styled text out, at once and without taking anything
//! back. Knows headings, lists, quotes, rules, code blocks, code, strong and emphasis; the rest stays as
//! it was written.

use super::clean::clean;

const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const ITALIC: &str = "\x1b[3m";
const CODE: &str = "\x1b[36m";

/// How much of a line is held back at most to see what it begins with.
const MAX_MARKER: usize = 8;

/// One answer being rendered.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    /// Text not yet rendered because what follows decides its meaning.
    held: String,
    inside_line: bool,
    inside_block: bool,
    strong: bool,
    emphasis: bool,
    code: bool,
    heading: bool,
    before: Option<char>,
}

impl Markdown {
    /// Renders what can be rendered.
    pub fn push(&mut self, text: &str) -> String {
        self.held.push_str(&clean(text));
        self.render(false)
    }

    /// Renders what was held back, and ends all styles.
    pub fn finish(&mut self) -> String {
        let mut out = self.render(true);
        if self.styled() {
            out.push_str(RESET);
        }
        *self = Self::default();
        out
    }

    fn render(&mut self, last: bool) -> String {
        let mut out = String::new();
        loop {
            let progressed = match self.inside_line {
                false => self.begin_line(&mut out, last),
                true => self.within_line(&mut out, last),
            };
            if !progressed {
                return out;
            }
        }
    }

    /// Looks at a line's first characters once they say what kind of line it is.
    fn begin_line(&mut self, out: &mut String, last: bool) -> bool {
        let line = self.held.split('\n').next().unwrap_or_default().to_owned();
        let whole = line.len() < self.held.len() || last;
        if self.held.is_empty() || (!whole && undecided(&line)) {
            return false;
        }
        let indent = line.len() - line.trim_start().len();
        let rest = &line[indent..];
        let (used, shown) = if rest.starts_with("```") || rest.starts_with("~~~") {
            if !whole {
                return false;
            }
            self.inside_block = !self.inside_block;
            (line.len(), format!("{DIM}{line}{RESET}"))
        } else if self.inside_block {
            (0, format!("  {CODE}"))
        } else {
            self.line_marker(indent, &line)
        };
        self.held.drain(..used);
        out.push_str(&shown);
        self.inside_line = true;
        self.before = None;
        true
    }

    /// How many bytes the line's marker takes, and what is shown for it.
    fn line_marker(&mut self, indent: usize, line: &str) -> (usize, String) {
        let (spaces, rest) = line.split_at(indent);
        let hashes = rest.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&hashes) && rest[hashes..].starts_with(' ') {
            self.heading = true;
            return (indent + hashes + 1, BOLD.to_owned());
        }
        if let Some(bullet) = ["- ", "* ", "+ "].iter().find(|bullet| rest.starts_with(**bullet)) {
            return (indent + bullet.len(), format!("{spaces}• "));
        }
        if rest.starts_with("> ") {
            return (indent + 2, format!("{spaces}{DIM}│{RESET} "));
        }
        if matches!(rest.trim_end(), "---" | "***" | "___") {
            return (line.len(), format!("{DIM}────────{RESET}"));
        }
        (0, String::new())
    }

    fn within_line(&mut self, out: &mut String, last: bool) -> bool {
        let Some(c) = self.held.chars().next() else { return false };
        let next = self.held[c.len_utf8()..].chars().next();
        if next.is_none() && !last && matches!(c, '*' | '_') && !self.inside_block {
            return false;
        }
        if c == '\n' {
            self.end_line(out);
            self.held.drain(..1);
            return true;
        }
        let used = if self.inside_block { 0 } else { self.inline_marker(c, next, out) };
        if used == 0 {
            out.push(c);
        }
        self.before = Some(c);
        self.held.drain(..used.max(c.len_utf8()));
        true
    }

    /// Switches a style if a marker stands here; how many bytes it took.
    fn inline_marker(&mut self, c: char, next: Option<char>, out: &mut String) -> usize {
        let opens = |after: Option<char>| after.is_some_and(|after| !after.is_whitespace());
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '`' => {
                self.code = !self.code;
                self.restyle(out);
                1
            }
            '*' | '_' if self.code => 0,
            '*' | '_' if next == Some(c) => {
                let after = self.held[2..].chars().next();
                let allowed = if self.strong { true } else { opens(after) && !word(self.before) };
                if !allowed {
                    return 0;
                }
                self.strong = !self.strong;
                self.restyle(out);
                2
            }
            '*' | '_' => {
                let allowed = match self.emphasis {
                    true => {
                        !(c == '_' && word(next)) && self.before.is_some_and(|before| !before.is_whitespace())
                    }
                    false => opens(next) && !word(self.before),
                };
                if !allowed {
                    return 0;
                }
                self.emphasis = !self.emphasis;
                self.restyle(out);
                1
            }
            _ => 0,
        }
    }

    fn end_line(&mut self, out: &mut String) {
        if self.styled() || self.inside_block {
            out.push_str(RESET);
        }
        (self.strong, self.emphasis, self.code, self.heading) = (false, false, false, false);
        self.inside_line = false;
        out.push('\n');
    }

    fn styled(&self) -> bool {
        self.strong || self.emphasis || self.code || self.heading || self.inside_block
    }

    fn restyle(&self, out: &mut String) {
        out.push_str(RESET);
        let styles = [(self.heading || self.strong, BOLD), (self.emphasis, ITALIC), (self.code, CODE)];
        styles.iter().filter(|(on, _)| *on).for_each(|(_, style)| out.push_str(style));
    }
}

/// Whether more of the line could still change what kind of line it is.
fn undecided(line: &str) -> bool {
    line.len() < MAX_MARKER && line.chars().all(|c| c.is_whitespace() || "#-*+>`~_".contains(c))
}

#[cfg(test)]
mod tests {
    use super::Markdown;

    fn render(chunks: &[&str]) -> String {
        let mut markdown = Markdown::default();
        let mut out: String = chunks.iter().map(|chunk| markdown.push(chunk)).collect();
        out.push_str(&markdown.finish());
        out.replace("\x1b[0m", "<0>")
            .replace("\x1b[1m", "<b>")
            .replace("\x1b[3m", "<i>")
            .replace("\x1b[36m", "<c>")
            .replace("\x1b[2m", "<d>")
    }

    #[test]
    fn the_common_forms_are_styled() {
        let check = |text: &str, expected: &str| assert_eq!(render(&[text]), expected, "{text:?}");
        check("plain text", "plain text");
        check("# Title\nText", "<b>Title<0>\nText");
        check("- one\n  * two", "• one\n  • two");
        check("a **bold** and *soft* word", "a <0><b>bold<0> and <0><i>soft<0> word");
        check("run `ls *.rs` now", "run <0><c>ls *.rs<0> now");
        check("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4");
        check("```rust\nlet *x* = 1;\n```\nend", "<d>```rust<0><0>\n  <c>let *x* = 1;<0>\n<d>```<0>\nend");
        check("> said", "<d>│<0> said");
        check("---\n", "<d>────────<0>\n");
        check("open **bold\nnext", "open <0><b>bold<0>\nnext");
    }

    #[test]
    fn every_way_of_cutting_the_stream_shows_the_same() {
        let text = "## Häding\n\n- **one** `two`\n```\ncode * here\n```\nlast *word*";
        let whole = render(&[text]);
        for size in 1..7 {
            let chars: Vec<char> = text.chars().collect();
            let chunks: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
            let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
            assert_eq!(render(&chunks), whole, "in pieces of {size}");
        }
    }

    #[test]
    fn text_appears_as_it_comes() {
        let mut markdown = Markdown::default();
        assert_eq!(markdown.push("Hello wor"), "Hello wor");
        assert_eq!(markdown.push("ld"), "ld");
    }
}
