//! Stretches of time: `2 days and 3 hours`, `half an hour`, `anderthalb Stunden`. Where they begin is for `resolve`.

use super::{numbers, tokens::Tokens};
use jiff::{SignedDuration, Zoned};

/// Nobody plans further ahead than this; it also keeps the calendar's arithmetic in range.
const MOST_DAYS: u32 = 36_600;

/// Calendar parts and clock parts apart: a day may have 23 hours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    pub months: u32,
    pub days: u32,
    pub seconds: u32,
}

impl Stretch {
    /// Whether it is made of whole days or more, so that a time of day may be added.
    pub fn is_whole_days(&self) -> bool {
        self.seconds == 0
    }

    /// Whether it is made of hours and less.
    pub fn is_clock_time(&self) -> bool {
        self.days == 0 && self.months == 0
    }

    pub fn after(&self, now: &Zoned) -> Option<Zoned> {
        let span = jiff::Span::new().try_months(self.months).ok()?.try_days(self.days).ok()?;
        let later = now.checked_add(span).ok()?;
        later.checked_add(SignedDuration::from_secs(i64::from(self.seconds))).ok()
    }

    fn with(self, other: Self) -> Option<Self> {
        let sum = Self {
            months: self.months.checked_add(other.months)?,
            days: self.days.checked_add(other.days)?,
            seconds: self.seconds.checked_add(other.seconds)?,
        };
        let days = sum.months.checked_mul(31)?.checked_add(sum.days)?.checked_add(sum.seconds / 86_400)?;
        (days <= MOST_DAYS).then_some(sum)
    }
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn seconds(self) -> Option<u32> {
        match self {
            Self::Second => Some(1),
            Self::Minute => Some(60),
            Self::Hour => Some(3_600),
            Self::Day | Self::Week | Self::Month | Self::Year => None,
        }
    }

    /// `hundredths` of this unit; parts of a day and of more only where they come out even.
    fn times(self, hundredths: u32) -> Option<Stretch> {
        if let Some(seconds) = self.seconds() {
            let seconds = u64::from(seconds) * u64::from(hundredths) / 100;
            return Some(Stretch { seconds: u32::try_from(seconds).ok()?, ..Stretch::default() });
        }
        if self == Self::Day && hundredths == 50 {
            return Some(Stretch { seconds: 43_200, ..Stretch::default() });
        }
        let factor = match self {
            Self::Week => 7,
            Self::Year => 12,
            _ => 1,
        };
        let total = hundredths.checked_mul(factor)?;
        let count = (total % 100 == 0).then_some(total / 100)?;
        Some(match self {
            Self::Month | Self::Year => Stretch { months: count, ..Stretch::default() },
            _ => Stretch { days: count, ..Stretch::default() },
        })
    }
}

/// One or several counted units in a row.
pub(super) fn stretch(tokens: &Tokens, at: usize) -> Option<(Stretch, usize)> {
    let (mut total, mut unit, mut end) = part(tokens, at)?;
    total = Stretch::default().with(total)?;
    loop {
        if let Some(after) = tokens.after_any(end, &["and a half", "und eine halbe", "und ein halber"]) {
            return Some((total.with(unit.times(50)?)?, after));
        }
        if let (Unit::Hour, Some((minutes @ 1..=59, _)), true) = (unit, tokens.digits(end), tokens.glued(end))
            && unit_of(tokens, end + 1).is_none()
        {
            return Some((total.with(Unit::Minute.times(minutes * 100)?)?, end + 1));
        }
        let next = if tokens.is(end, &["and", "und", ","]) { end + 1 } else { end };
        let Some((more, smaller, after)) = part(tokens, next) else { return Some((total, end)) };
        (total, unit, end) = (total.with(more)?, smaller, after);
    }
}

