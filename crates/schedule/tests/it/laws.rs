//! What holds of every schedule, whatever it is made of.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use proptest::prelude::*;
use schedule::{Missed, Schedule, Written, due};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_comes_next_comes_later(schedule in schedules(), start in moments(), zone in zones()) {
        let mut after = start;
        for _ in 0..20 {
            let Some(next) = schedule.next_after(after, &zone) else { break };
            prop_assert!(next > after, "{:?} after {} gives {}", schedule, after, next);
            // Nothing between is left out: from just before, it is the same.
            let just_before = next - SignedDuration::from_millis(1);
            if just_before > after && anchored(&schedule) {
                prop_assert_eq!(schedule.next_after(just_before, &zone), Some(next));
            }
            after = next;
        }
    }

    #[test]
    fn the_latest_is_the_last_of_all(
        schedule in schedules(), start in moments(), zone in zones(), length in 0_i64..20_000
    ) {
        let until = start + SignedDuration::from_secs(length);
        let all = std::iter::successors(schedule.next_after(start, &zone), |slot| schedule.next_after(*slot, &zone));
        let last = all.take_while(|slot| *slot <= until).last();
        prop_assert_eq!(schedule.latest_until(start, until, &zone), last);
    }

    #[test]
    fn no_slot_is_given_twice_and_none_is_forgotten(
        schedule in schedules(),
        start in moments(),
        zone in zones(),
        pauses in proptest::collection::vec(0_i64..5_000, 1..12),
        at_most in 1_usize..4,
    ) {
        let Some(first) = schedule.next_after(start, &zone) else { return Ok(()) };
        for missed in [Missed::Skip, Missed::Once, Missed::All] {
            let (mut slot, mut now, mut fired, mut passed) = (Some(first), start, Vec::new(), 0);
            for pause in &pauses {
                now += SignedDuration::from_secs(*pause);
                let Some(stored) = slot else { break };
                let found = due(&schedule, stored, now, missed, None, at_most, &zone);
                prop_assert!(found.fire.len() <= at_most);
                prop_assert!(found.fire.iter().all(|slot| *slot <= now));
                prop_assert_eq!(found.more, found.next.is_some_and(|next| next <= now));
                passed += found.missed;
                fired.extend(found.fire);
                slot = found.next;
            }
            prop_assert!(fired.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", fired);
            let all = std::iter::successors(Some(first), |slot| schedule.next_after(*slot, &zone));
            let before_next = all.take_while(|it| slot.is_none_or(|slot| *it < slot)).take(1_000).count();
            if before_next < 1_000 {
                prop_assert_eq!(fired.len() + usize::try_from(passed).unwrap(), before_next);
            }
        }
    }

    #[test]
    fn no_text_breaks_the_reading(text in "\\PC{0,60}", expr in "[0-9*,/LW#?A-Z@ -]{0,30}") {
        let now = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
        for text in [text, expr] {
            let as_expr = Schedule::Cron { expr: text.clone(), tz: Some(text.clone()) };
            prop_assert!(as_expr.check(now.timestamp(), now.time_zone()).is_err() || !text.is_empty());
            let without_zone = Schedule::Cron { expr: text.clone(), tz: None };
            if without_zone.check(now.timestamp(), now.time_zone()).is_ok() {
                prop_assert!(!without_zone.describe(now.time_zone()).is_empty());
            }
            if let Ok(schedule) = Schedule::parse(&Written::Words(text), &now) {
                prop_assert!(schedule.next_after(now.timestamp(), now.time_zone()).is_some());
            }
        }
    }
}

/// Without an anchor an interval counts from where one looks.
fn anchored(schedule: &Schedule) -> bool {
    !matches!(schedule, Schedule::Every { anchor: None, .. })
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let at = moments().prop_map(|at| Schedule::At { at });
    let every = (1_000_u64..10_000_000, proptest::option::of(moments()))
        .prop_map(|(every_ms, anchor)| Schedule::Every { every_ms, anchor });
    let times = ["0", "30", "*", "*/7", "1,2", "10-20/3", "59"];
    let hours = ["*", "2", "1-3", "0,23", "*/2", "2,14", "0"];
    let days =
        ["* * *", "L * *", "1 * *", "* * MON-FRI", "15W * *", "* * 5L", "* * SUN#2", "29 2 *", "13 * FRI"];
    let select = proptest::sample::select::<&'static str>;
    let five = (select(times.to_vec()), select(hours.to_vec()), select(days.to_vec()));
    let cron =
        (five, proptest::option::of(select(times.to_vec()))).prop_map(|((minute, hour, days), second)| {
            let second = second.map(|second| format!("{second} ")).unwrap_or_default();
            Schedule::Cron { expr: format!("{second}{minute} {hour} {days}"), tz: None }
        });
    prop_oneof![1 => at, 2 => every, 5 => cron]
}

fn zones() -> impl Strategy<Value = TimeZone> {
    let names =
        ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia"];
    proptest::sample::select(names.to_vec()).prop_map(|name| TimeZone::get(name).unwrap())
}

/// Near jumps of those clocks, and anywhere.
fn moments() -> impl Strategy<Value = Timestamp> {
    let jumps =
        [1_806_195_600_i64, 1_824_944_400, 1_793_512_800, 1_791_041_400, 1_325_239_200, 1_730_408_400];
    let near =
        (proptest::sample::select(jumps.to_vec()), -20_000_i64..20_000).prop_map(|(jump, off)| jump + off);
    prop_oneof![3 => near, 1 => 1_100_000_000_i64..2_200_000_000]
        .prop_map(|second| Timestamp::from_second(second).unwrap())
}
