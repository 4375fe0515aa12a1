//! What is due, what was missed, what was written and how it is said back, as tables.

use crate::{hours::ActiveHours, *};
use jiff::{SignedDuration, Timestamp, Zoned, tz::TimeZone};
use serde_json::json;

#[test]
fn the_written_form_is_the_one_of_the_seed() {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let forms = [
        (
            Schedule::At { at: at("2027-03-03T08:00:00Z") },
            json!({"kind": "at", "at": "2027-03-03T08:00:00Z"}),
        ),
        (Schedule::Every { every_ms: 60_000, anchor: None }, json!({"kind": "every", "everyMs": 60_000})),
        (
            Schedule::Every { every_ms: 60_000, anchor: Some(at("2027-03-03T08:00:00Z")) },
            json!({"kind": "every", "everyMs": 60_000, "anchor": "2027-03-03T08:00:00Z"}),
        ),
        (cron("0 9 * * *", None), json!({"kind": "cron", "expr": "0 9 * * *"})),
        (
            cron("0 9 * * *", Some("Asia/Kathmandu")),
            json!({"kind": "cron", "expr": "0 9 * * *", "tz": "Asia/Kathmandu"}),
        ),
    ];
    for (schedule, form) in forms {
        assert_eq!(serde_json::to_value(&schedule).unwrap(), form);
        assert_eq!(serde_json::from_value::<Schedule>(form).unwrap(), schedule);
    }
}

#[test]
fn what_was_written_is_read_leniently_and_judged_strictly() {
    let read = |written: serde_json::Value| {
        let written: Written = serde_json::from_value(written).map_err(|error| error.to_string())?;
        let schedule = Schedule::parse(&written, &noon()).map_err(|error| error.to_string())?;
        Ok::<_, String>(serde_json::to_value(schedule).unwrap())
    };
    let at = |text: &str| Ok(json!({"kind": "at", "at": text}));
    let ok = [
        (json!({"kind": "at", "at": "2026-11-18T16:00:00Z"}), at("2026-11-18T16:00:00Z")),
        (json!({"kind": "at", "at": "2026-11-18T16:00:00+05:45"}), Err("has already passed")),
        (json!({"kind": "at", "at": "2026-11-18T16:00:00-05:00"}), at("2026-11-18T21:00:00Z")),
        (json!({"kind": "at", "at": "2026-11-18T16:00"}), at("2026-11-18T15:00:00Z")),
        (json!({"kind": "at", "at": "2026-11-18 16:00:30"}), at("2026-11-18T15:00:30Z")),
        (json!({"at": "2026-11-18T16:00[America/New_York]"}), at("2026-11-18T21:00:00Z")),
        (json!({"at": "tomorrow at 9"}), at("2026-11-19T08:00:00Z")),
        (json!({"at": "2026-12-24"}), at("2026-12-24T08:00:00Z")),
        (json!({"at": "in 20 minutes"}), at("2026-11-18T11:20:00Z")),
        (json!("morgen um 9"), at("2026-11-19T08:00:00Z")),
        (json!("every weekday at 9"), Ok(json!({"kind": "cron", "expr": "0 9 * * MON-FRI"}))),
        (json!("*/5 * * * *"), Ok(json!({"kind": "cron", "expr": "*/5 * * * *"}))),
        (json!("@daily"), Ok(json!({"kind": "cron", "expr": "@daily"}))),
        (json!({"everyMs": 1000}), Ok(json!({"kind": "every", "everyMs": 1000}))),
        (
            json!({"everyMs": 1000, "anchor": "2026-11-18T16:00"}),
            Ok(json!({"kind": "every", "everyMs": 1000, "anchor": "2026-11-18T15:00:00Z"})),
        ),
        (
            json!({"kind": "cron", "expr": " 0 9 * * * ", "timezone": "UTC"}),
            Ok(json!({"kind": "cron", "expr": "0 9 * * *", "tz": "UTC"})),
        ),
        (json!({"expr": "0 9 * * *", "tz": ""}), Ok(json!({"kind": "cron", "expr": "0 9 * * *"}))),
        (
            json!({"kind": "at", "at": "today at 9am"}),
            Err("2026-11-18 09:00 has already passed; give a time"),
        ),
        (
            json!({"kind": "at", "at": "every day"}),
            Err("I could not read a time in \"every day\"; say for example"),
        ),
        (json!({"kind": "at"}), Err("a schedule of kind `at` needs `at`, for example")),
        (json!({"kind": "every"}), Err("a schedule of kind `every` needs `everyMs`, for example")),
        (json!({"kind": "cron"}), Err("a schedule of kind `cron` needs `expr`, for example")),
        (json!({"kind": "never"}), Err("a schedule has one of three kinds:")),
        (json!({}), Err("a schedule has one of three kinds:")),
        (json!({"everyMs": 999}), Err("an interval of 999 ms is too short; the shortest is 1000 ms")),
        (json!({"everyMs": 999_999_999_999_999_u64}), Err("is longer than ten years; use `at`")),
        (json!({"everyMs": -5}), Err("invalid value: integer `-5`")),
        (json!({"every": "day"}), Err("unknown field `every`")),
        (json!(17), Err("a schedule: an object with `kind`, or a phrase")),
        (
            json!({"expr": "0 9 * *"}),
            Err("`0 9 * *` is not a cron expression: it does not have five, six or seven"),
        ),
        (json!({"expr": "61 9 * * *"}), Err("is not a cron expression: ")),
        (json!({"expr": "0 9 * * FOO"}), Err("it has a character no field may have")),
        (
            json!({"expr": "0 9 30 2 *"}),
            Err("`0 9 30 2 *` never comes up again; check its day, month and year"),
        ),
        (json!({"expr": "0 0 9 * * * 2020"}), Err("never comes up again")),
        (
            json!({"expr": "0 9 * * *", "tz": "Mars/Olympus"}),
            Err("`Mars/Olympus` is not a known time zone; use"),
        ),
        (json!("when pigs fly"), Err("I could not read a time in \"when pigs fly\"")),
    ];
    for (written, expected) in ok {
        match (read(written.clone()), expected) {
            (Ok(schedule), Ok(expected)) => assert_eq!(schedule, expected, "{written}"),
            (Err(said), Err(expected)) => assert!(said.contains(expected), "{written}: {said}"),
            (read, expected) => panic!("{written}: {read:?}, should be {expected:?}"),
        }
    }
}

