//! Times of day: `5pm`, `half past 5`, `17 Uhr 30`, `noon`, and the parts of a day. Which day is for `day`.

use super::{day, numbers, span, tokens::Tokens};
use jiff::civil::Time;

/// A time of day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// 24 is the midnight that ends the day.
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    /// Whether nothing around it could still move it to the afternoon.
    pub sure: bool,
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Forenoon,
    Noon,
    Afternoon,
    Evening,
    Tonight,
    Night,
}

impl Part {
    /// The time that is meant where only the part is named.
    pub fn usual(self) -> Clock {
        let hour = match self {
            Self::Morning => 8,
            Self::Forenoon => 10,
            Self::Noon => 12,
            Self::Afternoon => 15,
            Self::Evening => 19,
            Self::Tonight => 20,
            Self::Night => 22,
        };
        Clock::new(hour, 0, true)
    }
}

impl Clock {
    fn new(hour: u32, minute: u32, sure: bool) -> Self {
        Self { hour, minute, second: 0, sure: sure || hour > 12 || hour == 0 }
    }

    /// The same hour by the light of the part of the day it was said with: 8 in the evening is 20:00, and 1 at
    /// night belongs to the day after.
    pub fn within(self, part: Option<Part>) -> Self {
        let Some(part) = part.filter(|_| !self.sure) else { return self };
        let hour = match (part, self.hour) {
            (Part::Noon, 1..=4) | (Part::Afternoon, 1..=11) | (Part::Evening, 1..=11) => self.hour + 12,
            (Part::Tonight | Part::Night, 5..=11) => self.hour + 12,
            (Part::Evening | Part::Tonight | Part::Night, 12) => 24,
            (Part::Tonight, 1..=4) => self.hour + 24,
            (_, hour) => hour,
        };
        Self { hour, sure: true, ..self }
    }

    /// The time and how many days later than the day it was said of.
    pub fn time(self) -> Option<(Time, i32)> {
        let days = i32::try_from(self.hour / 24).ok()?;
        let part = |value: u32| i8::try_from(value).ok();
        let time = Time::new(part(self.hour % 24)?, part(self.minute)?, part(self.second)?, 0).ok()?;
        Some((time, days))
    }
}

/// A time of day. `asked` says that a word such as `at` came before, so that a bare number is one too.
pub(super) fn clock(tokens: &Tokens, at: usize, asked: bool) -> Option<(Clock, usize)> {
    if tokens.is(at, &["noon", "midday"]) {
        return Some((Clock::new(12, 0, true), at + 1));
    }
    if tokens.is(at, &["midnight", "mitternacht"]) {
        return Some((Clock::new(24, 0, true), at + 1));
    }
    if let Some(found) = around_the_hour(tokens, at, asked).or_else(|| before_or_after(tokens, at)) {
        return Some(found);
    }
    let (hour, after_hour) = numbers::whole(tokens, at).filter(|(hour, _)| *hour <= 24)?;
    let short = tokens.digits(at).is_none_or(|(_, length)| length <= 2);
    if !short {
        return None;
    }
    if let Some(found) = with_minutes(tokens, hour, after_hour, asked) {
        return Some(found);
    }
    let clock = Clock::new(hour, 0, false);
    if let Some((half, end)) = half_of_day(tokens, after_hour) {
        return Some((clock.on(half)?, end));
    }
    if tokens.is(after_hour, &["uhr", "o'clock", "oclock"]) {
        let minutes = tokens.digits(after_hour + 1).filter(|(minute, length)| *minute < 60 && *length == 2);
        let clock = minutes.map_or(clock, |(minute, _)| Clock { minute, ..clock });
        return marked(tokens, clock, after_hour + 1 + usize::from(minutes.is_some()));
    }
    let in_words = tokens.digits(at).is_none();
    if let Some((minute @ (5..=59), end)) = numbers::in_words(tokens, after_hour)
        && in_words
        && asked
        && minute % 5 == 0
    {
        return marked(tokens, Clock { minute, ..clock }, end);
    }
    (asked && !counts_something(tokens, after_hour)).then_some((clock, after_hour))
}

