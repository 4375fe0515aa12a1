//! What comes again: `every weekday`, `alle 10 Minuten`, `the last friday of every month`. The expression is made
//! in `resolve`.

use super::{
    clock::{self, Part},
    day::{self, Day},
    numbers,
    span::{self, Stretch, Unit},
    tokens::Tokens,
};
use jiff::civil::Weekday;

/// How it comes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Repeat {
    Daily,
    Weekly,
    Monthly,
    Yearly,
    /// On these days of each week.
    On(Vec<Weekday>),
    /// This far apart.
    Apart(Stretch),
    /// Every other one of these.
    EveryOther(Weekday),
    /// On this day of each month; `None` is the last.
    OfMonth(Option<i8>),
    /// On the nth of these in each month; `None` is the last.
    Nth(Option<u32>, Weekday),
}

/// A repetition with what stood in the same words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repeated {
    pub repeat: Repeat,
    pub part: Option<Part>,
    pub day: Option<Day>,
    /// Whether it is said of one month only: `the last friday of the month`.
    pub once: bool,
}

const EACH: &[&str] = &["every", "each", "jeden", "jede", "jedes", "jeder", "jedem", "alle", "aller"];
const WORKING_WEEK: [Weekday; 5] =
    [Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday];
const WEEKEND: [Weekday; 2] = [Weekday::Saturday, Weekday::Sunday];

/// A repetition, if one stands here.
pub(super) fn repeat(tokens: &Tokens, at: usize) -> Option<(Repeated, usize)> {
    if tokens.is(at, EACH) {
        let noun = if tokens.is(at + 1, &["single", "einzelnen"]) { at + 2 } else { at + 1 };
        return each(tokens, noun);
    }
    of_some_month(tokens, at).or_else(|| adverb(tokens, at)).or_else(|| weekdays_each(tokens, at))
}

impl From<Repeat> for Repeated {
    fn from(repeat: Repeat) -> Self {
        Self { repeat, part: None, day: None, once: false }
    }
}

/// What follows `every`.
fn each(tokens: &Tokens, at: usize) -> Option<(Repeated, usize)> {
    if let Some((mut found, end)) = in_month(tokens, at) {
        let month = [
            "of the month",
            "of a month",
            "of month",
            "in the month",
            "im monat",
            "des monats",
            "eines monats",
        ];
        let end = tokens.after_any(end, &month).or_else(|| of_each_month(tokens, end)).unwrap_or(end);
        found.once = false;
        return Some((found, end));
    }
    if let Some((nth, noun)) = other(tokens, at) {
        if let Some((unit, end)) = span::unit_of(tokens, noun) {
            return Some((Repeat::Apart(times(unit, nth)?).into(), end));
        }
        if let (2, Some((weekday, end))) = (nth, day::weekday(tokens, noun, true)) {
            return Some((Repeat::EveryOther(weekday).into(), end));
        }
    }
    if let Some((repeat, end)) = set_of_days(tokens, at) {
        return Some((repeat.into(), end));
    }
    if let Some((part, end)) = clock::part(tokens, at, true) {
        return Some((Repeated { part: Some(part), ..Repeat::Daily.into() }, end));
    }
    if tokens.is(at, &["noon", "midnight"]) {
        return Some((Repeat::Daily.into(), at));
    }
    if let Some((day @ Day::Date { year: None, .. }, end)) = day::day(tokens, at, false) {
        return Some((Repeated { day: Some(day), ..Repeat::Yearly.into() }, end));
    }
    if let Some((days, end)) = day_list(tokens, at, |at| day::weekday(tokens, at, true)) {
        return Some((Repeat::On(days).into(), end));
    }
    if let Some((unit, end)) = span::unit_of(tokens, at) {
        return Some((one(unit)?.into(), end));
    }
    let (stretch, end) = span::stretch(tokens, at)?;
    Some((Repeat::Apart(stretch).into(), end))
}

/// `other`, `second`, `zweiten`, `3rd`: every how-manieth.
fn other(tokens: &Tokens, at: usize) -> Option<(u32, usize)> {
    if tokens.is(at, &["other", "andere", "anderen"]) {
        Some((2, at + 1))
    } else {
        numbers::ordinal(tokens, at)
    }
}

