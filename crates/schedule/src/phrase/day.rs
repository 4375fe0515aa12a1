//! Which day: `today`, `on friday`, `next week`, `24.12.`, `3 March 2027`. What time of it is for `clock`.

use super::{numbers, tokens::Tokens};
use jiff::civil::Weekday;

/// A day as it was said, before there is a calendar to look it up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Day {
    Today,
    InDays(u32),
    /// The first one whose time is ahead.
    On(Weekday),
    /// The first one after today.
    Next(Weekday),
    /// The one of the week after this.
    NextWeek(Weekday),
    Weekend,
    NextWeekend,
    NextMonth,
    NextYear,
    Date {
        year: Option<i16>,
        month: i8,
        day: i8,
    },
    OfMonth(i8),
}

const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "jänner"],
    &["february", "feb", "februar"],
    &["march", "mar", "märz", "mär", "maerz"],
    &["april", "apr"],
    &["may", "mai"],
    &["june", "jun", "juni"],
    &["july", "jul", "juli"],
    &["august", "aug"],
    &["september", "sep", "sept"],
    &["october", "oct", "oktober", "okt"],
    &["november", "nov"],
    &["december", "dec", "dezember", "dez"],
];

const ENGLISH_DAYS: [(&str, &[&str]); 7] = [
    ("monday", &["mon"]),
    ("tuesday", &["tue", "tues"]),
    ("wednesday", &["wed"]),
    ("thursday", &["thu", "thur", "thurs"]),
    ("friday", &["fri"]),
    ("saturday", &["sat"]),
    ("sunday", &["sun"]),
];

const GERMAN_DAYS: [(&str, &[&str]); 7] = [
    ("montag", &["mo"]),
    ("dienstag", &["di"]),
    ("mittwoch", &["mi"]),
    ("donnerstag", &["do"]),
    ("freitag", &["fr"]),
    ("samstag", &["sa", "sonnabend"]),
    ("sonntag", &["so"]),
];

const THIS: &[&str] = &["this", "diesen", "dieses"];
const NEXT: &[&str] =
    &["next", "coming", "nächsten", "nächste", "nächster", "nächstes", "kommenden", "kommende", "kommendes"];

/// A day. `introduced` says that `on` or the like came before, so that abbreviations and bare numbers count.
pub(super) fn day(tokens: &Tokens, at: usize, introduced: bool) -> Option<(Day, usize)> {
    named(tokens, at).or_else(|| of_week(tokens, at, introduced)).or_else(|| of_year(tokens, at, introduced))
}

/// The weekday that stands here. Abbreviations are other words too often to count without an introduction.
pub(super) fn weekday(tokens: &Tokens, at: usize, introduced: bool) -> Option<(Weekday, usize)> {
    let word = tokens.word(at);
    for days in [&ENGLISH_DAYS, &GERMAN_DAYS] {
        let place = days.iter().position(|(name, short)| {
            word == *name || introduced && short.contains(&word) || *name == "samstag" && word == "sonnabend"
        });
        if let Some(place) = place {
            let short = !days.iter().any(|(name, _)| *name == word);
            let dotted =
                short && tokens.is(at + 1, &["."]) && tokens.glued(at + 1) && tokens.get(at + 2).is_some();
            return Some((numbered(place)?, if dotted { at + 2 } else { at + 1 }));
        }
    }
    None
}

/// `mondays`, `montags`, `samstagabends` not.
pub(super) fn weekday_each(tokens: &Tokens, at: usize) -> Option<(Weekday, usize)> {
    let name = tokens.word(at).strip_suffix('s')?;
    let place = |days: &[(&str, &[&str])]| days.iter().position(|(day, _)| *day == name);
    let place = place(&ENGLISH_DAYS).or_else(|| place(&GERMAN_DAYS));
    numbered(place?).map(|day| (day, at + 1))
}

