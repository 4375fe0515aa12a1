//! Gathering the pieces of one time phrase: which day, what time, how often. What they come to is for `resolve`.

use super::{
    clock::{self, Clock, Part},
    day::{self, Day},
    repeat::{self, Repeat, Repeated},
    span::{self, Stretch},
    tokens::Tokens,
};

/// Two times of day may be joined, hardly more; the rest is not a phrase but a timetable.
const MOST_CLOCKS: usize = 6;

/// What stood in one phrase, each at most once but the times of day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    pub stretch: Option<Stretch>,
    pub repeat: Option<Repeated>,
    pub day: Option<Day>,
    pub part: Option<Part>,
    pub clocks: Vec<Clock>,
}

impl Pieces {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Both together, if neither says what the other says too.
    pub fn with(&self, other: &Self) -> Option<Self> {
        let twice = |one: bool, two: bool| one && two;
        let collide = twice(self.stretch.is_some(), other.stretch.is_some())
            || twice(self.repeat.is_some(), other.repeat.is_some())
            || twice(self.day.is_some(), other.day.is_some())
            || twice(self.part.is_some(), other.part.is_some())
            || twice(!self.clocks.is_empty(), !other.clocks.is_empty());
        (!collide).then(|| Self {
            stretch: self.stretch.or(other.stretch),
            repeat: self.repeat.clone().or_else(|| other.repeat.clone()),
            day: self.day.or(other.day),
            part: self.part.or(other.part),
            clocks: self.clocks.iter().chain(&other.clocks).copied().collect(),
        })
    }
}

/// Words that may stand before a piece. The first list makes a bare number a time, the second makes it a day.
const ASKS_TIME: &[&str] = &["at", "um", "@", "gegen"];
const ASKS_DAY: &[&str] = &["on", "am", "the", "den", "dem", "der", "vom"];
const NEUTRAL: &[&str] = &[
    "by", "around", "about", "circa", "ca", "etwa", "ab", "for", "für", "in", "im", "of", ",", "from",
    "starting", "zu", "zum", "always", "immer", "then", "dann",
];

/// A connecting run is never longer: `, on the`, `at about`.
const MOST_CONNECTORS: usize = 3;

/// The longest phrase that begins exactly here.
pub(super) fn collect(tokens: &Tokens, at: usize) -> Option<(Pieces, usize)> {
    let (mut pieces, mut end) = (Pieces::default(), at);
    while let Some(after) = one_more(tokens, end, &mut pieces) {
        end = after;
    }
    (!pieces.is_empty()).then_some((pieces, end))
}

/// Reads a further piece, past the words that connect it.
fn one_more(tokens: &Tokens, end: usize, pieces: &mut Pieces) -> Option<usize> {
    let (mut asks_time, mut asks_day) = (false, false);
    for at in end..=end + MOST_CONNECTORS {
        if let Some(after) = piece(tokens, at, asks_time, asks_day, pieces) {
            return Some(after);
        }
        match tokens.word(at) {
            word if ASKS_TIME.contains(&word) => asks_time = true,
            word if ASKS_DAY.contains(&word) => asks_day = true,
            word if NEUTRAL.contains(&word) => {}
            _ => return None,
        }
    }
    None
}

fn piece(tokens: &Tokens, at: usize, asks_time: bool, asks_day: bool, pieces: &mut Pieces) -> Option<usize> {
    let led = !pieces.is_empty();
    if pieces.stretch.is_none()
        && pieces.repeat.is_none()
        && let Some((stretch, after)) = from_now(tokens, at)
    {
        pieces.stretch = Some(stretch);
        return Some(after);
    }
    if let Some(after) = repeated(tokens, at, pieces) {
        return Some(after);
    }
    if let Some(after) = a_day(tokens, at, asks_day, pieces) {
        return Some(after);
    }
    let last = at + 1 == tokens.len();
    if pieces.clocks.is_empty() {
        if let Some((clock, after)) = clock::clock(tokens, at, asks_time || led && last) {
            pieces.clocks.push(clock);
            return Some(after);
        }
    } else if let Some(after) = further_clock(tokens, at, pieces) {
        return Some(after);
    }
    if pieces.part.is_none()
        && let Some((part, after)) = clock::part(tokens, at, led)
    {
        if tokens.is(at, &["this", "diesen"]) && pieces.day.is_none() {
            pieces.day = Some(Day::Today);
        }
        pieces.part = Some(part);
        return Some(after);
    }
    None
}

