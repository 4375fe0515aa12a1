//! Text from outside, made harmless for a terminal: control characters are shown, never obeyed.

/// The text with every control and direction-changing character spelled out, but for line ends and tabs.
pub(crate) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => clean.push(c),
            '\r' => {}
            c if c.is_control() || is_direction(c) => clean.extend(c.escape_unicode()),
            c => clean.push(c),
        }
    }
    clean
}

fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn escapes_cannot_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\tc\r\nd\u{202e}e\u{7}"), "a\\u{1b}[2Jb\tc\nd\\u{202e}e\\u{7}");
    }
}
