//! Cron expressions against a table that a library written elsewhere made: `tests/croner/` says how.

use jiff::{Timestamp, tz::TimeZone};
use schedule::Schedule;
use std::{env, fs};

const TABLE: &str = include_str!("croner.jsonl");

/// One line of the table: expression, zone, start, seconds to each of the next runs, or why there are none.
type Row = (String, String, i64, serde_json::Value);

/// With `CRONER_TABLE`, a table fresh from the oracle is compared instead, and `CRONER_AGREED` says where to put the
/// lines on which both agree.
#[test]
fn expressions_come_up_when_the_oracle_says() {
    let fresh = env::var("CRONER_TABLE").ok().map(|path| fs::read_to_string(path).unwrap());
    let table = fresh.as_deref().unwrap_or(TABLE);
    let (mut agreed, mut differing) = (String::new(), Vec::new());
    for line in table.lines() {
        let (expr, zone, start, expected): Row = serde_json::from_str(line).unwrap();
        let found = runs(&expr, &zone, start, 3);
        if expected == serde_json::json!(found) {
            agreed.push_str(line);
            agreed.push('\n');
        } else {
            differing.push(format!("{line} here {found:?}"));
        }
    }
    if let Ok(path) = env::var("CRONER_AGREED") {
        fs::write(path, &agreed).unwrap();
    }
    assert!(agreed.lines().count() >= 2_000, "the table was not found");
    assert!(differing.is_empty(), "{} lines differ:\n{}", differing.len(), differing.join("\n"));
}

fn runs(expr: &str, zone: &str, start: i64, count: usize) -> Option<Vec<i64>> {
    let zone = TimeZone::get(zone).unwrap();
    let schedule = Schedule::Cron { expr: expr.to_owned(), tz: None };
    let start = Timestamp::from_second(start).unwrap();
    match schedule.check(start, &zone) {
        Err(schedule::BadSchedule::Never(_)) => return Some(vec![]),
        Err(_) => return None,
        Ok(()) => {}
    }
    let slots = std::iter::successors(Some(start), |slot| schedule.next_after(*slot, &zone));
    Some(slots.skip(1).take(count).map(|slot| slot.as_second() - start.as_second()).collect())
}
