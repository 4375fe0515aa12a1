//! A schedule in the words of a list: `every weekday at 09:00`. Reading words is for `phrase`.

use crate::{cron::Expression, schedule::Schedule};
use jiff::{Timestamp, civil::Time, tz::TimeZone};

impl Schedule {
    /// What this schedule is, in a few words, by the clock of `zone`. A zone that the schedule names itself is said.
    pub fn describe(&self, zone: &TimeZone) -> String {
        match self {
            Self::At { at } => {
                let at = at.to_zoned(zone.clone());
                let format =
                    if at.second() == 0 { "%A, %-d %B %Y at %H:%M" } else { "%A, %-d %B %Y at %H:%M:%S" };
                at.strftime(format).to_string()
            }
            Self::Every { every_ms, .. } => format!("every {}", interval(*every_ms)),
            Self::Cron { expr, tz } => {
                let words = usual(expr).unwrap_or_else(|| unusual(expr));
                tz.as_ref().map_or_else(|| words.clone(), |tz| format!("{words} ({tz})"))
            }
        }
    }
}

/// How far `at` is from `now`, as one says it: `in 20 minutes`, `2 days ago`, `now`. It is exact below a minute and
/// rounded above: to minutes within two hours, to hours within two days.
pub fn from_now(at: Timestamp, now: Timestamp) -> String {
    let seconds = at.duration_since(now).as_secs();
    let far = seconds.unsigned_abs();
    let words = match far {
        0 => return "now".to_owned(),
        1..60 => counted(far, "second"),
        60..7_170 => counted((far + 30) / 60, "minute"),
        7_170..171_000 => counted((far + 1_800) / 3_600, "hour"),
        _ => counted((far + 43_200) / 86_400, "day"),
    };
    if seconds > 0 { format!("in {words}") } else { format!("{words} ago") }
}

fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The largest units that come out even: `2 hours`, `90 minutes`, `day`.
fn interval(every_ms: u64) -> String {
    let units = [
        ("week", 604_800_000),
        ("day", 86_400_000),
        ("hour", 3_600_000),
        ("minute", 60_000),
        ("second", 1_000),
    ];
    match units.iter().find(|(_, length)| every_ms.is_multiple_of(*length)) {
        Some((noun, length)) if every_ms == *length => (*noun).to_owned(),
        Some((noun, length)) => counted(every_ms / length, noun),
        None => format!("{every_ms} ms"),
    }
}

/// The expressions that people make: some times of some days.
fn usual(expr: &str) -> Option<String> {
    let fields: Vec<&str> = expr.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields.as_slice() else { return None };
    if let ("*", "*", "*", "*") = (*hour, *day, *month, *weekday) {
        return rhythm(minute);
    }
    let times = times(minute, hour)?;
    let days = match (*day, *month, *weekday) {
        ("*" | "?", "*", "*" | "?") => "every day".to_owned(),
        ("*" | "?", "*", weekday) => weekdays(weekday)?,
        ("L", "*", "*") => "on the last day of every month".to_owned(),
        (day, "*", "*") => format!("on the {} of every month", ordinal(number(day, 1, 31)?)),
        (day, month, "*") if !month.contains(['/', '-', ',']) => {
            let month = usize::try_from(number(month, 1, 12)?).ok()?;
            format!("every year on {} {}", number(day, 1, 31)?, MONTHS.get(month.checked_sub(1)?)?)
        }
        _ => return None,
    };
    Some(format!("{days} at {times}"))
}

/// What croner makes of any other expression.
fn unusual(expr: &str) -> String {
    let Ok(expression) = Expression::read(expr) else { return format!("`{expr}`") };
    let mut words = expression.describe().trim_end_matches('.').to_owned();
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    words
}

fn rhythm(minute: &str) -> Option<String> {
    match minute.strip_prefix("*/") {
        Some(step) => Some(format!("every {}", counted(number(step, 2, 30)?, "minute"))),
        None if minute == "*" => Some("every minute".to_owned()),
        None if minute == "0" => Some("every hour".to_owned()),
        None => Some(format!("every hour at minute {}", number(minute, 0, 59)?)),
    }
}

fn times(minute: &str, hour: &str) -> Option<String> {
    let minute = i8::try_from(number(minute, 0, 59)?).ok()?;
    let mut times = Vec::new();
    for hour in hour.split(',') {
        let time = Time::new(i8::try_from(number(hour, 0, 23)?).ok()?, minute, 0, 0).ok()?;
        times.push(time.strftime("%H:%M").to_string());
    }
    Some(listed(&times))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn weekdays(field: &str) -> Option<String> {
    if ["MON-FRI", "1-5"].contains(&field.to_uppercase().as_str()) {
        return Some("every weekday".to_owned());
    }
    if let Some((weekday, nth)) = field.split_once('#') {
        return Some(format!(
            "on the {} {} of every month",
            ordinal(number(nth, 1, 5)?),
            weekday_name(weekday)?
        ));
    }
    if let Some(weekday) = field.strip_suffix('L') {
        return Some(format!("on the last {} of every month", weekday_name(weekday)?));
    }
    if let Some((first, last)) = field.split_once('-') {
        return Some(format!("every {} to {}", weekday_name(first)?, weekday_name(last)?));
    }
    let days: Option<Vec<String>> =
        field.split(',').map(|day| weekday_name(day).map(str::to_owned)).collect();
    Some(format!("every {}", listed(&days?)))
}

fn weekday_name(text: &str) -> Option<&'static str> {
    let upper = text.to_uppercase();
    let named = DAYS.iter().find(|name| upper.len() == 3 && name.to_uppercase().starts_with(&upper));
    match named {
        Some(name) => Some(name),
        None => DAYS.get(usize::try_from(number(text, 0, 7)?).ok()? % 7).copied(),
    }
}

fn number(text: &str, least: u64, most: u64) -> Option<u64> {
    text.parse().ok().filter(|number| (least..=most).contains(number))
}

fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
