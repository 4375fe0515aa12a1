//! What a sentence says besides its time: without the request around it. Whether anything is left is for the caller.

/// Ways to begin a request, longest first where one begins another.
const LEADS: &[&str] = &[
    "please",
    "bitte",
    "hey",
    "hi",
    "ok",
    "okay",
    "so",
    "and",
    "und",
    "can you",
    "could you",
    "would you",
    "will you",
    "i want you to",
    "i need you to",
    "i'd like you to",
    "kannst du mir",
    "kannst du mich",
    "kannst du",
    "könntest du mich",
    "könntest du mir",
    "könntest du",
    "würdest du",
    "remind me again",
    "remind me",
    "remind us",
    "reminder",
    "set me a reminder",
    "set up a reminder",
    "set a reminder",
    "create a reminder",
    "add a reminder",
    "make a reminder",
    "set an alarm",
    "set a timer",
    "i need a reminder",
    "give me a reminder",
    "schedule a reminder",
    "don't let me forget",
    "notify me",
    "ping me",
    "tell me",
    "alert me",
    "erinnere mich bitte",
    "erinnere mich",
    "erinner mich",
    "erinnere uns",
    "mich erinnern",
    "mich",
    "erinnerung",
    "stell mir eine erinnerung",
    "stelle mir eine erinnerung",
    "stell eine erinnerung",
    "stelle eine erinnerung",
    "setz eine erinnerung",
    "neue erinnerung",
    "eine erinnerung",
    "sag mir bescheid",
    "sag mir",
    "gib mir bescheid",
    "schick mir eine erinnerung",
    "stell einen wecker",
    "stell einen timer",
];

/// Words between the request and what it is about.
const LINKS: &[&str] = &[
    "that i should",
    "that i need to",
    "that i have to",
    "that i must",
    "that",
    "to",
    "about",
    "of",
    "for",
    "daran dass",
    "daran",
    "dran",
    "dass ich",
    "dass",
    "an",
    "zu",
    "für",
    "wegen",
    "zum",
];

const TRAILS: &[&str] =
    &["please", "bitte", "thanks", "thank you", "danke", "erinnern", "zu erinnern", "remind me"];

/// The `parts` of a sentence as what is to be remembered.
pub(super) fn rest(parts: &[&str]) -> String {
    let joined = parts.iter().flat_map(|part| part.split_whitespace()).collect::<Vec<_>>().join(" ");
    let mut text = joined.as_str();
    let mut linked = false;
    while let Some(shorter) = lead(text, LEADS) {
        text = shorter;
        linked = true;
    }
    if linked {
        // `daran, dass` has a comma within.
        for _ in 0..2 {
            text = lead(text, LINKS).unwrap_or(text);
        }
    }
    while let Some(shorter) = trail(text) {
        text = shorter;
    }
    text.trim_matches(is_margin).to_owned()
}

fn lead<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let text = text.trim_start_matches(is_margin);
    let longest = words.iter().filter_map(|words| after(text, words)).min_by_key(|rest| rest.len());
    longest.map(|rest| rest.trim_start_matches(is_margin))
}

/// What follows `words`, whatever their case.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for wanted in words.chars() {
        let found = rest.next()?;
        let same = found.to_lowercase().eq(wanted.to_lowercase()) || wanted == '\'' && found == '’';
        if !same {
            return None;
        }
    }
    let rest = rest.as_str();
    (!rest.starts_with(|c: char| c.is_alphanumeric())).then_some(rest)
}

fn trail(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(is_margin);
    TRAILS.iter().find_map(|words| {
        let start = text.len().checked_sub(words.len()).filter(|start| *start > 0)?;
        let (before, end) = (text.get(..start)?, text.get(start..)?);
        (end.eq_ignore_ascii_case(words) && before.ends_with(|c: char| !c.is_alphanumeric()))
            .then_some(before)
    })
}

fn is_margin(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | ';' | ':' | '.' | '!' | '–' | '-' | '?')
}
