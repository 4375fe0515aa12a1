//! Standing orders through hundreds of deaths: the test's own binary keeps them in a process of its own, on a clock that
//! runs fast, and is killed again and again. In the end no slot is lost or doubled and nothing is told twice.

use super::*;
use futures::future::BoxFuture;
use rusqlite::Connection;
use std::{
    collections::{BTreeMap, HashSet},
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};
use store::FeedItem;
use tasks::{Clock, Courier, Woke};

/// How often it dies.
const DEATHS: usize = 300;

/// How much faster its clock runs.
const SPEED: i64 = 50;

/// Where the child keeps its file, when the test began, and whether it is to end by itself.
const DIR: &str = "TASKS_CRASH_DIR";
const BEGAN: &str = "TASKS_CRASH_BEGAN";
const LAST: &str = "TASKS_CRASH_LAST";

#[test]
fn no_slot_is_lost_or_doubled_and_nothing_is_told_twice() {
    let dir = tempfile::tempdir().unwrap();
    let began = Timestamp::now().as_millisecond();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    for death in 0..DEATHS {
        // Now and then it dies before anything happened.
        let after = if death % 10 == 9 { 0 } else { 1 + random(25) };
        let mut child = start(dir.path(), began, |command| command);
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        for _ in 0..after {
            assert!(lines.next().is_some(), "it ended by itself");
        }
    }
    finish(dir.path(), began);
    check(dir.path(), DEATHS / 2);
}

#[cfg(feature = "failpoints")]
#[test]
fn it_dies_at_every_point_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let began = Timestamp::now().as_millisecond();
    for label in ["add job", "fire", "claim", "model.done", "finish", "deliver"] {
        for side in ["before", "after"] {
            let point = format!("{side}:{label}");
            let mut child =
                start(dir.path(), began, |command| command.env(store::failpoint::VARIABLE, &point));
            let status = child.0.wait().unwrap();
            assert!(!status.success(), "it did not come by {point}");
        }
    }
    finish(dir.path(), began);
    check(dir.path(), 1);
}

fn start(dir: &Path, began: i64, with: impl FnOnce(&mut Command) -> &mut Command) -> Life {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crash::child", "--nocapture", "--test-threads=1"]);
    command.env(DIR, dir).env(BEGAN, began.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    Life(with(&mut command).spawn().unwrap())
}

/// A process of its own, which is killed when nobody needs it any more.
struct Life(Child);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// One more life, in which all that is under way comes to its end.
fn finish(dir: &Path, began: i64) {
    let mut child = start(dir, began, |command| command.env(LAST, "1"));
    let last: Vec<String> =
        BufReader::new(child.0.stdout.take().unwrap()).lines().map(|line| line.unwrap()).collect();
    assert!(child.0.wait().unwrap().success(), "{last:?}");
}

/// What the child does: nothing, unless it is one.
#[tokio::test]
async fn child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let began = std::env::var(BEGAN).unwrap().parse().unwrap();
    let clock = Arc::new(FastClock { began: Timestamp::from_millisecond(began).unwrap() });
    let time = clock.clone();
    let path = Path::new(&dir).join("steward.db");
    let store = Store::open_with_time(&path, Arc::new(move || time.now())).await.unwrap();
    store.recover().await.unwrap();
    let orders = Orders::new(store.clone(), clock.clone(), TimeZone::UTC);
    let seconds = |count| every(SignedDuration::from_secs(count));
    for (name, missed, period) in [
        ("all", Missed::All, 1),
        ("once", Missed::Once, 1),
        ("skip", Missed::Skip, 2),
        ("slow", Missed::All, 3),
    ] {
        let new = NewJob { missed, origin_key: Some(name.into()), ..job(name, seconds(period)) };
        orders.add(new).await.unwrap();
    }
    let mut feed = store.subscribe_from_now();
    tokio::spawn(async move {
        while let Ok(Some(item)) = feed.next().await {
            if let FeedItem::Event(event) = item {
                println!("{}", event.fact.kind());
            }
        }
    });
    let stop = CancellationToken::new();
    let courier = Courier::new(store.clone(), HashSet::new());
    if std::env::var_os(LAST).is_some() {
        let off = tasks::JobUpdate { enabled: Some(false), ..tasks::JobUpdate::default() };
        for name in ["all", "once", "skip", "slow"] {
            orders.update(name, off.clone()).await.unwrap();
        }
        while work(&store).await {}
        courier.deliver_all().await.unwrap();
        return;
    }
    let heartbeat = HeartbeatSettings {
        enabled: false,
        interval_minutes: 30,
        active_hours: ActiveHours::default(),
        deliver_to: "last".into(),
        workspace: dir.into(),
    };
    let scheduler = Scheduler::new(store.clone(), clock, TimeZone::UTC, heartbeat);
    let stopped = stop.clone();
    tokio::spawn(async move { scheduler.run(stopped).await });
    tokio::spawn(async move { courier.run(stop).await });
    loop {
        while work(&store).await {}
        store.inbox_changed().await;
    }
}

