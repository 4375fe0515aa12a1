//! How near two texts are by their words alone: common words count little, endings do not count. Meaning is for
//! `examples`.

use std::collections::{HashMap, HashSet};

/// Words that say nothing about what is wanted.
const EMPTY: &[&str] = &[
    "a", "an", "the", "to", "of", "for", "and", "or", "in", "on", "at", "is", "it", "that", "this", "me",
    "my", "i", "you", "your", "please", "be", "der", "die", "das", "den", "dem", "ein", "eine", "einen",
    "und", "in", "im", "ist", "es", "mir", "mich", "ich", "du", "dir", "mein", "meine", "meinen", "bitte",
    "an", "am", "zu",
];

/// What a word counts that no example has; theirs count up to 5.5.
const UNUSED_WEIGHT: f32 = 3.0;

/// How near `text` is to each of `others`, from 0 to 1.
pub(crate) fn nearness<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> Vec<f32> {
    let others: Vec<HashSet<String>> = others.map(|other| stems(other).into_iter().collect()).collect();
    let mut found_in: HashMap<&str, f32> = HashMap::new();
    for word in others.iter().flatten() {
        *found_in.entry(word).or_default() += 1.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "there are hundreds, not millions")]
    let count = others.len() as f32;
    // A word that nobody uses is rather a name than a wish: it counts, but less than most.
    let weight = |word: &str| found_in.get(word).map_or(UNUSED_WEIGHT, |times| (count / times).ln().max(0.1));
    let squares = |words: &HashSet<String>| words.iter().map(|word| weight(word).powi(2)).sum::<f32>();
    let text: HashSet<String> = stems(text).into_iter().collect();
    let own = squares(&text);
    let near = |other: &HashSet<String>| {
        let shared: f32 = other.intersection(&text).map(|word| weight(word).powi(2)).sum();
        let both = (own * squares(other)).sqrt();
        if both > 0.0 { shared / both } else { 0.0 }
    };
    others.iter().map(near).collect()
}

/// The words of a text, in lower case.
pub(crate) fn words(text: &str) -> Vec<String> {
    let letters = |c: char| !c.is_alphanumeric() && c != '\'' && c != '’';
    text.split(letters)
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect()
}

/// The words that say something, without their endings.
pub(crate) fn stems(text: &str) -> Vec<String> {
    words(text).iter().filter(|word| !EMPTY.contains(&word.as_str())).map(|word| stem(word)).collect()
}

fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    for ending in ["ing", "ungen", "ung", "ed", "es", "en", "er", "em", "e", "s", "n", "t"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= 4
        {
            return stem.to_owned();
        }
    }
    word.to_owned()
}
