//! Numbers as people write them: digits, English and German words, ordinals. What they count is for the others.

use super::tokens::Tokens;

const UNITS: [(&str, &str); 13] = [
    ("zero", "null"),
    ("one", "eins"),
    ("two", "zwei"),
    ("three", "drei"),
    ("four", "vier"),
    ("five", "fünf"),
    ("six", "sechs"),
    ("seven", "sieben"),
    ("eight", "acht"),
    ("nine", "neun"),
    ("ten", "zehn"),
    ("eleven", "elf"),
    ("twelve", "zwölf"),
];

const TEENS: [(&str, &str); 7] = [
    ("thirteen", "dreizehn"),
    ("fourteen", "vierzehn"),
    ("fifteen", "fünfzehn"),
    ("sixteen", "sechzehn"),
    ("seventeen", "siebzehn"),
    ("eighteen", "achtzehn"),
    ("nineteen", "neunzehn"),
];

const TENS: [(&str, &str); 8] = [
    ("twenty", "zwanzig"),
    ("thirty", "dreißig"),
    ("forty", "vierzig"),
    ("fifty", "fünfzig"),
    ("sixty", "sechzig"),
    ("seventy", "siebzig"),
    ("eighty", "achtzig"),
    ("ninety", "neunzig"),
];

/// A whole number in digits or words.
pub(super) fn whole(tokens: &Tokens, at: usize) -> Option<(u32, usize)> {
    if let Some((value, length)) = tokens.digits(at) {
        return (length <= 6).then_some((value, at + 1));
    }
    in_words(tokens, at)
}

/// A whole number in words: `twenty-five`, `fünfundvierzig`.
pub(super) fn in_words(tokens: &Tokens, at: usize) -> Option<(u32, usize)> {
    let value = word(tokens.word(at))?;
    let unit_at = if tokens.is(at + 1, &["-"]) { at + 2 } else { at + 1 };
    let english_tens = TENS.iter().any(|(english, _)| *english == tokens.word(at));
    match word(tokens.word(unit_at)) {
        Some(unit @ 1..=9) if english_tens => Some((value + unit, unit_at + 1)),
        _ => Some((value, at + 1)),
    }
}

/// `first`, `3rd`, `zweiten`, `15.`: which one, from 1.
pub(super) fn ordinal(tokens: &Tokens, at: usize) -> Option<(u32, usize)> {
    if let Some((value, length)) = tokens.digits(at) {
        let marked =
            tokens.glued(at + 1) && tokens.is(at + 1, &["st", "nd", "rd", "th", ".", "te", "ten", "ter"]);
        return (marked && length <= 2 && value > 0).then_some((value, at + 2));
    }
    let stem = tokens.word(at);
    let value = match stem {
        "first" => 1,
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        "fifth" => 5,
        "tenth" => 10,
        "fifteenth" => 15,
        _ => return german_ordinal(stem).map(|value| (value, at + 1)),
    };
    Some((value, at + 1))
}

fn german_ordinal(word: &str) -> Option<u32> {
    let stem = ["en", "er", "es", "em", "e"].iter().find_map(|ending| word.strip_suffix(ending))?;
    match stem {
        "erst" => Some(1),
        "zweit" => Some(2),
        "dritt" => Some(3),
        "viert" => Some(4),
        "fünft" => Some(5),
        "zehnt" => Some(10),
        "fünfzehnt" => Some(15),
        _ => None,
    }
}

fn word(text: &str) -> Option<u32> {
    let text = &text.replace("ue", "ü").replace("oe", "ö").replace("dreissig", "dreißig");
    let place =
        |table: &[(&str, &str)]| table.iter().position(|(english, german)| text == english || text == german);
    let number =
        |place: usize, first: u32, step: u32| u32::try_from(place).ok().map(|place| first + place * step);
    if let Some(at) = place(&UNITS) {
        return number(at, 0, 1);
    }
    if let Some(at) = place(&TEENS) {
        return number(at, 13, 1);
    }
    if let Some(at) = place(&TENS) {
        return number(at, 20, 10);
    }
    let (unit, tens) = text.split_once("und")?;
    let unit = if unit == "ein" { 1 } else { word(unit).filter(|unit| (2..=9).contains(unit))? };
    word(tens).filter(|tens| tens % 10 == 0 && *tens >= 20).map(|tens| tens + unit)
}
