//! One word of a script: what it will be when the command runs, if that can be told. Which words exist is for
//! `parse`; what they mean to a command is for `reading`.

use tree_sitter::Node;

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// What the command will see; the source text when that cannot be told.
    pub(crate) text: String,
    /// How far it is known.
    pub(crate) form: Form,
    /// Whether it starts with an unquoted `~` that means the owner's home.
    pub(crate) tilde: bool,
}

/// How far a word is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Exactly.
    Literal,
    /// The shell replaces it with the names of files that fit.
    Pattern,
    /// Only when it runs.
    Unknown,
}

impl Word {
    /// The text if it is exactly known.
    pub(crate) fn known(&self) -> Option<&str> {
        (self.form == Form::Literal).then_some(self.text.as_str())
    }

    fn unknown(source: &str) -> Self {
        // Only so that a word which starts at the owner's home is recognised as such.
        let bare: String = source.chars().filter(|c| *c != '"').collect();
        let below_home = ["$HOME", "${HOME}"].iter().find_map(|home| bare.strip_prefix(home));
        match below_home {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Self { text: format!("~{rest}"), form: Form::Unknown, tilde: true }
            }
            _ => Self { text: source.into(), form: Form::Unknown, tilde: false },
        }
    }
}

/// Reads the word a node spells. Anything but plain text and quotes makes it unknown.
pub(super) fn decode(node: Node<'_>, source: &str) -> Word {
    let text = source.get(node.byte_range()).unwrap_or_default();
    let mut word = Word { text: String::new(), form: Form::Literal, tilde: false };
    let pieces: Vec<Node<'_>> = match node.kind() {
        "concatenation" => node.children(&mut node.walk()).collect(),
        _ => vec![node],
    };
    let mut end = node.start_byte();
    for piece in &pieces {
        let piece_text = source.get(piece.byte_range()).unwrap_or_default();
        let read = match piece.kind() {
            "word" => bare(piece_text, &mut word),
            "number" if piece.child_count() == 0 => bare(piece_text, &mut word),
            "raw_string" => raw(piece_text, &mut word.text),
            "string" => quoted(*piece, piece_text, &mut word.text),
            _ => None,
        };
        // A gap between two pieces would mean that the parser skipped something.
        if read.is_none() || piece.start_byte() != end {
            return Word::unknown(text);
        }
        end = piece.end_byte();
    }
    if text == "{}" {
        word.form = Form::Literal;
    }
    if word.text.starts_with('~') && text.starts_with('~') {
        // A tilde reaches to the first slash; quotes before it switch it off, and `~name` is somebody else's home.
        let first = pieces.first().and_then(|piece| source.get(piece.byte_range())).unwrap_or_default();
        if first == text && text == "~" || first.starts_with("~/") {
            word.tilde = true;
        } else {
            return Word::unknown(text);
        }
    }
    if end == node.end_byte() { word } else { Word::unknown(text) }
}

/// Unquoted text: backslashes quote, glob characters make a pattern, the shell's own characters do not belong.
fn bare(text: &str, word: &mut Word) -> Option<()> {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => word.text.push(chars.next().filter(|next| *next != '\n')?),
            '*' | '?' | '[' | ']' | '{' | '}' => {
                word.form = word.form.max(Form::Pattern);
                word.text.push(c);
            }
            '$' | '`' | '(' | ')' | '<' | '>' | '|' | '&' | ';' | '"' | '\'' => return None,
            _ if c.is_whitespace() || c.is_control() => return None,
            _ => word.text.push(c),
        }
    }
    Some(())
}

fn raw(text: &str, into: &mut String) -> Option<()> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    into.push_str(inner);
    (!inner.contains('\'')).then_some(())
}

/// Double quotes. The text is read from the source, not from the children, which leave out some blanks.
fn quoted(node: Node<'_>, text: &str, into: &mut String) -> Option<()> {
    let plain =
        node.children(&mut node.walk()).all(|child| matches!(child.kind(), "string_content" | "\"" | "$"));
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                next @ ('$' | '`' | '"' | '\\') => into.push(next),
                '\n' => return None,
                next => into.extend(['\\', next]),
            },
            // A dollar before these stands for itself, as at the end of a regular expression.
            '$' if matches!(chars.peek(), None | Some(' ' | '|' | ')')) => into.push('$'),
            '$' | '`' | '"' => return None,
            _ => into.push(c),
        }
    }
    plain.then_some(())
}