/// A part of the day. `led` says that something came before that makes it one: a day, a time, `this`, `in the`.
pub(super) fn part(tokens: &Tokens, at: usize, led: bool) -> Option<(Part, usize)> {
    let (noun, by_article) = match tokens.after_any(at, &["in the", "at", "in der", "am", "this", "diesen"]) {
        Some(after) => (after, true),
        None => (at, false),
    };
    let bare = led || by_article;
    let part = match tokens.word(noun) {
        "morning" | "früh" | "morgen" | "mornings" if bare && tokens.before(noun) != "at" => Part::Morning,
        "morgens" if led => Part::Morning,
        "vormittag" | "vormittags" | "forenoon" if bare => Part::Forenoon,
        "mittag" | "mittags" if bare => Part::Noon,
        "afternoon" | "nachmittag" | "nachmittags" if bare => Part::Afternoon,
        "evening" | "abend" | "abends" if bare => Part::Evening,
        "night" | "nacht" | "nachts" if bare => Part::Night,
        _ => return None,
    };
    Some((part, noun + 1))
}

impl Clock {
    fn on(self, half: Half) -> Option<Self> {
        let hour = match (half, self.hour) {
            (Half::Am, 12) => 0,
            (Half::Am | Half::Pm, 0) => return None,
            (Half::Am, 1..=11) | (Half::Pm, 12..=23) => self.hour,
            (Half::Pm, 1..=11) => self.hour + 12,
            _ => return None,
        };
        Some(Self { hour, sure: true, ..self })
    }
}

#[derive(Clone, Copy)]
enum Half {
    Am,
    Pm,
}

/// `half past 5`, `quarter to 6`, `halb 6`, `viertel nach 5`, `10 past 5`.
fn around_the_hour(tokens: &Tokens, at: usize, asked: bool) -> Option<(Clock, usize)> {
    let put = |minutes: i32, hour_at: usize| {
        let (hour, end) = numbers::whole(tokens, hour_at).filter(|(hour, _)| (1..=24).contains(hour))?;
        let total = i32::try_from(hour).ok()? * 60 + minutes;
        let (hour, minute) = (u32::try_from(total / 60).ok()?, u32::try_from(total % 60).ok()?);
        let end = if tokens.is(end, &["uhr", "o'clock"]) { end + 1 } else { end };
        marked(tokens, Clock::new(hour, minute, false), end)
    };
    let quarter = tokens.after(at, "a quarter").or_else(|| tokens.after_any(at, &["quarter", "viertel"]));
    if let Some(next) = quarter {
        return match tokens.word(next) {
            "past" | "after" | "nach" => put(15, next + 1),
            "to" | "before" | "vor" => put(-15, next + 1),
            _ => None,
        };
    }
    if let Some(hour_at) = tokens.after(at, "half past") {
        return put(30, hour_at);
    }
    match tokens.word(at) {
        "halb" => return put(-30, at + 1),
        "dreiviertel" => return put(-15, at + 1),
        _ => {}
    }
    let (minutes, next) =
        numbers::whole(tokens, at).filter(|(minutes, _)| asked && (1..=59).contains(minutes))?;
    let minutes = i32::try_from(minutes).ok()?;
    let next = if tokens.is(next, &["minutes", "minuten"]) { next + 1 } else { next };
    match tokens.word(next) {
        "past" | "nach" => put(minutes, next + 1),
        "to" | "vor" => put(-minutes, next + 1),
        _ => None,
    }
}