/// Whether the `am` that stands here is the German one, that is, whether a German day follows.
pub(super) fn german_on(tokens: &Tokens, at: usize) -> bool {
    let next = tokens.word(at + 1);
    GERMAN_DAYS.iter().any(|(name, _)| next.starts_with(name))
        || ["sonnabend", "wochenende", "abend", "morgen", "nachmittag", "vormittag", "mittag"].contains(&next)
        || tokens.digits(at + 1).is_some() && tokens.is(at + 2, &["."])
        || ["ersten", "letzten", "nächsten", "kommenden", "selben"].contains(&next)
}

/// The month that stands here.
pub(super) fn month(tokens: &Tokens, at: usize) -> Option<(i8, usize)> {
    let place = MONTHS.iter().position(|names| names.contains(&tokens.word(at)))?;
    let short = tokens.word(at).chars().count() <= 4;
    let dotted = short && tokens.is(at + 1, &["."]) && tokens.glued(at + 1) && tokens.get(at + 2).is_some();
    Some((i8::try_from(place + 1).ok()?, if dotted { at + 2 } else { at + 1 }))
}

fn named(tokens: &Tokens, at: usize) -> Option<(Day, usize)> {
    const AFTER_TOMORROW: &[&str] =
        &["the day after tomorrow", "day after tomorrow", "übermorgen", "uebermorgen"];
    if let Some(end) = tokens.after_any(at, AFTER_TOMORROW) {
        return Some((Day::InDays(2), end));
    }
    match tokens.word(at) {
        "later" if tokens.is(at + 1, &["today"]) => Some((Day::Today, at + 2)),
        "today" | "heute" => Some((Day::Today, at + 1)),
        "tomorrow" | "tmrw" | "tomorow" | "tommorow" => Some((Day::InDays(1), at + 1)),
        "morgen" if !greets_or_repeats(tokens.before(at)) => Some((Day::InDays(1), at + 1)),
        _ => None,
    }
}

/// Whether a `morgen` after this word is a morning.
fn greets_or_repeats(before: &str) -> bool {
    ["guten", "gut", "am", "jeden", "diesen", "heute", "schönen", "bis"].contains(&before)
}

fn of_week(tokens: &Tokens, at: usize, introduced: bool) -> Option<(Day, usize)> {
    let (this, next) = (tokens.is(at, THIS), tokens.is(at, NEXT));
    let noun = if this || next { at + 1 } else { at };
    if let Some((weekday, end)) = weekday(tokens, noun, introduced || this || next) {
        if let Some(end) = next_week(tokens, end) {
            return Some((Day::NextWeek(weekday), end));
        }
        return Some((if next { Day::Next(weekday) } else { Day::On(weekday) }, end));
    }
    if tokens.is(noun, &["weekend", "wochenende"]) && (this || next || introduced) {
        return Some((if next { Day::NextWeekend } else { Day::Weekend }, noun + 1));
    }
    if let Some(end) = next_week(tokens, at) {
        let skip = if tokens.is(end, &["on", "am"]) { end + 1 } else { end };
        return Some(match weekday(tokens, skip, true) {
            Some((weekday, end)) => (Day::NextWeek(weekday), end),
            None => (Day::NextWeek(Weekday::Monday), end),
        });
    }
    match tokens.word(noun) {
        "month" | "monat" if next => Some((Day::NextMonth, noun + 1)),
        "year" | "jahr" if next => Some((Day::NextYear, noun + 1)),
        _ => None,
    }
}

fn next_week(tokens: &Tokens, at: usize) -> Option<usize> {
    (tokens.is(at, NEXT) && tokens.is(at + 1, &["week", "woche"])).then_some(at + 2)
}