/// `in 20 minutes`, `an hour from now`.
fn from_now(tokens: &Tokens, at: usize) -> Option<(Stretch, usize)> {
    if let Some(next) = tokens.after_any(at, &["in", "after", "nach"]) {
        let next =
            if tokens.is(next, &["about", "etwa", "ungefähr", "ca", "circa", "around", "exactly", "genau"]) {
                next + 1
            } else {
                next
            };
        return span::stretch(tokens, next);
    }
    let (stretch, end) = span::stretch(tokens, at)?;
    tokens.after_any(end, &["from now", "ab jetzt", "from today", "ab heute"]).map(|end| (stretch, end))
}

fn repeated(tokens: &Tokens, at: usize, pieces: &mut Pieces) -> Option<usize> {
    if pieces.stretch.is_some() {
        return None;
    }
    if pieces.is_empty()
        && let Some(part) = habitual(tokens.word(at))
    {
        pieces.repeat = Some(Repeat::Daily.into());
        pieces.part = Some(part);
        return Some(at + 1);
    }
    let (found, after) = repeat::repeat(tokens, at)?;
    match &mut pieces.repeat {
        // `every morning on weekdays`.
        Some(before) if before.repeat == Repeat::Daily && matches!(found.repeat, Repeat::On(_)) => {
            before.repeat = found.repeat;
        }
        Some(_) => return None,
        None => {
            pieces.part = pieces.part.or(found.part);
            pieces.day = pieces.day.or(found.day);
            pieces.repeat = Some(found);
        }
    }
    Some(after)
}

/// German has words for what is done every day at some part of it.
fn habitual(word: &str) -> Option<Part> {
    Some(match word {
        "morgens" => Part::Morning,
        "vormittags" => Part::Forenoon,
        "mittags" => Part::Noon,
        "nachmittags" => Part::Afternoon,
        "abends" => Part::Evening,
        "nachts" => Part::Night,
        _ => return None,
    })
}

fn a_day(tokens: &Tokens, at: usize, asks_day: bool, pieces: &mut Pieces) -> Option<usize> {
    if pieces.day.is_none() && pieces.part.is_none() && tokens.is(at, &["tonight"]) {
        pieces.day = Some(Day::Today);
        pieces.part = Some(Part::Tonight);
        return Some(at + 1);
    }
    if pieces.day.is_none()
        && let Some((day, part)) = joined(tokens.word(at))
    {
        pieces.day = Some(day);
        pieces.part = Some(part);
        return Some(at + 1);
    }
    let (day, after) = day::day(tokens, at, asks_day)?;
    let refines = matches!(pieces.day, Some(Day::On(_) | Day::Next(_)))
        && matches!(day, Day::Date { .. } | Day::OfMonth(_));
    if pieces.day.is_some() && !refines {
        return None;
    }
    pieces.day = Some(day);
    Some(after)
}

/// `Montagabend`, `freitagnachmittag`.
fn joined(word: &str) -> Option<(Day, Part)> {
    let parts = [
        ("vormittag", Part::Forenoon),
        ("nachmittag", Part::Afternoon),
        ("mittag", Part::Noon),
        ("morgen", Part::Morning),
        ("abend", Part::Evening),
        ("nacht", Part::Night),
    ];
    let (name, part) = parts.iter().find_map(|(ending, part)| Some((word.strip_suffix(ending)?, *part)))?;
    if name == "sonn" {
        return None;
    }
    let tokens = Tokens::of(name);
    day::weekday(&tokens, 0, false).map(|(weekday, _)| (Day::On(weekday), part))
}

/// `at 8 and 20:00`, where something comes again.
fn further_clock(tokens: &Tokens, at: usize, pieces: &mut Pieces) -> Option<usize> {
    if pieces.repeat.is_none() || pieces.clocks.len() >= MOST_CLOCKS || !tokens.is(at, &["and", "und", ","]) {
        return None;
    }
    let next = if tokens.is(at + 1, ASKS_TIME) { at + 2 } else { at + 1 };
    let (clock, after) = clock::clock(tokens, next, true)?;
    pieces.clocks.push(clock);
    Some(after)
}
