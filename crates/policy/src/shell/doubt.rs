//! Where the parser and bash part ways: each place found by comparing the two is named, so that the script is
//! asked. Taking scripts apart is for `parse`.

use super::{
    parse::{Parsed, is_word},
    word::{Form, Word, decode},
};
use tree_sitter::Node;

impl Parsed {
    /// A here-document must end where bash ends it, and its text must stand for itself.
    pub(super) fn here_document(&mut self, node: Node<'_>, source: &str) {
        let children: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        let part = |kind: &str| children.iter().find(|child| child.kind() == kind);
        let (Some(start), Some(end)) = (part("heredoc_start"), part("heredoc_end")) else {
            return self.note("a here-document has no end".into());
        };
        let label = source.get(start.byte_range()).unwrap_or_default();
        let bare = label.strip_prefix('\'').and_then(|label| label.strip_suffix('\'')).unwrap_or(label);
        let is_quoted = bare.len() != label.len();
        let is_plain = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let strips_tabs = part("<<-").is_some();
        let after_line = source
            .get(start.end_byte()..)
            .and_then(|rest| rest.find('\n').map(|at| start.end_byte() + at + 1));
        let body_start = after_line.unwrap_or(source.len());
        let mut at = body_start;
        let real_end = source.get(body_start..).unwrap_or_default().split_inclusive('\n').find_map(|line| {
            let begin = at;
            at += line.len();
            let text = line.trim_end_matches('\n');
            let text = if strips_tabs { text.trim_start_matches('\t') } else { text };
            (text == bare).then_some((begin, begin + line.trim_end_matches('\n').len()))
        });
        let ends_alike = real_end.is_some_and(|(_, real)| real == end.end_byte());
        let body = real_end.and_then(|(begin, _)| source.get(body_start..begin)).unwrap_or_default();
        if !is_plain || !ends_alike {
            self.note("a here-document's end is not plain".into());
        }
        if !is_quoted && body.contains(['$', '`', '\\']) {
            self.note("a here-document contains text that the shell replaces".into());
        }
        if children.iter().any(|child| is_word(child.kind())) {
            self.note("words follow a here-document".into());
        }
        if source.matches("<<").count() > 1 {
            self.note("it holds more than one here-document".into());
        }
    }

    pub(super) fn here_string(&mut self, node: Node<'_>, source: &str) {
        let words: Vec<Word> = node
            .children(&mut node.walk())
            .filter(|child| is_word(child.kind()))
            .map(|child| decode(child, source))
            .collect();
        if words.len() != 1 || words.iter().any(|word| word.form == Form::Unknown) {
            self.note("a here-string's text is not plain".into());
        }
    }

    /// Only digits name a descriptor; anything else before the sign is a word to bash.
    pub(super) fn descriptor(&mut self, node: Node<'_>, source: &str) {
        let text = source.get(node.byte_range()).unwrap_or_default();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit()) {
            self.note("the parser takes a word for a descriptor".into());
        }
    }

    /// `{` and `!` have their meaning only before a blank; otherwise they are part of a word to bash.
    pub(super) fn mark(&mut self, node: Node<'_>, source: &str) {
        let after = source.as_bytes().get(node.start_byte() + 1);
        if node.named_child_count() == 0 || !after.is_some_and(|byte| b" \t\n".contains(byte)) {
            self.note("the parser takes a word for a sign of the shell's".into());
        }
    }
}

/// Nodes whose parts touch.
const JOINED: &[&str] = &["concatenation", "variable_assignment"];

/// Between two parts there may only be blanks: the parser silently skips some things bash does not.
pub(super) fn check_gaps(node: Node<'_>, source: &str, parsed: &mut Parsed) {
    if matches!(node.kind(), "string" | "heredoc_body") || node.child_count() == 0 {
        return;
    }
    let mut at = node.start_byte();
    let mut after_part = false;
    for child in node.children(&mut node.walk()) {
        if !is_blank(source.get(at..child.start_byte())) {
            return parsed.note("the parser skipped a part of it".into());
        }
        if node.kind() == "concatenation" && at != child.start_byte() {
            return parsed.note("the parser joins words that the shell does not".into());
        }
        // Two parts that touch are one word to bash, unless a sign of the shell's stands between them.
        let starts_with_sign =
            source.as_bytes().get(child.start_byte()).is_some_and(|byte| b"<>&|;()\n".contains(byte));
        if after_part
            && at == child.start_byte()
            && !starts_with_sign
            && !JOINED.contains(&node.kind())
            && child.kind() != "heredoc_end"
        {
            return parsed.note("the parser parts a word that the shell does not".into());
        }
        at = child.end_byte();
        after_part = child.is_named();
    }
    if !is_blank(source.get(at..node.end_byte())) {
        parsed.note("the parser skipped a part of it".into());
    }
}

pub(super) fn is_blank(gap: Option<&str>) -> bool {
    gap.is_some_and(|gap| gap.chars().all(|c| matches!(c, ' ' | '\t' | '\n')))
}