fn one(unit: Unit) -> Option<Repeat> {
    Some(match unit {
        Unit::Day => Repeat::Daily,
        Unit::Week => Repeat::Weekly,
        Unit::Month => Repeat::Monthly,
        Unit::Year => Repeat::Yearly,
        Unit::Second | Unit::Minute | Unit::Hour => Repeat::Apart(times(unit, 1)?),
    })
}

fn times(unit: Unit, count: u32) -> Option<Stretch> {
    let none = Stretch::default();
    Some(match unit {
        Unit::Second => Stretch { seconds: count, ..none },
        Unit::Minute => Stretch { seconds: count.checked_mul(60)?, ..none },
        Unit::Hour => Stretch { seconds: count.checked_mul(3_600)?, ..none },
        Unit::Day => Stretch { days: count, ..none },
        Unit::Week => Stretch { days: count.checked_mul(7)?, ..none },
        Unit::Month => Stretch { months: count, ..none },
        Unit::Year => Stretch { months: count.checked_mul(12)?, ..none },
    })
}

/// `weekday`, `weekend` and their like, in one or many.
fn set_of_days(tokens: &Tokens, at: usize) -> Option<(Repeat, usize)> {
    const WORKING: &[&str] = &[
        "weekday",
        "weekdays",
        "workday",
        "workdays",
        "werktag",
        "werktage",
        "werktags",
        "wochentag",
        "wochentags",
        "arbeitstag",
        "arbeitstags",
    ];
    let end = if tokens.is(at, WORKING) {
        Some(at + 1)
    } else {
        tokens.after_any(at, &["working day", "work day"])
    };
    if let Some(end) = end {
        return Some((Repeat::On(WORKING_WEEK.to_vec()), end));
    }
    tokens
        .is(at, &["weekend", "weekends", "wochenende", "wochenenden"])
        .then(|| (Repeat::On(WEEKEND.to_vec()), at + 1))
}

/// `daily`, `werktags`, `once a week`.
fn adverb(tokens: &Tokens, at: usize) -> Option<(Repeated, usize)> {
    let once = tokens.after_any(at, &["once", "einmal"]).and_then(|next| {
        let next = tokens.after_any(next, &["a", "per", "am", "pro", "im", "die", "in der", "every"])?;
        span::unit_of(tokens, next)
    });
    if let Some((unit, end)) = once {
        return Some((one(unit)?.into(), end));
    }
    let apart = |unit, count| times(unit, count).map(Repeat::Apart);
    let repeat = match tokens.word(at) {
        "daily" | "everyday" | "täglich" | "taeglich" => Repeat::Daily,
        "nightly" => {
            return Some((Repeated { part: Some(Part::Night), ..Repeat::Daily.into() }, at + 1));
        }
        "hourly" | "stündlich" | "stuendlich" => apart(Unit::Hour, 1)?,
        "minütlich" => apart(Unit::Minute, 1)?,
        "weekly" | "wöchentlich" | "woechentlich" => Repeat::Weekly,
        "biweekly" | "fortnightly" => apart(Unit::Week, 2)?,
        "monthly" | "monatlich" => Repeat::Monthly,
        "yearly" | "annually" | "jährlich" | "jaehrlich" => Repeat::Yearly,
        "weekdays" | "workdays" | "werktags" | "wochentags" | "weekends" => {
            return plain(set_of_days(tokens, at));
        }
        _ => return None,
    };
    Some((repeat.into(), at + 1))
}

/// `mondays and thursdays`, `montags bis freitags`, `Monday to Friday`.
fn weekdays_each(tokens: &Tokens, at: usize) -> Option<(Repeated, usize)> {
    if let Some((days, end)) = day_list(tokens, at, |at| day::weekday_each(tokens, at)) {
        return Some((Repeat::On(days).into(), end));
    }
    let (first, to) = day::weekday(tokens, at, true)?;
    let (last, end) = range_end(tokens, to, &|at| day::weekday(tokens, at, true))?;
    Some((Repeat::On(days_between(first, last)).into(), end))
}

fn plain(found: Option<(Repeat, usize)>) -> Option<(Repeated, usize)> {
    found.map(|(repeat, end)| (repeat.into(), end))
}

type ReadDay<'a> = &'a dyn Fn(usize) -> Option<(Weekday, usize)>;

