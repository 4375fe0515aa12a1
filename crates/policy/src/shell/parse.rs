//! From text to a list of simple commands and redirections, with every part that was not followed named. What
//! the commands mean is for `reading`.

use super::{
    commands::{HARMLESS_VARIABLES, SYNTAX_WORDS},
    doubt::{check_gaps, is_blank},
    word::{Form, Word, decode},
};
use crate::call::Access;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// What a script consists of.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// Every simple command, wherever it stands.
    pub(super) commands: Vec<Vec<Word>>,
    /// Every file a redirection opens.
    pub(super) redirects: Vec<(Word, Access)>,
    /// Why it is not understood; empty when it is.
    pub(super) unclear: Vec<String>,
}

/// The longest script that is read: longer ones cannot be checked by an owner on one screen either.
const MAX_SCRIPT_BYTES: usize = 16 * 1024;

/// The deepest tree that is walked: hand-written scripts stay far below.
const MAX_DEPTH: usize = 200;

/// The most reasons that are kept: an owner reads a few, and memory stays bounded.
const MAX_REASONS: usize = 12;

/// How often the parser reports progress before it is stopped, once per hundred steps: ten times what the
/// longest plain script takes.
const MAX_PARSER_REPORTS: usize = 3_000;

/// How many brackets and backquotes a script may open, and how many signs and lines may part its commands: on
/// more, the parser's recovery from errors takes time that grows with the square.
const MAX_OPENINGS: usize = 100;
const MAX_SEPARATORS: usize = 400;

/// The kinds of node that are followed. Every other kind makes the script not understood.
const FOLLOWED: &[&str] = &[
    "program",
    "list",
    "pipeline",
    "command",
    "command_name",
    "word",
    "number",
    "string",
    "string_content",
    "raw_string",
    "concatenation",
    "redirected_statement",
    "file_redirect",
    "file_descriptor",
    "heredoc_redirect",
    "heredoc_start",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
    "herestring_redirect",
    "comment",
    "negated_command",
    "subshell",
    "compound_statement",
    "if_statement",
    "elif_clause",
    "else_clause",
    "while_statement",
    "do_group",
    "for_statement",
    "variable_name",
    "variable_assignment",
    "variable_assignments",
];

/// The signs and reserved words that are followed.
const FOLLOWED_SIGNS: &[&str] = &[
    ";", "&", "&&", "||", "|", "|&", "(", ")", "{", "}", ">", ">>", "<", ">&", "<&", "&>", "&>>", ">|",
    ">&-", "<&-", "<<", "<<-", "<<<", "\"", "=", "!", "if", "then", "elif", "else", "fi", "for", "in", "do",
    "done", "while", "until", "$",
];

/// Takes a script apart. Never fails: what cannot be followed is named in `unclear`.
pub(super) fn parse(script: &str) -> Parsed {
    let mut parsed = Parsed::default();
    if script.len() > MAX_SCRIPT_BYTES {
        parsed.note(format!("it is longer than {MAX_SCRIPT_BYTES} bytes"));
        return parsed;
    }
    if let Some(bad) = script.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t') {
        parsed.note(format!("it contains the control character U+{:04X}", u32::from(bad)));
        return parsed;
    }
    if script.contains("\\\n") {
        parsed.note("a backslash joins two lines".into());
    }
    if script.chars().any(|c| c.is_whitespace() && !c.is_ascii()) {
        parsed.note("it contains a blank that is not an ordinary one".into());
    }
    if script.matches(['(', '`', '{', '[']).count() > MAX_OPENINGS {
        parsed.note("it opens too many brackets".into());
        return parsed;
    }
    if script.matches(['|', '&', ';', '<', '>', '!', '\n']).count() > MAX_SEPARATORS {
        parsed.note("it holds too many commands".into());
        return parsed;
    }
    match tree_of(script) {
        Some(tree) => walk(&tree, script, &mut parsed),
        None => parsed.note("it is too tangled to read".into()),
    }
    parsed
}

impl Parsed {
    pub(super) fn note(&mut self, reason: String) {
        if self.unclear.len() < MAX_REASONS && !self.unclear.contains(&reason) {
            self.unclear.push(reason);
        }
    }