/// One turn, as an agent that dies anywhere would do it.
async fn work(store: &Store) -> bool {
    let Some(claim) = store.claim(&uuid::Uuid::now_v7().to_string(), LEASE, LIMITS, Lane::Any).await.unwrap()
    else {
        return false;
    };
    let seen = claim.events.last().unwrap().seq;
    let said = Fact::ModelDone {
        model: "a/b".into(),
        blocks: vec![Block::text(format!("the word of {}", claim.turn.turn))],
        stop: StopReason::EndTurn,
        usage: Usage::default(),
    };
    let events = store.append(&claim.turn, seen, Durability::Flushed, vec![said]).await.unwrap();
    let seen = events.last().unwrap().seq;
    store.finish(&claim.turn, seen, Outcome::Completed, Vec::new()).await.unwrap();
    true
}

fn check(dir: &Path, at_least: usize) {
    let raw = Connection::open(dir.join("steward.db")).unwrap();
    let count = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let mut fired: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let sql = "SELECT jobs.name, CAST(substr(external_id, 38) AS INTEGER) FROM inbox
               JOIN jobs ON jobs.id = substr(external_id, 1, 36) WHERE source = 'job' ORDER BY 2";
    let mut statement = raw.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for row in rows {
        let (name, slot): (String, i64) = row.unwrap();
        fired.entry(name).or_default().push(slot);
    }
    let all = fired.get("all").map(Vec::len).unwrap_or_default();
    assert!(all >= at_least, "{all} firings");
    for (name, period) in [("all", 1_000), ("slow", 3_000)] {
        let slots = fired.get(name).map(Vec::as_slice).unwrap_or_default();
        let gaps: Vec<_> = slots.windows(2).filter(|pair| pair[1] - pair[0] != period).collect();
        assert!(gaps.is_empty(), "{name}: slots lost or doubled: {gaps:?}");
    }
    for slots in fired.values() {
        assert!(slots.windows(2).all(|pair| pair[0] < pair[1]), "a slot fired twice");
    }
    assert_eq!(count("SELECT count(*) FROM jobs"), 4, "each order was given once");
    assert_eq!(count("SELECT sum(open) FROM jobs"), 0);
    assert_eq!(count("SELECT count(*) FROM firings WHERE outcome IS NULL"), 0);
    assert_eq!(count("SELECT count(*) FROM inbox WHERE state != 'done'"), 0);
    let twice = "SELECT count(*) FROM (SELECT turn FROM events WHERE kind = 'turn.finished' GROUP BY turn
                 HAVING count(*) > 1)";
    assert_eq!(count(twice), 0, "a turn ends once");
    let finished = count("SELECT count(*) FROM events WHERE kind = 'turn.finished'");
    assert_eq!(count("SELECT count(*) FROM outbox WHERE state = 'sent'"), finished, "each is to be told");
    assert_eq!(count("SELECT count(*) FROM outbox WHERE state != 'sent'"), 0);
    assert_eq!(count("SELECT count(*) FROM events WHERE kind = 'notice'"), finished, "and was told once");
    let words =
        "SELECT count(DISTINCT json_extract(body, '$.notice.text')) FROM events WHERE kind = 'notice'";
    assert_eq!(count(words), finished);
    println!("{all} slots of `all`, {finished} turns");
}

/// The system's clock, so many times as fast.
struct FastClock {
    began: Timestamp,
}

impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        let passed = Timestamp::now().as_millisecond() - self.began.as_millisecond();
        Timestamp::from_millisecond(self.began.as_millisecond() + passed * SPEED).unwrap()
    }

    fn until(&self, at: Option<Timestamp>) -> BoxFuture<'_, Woke> {
        Box::pin(async move {
            let left = at.map_or(i64::MAX / 2, |at| at.as_millisecond() - self.now().as_millisecond());
            let left = u64::try_from(left / SPEED + 1).unwrap_or_default();
            tokio::time::sleep(Duration::from_millis(left)).await;
            Woke::Due
        })
    }
}
