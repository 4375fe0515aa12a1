//! The regular look at what there is to do: a job that follows the configuration. It costs nothing while the owner
//! sleeps or has written down nothing to look at.

use crate::{
    Clock,
    orders::{missed_word, whole},
};
use jiff::{Timestamp, tz::TimeZone};
use protocol::SessionKey;
use schedule::{Missed, Schedule, hours::ActiveHours};
use std::path::{Path, PathBuf};
use store::{JobChange, JobFilter, JobKind, JobOrder, NewJob, Store, StoreError};
use tokio::io::AsyncReadExt;
use uuid::Uuid;

/// The file that says what to look at.
const FILE: &str = "HEARTBEAT.md";

/// Whether there is anything in the file is seen from its beginning.
const MAX_LOOKED_AT_BYTES: u64 = 64 * 1024;

/// The conversation a heartbeat takes place in.
const SESSION: &str = "heartbeat--main";

/// There is one.
const ORIGIN_KEY: &str = "heartbeat";

/// What the owner wants of it.
#[derive(Debug, Clone)]
pub struct HeartbeatSettings {
    /// Whether there is one.
    pub enabled: bool,
    /// How far apart, in minutes.
    pub interval_minutes: u32,
    /// When the owner may be disturbed.
    pub active_hours: ActiveHours,
    /// Where the owner is told: `last`, `none`, a place, or a session key.
    pub deliver_to: String,
    /// The folder with `HEARTBEAT.md`.
    pub workspace: PathBuf,
}

/// Brings the job into step with what the owner wants.
pub(crate) async fn keep(
    store: &Store,
    clock: &dyn Clock,
    zone: &TimeZone,
    settings: &HeartbeatSettings,
) -> Result<(), StoreError> {
    let filter = JobFilter { kind: Some(JobKind::Heartbeat), task: None, include_disabled: true };
    let found = store.view().jobs(filter, None, 1).await?.pop();
    let deliver = Some(settings.deliver_to.clone()).filter(|to| to != "none");
    let every_ms = u64::from(settings.interval_minutes.max(1)) * 60_000;
    let Some(found) = found else {
        if settings.enabled {
            let now = clock.now();
            store.add_job(new_job(every_ms, deliver, now, zone)?).await?;
        }
        return Ok(());
    };
    let written: Option<Schedule> = serde_json::from_str(&found.order.schedule).ok();
    let same_schedule =
        matches!(&written, Some(Schedule::Every { every_ms: known, .. }) if *known == every_ms);
    if same_schedule && found.enabled == settings.enabled && found.order.deliver == deliver {
        return Ok(());
    }
    let mut change =
        JobChange { deliver: Some(deliver), enabled: Some(settings.enabled), ..JobChange::default() };
    if !same_schedule || (settings.enabled && !found.enabled) {
        let (schedule, next) = schedule_from(every_ms, clock.now(), zone);
        change.schedule = Some(json(&schedule)?);
        change.next_slot = Some(next);
    }
    store.update_job(found.id, change).await.map(|_| ())
}

/// Why a heartbeat that is due is passed over; nothing if it is not.
pub(crate) async fn why_not(settings: &HeartbeatSettings, now: Timestamp, zone: &TimeZone) -> Option<String> {
    if !settings.active_hours.contains(now, zone) {
        return Some(format!("outside of the active hours {}", settings.active_hours));
    }
    match looked_at(&settings.workspace.join(FILE)).await {
        Some(text) if says_something(&text) => None,
        Some(_) => Some(format!("there is nothing in {FILE} to look at")),
        None => Some(format!("there is no {FILE} that can be read")),
    }
}

/// Whether there is more than headings and blank lines.
fn says_something(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The beginning of a file. The assistant can write into its folder, so it may be anything.
async fn looked_at(path: &Path) -> Option<String> {
    if !tokio::fs::metadata(path).await.ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let file = tokio::fs::File::open(path).await.ok()?;
    file.take(MAX_LOOKED_AT_BYTES).read_to_end(&mut bytes).await.ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn new_job(
    every_ms: u64,
    deliver: Option<String>,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<NewJob, StoreError> {
    let corrupt = |error| StoreError::Corrupt { what: SESSION.into(), source: Box::new(error) };
    let (schedule, next_slot) = schedule_from(every_ms, now, zone);
    let order = JobOrder {
        name: "heartbeat".into(),
        kind: JobKind::Heartbeat,
        schedule: json(&schedule)?,
        message: "look at what there is to do".into(),
        session: SessionKey::new(SESSION).map_err(corrupt)?,
        deliver,
        missed: missed_word(Missed::Skip).into(),
        delete_after_run: false,
        model: None,
        task: None,
        origin: None,
        tainted: false,
    };
    let origin_key = Some(ORIGIN_KEY.into());
    Ok(NewJob { id: Uuid::now_v7(), order, enabled: true, next_slot, origin_key })
}

fn schedule_from(every_ms: u64, now: Timestamp, zone: &TimeZone) -> (Schedule, Option<Timestamp>) {
    let schedule = Schedule::Every { every_ms, anchor: Some(whole(now)) };
    let next = schedule.next_after(now, zone);
    (schedule, next)
}

fn json(schedule: &Schedule) -> Result<String, StoreError> {
    serde_json::to_string(schedule).map_err(|error| StoreError::Database(Box::new(error)))
}

#[cfg(test)]
mod tests;