/// `10 minutes before 6pm`, `eine Stunde nach Mitternacht`.
fn before_or_after(tokens: &Tokens, at: usize) -> Option<(Clock, usize)> {
    let (stretch, next) = span::stretch(tokens, at)?;
    let sign = match tokens.word(next) {
        "before" | "vor" => -1,
        "after" | "nach" => 1,
        _ => return None,
    };
    let next = if tokens.is(next + 1, &["um"]) { next + 2 } else { next + 1 };
    // Counting from what is itself counted is a riddle, not a time.
    let (clock, end) =
        if span::stretch(tokens, next).is_none() { clock(tokens, next, true)? } else { return None };
    let minutes = i64::from(stretch.seconds / 60);
    let whole = stretch.is_clock_time() && stretch.seconds.is_multiple_of(60);
    let total = i64::from(clock.hour * 60 + clock.minute) + sign * minutes;
    let total = u32::try_from(total).ok().filter(|total| whole && *total <= 24 * 60)?;
    Some((Clock { hour: total / 60, minute: total % 60, ..clock }, end))
}

/// `17:30`, `17:30:15`, `5.30 pm`, `17.30 Uhr`, `17h30`.
fn with_minutes(tokens: &Tokens, hour: u32, at: usize, asked: bool) -> Option<(Clock, usize)> {
    let pair = |at: usize| {
        let (value, length) = tokens.digits(at + 1)?;
        (length == 2 && value < 60 && tokens.glued(at) && tokens.glued(at + 1)).then_some((value, at + 2))
    };
    let clock = |minute| (hour < 24 || minute == 0).then(|| Clock::new(hour, minute, false));
    match tokens.word(at) {
        ":" => {
            let (minute, end) = pair(at)?;
            let seconds = tokens.is(end, &[":"]).then(|| pair(end)).flatten();
            let (second, end) = seconds.unwrap_or((0, end));
            marked(tokens, Clock { second, ..clock(minute)? }, end)
        }
        "." => {
            let (minute, end) = pair(at)?;
            let dated = tokens.is(end, &["."]) && tokens.glued(end) && tokens.get(end + 1).is_some();
            let told = tokens.is(end, &["uhr"]) || half_of_day(tokens, end).is_some() || asked && !dated;
            if told { marked(tokens, clock(minute)?, end) } else { None }
        }
        "h" if tokens.glued(at) && asked => match pair(at) {
            Some((minute, end)) => Some((clock(minute)?, end)),
            None => Some((Clock::new(hour, 0, true), at + 1)),
        },
        _ => None,
    }
}

/// What may stand behind a time that is read already: `Uhr`, `pm`.
fn marked(tokens: &Tokens, clock: Clock, at: usize) -> Option<(Clock, usize)> {
    let at = if tokens.is(at, &["uhr"]) { at + 1 } else { at };
    match half_of_day(tokens, at) {
        Some((half, end)) => Some((clock.on(half)?, end)),
        None => Some((clock, at)),
    }
}

/// `am`, `p.m.`. The German `am` before a day is none.
fn half_of_day(tokens: &Tokens, at: usize) -> Option<(Half, usize)> {
    let half = match tokens.word(at) {
        "am" if !day::german_on(tokens, at) => Half::Am,
        "pm" => Half::Pm,
        letter @ ("a" | "p") if tokens.is(at + 1, &["."]) && tokens.is(at + 2, &["m"]) => {
            let end = if tokens.is(at + 3, &["."]) { at + 4 } else { at + 3 };
            return Some((if letter == "a" { Half::Am } else { Half::Pm }, end));
        }
        _ => return None,
    };
    Some((half, at + 1))
}

/// Whether a bare number is a count or a part of something else: `at 5 minutes`, `at 3%`, `at 24.12`, `at 10-12`.
fn counts_something(tokens: &Tokens, at: usize) -> bool {
    span::unit_of(tokens, at).is_some()
        || tokens.is(at, &["%", "€", "$", "°", "percent", "prozent", "euro", "dollars", "people"])
        || tokens.glued(at)
            && (tokens.is(at, &["st", "nd", "rd", "th"])
                || tokens.is(at, &[".", "-", "/", ":"])
                    && tokens.glued(at + 1)
                    && tokens.get(at + 1).is_some())
}
