//! What the pieces of a phrase come to by the calendar of `now`. Reading them is for the others.

use super::{
    clock::{Clock, Part},
    day::Day,
    pieces::Pieces,
    repeat::{Repeat, Repeated},
    span::Stretch,
};
use crate::schedule::Schedule;
use jiff::{
    Span, Timestamp, Zoned,
    civil::{Date, Time, Weekday},
};

/// Where a day is named and no time.
const USUAL_HOUR: i8 = 9;

/// Where it is today and no time: the end of a working day.
const TODAYS_HOUR: i8 = 18;

/// A 29 February comes at least this often.
const MOST_YEARS_AHEAD: i16 = 8;

/// What was said, as a schedule. A time that has passed is given as it was said; `check` says so.
pub(super) fn resolve(pieces: &Pieces, now: &Zoned) -> Option<Schedule> {
    if let Some(repeated) = &pieces.repeat {
        return again(repeated, pieces, now);
    }
    if pieces.clocks.len() > 1 {
        return None;
    }
    let clock = clock_of(pieces);
    let Some(stretch) = pieces.stretch else {
        return at(once(pieces.day, clock, pieces.part, now)?);
    };
    let later = stretch.after(now)?;
    match (clock, pieces.day) {
        (None, None) => at(later),
        (Some(clock), None) if stretch.is_whole_days() => at(on(later.date(), clock, now)?),
        _ => None,
    }
}

fn at(zoned: Zoned) -> Option<Schedule> {
    Some(Schedule::At { at: Timestamp::from_second(zoned.timestamp().as_second()).ok()? })
}

fn clock_of(pieces: &Pieces) -> Option<Clock> {
    let said = pieces.clocks.first().map(|clock| clock.within(pieces.part));
    said.or_else(|| pieces.part.map(Part::usual))
}

fn once(day: Option<Day>, clock: Option<Clock>, part: Option<Part>, now: &Zoned) -> Option<Zoned> {
    let today = now.date();
    let ahead = |date: Date| on(date, clock?, now).filter(|at| at > now);
    let usual = |date: Date| match clock {
        Some(clock) => on(date, clock, now),
        None => date.at(USUAL_HOUR, 0, 0, 0).to_zoned(now.time_zone().clone()).ok(),
    };
    let days = |count: i32| today.checked_add(Span::new().try_days(count).ok()?).ok();
    match day {
        None => ahead(today).or_else(|| ahead(days(1)?)).or_else(|| ahead(days(2)?)),
        Some(Day::Today) => this_day(clock, part, now),
        Some(Day::InDays(count)) => usual(days(i32::try_from(count).ok()?)?),
        Some(Day::On(weekday)) => {
            let first = days(i32::from(today.weekday().until(weekday)))?;
            let chosen = usual(first)?;
            if chosen > *now { Some(chosen) } else { usual(first.checked_add(Span::new().days(7)).ok()?) }
        }
        Some(Day::Next(weekday)) => usual(today.nth_weekday(1, weekday).ok()?),
        Some(Day::NextWeek(weekday)) => usual(week_after(today, weekday)?),
        Some(Day::Weekend) => {
            let saturday = days(i32::from(today.weekday().until(Weekday::Saturday)))?;
            let sunday = days(i32::from(today.weekday().until(Weekday::Sunday)))?;
            let mut both = [usual(saturday)?, usual(sunday)?];
            both.sort();
            both.into_iter()
                .find(|at| at > now)
                .or_else(|| usual(saturday.checked_add(Span::new().days(7)).ok()?))
        }
        Some(Day::NextWeekend) => usual(week_after(today, Weekday::Saturday)?),
        Some(Day::NextMonth) => usual(today.first_of_month().checked_add(Span::new().months(1)).ok()?),
        Some(Day::NextYear) => usual(today.first_of_year().checked_add(Span::new().years(1)).ok()?),
        Some(Day::Date { year: Some(year), month, day }) => usual(Date::new(year, month, day).ok()?),
        Some(Day::Date { year: None, month, day }) => (0..=MOST_YEARS_AHEAD)
            .filter_map(|more| Date::new(today.year().checked_add(more)?, month, day).ok())
            .find_map(|date| usual(date).filter(|at| at > now)),
        Some(Day::OfMonth(day)) => (0..=12)
            .filter_map(|more| today.first_of_month().checked_add(Span::new().months(more)).ok())
            .filter_map(|month| Date::new(month.year(), month.month(), day).ok())
            .find_map(|date| usual(date).filter(|at| at > now)),
    }
}

/// A time today. An hour that has passed is meant after noon if it still can be.
fn this_day(clock: Option<Clock>, part: Option<Part>, now: &Zoned) -> Option<Zoned> {
    let Some(clock) = clock else {
        let evening = now.date().at(TODAYS_HOUR, 0, 0, 0).to_zoned(now.time_zone().clone()).ok()?;
        let hour_later = Stretch { seconds: 3_600, ..Stretch::default() }.after(now)?;
        return Some(if evening > *now { evening } else { hour_later });
    };
    let said = on(now.date(), clock, now)?;
    let later = Clock { hour: clock.hour + 12, ..clock };
    if said <= *now && part.is_none() && !clock.sure && later.hour < 24 {
        return on(now.date(), later, now);
    }
    Some(said)
}

/// The day of the week after this one.
fn week_after(today: Date, weekday: Weekday) -> Option<Date> {
    let to_monday = i64::from(today.weekday().to_monday_zero_offset());
    let days = 7 - to_monday + i64::from(weekday.to_monday_zero_offset());
    today.checked_add(Span::new().try_days(days).ok()?).ok()
}

