//! A file of an earlier version is brought up to date with all that is in it.

use super::*;
use store::{JobFilter, TaskFilter, TaskKind, TaskStatus};

const EARLIER: &[&str] = &[
    include_str!("../../migrations/0001-ground-floor.sql"),
    include_str!("../../migrations/0002-front-door.sql"),
    include_str!("../../migrations/0003-tasks.sql"),
    include_str!("../../migrations/0004-archive.sql"),
    include_str!("../../migrations/0005-open-rows.sql"),
];

/// A file as version `version` made it, and as it was left.
fn earlier(dir: &Path, version: usize, content: &str) {
    let raw = rusqlite::Connection::open(file(dir)).unwrap();
    for migration in &EARLIER[..version] {
        raw.execute_batch(migration).unwrap();
    }
    raw.execute_batch(content).unwrap();
    raw.pragma_update(None, "user_version", version as u32).unwrap();
}

fn trigger(session: &str, source: &str, id: &str, kind: &str) -> String {
    format!(
        r#"{{"source":"{source}","external_id":"{id}","session":"{session}","kind":"{kind}",
             "content":[{{"type":"text","text":"hello"}}]}}"#
    )
}

#[tokio::test]
async fn conversations_come_back_not_put_away() {
    let dir = tempfile::tempdir().unwrap();
    earlier(dir.path(), 3, "INSERT INTO sessions VALUES ('s', 'title', 1, 0, 0);");
    let store = Store::open(&file(dir.path())).await.unwrap();
    assert!(!store.view().sessions(9).await.unwrap()[0].archived);
}

#[tokio::test]
async fn tasks_and_what_waits_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let id = |number: u32| format!("00000000-0000-7000-8000-00000000000{number}");
    let mut content = String::new();
    for (number, state, outcome, ended) in
        [(1, "done", "'completed'", "9"), (2, "done", "'cancelled'", "9"), (3, "queued", "NULL", "NULL")]
    {
        let (id, turn, session) = (id(number), id(number + 3), format!("task--{}", id(number)));
        content.push_str(&format!(
            "INSERT INTO tasks VALUES ('{id}', '{session}', '{turn}', 'prompt {number}', 'me', NULL, {number}, {ended}, {outcome});
             INSERT INTO inbox (turn, session, source, external_id, trigger, state, accepted_at)
             VALUES ('{turn}', '{session}', 'task', '{id}', '{}', '{state}', {number});",
            trigger(&session, "task", &id, "message"),
        ));
    }
    content.push_str(&format!(
        "INSERT INTO inbox (turn, session, source, external_id, trigger, state, accepted_at)
         VALUES ('{}', 's', 'process', 'p1', '{}', 'queued', 0);",
        id(8),
        trigger("s", "process", "p1", "process_exit"),
    ));
    earlier(dir.path(), 5, &content);
    let store = Store::open(&file(dir.path())).await.unwrap();
    let rows = store.view().tasks(TaskFilter::default(), None, 10).await.unwrap();
    let found: Vec<_> =
        rows.iter().map(|row| (row.prompt.as_str(), row.kind, row.status, row.runs.count)).collect();
    let once = TaskKind::OneShot;
    assert_eq!(
        found,
        [
            ("prompt 3", once, TaskStatus::Queued, 0),
            ("prompt 2", once, TaskStatus::Cancelled, 1),
            ("prompt 1", once, TaskStatus::Completed, 1),
        ]
    );
    assert_eq!(rows[0].requester_id.as_deref(), Some("me"));
    assert!(store.view().jobs(JobFilter::default(), None, 10).await.unwrap().is_empty());
    let claim = || store.claim("w", LEASE, LIMITS, Lane::OwnerOnly);
    assert_eq!(claim().await.unwrap().unwrap().turn.session, rows[0].session, "what the owner ordered");
    assert!(claim().await.unwrap().is_none(), "an end of a process is background");
    assert!(store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_some());
}