#[test]
fn a_schedule_says_what_it_is() {
    let berlin = noon().time_zone().clone();
    let at = |text: &str| Schedule::At { at: text.parse().unwrap() };
    let every = |every_ms| Schedule::Every { every_ms, anchor: None };
    let table = [
        (at("2026-11-20T16:00:00Z"), "Friday, 20 November 2026 at 17:00"),
        (at("2026-11-20T16:00:05Z"), "Friday, 20 November 2026 at 17:00:05"),
        (every(60_000), "every minute"),
        (every(600_000), "every 10 minutes"),
        (every(5_400_000), "every 90 minutes"),
        (every(3_600_000), "every hour"),
        (every(172_800_000), "every 2 days"),
        (every(1_209_600_000), "every 2 weeks"),
        (every(1_500), "every 1500 ms"),
        (cron("0 9 * * MON-FRI", Some("Europe/Berlin")), "every weekday at 09:00 (Europe/Berlin)"),
        (cron("0 9 * * *", None), "every day at 09:00"),
        (cron("30 8,12,18 * * *", None), "every day at 08:30, 12:30 and 18:30"),
        (cron("30 18 * * MON,THU", None), "every Monday and Thursday at 18:30"),
        (cron("0 9 * * 0", None), "every Sunday at 09:00"),
        (cron("0 9 * * MON-THU", None), "every Monday to Thursday at 09:00"),
        (cron("0 9 1 * *", None), "on the 1st of every month at 09:00"),
        (cron("0 9 22 * *", None), "on the 22nd of every month at 09:00"),
        (cron("0 9 L * *", None), "on the last day of every month at 09:00"),
        (cron("0 16 * * 5L", None), "on the last Friday of every month at 16:00"),
        (cron("0 10 * * TUE#2", None), "on the 2nd Tuesday of every month at 10:00"),
        (cron("0 18 24 12 *", None), "every year on 24 December at 18:00"),
        (cron("*/10 * * * *", None), "every 10 minutes"),
        (cron("0 * * * *", None), "every hour"),
        (cron("15 * * * *", None), "every hour at minute 15"),
        (cron("nonsense", None), "`nonsense`"),
    ];
    for (schedule, words) in table {
        assert_eq!(schedule.describe(&berlin), words);
    }
    let odd = cron("0 9 1 */3 *", None).describe(&berlin);
    assert!(odd.contains("09:00") && odd.starts_with(char::is_lowercase), "{odd}");
}