fn on(date: Date, clock: Clock, now: &Zoned) -> Option<Zoned> {
    let (time, days) = clock.time()?;
    let date = date.checked_add(Span::new().try_days(days).ok()?).ok()?;
    date.to_datetime(time).to_zoned(now.time_zone().clone()).ok()
}

fn again(repeated: &Repeated, pieces: &Pieces, now: &Zoned) -> Option<Schedule> {
    let told = !pieces.clocks.is_empty() || pieces.part.is_some();
    let weekday = match pieces.day {
        Some(Day::On(weekday) | Day::Next(weekday)) => Some(weekday),
        _ => None,
    };
    let fields = match (&repeated.repeat, pieces.day) {
        (Repeat::Apart(stretch), day) => return apart(*stretch, day, told, pieces, now),
        (Repeat::EveryOther(weekday), None) => {
            let fortnight = Stretch { days: 14, ..Stretch::default() };
            return apart(fortnight, Some(Day::On(*weekday)), told, pieces, now);
        }
        (Repeat::Daily, None) => "* * *".to_owned(),
        (Repeat::Weekly | Repeat::Daily, Some(_)) => format!("* * {}", name(weekday?)),
        (Repeat::Weekly, None) => format!("* * {}", name(Weekday::Monday)),
        (Repeat::On(days), None) => format!("* * {}", names(days)),
        (Repeat::Monthly, None) => "1 * *".to_owned(),
        (Repeat::Monthly, Some(Day::OfMonth(day))) => format!("{day} * *"),
        (Repeat::Yearly, None) => "1 1 *".to_owned(),
        (Repeat::Yearly, Some(Day::Date { year: None, month, day })) => format!("{day} {month} *"),
        (Repeat::OfMonth(None), None) => "L * *".to_owned(),
        (Repeat::OfMonth(Some(day)), None) => format!("{day} * *"),
        (Repeat::Nth(Some(nth), weekday), None) => format!("* * {}#{nth}", name(*weekday)),
        (Repeat::Nth(None, weekday), None) => format!("* * {}L", weekday.to_sunday_zero_offset()),
        _ => return None,
    };
    let cron = Schedule::Cron { expr: format!("{} {fields}", times_of_day(pieces)?), tz: None };
    if !repeated.once {
        return Some(cron);
    }
    Some(Schedule::At { at: cron.next_after(now.timestamp(), now.time_zone())? })
}

/// The first fields of an expression. A midnight that comes again is the one that begins the day.
fn times_of_day(pieces: &Pieces) -> Option<String> {
    let mut times: Vec<Time> = Vec::new();
    for clock in &pieces.clocks {
        times.push(clock.within(pieces.part).time()?.0);
    }
    if times.is_empty() {
        let usual = pieces.part.map(|part| part.usual().time());
        times.push(usual.map_or_else(|| Time::new(USUAL_HOUR, 0, 0, 0).ok(), |time| Some(time?.0))?);
    }
    times.sort();
    times.dedup();
    let first = *times.first()?;
    // One expression has one minute for all its hours.
    if times.iter().any(|time| (time.minute(), time.second()) != (first.minute(), first.second())) {
        return None;
    }
    let hours: Vec<String> = times.iter().map(|time| time.hour().to_string()).collect();
    let second = if first.second() == 0 { String::new() } else { format!("{} ", first.second()) };
    Some(format!("{second}{} {}", first.minute(), hours.join(",")))
}

fn apart(stretch: Stretch, day: Option<Day>, told: bool, pieces: &Pieces, now: &Zoned) -> Option<Schedule> {
    if stretch.months > 0 {
        return months_apart(stretch, day, pieces);
    }
    let every_ms = (u64::from(stretch.days) * 86_400 + u64::from(stretch.seconds)) * 1_000;
    if every_ms == 0 || (told || day.is_some()) && stretch.seconds > 0 {
        return None;
    }
    if pieces.clocks.len() > 1 {
        return None;
    }
    let anchor = match (told, day) {
        (false, None) => None,
        _ => {
            let nine = Clock { hour: 9, minute: 0, second: 0, sure: true };
            let first = once(day, Some(clock_of(pieces).unwrap_or(nine)), pieces.part, now)?;
            Some(first.timestamp())
        }
    };
    Some(Schedule::Every { every_ms, anchor })
}

fn months_apart(stretch: Stretch, day: Option<Day>, pieces: &Pieces) -> Option<Schedule> {
    let even = stretch.days == 0 && stretch.seconds == 0 && 12 % stretch.months == 0;
    let day = match day {
        None => 1,
        Some(Day::OfMonth(day)) => day,
        Some(_) => return None,
    };
    let months = if stretch.months == 1 {
        "*".to_owned()
    } else if stretch.months == 12 {
        "1".to_owned()
    } else {
        format!("*/{}", stretch.months)
    };
    let times = times_of_day(pieces)?;
    even.then(|| Schedule::Cron { expr: format!("{times} {day} {months} *"), tz: None })
}

fn names(days: &[Weekday]) -> String {
    let consecutive = days.windows(2).all(|pair| matches!(pair, [one, two] if one.next() == *two));
    match days {
        [first, _, .., last] if consecutive && days.len() < 7 => format!("{}-{}", name(*first), name(*last)),
        days if days.len() == 7 => "*".to_owned(),
        days => days.iter().map(|day| name(*day)).collect::<Vec<_>>().join(","),
    }
}

fn name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "MON",
        Weekday::Tuesday => "TUE",
        Weekday::Wednesday => "WED",
        Weekday::Thursday => "THU",
        Weekday::Friday => "FRI",
        Weekday::Saturday => "SAT",
        Weekday::Sunday => "SUN",
    }
}