    fn command(&mut self, node: Node<'_>, parent: Option<Node<'_>>, source: &str) {
        let mut words = Vec::new();
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "command_name" => match child.child(0) {
                    Some(name) if child.child_count() == 1 => words.push(decode(name, source)),
                    _ => self.note("the command's name cannot be read".into()),
                },
                "variable_assignment" | "file_redirect" | "herestring_redirect" => {}
                "subshell" => self.note("brackets stand where a word should".into()),
                _ => words.push(decode(child, source)),
            }
        }
        let name_is_first = node.child_by_field_name("name").is_some();
        if let Some(parent) = parent.filter(|parent| parent.kind() == "redirected_statement") {
            words.extend(words_after_redirects(parent, source));
        }
        if name_is_first {
            self.commands.push(words);
        } else {
            self.note("a command has no name".into());
        }
    }

    fn redirect(&mut self, node: Node<'_>, parent: Option<Node<'_>>, source: &str) {
        let children: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        let sign = children.iter().find(|child| !child.is_named()).map_or("", |child| child.kind());
        let mut targets = children.iter().filter(|child| is_word(child.kind()));
        let Some(target) = targets.next() else { return };
        let belongs_to_command = parent.is_some_and(|parent| {
            parent.kind() == "redirected_statement"
                && parent.child(0).is_some_and(|body| body.kind() == "command")
        });
        if targets.next().is_some() && !belongs_to_command {
            self.note("words follow a redirection".into());
        }
        let word = decode(*target, source);
        // After these signs only a descriptor's number is taken as bash takes it.
        if matches!(sign, ">&" | "<&" | ">&-" | "<&-") {
            let is_number = !word.text.is_empty() && word.text.chars().all(|c| c.is_ascii_digit());
            if !is_number || sign.ends_with('-') {
                self.note("what a redirection copies is not plain".into());
            }
            return;
        }
        let access = if sign == "<" { Access::Read } else { Access::Write };
        self.redirects.push((word, access));
    }

    fn assignment(&mut self, node: Node<'_>, source: &str) {
        let name = node
            .child_by_field_name("name")
            .and_then(|name| source.get(name.byte_range()))
            .unwrap_or_default();
        if !HARMLESS_VARIABLES.contains(&name) {
            self.note(format!("it sets the variable `{name}`"));
        }
        let value = node.child_by_field_name("value").map(|value| decode(value, source));
        if value.is_some_and(|value| value.form != Form::Literal) {
            self.note(format!("what `{name}` is set to is only known when it runs"));
        }
    }

    /// A loop's variable may not be one that other commands look at.
    fn loop_variable(&mut self, node: Node<'_>, source: &str) {
        let name = node
            .child_by_field_name("variable")
            .and_then(|name| source.get(name.byte_range()))
            .unwrap_or_default();
        let harmless = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) && !name.is_empty();
        if !harmless {
            self.note(format!("it sets the variable `{name}`"));
        }
    }
}

fn tree_of(script: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut reports = 0;
    let mut progress = |_: &tree_sitter::ParseState| {
        reports += 1;
        if reports > MAX_PARSER_REPORTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = masked(script);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut progress)))
}

/// The script with every byte beyond ASCII replaced by a letter, byte for byte. To bash those are ordinary parts
/// of a word, while the parser takes some for blanks and its scanner reads out of bounds on others (`{` before
/// a high character ends the process).
fn masked(script: &str) -> Vec<u8> {
    script.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect()
}

/// Visits every node with a stack of its own, so that nesting cannot exhaust the thread's.
fn walk(tree: &Tree, source: &str, parsed: &mut Parsed) {
    let root = tree.root_node();
    if root.has_error() {
        parsed.note("the shell's grammar does not fit it".into());
    }
    if !is_blank(source.get(..root.start_byte())) || !is_blank(source.get(root.end_byte()..)) {
        parsed.note("the parser skipped a part of it".into());
    }
    let mut stack = vec![(root, None, 0usize)];
    while let Some((node, parent, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            parsed.note("it is nested too deeply".into());
            break;
        }
        check_kind(node, parent, parsed);
        match node.kind() {
            "command" => parsed.command(node, parent, source),
            "file_redirect" => parsed.redirect(node, parent, source),
            "variable_assignment" => parsed.assignment(node, source),
            "for_statement" => parsed.loop_variable(node, source),
            "heredoc_redirect" => parsed.here_document(node, source),
            "herestring_redirect" => parsed.here_string(node, source),
            "file_descriptor" => parsed.descriptor(node, source),
            "compound_statement" | "negated_command" => parsed.mark(node, source),
            _ => {}
        }
        check_gaps(node, source, parsed);
        let children: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        stack.extend(children.into_iter().rev().map(|child| (child, Some(node), depth + 1)));
    }
}

fn check_kind(node: Node<'_>, parent: Option<Node<'_>>, parsed: &mut Parsed) {
    let kind = node.kind();
    let followed = if node.is_named() { FOLLOWED.contains(&kind) } else { FOLLOWED_SIGNS.contains(&kind) };
    if node.is_missing() {
        parsed.note("the shell's grammar does not fit it".into());
    } else if !followed {
        let known = SYNTAX_WORDS.iter().find(|(name, _)| *name == kind);
        match known {
            Some((_, words)) => parsed.note((*words).into()),
            // Signs inside such a node are explained by the node itself.
            None if !node.is_named() && parent.is_some_and(|parent| !FOLLOWED.contains(&parent.kind())) => {}
            None => parsed.note(format!("it uses shell syntax that is not followed (`{kind}`)")),
        }
    }
}

pub(super) fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "number"
            | "string"
            | "raw_string"
            | "concatenation"
            | "ansi_c_string"
            | "translated_string"
            | "simple_expansion"
            | "expansion"
            | "command_substitution"
            | "process_substitution"
            | "arithmetic_expansion"
            | "brace_expression"
    )
}

/// Bash takes words after a redirection as arguments of the command; the parser hangs them on the redirection.
fn words_after_redirects(statement: Node<'_>, source: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for child in statement.children(&mut statement.walk()) {
        let keep = match child.kind() {
            "file_redirect" => 1,
            "heredoc_redirect" => 0,
            _ => continue,
        };
        let parts: Vec<Node<'_>> = child.children(&mut child.walk()).collect();
        words.extend(
            parts.iter().filter(|part| is_word(part.kind())).skip(keep).map(|part| decode(*part, source)),
        );
    }
    words
}