#[test]
fn how_far_a_time_is() {
    let now = noon().timestamp();
    let table = [
        (0, "now"),
        (1, "in 1 second"),
        (59, "in 59 seconds"),
        (60, "in 1 minute"),
        (1_200, "in 20 minutes"),
        (5_400, "in 90 minutes"),
        (7_190, "in 2 hours"),
        (86_400, "in 24 hours"),
        (259_200, "in 3 days"),
        (-120, "2 minutes ago"),
        (-259_200, "3 days ago"),
    ];
    for (seconds, words) in table {
        assert_eq!(from_now(now + SignedDuration::from_secs(seconds), now), words);
    }
}

#[test]
fn what_is_due_and_what_was_missed() {
    let zone = TimeZone::UTC;
    let time = |clock: &str| format!("2026-11-18T{clock}Z").parse::<Timestamp>().unwrap();
    let hourly = cron("0 * * * *", None);
    let ask =
        |missed, now: &str, at_most| due(&hourly, time("08:00:00"), time(now), missed, None, at_most, &zone);
    let due_at = |fire: &[&str], missed, next: &str, more| Due {
        fire: fire.iter().map(|clock| time(clock)).collect(),
        missed,
        next: Some(time(next)),
        more,
    };
    let table = [
        (Missed::Once, "07:59:59", 9, due_at(&[], 0, "08:00:00", false)),
        (Missed::Once, "08:00:00", 9, due_at(&["08:00:00"], 0, "09:00:00", false)),
        (Missed::Once, "11:30:00", 9, due_at(&["11:00:00"], 3, "12:00:00", false)),
        (Missed::Skip, "08:01:00", 9, due_at(&["08:00:00"], 0, "09:00:00", false)),
        (Missed::Skip, "08:01:01", 9, due_at(&[], 1, "09:00:00", false)),
        (Missed::Skip, "11:00:30", 9, due_at(&["11:00:00"], 3, "12:00:00", false)),
        (Missed::Skip, "11:30:00", 9, due_at(&[], 4, "12:00:00", false)),
        (Missed::All, "10:30:00", 9, due_at(&["08:00:00", "09:00:00", "10:00:00"], 0, "11:00:00", false)),
        (Missed::All, "10:30:00", 2, due_at(&["08:00:00", "09:00:00"], 0, "10:00:00", true)),
        (Missed::All, "10:30:00", 0, due_at(&[], 0, "08:00:00", true)),
        (Missed::Once, "10:30:00", 0, due_at(&[], 0, "08:00:00", true)),
    ];
    for (missed, now, at_most, expected) in table {
        assert_eq!(ask(missed, now, at_most), expected, "{missed:?} at {now}, at most {at_most}");
    }
}

#[test]
fn a_wait_after_failures_keeps_the_slot() {
    let (slot, now) = (noon().timestamp(), noon().timestamp() + SignedDuration::from_mins(5));
    let schedule = Schedule::Every { every_ms: 60_000, anchor: None };
    let ask = |not_before| due(&schedule, slot, now, Missed::Once, not_before, 1, &TimeZone::UTC);
    let waiting = Due { next: Some(slot), ..Due::default() };
    assert_eq!(ask(Some(now + SignedDuration::from_secs(1))), waiting);
    assert_eq!(ask(Some(now)), ask(None));
    assert_eq!(
        ask(None),
        Due { fire: vec![now], missed: 5, next: Some(now + SignedDuration::from_mins(1)), more: false }
    );
}

#[test]
fn a_single_time_comes_once() {
    let slot = noon().timestamp();
    let once = Schedule::At { at: slot };
    let late = slot + SignedDuration::from_hours(2);
    let fired = due(&once, slot, late, Missed::Once, None, 1, &TimeZone::UTC);
    assert_eq!(fired, Due { fire: vec![slot], missed: 0, next: None, more: false });
    let skipped = due(&once, slot, late, Missed::Skip, None, 1, &TimeZone::UTC);
    assert_eq!(skipped, Due { fire: vec![], missed: 1, next: None, more: false });
}

