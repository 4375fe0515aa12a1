//! The heartbeat follows its settings, and costs nothing while there is nothing to look at.

use super::*;
use store::{JobFilter, JobKind, JobRow};

fn wanted(world: &World, hours: &str) -> HeartbeatSettings {
    HeartbeatSettings { enabled: true, active_hours: hours.parse().unwrap(), ..world.heartbeat() }
}

impl World {
    async fn beat(&self) -> Option<JobRow> {
        let filter = JobFilter { kind: Some(JobKind::Heartbeat), task: None, include_disabled: true };
        let mut found = self.store.view().jobs(filter, None, 10).await.unwrap();
        assert!(found.len() < 2, "{found:?}");
        found.pop()
    }

    async fn skipped(&self) -> Vec<String> {
        let job = self.beat().await.unwrap();
        let mut history = self.store.view().job_history(job.id, 100).await.unwrap();
        history.reverse();
        history.into_iter().map(|row| row.note.unwrap_or_else(|| row.outcome.unwrap_or_default())).collect()
    }

    fn write(&self, text: &str) {
        std::fs::write(self.dir.path().join("HEARTBEAT.md"), text).unwrap();
    }
}

#[tokio::test]
async fn it_looks_only_when_there_is_something_to_look_at() {
    let mut world = World::new().await;
    world.start_with(wanted(&world, ""));
    world.settled().await;
    let beat = || world.advance(minutes(30));
    beat().await;
    world.write("# Heartbeat\n\n");
    beat().await;
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none(), "no turn, no tokens");
    world.write("# Heartbeat\n- look at the oven\n");
    beat().await;
    let told = world.work("HEARTBEAT_OK").await;
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("HEARTBEAT.md") && told[0].contains("HEARTBEAT_OK"), "{}", told[0]);
    assert!(world.store.view().outbox_open(None, 9).await.unwrap().is_empty());
    beat().await;
    world.work("the oven is on").await;
    let told = world.store.view().outbox_open(None, 9).await.unwrap();
    assert_eq!((told[0].notice.from.as_str(), told[0].notice.text.as_str()), ("heartbeat", "the oven is on"));
    let expected = [
        "there is no HEARTBEAT.md that can be read",
        "there is nothing in HEARTBEAT.md to look at",
        "completed",
        "completed",
    ];
    assert_eq!(world.skipped().await, expected);
    assert_eq!(world.beat().await.unwrap().order.session.as_str(), "heartbeat--main");
}

#[tokio::test]
async fn it_leaves_the_owner_alone_at_night() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let evening = "2026-11-15T19:45:00Z".parse().unwrap();
    let mut world = World::at(evening, zone).await;
    world.write("look");
    world.start_with(wanted(&world, "8-21"));
    world.settled().await;
    let mut turns = 0;
    for _ in 0..28 {
        world.advance(minutes(30)).await;
        turns += world.work("HEARTBEAT_OK").await.len();
        world.settled().await;
    }
    // From 20:45 on: none in the evening, those of 8:15, 8:45, 9:15, 9:45, 10:15, 10:45 in the morning.
    let skipped = world.skipped().await;
    assert_eq!(
        (turns, skipped.iter().filter(|why| why.contains("outside of the active hours")).count()),
        (6, 22)
    );
}

#[tokio::test]
async fn a_folder_or_a_pipe_in_its_place_is_nothing_to_look_at() {
    let mut world = World::new().await;
    std::fs::create_dir(world.dir.path().join("HEARTBEAT.md")).unwrap();
    world.start_with(wanted(&world, ""));
    world.settled().await;
    world.advance(minutes(30)).await;
    assert_eq!(world.skipped().await, ["there is no HEARTBEAT.md that can be read"]);
}

#[tokio::test]
async fn it_follows_its_settings_from_start_to_start() {
    let mut world = World::new().await;
    world.start();
    world.settled().await;
    assert!(world.beat().await.is_none(), "nobody wanted one");
    let mut world = world.again().await;
    world.start_with(wanted(&world, ""));
    world.settled().await;
    let first = world.beat().await.unwrap();
    assert_eq!((first.enabled, first.next_slot), (true, Some(noon() + minutes(30))));
    assert_eq!(first.order.deliver.as_deref(), Some("last"));

    world.clock.advance(minutes(10));
    let mut world = world.again().await;
    world.start_with(wanted(&world, ""));
    world.settled().await;
    assert_eq!(world.beat().await.unwrap(), first, "the same settings change nothing");

    let mut world = world.again().await;
    let settings = HeartbeatSettings { interval_minutes: 5, deliver_to: "none".into(), ..wanted(&world, "") };
    world.start_with(settings);
    world.settled().await;
    let beat = world.beat().await.unwrap();
    assert_eq!((beat.id, beat.next_slot), (first.id, Some(noon() + minutes(15))));
    assert_eq!(beat.order.deliver, None);

    let mut world = world.again().await;
    world.start();
    world.settled().await;
    assert!(!world.beat().await.unwrap().enabled);
    let refused = world.orders.remove(&first.id.to_string()).await.unwrap_err();
    assert!(refused.to_string().contains("configuration"), "{refused}");
}