/// The unit that stands here. One letter counts only close behind a number.
pub(super) fn unit_of(tokens: &Tokens, at: usize) -> Option<(Unit, usize)> {
    let unit = match tokens.word(at) {
        "s" if tokens.glued(at) => Unit::Second,
        "m" if tokens.glued(at) => Unit::Minute,
        "h" if tokens.glued(at) => Unit::Hour,
        "d" if tokens.glued(at) => Unit::Day,
        "w" if tokens.glued(at) => Unit::Week,
        "sec" | "secs" | "second" | "seconds" | "sek" | "sekunde" | "sekunden" => Unit::Second,
        "min" | "mins" | "minute" | "minutes" | "minuten" => Unit::Minute,
        "hr" | "hrs" | "hour" | "hours" | "std" | "stunde" | "stunden" => Unit::Hour,
        "day" | "days" | "tag" | "tage" | "tagen" => Unit::Day,
        "week" | "weeks" | "woche" | "wochen" => Unit::Week,
        "month" | "months" | "monat" | "monate" | "monaten" => Unit::Month,
        "year" | "years" | "jahr" | "jahre" | "jahren" => Unit::Year,
        _ => return None,
    };
    let dotted = tokens.is(at, &["sec", "min", "hr", "sek", "std"]) && tokens.is(at + 1, &["."]);
    Some((unit, if dotted && tokens.glued(at + 1) && tokens.get(at + 2).is_some() { at + 2 } else { at + 1 }))
}

/// One counted unit.
fn part(tokens: &Tokens, at: usize) -> Option<(Stretch, Unit, usize)> {
    let seconds = |seconds| Stretch { seconds, ..Stretch::default() };
    let fixed = [
        ("viertelstunde", seconds(900), Unit::Minute),
        ("dreiviertelstunde", seconds(2_700), Unit::Minute),
        ("fortnight", Stretch { days: 14, ..Stretch::default() }, Unit::Day),
    ];
    let noun = article(tokens, at).unwrap_or(at);
    if let Some((_, stretch, unit)) = fixed.iter().find(|(word, _, _)| tokens.word(noun) == *word) {
        return Some((*stretch, *unit, noun + 1));
    }
    let (hundredths, at) = amount(tokens, at)?;
    let (unit, end) = unit_of(tokens, at)?;
    Some((unit.times(hundredths)?, unit, end))
}

/// How many, in hundredths.
fn amount(tokens: &Tokens, at: usize) -> Option<(u32, usize)> {
    let fractions: [(&[&str], u32); 5] = [
        (
            &[
                "half an",
                "half a",
                "a half",
                "half",
                "einer halben",
                "eine halbe",
                "einem halben",
                "ein halbes",
                "halbe",
                "halben",
                "halbes",
                "½",
                "1 / 2",
            ],
            50,
        ),
        (&["a quarter of an", "quarter of an", "a quarter", "quarter"], 25),
        (&["three quarters of an", "three quarter"], 75),
        (&["anderthalb", "eineinhalb", "one and a half"], 150),
        (&["zweieinhalb", "two and a half"], 250),
    ];
    for (words, hundredths) in fractions {
        if let Some(end) = tokens.after_any(at, words) {
            return Some((hundredths, end));
        }
    }
    if let Some(end) = tokens.after_any(at, &["a couple of", "couple of", "ein paar"]) {
        return (tokens.word(at) != "ein").then_some((200, end));
    }
    if let Some((value, end)) = numbers::whole(tokens, at) {
        return fraction(tokens, value, end).or_else(|| Some((value.checked_mul(100)?, end)));
    }
    article(tokens, at).map(|end| (100, end))
}

/// `1.5`, `1,25`, `2½`.
fn fraction(tokens: &Tokens, whole: u32, at: usize) -> Option<(u32, usize)> {
    let hundred = whole.checked_mul(100)?;
    if tokens.is(at, &["½"]) {
        return Some((hundred.checked_add(50)?, at + 1));
    }
    if !tokens.is(at, &[".", ","]) || !tokens.glued(at) || !tokens.glued(at + 1) {
        return None;
    }
    let (value, length) = tokens.digits(at + 1)?;
    let hundredths = match length {
        1 => value * 10,
        2 => value,
        _ => return None,
    };
    Some((hundred.checked_add(hundredths)?, at + 2))
}

fn article(tokens: &Tokens, at: usize) -> Option<usize> {
    tokens.after_any(at, &["a", "an", "ein", "eine", "einer", "einem", "einen"])
}