/// One or several weekdays and ranges of them.
fn day_list(
    tokens: &Tokens,
    at: usize,
    read: impl Fn(usize) -> Option<(Weekday, usize)>,
) -> Option<(Vec<Weekday>, usize)> {
    let (mut days, mut end) = (Vec::new(), at);
    let mut next = at;
    while let Some((first, after)) = read(next) {
        end = after;
        match range_end(tokens, after, &read) {
            Some((last, after)) => {
                days.extend(days_between(first, last));
                end = after;
            }
            None => days.push(first),
        }
        let comma = if tokens.is(end, &[","]) { end + 1 } else { end };
        next = if tokens.is(comma, &["and", "und", "&", "+"]) { comma + 1 } else { comma };
        if next == end {
            break;
        }
        next = if tokens.is(next, &["every", "jeden", "on", "am"]) { next + 1 } else { next };
    }
    days.sort_by_key(|day| day.to_monday_zero_offset());
    days.dedup();
    (!days.is_empty()).then_some((days, end))
}

fn range_end(tokens: &Tokens, at: usize, read: ReadDay<'_>) -> Option<(Weekday, usize)> {
    if tokens.is(at, &["to", "through", "thru", "till", "until", "bis", "-", "–"]) {
        read(at + 1)
    } else {
        None
    }
}

fn days_between(first: Weekday, last: Weekday) -> Vec<Weekday> {
    first.cycle_forward().take(usize::try_from(first.until(last)).unwrap_or(0) + 1).collect()
}

/// `the 15th of every month`, `last friday of the month`, `am Ersten jedes Monats`.
fn of_some_month(tokens: &Tokens, at: usize) -> Option<(Repeated, usize)> {
    let (mut found, next) = in_month(tokens, at)?;
    if let Some(end) = of_each_month(tokens, next) {
        found.once = false;
        return Some((found, end));
    }
    let month = ["of the month", "of this month", "im monat", "des monats"];
    tokens.after_any(next, &month).map(|end| (found, end))
}

fn of_each_month(tokens: &Tokens, at: usize) -> Option<usize> {
    let at = if tokens.is(at, &["of", "in"]) { at + 1 } else { at };
    (tokens.is(at, EACH) && tokens.is(at + 1, &["month", "monat", "monats"])).then_some(at + 2)
}

/// A day within a month without the month: `first`, `15th`, `last day`, `second tuesday`.
fn in_month(tokens: &Tokens, at: usize) -> Option<(Repeated, usize)> {
    let last = tokens.is(at, &["last", "letzten", "letzter", "letzte"]);
    let (nth, noun) =
        if last { (None, at + 1) } else { numbers::ordinal(tokens, at).map(|(n, end)| (Some(n), end))? };
    let once = |repeat: Repeat| Repeated { once: true, ..repeat.into() };
    if let Some((weekday, end)) = day::weekday(tokens, noun, true)
        && nth.is_none_or(|nth| nth <= 5)
    {
        // `every second friday` is every other one, unless a month is named.
        let named = tokens.is(end, &["of", "in", "im", "des", "jedes"]) || nth != Some(2);
        return named.then(|| (once(Repeat::Nth(nth, weekday)), end));
    }
    let is_day = tokens.is(noun, &["day", "tag"]);
    if last {
        return is_day.then(|| (once(Repeat::OfMonth(None)), noun + 1));
    }
    let day = nth.and_then(|nth| i8::try_from(nth).ok()).filter(|day| *day <= 31)?;
    if is_day || span::unit_of(tokens, noun).is_some() {
        let month_follows = tokens.is(noun + 1, &["of", "im", "des", "jedes"]);
        return (is_day && month_follows).then(|| (once(Repeat::OfMonth(Some(day))), noun + 1));
    }
    // A month that is named makes it a date, and `every second` is an interval.
    let dated = day::month(tokens, noun).is_some()
        || tokens.is(noun, &["of"]) && day::month(tokens, noun + 1).is_some();
    let numbered = tokens.digits(at).is_none() && !tokens.is(noun, &["of", "im", "des", "jedes", "jeden"]);
    (!dated && !numbered).then(|| (once(Repeat::OfMonth(Some(day))), noun))
}
