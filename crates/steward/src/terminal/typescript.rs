//! TypeScript with a little colour: comments, texts, words of the language. It need not be right about everything; every
//! character is shown either way.

const RESET: &str = "\x1b[0m";
const COMMENT: &str = "\x1b[2m";
const TEXT: &str = "\x1b[32m";
const WORD: &str = "\x1b[35m";

/// The words of the language that programs use.
const WORDS: &str = "\
    as async await break case catch class const continue default delete do else extends false finally for function if \
    in instanceof interface let new null of return satisfies switch this throw true try type typeof undefined var while";

/// The lines of a program, each complete in itself.
pub(super) fn coloured(code: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut rest, mut before) = (code, None);
    while !rest.is_empty() {
        let (length, style) = piece(rest, before);
        let (piece, after) = rest.split_at(length);
        for (number, part) in piece.split('\n').enumerate() {
            if number > 0 {
                lines.push(String::new());
            }
            if let (Some(line), false) = (lines.last_mut(), part.is_empty()) {
                match style {
                    Some(style) => line.extend([style, part, RESET]),
                    None => line.push_str(part),
                }
            }
        }
        before = piece.chars().next_back();
        rest = after;
    }
    lines
}

/// How long the piece at the beginning is, in bytes, and how it is shown.
fn piece(text: &str, before: Option<char>) -> (usize, Option<&'static str>) {
    let until = |end: &str| text.find(end).unwrap_or(text.len());
    match text.chars().next() {
        Some('/') if text.starts_with("//") => (until("\n"), Some(COMMENT)),
        Some('/') if text.starts_with("/*") => {
            (text[2..].find("*/").map_or(text.len(), |end| end + 4), Some(COMMENT))
        }
        Some(quote @ ('"' | '\'' | '`')) => (quoted(text, quote), Some(TEXT)),
        Some(first) if is_name(first) => {
            let word = text.split(|c| !is_name(c)).next().unwrap_or_default();
            // What follows a dot is a name of somebody's choice.
            let style = (before != Some('.') && WORDS.split(' ').any(|it| it == word)).then_some(WORD);
            (word.len(), style)
        }
        Some(first) => (first.len_utf8(), None),
        None => (0, None),
    }
}

/// How long a text in quotes is. Only one in backquotes goes on in the next line.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, c) in text.char_indices().skip(1) {
        match c {
            '\n' if quote != '`' => return place,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return place + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::coloured;

    fn shown(code: &str) -> String {
        let text = coloured(code).join("\n");
        text.replace("\x1b[0m", "<0>")
            .replace("\x1b[2m", "<c>")
            .replace("\x1b[32m", "<t>")
            .replace("\x1b[35m", "<w>")
    }

    #[test]
    fn comments_texts_and_words_are_coloured_and_nothing_else() {
        let check = |code: &str, expected: &str| assert_eq!(shown(code), expected, "{code:?}");
        check("const a = 1;", "<w>const<0> a = 1;");
        check("constant.delete(x) // for", "constant.delete(x) <c>// for<0>");
        check(r#"f("if \" x", 'y')"#, r#"f(<t>"if \" x"<0>, <t>'y'<0>)"#);
        check("`a ${b}\nc` in d", "<t>`a ${b}<0>\n<t>c`<0> <w>in<0> d");
        check("/* a\n\nb */ x", "<c>/* a<0>\n\n<c>b */<0> x");
        check("it's\nfor", "it<t>'s<0>\n<w>for<0>");
        check("x\n\n", "x\n\n");
    }

    #[test]
    fn whatever_is_written_every_character_is_shown() {
        for code in ["", "\"", "'\\", "`\\", "/*", "/", "//", "grüße(\"ü\\", "a.b?.c!\n\t`${`x`}`", "/*/"]
        {
            let plain = shown(code).replace("<0>", "").replace("<c>", "").replace("<t>", "");
            assert_eq!(plain, code);
        }
    }
}
