//! A text as small lower-case tokens that know where they stood. What they mean is for the others.

/// More than a sentence with a time in it has; what comes later is not looked at.
const MOST_TOKENS: usize = 160;

/// A run of letters, a run of digits, or one other character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub text: String,
    pub start: usize,
    pub end: usize,
    /// Whether it follows the one before without a space.
    pub glued: bool,
}

/// The tokens of a text, to be read from any place. Every reading function gives what it read and where the rest
/// begins.
#[derive(Debug)]
pub(super) struct Tokens(Vec<Token>);

impl Tokens {
    pub fn of(text: &str) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        let mut kind_before = Kind::Space;
        for (start, letter) in text.char_indices() {
            let kind = Kind::of(letter);
            let end = start + letter.len_utf8();
            let goes_on = kind == kind_before && matches!(kind, Kind::Letter | Kind::Digit);
            let apostrophe =
                matches!(letter, '\'' | '’') && kind_before == Kind::Letter && letter_follows(text, end);
            let full = tokens.len() == MOST_TOKENS;
            match tokens.last_mut() {
                Some(last) if goes_on || apostrophe => {
                    last.text.extend(if apostrophe { '\''.to_lowercase() } else { letter.to_lowercase() });
                    last.end = end;
                    continue;
                }
                _ if kind == Kind::Space => {}
                _ if full => break,
                _ => tokens.push(Token {
                    text: letter.to_lowercase().collect(),
                    start,
                    end,
                    glued: kind_before != Kind::Space,
                }),
            }
            kind_before = kind;
        }
        Self(tokens)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, at: usize) -> Option<&Token> {
        self.0.get(at)
    }

    /// The text at a place; nothing behind the end.
    pub fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| token.text.as_str())
    }

    pub fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub fn is(&self, at: usize, words: &[&str]) -> bool {
        words.contains(&self.word(at))
    }

    /// The place after `words`, if they stand here one after the other.
    pub fn after(&self, at: usize, words: &str) -> Option<usize> {
        let mut next = at;
        for word in words.split(' ') {
            if self.word(next) != word {
                return None;
            }
            next += 1;
        }
        Some(next)
    }

    /// The place after the first of `phrases` that stands here.
    pub fn after_any(&self, at: usize, phrases: &[&str]) -> Option<usize> {
        phrases.iter().find_map(|words| self.after(at, words))
    }

    pub fn glued(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|token| token.glued)
    }

    /// Digits, with how many there are.
    pub fn digits(&self, at: usize) -> Option<(u32, usize)> {
        let word = self.word(at);
        let number = word.len() <= 9 && word.bytes().all(|byte| byte.is_ascii_digit());
        number.then(|| word.parse().ok().map(|value| (value, word.len())))?
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Space,
    Other,
}

impl Kind {
    fn of(letter: char) -> Self {
        match letter {
            _ if letter.is_ascii_digit() => Self::Digit,
            _ if letter.is_alphabetic() => Self::Letter,
            _ if letter.is_whitespace() => Self::Space,
            _ => Self::Other,
        }
    }
}

fn letter_follows(text: &str, end: usize) -> bool {
    text.get(end..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphabetic)
}