#[test]
fn a_long_absence_is_looked_at_in_an_instant() {
    let start = noon().timestamp();
    let year_later = start + SignedDuration::from_hours(365 * 24);
    for schedule in [cron("* * * * * *", None), Schedule::Every { every_ms: 1_000, anchor: None }] {
        assert_eq!(schedule.latest_until(start, year_later, &TimeZone::UTC), Some(year_later));
        let found = due(&schedule, start, year_later, Missed::Once, None, 1, &TimeZone::UTC);
        assert_eq!((found.fire, found.missed), (vec![year_later], MISSED_COUNTED));
    }
}

#[test]
fn waits_double_up_to_an_hour() {
    let seconds: Vec<i64> = (0..10).map(|failures| backoff(failures).as_secs()).collect();
    assert_eq!(seconds, [0, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    assert_eq!(backoff(u32::MAX), SignedDuration::from_hours(1));
}

#[test]
fn named_times_survive_a_clock_that_jumps() {
    let table = [
        // Skipped at 02:00, repeated at 03:00 in Berlin.
        ("30 2 * * *", "2027-03-28T00:00:00Z", "2027-03-28T01:00:00Z"),
        ("30 2,14 * * *", "2027-03-28T00:00:00Z", "2027-03-28T01:00:00Z"),
        ("30 2,14 * * *", "2027-03-28T01:00:00Z", "2027-03-28T12:30:00Z"),
        ("0 */2 * * *", "2027-03-28T00:30:00Z", "2027-03-28T02:00:00Z"),
        ("30 2 * * *", "2027-10-31T00:00:00Z", "2027-10-31T00:30:00Z"),
        ("30 2 * * *", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"),
        ("30 2 * * *", "2027-10-31T01:10:00Z", "2027-11-01T01:30:00Z"),
        ("30 2,14 * * *", "2027-10-31T00:30:00Z", "2027-10-31T13:30:00Z"),
        ("30 * * * *", "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z"),
        ("30 * * * *", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00Z"),
        ("0 0 29 2 *", "2028-03-01T00:00:00Z", "2032-02-28T23:00:00Z"),
    ];
    for (expr, after, next) in table {
        let found = cron(expr, None).next_after(after.parse().unwrap(), noon().time_zone());
        assert_eq!(found, Some(next.parse().unwrap()), "{expr} after {after}");
    }
}

#[test]
fn hours_of_the_day() {
    let berlin = noon().time_zone().clone();
    let within = |hours: &str, clock: &str| {
        let now: Zoned = format!("2026-11-18T{clock}[Europe/Berlin]").parse().unwrap();
        ActiveHours::parse(hours).unwrap().contains(now.timestamp(), &berlin)
    };
    let table = [
        ("8-21", "07:59:59", false),
        ("8-21", "08:00", true),
        ("8-21", "20:59:59", true),
        ("8-21", "21:00", false),
        ("22-6", "21:59", false),
        ("22-6", "23:00", true),
        ("22-6", "05:59", true),
        ("22-6", "06:00", false),
        ("8:30-21:15", "08:29", false),
        (" 8:30 – 21:15 ", "21:14", true),
        ("8-24", "23:59", true),
        ("8-24", "00:00", false),
        ("9-9", "03:00", true),
        ("0-24", "00:00", true),
        ("", "03:00", true),
    ];
    for (hours, clock, expected) in table {
        assert_eq!(within(hours, clock), expected, "{clock} in {hours:?}");
    }
    for bad in ["8", "8-25", "8:60-9", "a-b", "8-9-10", "-", "8:3:0-9", "٨-9"] {
        let said = ActiveHours::parse(bad).unwrap_err().to_string();
        assert!(said.contains("write for example `8-21`"), "{said}");
    }
    let told: Vec<String> = ["8-21", "22-6:30", "", "0-24"]
        .map(|hours| ActiveHours::parse(hours).unwrap().to_string())
        .into_iter()
        .collect();
    assert_eq!(told, ["8:00-21:00", "22:00-6:30", "", ""]);
}

fn noon() -> Zoned {
    "2026-11-18T12:00[Europe/Berlin]".parse().unwrap()
}

fn cron(expr: &str, tz: Option<&str>) -> Schedule {
    Schedule::Cron { expr: expr.to_owned(), tz: tz.map(str::to_owned) }
}
