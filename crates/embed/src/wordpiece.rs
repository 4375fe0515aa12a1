//! Cuts a text into word pieces the way the model was trained: lower case, no accents, punctuation and Chinese
//! characters by themselves, words as the longest pieces there are. Which pieces there are is `vocabulary`'s.

use crate::vocabulary::Vocabulary;
use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::{CodePointMapData, props::GeneralCategory};

/// The longest word that is cut into pieces, in characters; a longer one is unknown, as in training.
const MAX_WORD_CHARS: usize = 100;

/// How much of a text is looked at, in characters. The pieces that fit are taken from far less, unless it is nothing
/// but spaces; a text of a megabyte costs no more than its beginning.
const MAX_TEXT_CHARS: usize = 32_768;

/// The numbers of the pieces of a text, at most `limit` and without the marks at its ends.
pub(crate) fn pieces(vocabulary: &Vocabulary, text: &str, limit: usize) -> Vec<u32> {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let chars = text.chars().take(MAX_TEXT_CHARS).filter_map(|c| match c {
        _ if c.is_whitespace() => Some(' '),
        char::REPLACEMENT_CHARACTER => None,
        _ if is_invisible(categories.get(c)) => None,
        _ => Some(c),
    });
    let mut cut = Cut { vocabulary, limit, pieces: Vec::new(), word: String::new(), word_chars: 0 };
    for c in DecomposingNormalizerBorrowed::new_nfd().normalize_iter(chars) {
        let category = categories.get(c);
        if category == GeneralCategory::NonspacingMark {
            continue;
        }
        if cut.pieces.len() >= limit {
            return cut.pieces;
        }
        if c.is_whitespace() {
            cut.end_word();
        } else if is_punctuation(c, category) || is_chinese(c) {
            cut.end_word();
            c.to_lowercase().for_each(|c| cut.add(c));
            cut.end_word();
        } else {
            c.to_lowercase().for_each(|c| cut.add(c));
        }
    }
    cut.end_word();
    cut.pieces
}

/// A text on its way to pieces.
struct Cut<'a> {
    vocabulary: &'a Vocabulary,
    limit: usize,
    pieces: Vec<u32>,
    /// The word that is being read, as far as it may be long.
    word: String,
    word_chars: usize,
}

impl Cut<'_> {
    fn add(&mut self, c: char) {
        self.word_chars += 1;
        if self.word_chars <= MAX_WORD_CHARS {
            self.word.push(c);
        }
    }

    fn end_word(&mut self) {
        if self.word_chars == 0 {
            return;
        }
        let begun = self.pieces.len();
        if self.word_chars > MAX_WORD_CHARS || !self.cut_word() {
            self.pieces.truncate(begun);
            self.pieces.push(self.vocabulary.unknown);
        }
        self.pieces.truncate(self.limit);
        self.word.clear();
        self.word_chars = 0;
    }

    /// Whether the word could be made of pieces.
    fn cut_word(&mut self) -> bool {
        let mut rest = self.word.as_str();
        let mut known = &self.vocabulary.beginnings;
        while !rest.is_empty() {
            let Some((length, number)) = known.longest_at_start(rest) else { return false };
            self.pieces.push(number);
            rest = &rest[length..];
            known = &self.vocabulary.continuations;
        }
        true
    }
}

/// Control and format characters. Those that nobody has defined yet are taken for words, as in training.
fn is_invisible(category: GeneralCategory) -> bool {
    use GeneralCategory as Category;
    matches!(category, Category::Control | Category::Format | Category::PrivateUse)
}

fn is_punctuation(c: char, category: GeneralCategory) -> bool {
    use GeneralCategory as Category;
    c.is_ascii_punctuation()
        || matches!(
            category,
            Category::ConnectorPunctuation
                | Category::DashPunctuation
                | Category::OpenPunctuation
                | Category::ClosePunctuation
                | Category::InitialPunctuation
                | Category::FinalPunctuation
                | Category::OtherPunctuation
        )
}

/// Characters that are words by themselves. Japanese and Korean syllables are not among them, as in training.
fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B820..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests;