fn of_year(tokens: &Tokens, at: usize, introduced: bool) -> Option<(Day, usize)> {
    if let Some((month, after)) = month(tokens, at) {
        let (day, length) = tokens.digits(after).filter(|(_, length)| *length <= 2)?;
        let end = if length <= 2 && tokens.is(after + 1, &["st", "nd", "rd", "th"]) {
            after + 2
        } else {
            after + 1
        };
        // A time directly behind the month is no day of it.
        if tokens.is(after + 1, &[":"]) && tokens.glued(after + 1) {
            return None;
        }
        let comma = tokens.is(end, &[","]);
        let (year, end) = year(tokens, if comma { end + 1 } else { end }).unwrap_or((None, end));
        return dated(year, month, day, end);
    }
    if let Some(found) = numeric(tokens, at) {
        return Some(found);
    }
    let by_words = numbers::ordinal(tokens, at);
    let (day, after) = match by_words {
        Some(found) => found,
        None => tokens.digits(at).filter(|(_, length)| *length <= 2).map(|(day, _)| (day, at + 1))?,
    };
    let name_at = if tokens.is(after, &["of"]) { after + 1 } else { after };
    if let Some((month, end)) = month(tokens, name_at) {
        let comma = tokens.is(end, &[","]) && tokens.digits(end + 1).is_some_and(|(_, length)| length == 4);
        let (year, end) = year(tokens, if comma { end + 1 } else { end }).unwrap_or((None, end));
        return dated(year, month, day, end);
    }
    let alone = by_words.is_some() && introduced && tokens.digits(at).is_some() && (1..=31).contains(&day);
    alone.then(|| i8::try_from(day).ok().map(|day| (Day::OfMonth(day), after)))?
}

/// `2026-12-24`, `24.12.2026`, `24.12.`, `24/12/2026`, `12/24/2026`.
fn numeric(tokens: &Tokens, at: usize) -> Option<(Day, usize)> {
    let (first, first_length) = tokens.digits(at)?;
    let sign = tokens.word(at + 1);
    let (second, second_length) = tokens.digits(at + 2)?;
    if !["-", ".", "/"].contains(&sign) || !tokens.glued(at + 1) || !tokens.glued(at + 2) || second_length > 2
    {
        return None;
    }
    let again = tokens.word(at + 3) == sign && tokens.glued(at + 3);
    let third = tokens.digits(at + 4).filter(|_| again && (tokens.glued(at + 4)));
    let valid_year = |(year, length): (u32, usize)| match length {
        4 => i16::try_from(year).ok(),
        2 => i16::try_from(2000 + year).ok(),
        _ => None,
    };
    match (sign, third) {
        ("-" | "/", Some((day, _))) if first_length == 4 => {
            let end = if tokens.is(at + 5, &["t"]) && tokens.glued(at + 5) { at + 6 } else { at + 5 };
            dated(valid_year((first, 4)), i8::try_from(second).ok()?, day, end)
        }
        (".", third) if first_length <= 2 => {
            let spaced = third.is_none() && again;
            let apart = year(tokens, at + 4).filter(|_| spaced);
            match (third, apart) {
                (Some(year), _) => dated(Some(valid_year(year)?), i8::try_from(second).ok()?, first, at + 5),
                (None, Some((year, end))) => dated(year, i8::try_from(second).ok()?, first, end),
                // Without the second dot it may as well be a time or a price.
                (None, None) if spaced => dated(None, i8::try_from(second).ok()?, first, at + 4),
                (None, None) => None,
            }
        }
        ("/", Some(year)) if first_length <= 2 => {
            let year = Some(valid_year(year)?);
            match (first > 12, second > 12) {
                (true, false) => dated(year, i8::try_from(second).ok()?, first, at + 5),
                (false, true) => dated(year, i8::try_from(first).ok()?, second, at + 5),
                // Which of the two is the month depends on who writes.
                _ => None,
            }
        }
        _ => None,
    }
}

fn year(tokens: &Tokens, at: usize) -> Option<(Option<i16>, usize)> {
    let (year, length) = tokens.digits(at)?;
    let plausible = length == 4 && (1900..=2999).contains(&year) && !tokens.is(at + 1, &[":", "uhr"]);
    plausible.then(|| (i16::try_from(year).ok(), at + 1))
}

fn dated(year: Option<i16>, month: i8, day: u32, end: usize) -> Option<(Day, usize)> {
    let day = i8::try_from(day).ok()?;
    // 2028 has a 29 February; whether the year that is meant has one is for the calendar.
    jiff::civil::Date::new(year.unwrap_or(2028), month, day).ok()?;
    Some((Day::Date { year, month, day }, end))
}

fn numbered(place: usize) -> Option<Weekday> {
    Weekday::from_monday_zero_offset(i8::try_from(place).ok()?).ok()
}
