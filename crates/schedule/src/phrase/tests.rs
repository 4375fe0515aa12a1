//! Tables of phrases and what they mean, at one moment in Berlin.

use super::*;
use jiff::tz::TimeZone;
use proptest::prelude::*;

const PHRASES: &str = include_str!("phrases.txt");
const SENTENCES: &str = include_str!("sentences.txt");

#[test]
fn phrases_mean_what_people_mean() {
    let now = wednesday();
    let mut wrong = Vec::new();
    for (phrase, expected) in rows(PHRASES) {
        let meaning = schedule(phrase, &now).map_or_else(|_| "nothing".to_owned(), |it| put(&it, &now));
        if meaning != expected {
            wrong.push(format!("{phrase}: is {meaning}, should be {expected}"));
        }
    }
    assert!(rows(PHRASES).count() > 300, "the table was not found");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_phrase_is_found_in_its_sentence() {
    let now = wednesday();
    let mut wrong = Vec::new();
    for (sentence, expected) in rows(SENTENCES) {
        let meaning = find(sentence, &now)
            .map_or_else(|| "nothing".to_owned(), |it| format!("{} | {}", put(&it.schedule, &now), it.rest));
        if meaning != expected {
            wrong.push(format!("{sentence}: is {meaning}, should be {expected}"));
        }
    }
    assert!(rows(SENTENCES).count() > 60, "the table was not found");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_range_is_where_the_phrase_stands() {
    let found = find("Füttere die Katze in 20 Minuten bitte", &wednesday()).unwrap();
    assert_eq!(&"Füttere die Katze in 20 Minuten bitte"[found.range], "in 20 Minuten");
}

#[test]
fn a_time_the_clock_jumps_over_is_moved_on() {
    let before = "2027-03-27T12:00[Europe/Berlin]".parse().unwrap();
    assert_eq!(put(&schedule("tomorrow at 2:30", &before).unwrap(), &before), "2027-03-28 03:30:00");
    let day_before = "2027-03-27T02:30[Europe/Berlin]".parse().unwrap();
    assert_eq!(put(&schedule("in 1 day", &day_before).unwrap(), &day_before), "2027-03-28 03:30:00");
    assert_eq!(put(&schedule("in 24 hours", &day_before).unwrap(), &day_before), "2027-03-28 03:30:00");
    assert_eq!(put(&schedule("in 26 hours", &day_before).unwrap(), &day_before), "2027-03-28 05:30:00");
}

#[test]
fn what_cannot_be_read_is_said_plainly() {
    let said = schedule("when pigs fly", &wednesday()).unwrap_err().to_string();
    assert_eq!(
        said,
        "I could not read a time in \"when pigs fly\"; say for example \"in 20 minutes\", \"tomorrow at 9\" or \
         \"every weekday at 8\""
    );
    assert_eq!(time("every day", &wednesday()), Err(bad("every day")));
}

proptest! {
    #[test]
    fn no_text_breaks_the_reading(text in "\\PC{0,80}") {
        let readable = [schedule(&text, &wednesday()).is_ok(), find(&text, &wednesday()).is_some()];
        prop_assert!(readable.len() == 2);
    }

    #[test]
    fn no_heap_of_time_words_breaks_the_reading(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..9)
    ) {
        let text = words.join(" ");
        let now = wednesday();
        for schedule in [schedule(&text, &now).ok(), find(&text, &now).map(|it| it.schedule)].into_iter().flatten() {
            if !matches!(schedule, Schedule::At { .. }) {
                prop_assert_eq!(schedule.check(now.timestamp(), now.time_zone()), Ok(()), "{}", text);
            }
        }
    }
}

const WORDS: &[&str] = &[
    "in",
    "at",
    "on",
    "every",
    "jeden",
    "alle",
    "um",
    "am",
    "the",
    "of",
    "and",
    "last",
    "first",
    "second",
    "other",
    "1",
    "5",
    "9",
    "12",
    "20",
    "31",
    "24.",
    "24.12.",
    "2026-12-24",
    "17:30",
    "5pm",
    "am",
    "noon",
    "midnight",
    "tomorrow",
    "today",
    "tonight",
    "morgen",
    "heute",
    "abend",
    "morning",
    "evening",
    "friday",
    "freitag",
    "mondays",
    "weekday",
    "weekend",
    "month",
    "week",
    "day",
    "hour",
    "minutes",
    "stunde",
    "halb",
    "half",
    "quarter",
    "past",
    "to",
    "march",
    "dezember",
    "next",
    "99999999",
    "½",
    ",",
    "monats",
    "jedes",
    "hourly",
    "weekly",
];

fn wednesday() -> Zoned {
    "2026-11-18T14:30:10[Europe/Berlin]".parse().unwrap()
}

fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(" => ").unwrap())
}

fn put(schedule: &Schedule, now: &Zoned) -> String {
    let local =
        |at: Timestamp, zone: &TimeZone| at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string();
    match schedule {
        Schedule::At { at } => local(*at, now.time_zone()),
        Schedule::Every { every_ms, anchor: None } => format!("every {every_ms}"),
        Schedule::Every { every_ms, anchor: Some(anchor) } => {
            format!("every {every_ms} from {}", local(*anchor, now.time_zone()))
        }
        Schedule::Cron { expr, .. } => expr.clone(),
    }
}
