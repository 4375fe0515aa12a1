//! The clock goes by its file.

use super::*;

#[tokio::test]
async fn whoever_waits_is_woken_when_the_file_moves_the_clock() {
    let dir = tempfile::tempdir().unwrap();
    let clock = MovedClock { file: dir.path().join("offset") };
    let hour = SignedDuration::from_hours(1);
    let soon = clock.now() + hour;
    assert_eq!(clock.until(Some(Timestamp::now())).await, Woke::Due, "no file, no offset");
    std::fs::write(&clock.file, format!("{}\n", hour.as_millis())).unwrap();
    assert!(clock.now() >= soon);
    assert_eq!(clock.until(Some(soon)).await, Woke::Due);
    let waiting = clock.until(Some(soon + hour));
    tokio::pin!(waiting);
    assert!(futures::poll!(&mut waiting).is_pending());
    std::fs::write(&clock.file, "5").unwrap();
    assert_eq!(waiting.await, Woke::ClockChanged);
}
