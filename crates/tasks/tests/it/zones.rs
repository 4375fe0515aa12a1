//! Times of the wall clock over the edges of summer time, where zones differ most.

use super::*;

/// Lives through `days` times 24 hours from a local date on, and checks when the job fired.
async fn check(zone: &str, from: &str, days: i64, expr: &str, expected: &[&str]) {
    let zone = TimeZone::get(zone).unwrap();
    let start = from.parse::<jiff::civil::Date>().unwrap().to_zoned(zone.clone()).unwrap().timestamp();
    let mut world = World::at(start, zone.clone()).await;
    let daily = world.orders.add(job("daily", cron(expr))).await.unwrap();
    world.start();
    world.settled().await;
    for _ in 0..days * 48 {
        world.advance(minutes(30)).await;
        world.work("ok").await;
        world.settled().await;
    }
    let fired: Vec<String> = world
        .outcomes(&daily)
        .await
        .into_iter()
        .map(|(slot, word)| format!("{} {word}", slot.to_zoned(zone.clone()).strftime("%m-%d %H:%M%:z")))
        .collect();
    let expected: Vec<String> = expected.iter().map(|slot| format!("{slot} completed")).collect();
    assert_eq!(fired, expected, "{zone:?} {expr}");
}

#[tokio::test]
async fn berlin() {
    let expected = ["03-28 02:30+01:00", "03-29 03:00+02:00", "03-30 02:30+02:00"];
    check("Europe/Berlin", "2026-03-28", 3, "30 2 * * *", &expected).await;
    let expected = ["10-24 02:30+02:00", "10-25 02:30+02:00", "10-26 02:30+01:00"];
    check("Europe/Berlin", "2026-10-24", 3, "30 2 * * *", &expected).await;
}

#[tokio::test]
async fn new_york() {
    let expected = ["03-07 02:30-05:00", "03-08 03:00-04:00", "03-09 02:30-04:00"];
    check("America/New_York", "2026-03-07", 3, "30 2 * * *", &expected).await;
    let expected = ["10-31 01:30-04:00", "11-01 01:30-04:00", "11-02 01:30-05:00"];
    check("America/New_York", "2026-10-31", 3, "30 1 * * *", &expected).await;
}

#[tokio::test]
async fn lord_howe_moves_by_half_an_hour() {
    let expected = ["10-03 02:15+10:30", "10-04 02:30+11:00", "10-05 02:15+11:00"];
    check("Australia/Lord_Howe", "2026-10-03", 3, "15 2 * * *", &expected).await;
    let expected = ["04-04 01:45+11:00", "04-05 01:45+11:00", "04-06 01:45+10:30"];
    check("Australia/Lord_Howe", "2026-04-04", 3, "45 1 * * *", &expected).await;
}

#[tokio::test]
async fn cairo_loses_its_midnight() {
    let expected = ["04-23 00:30+02:00", "04-24 01:00+03:00", "04-25 00:30+03:00", "04-26 00:30+03:00"];
    check("Africa/Cairo", "2026-04-23", 3, "30 0 * * *", &expected).await;
}

#[tokio::test]
async fn kathmandu_never_moves() {
    let expected = ["03-28 02:30+05:45", "03-29 02:30+05:45"];
    check("Asia/Kathmandu", "2026-03-28", 2, "30 2 * * *", &expected).await;
}

#[tokio::test]
async fn apia_had_no_thirtieth_of_december() {
    // What falls into a gap is kept at its end, and this gap was a whole day.
    let expected = ["12-29 09:00-10:00", "12-31 00:00+14:00", "12-31 09:00+14:00", "01-01 09:00+14:00"];
    check("Pacific/Apia", "2011-12-29", 3, "0 9 * * *", &expected).await;
}
