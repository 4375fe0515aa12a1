//! What a query asks for: its words without those that say nothing, and names that only count as they are spelled.
//! Pure; how rare a word is, the index knows.

#[cfg(test)]
mod tests;

use std::{collections::HashSet, sync::LazyLock};

/// Words of a query that are looked at; a pasted page must not make a search slow.
const MAX_WORDS: usize = 32;

/// Words that are searched for. The rarest say the most, and each further word costs all passages that hold it.
const MAX_TERMS: usize = 6;

/// Passages looked at for one query, beyond which no further word is added: a hundred thousand passages answer in
/// milliseconds.
const MAX_POSTINGS: usize = 8_000;

/// How much a word counts that no passage holds, against the mean of the others: something that is not there is a
/// sign that the answer is not there, but many words of a question stand in no answer.
const UNSEEN_WEIGHT: f32 = 0.5;

static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("stop_words.txt").split_whitespace().collect());

/// A term with what the index says of it.
#[derive(Debug, Clone)]
pub(crate) struct Weighed {
    /// As it was asked for; several words count only side by side.
    pub term: String,
    /// Passages that hold it.
    pub passages: usize,
    /// Whether only the beginning of a word is to match.
    pub prefix: bool,
}

/// The terms that are searched for, and how.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    /// In the words of FTS5. Nothing if no passage holds any of the terms.
    pub expression: Option<String>,
    /// The BM25 score of a passage of usual length that holds each term once.
    pub best_score: f32,
}

/// The words and names of a query. Words that say nothing count only if there are no others.
pub(crate) fn terms(query: &str) -> Vec<String> {
    let (mut terms, mut silent) = (Vec::new(), Vec::new());
    for word in query.split_whitespace().take(MAX_WORDS) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_name(word) {
            push(&mut terms, word);
            continue;
        }
        for part in word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
            let says_nothing = STOP_WORDS.contains(part.to_lowercase().as_str());
            push(if says_nothing { &mut silent } else { &mut terms }, part);
        }
    }
    if terms.is_empty() { silent } else { terms }
}

/// The rarest terms as one expression. `passages` is how many there are in all.
pub(crate) fn plan(mut weighed: Vec<Weighed>, passages: usize) -> Plan {
    let unseen = weighed.iter().filter(|it| it.passages == 0).count();
    weighed.retain(|it| it.passages > 0);
    weighed.sort_by_key(|it| it.passages);
    let mut postings = 0;
    let mut chosen: Vec<&Weighed> = Vec::new();
    for it in weighed.iter().take(MAX_TERMS) {
        if !chosen.is_empty() && postings + it.passages > MAX_POSTINGS {
            break;
        }
        postings += it.passages;
        chosen.push(it);
    }
    let seen: f32 = chosen.iter().map(|it| rarity(it.passages, passages)).sum();
    let mean = seen / chosen.len().max(1) as f32;
    let expression = chosen.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" OR ");
    Plan {
        expression: (!expression.is_empty()).then_some(expression),
        best_score: seen + UNSEEN_WEIGHT * mean * unseen as f32,
    }
}

/// A text as it is indexed and asked for: letters of scripts that write words together stand alone, so that a word is
/// found inside of a sentence.
pub(crate) fn spaced_out(text: &str) -> String {
    if !text.chars().any(is_written_together) {
        return text.to_owned();
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    for letter in text.chars() {
        if is_written_together(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    spaced
}

fn push(terms: &mut Vec<String>, term: &str) {
    if !terms.iter().any(|other| other.to_lowercase() == term.to_lowercase()) {
        terms.push(term.to_owned());
    }
}

/// Whether a word is a name of something: `ERR_4711`, `src/main.rs`, `anna@example.org`, `parseHeader`, `v1.2.3`.
fn is_name(word: &str) -> bool {
    let inner_mark = word.contains(['_', '@', '/', '\\', '.', ':', '#', '+', '='])
        && word.chars().filter(|c| c.is_alphanumeric()).count() > 2;
    let digit = word.contains(|c: char| c.is_numeric());
    let letter = word.contains(char::is_alphabetic);
    let hump =
        word.chars().zip(word.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    inner_mark || hump || (digit && (letter || word.contains('-') || word.len() > 3))
}

/// How much a term says, as FTS5 reckons it.
fn rarity(with: usize, all: usize) -> f32 {
    let (with, all) = (with as f32, all.max(with) as f32);
    ((all - with + 0.5) / (with + 0.5)).ln().max(1e-6)
}

fn quoted(weighed: &Weighed) -> String {
    let text = spaced_out(&weighed.term).replace('"', " ");
    format!("\"{text}\"{}", if weighed.prefix { "*" } else { "" })
}

fn is_written_together(letter: char) -> bool {
    matches!(letter,
        '\u{0E00}'..='\u{0EFF}'     // Thai, Lao
        | '\u{1000}'..='\u{109F}'   // Burmese
        | '\u{1780}'..='\u{17FF}'   // Khmer
        | '\u{3040}'..='\u{30FF}'   // Hiragana, Katakana
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'   // Han
        | '\u{AC00}'..='\u{D7AF}'   // Hangul: particles are written onto words
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}
