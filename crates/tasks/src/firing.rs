//! What is to be done about a job that is due: which slots fire, which are passed over, when it is looked at again.
//! Pure; the scheduler does it.

use crate::{orders::missed_of, words};
use jiff::{Timestamp, tz::TimeZone};
use schedule::{Missed, Schedule, backoff, due};
use store::{Fire, JobRow, MAX_OPEN_FIRINGS};

/// What is to be done about a job at `now`; nothing if it has no slot. `pass` says why what is due is passed over.
pub(crate) fn decide(job: &JobRow, now: Timestamp, zone: &TimeZone, pass: Option<String>) -> Option<Fire> {
    let slot = job.next_slot?;
    let nothing = Fire {
        job: job.id,
        slot,
        fire: Vec::new(),
        pass: None,
        note: None,
        may_wait: false,
        next: Some(slot),
        not_before: None,
        now,
    };
    let Ok(schedule) = serde_json::from_str::<Schedule>(&job.order.schedule) else {
        // Nobody could have written it but by hand; without a next slot it is switched off and stays in the lists.
        let pass = Some((slot, "its schedule cannot be read".to_owned()));
        return Some(Fire { pass, next: None, ..nothing });
    };
    let not_before = waits_until(job, now);
    if not_before.is_some_and(|until| until > now) {
        return Some(Fire { not_before, ..nothing });
    }
    let missed = missed_of(&job.order.missed);
    // What comes once must not be lost to a run in between.
    let may_wait = missed == Missed::All || matches!(schedule, Schedule::At { .. });
    let room = usize::try_from(MAX_OPEN_FIRINGS.saturating_sub(job.open)).unwrap_or_default();
    let found = due(&schedule, slot, now, missed, None, if may_wait { room } else { 1 }, zone);
    let latest = || schedule.latest_until(slot, now, zone).unwrap_or(slot);
    let (fire, pass) = match pass {
        Some(why) => (Vec::new(), Some((latest(), why))),
        None if found.fire.is_empty() && found.missed > 0 => {
            (Vec::new(), Some((latest(), format!("missed, {} in all", times(found.missed)))))
        }
        None => {
            let said = |slot| (slot, words::trigger(job, &schedule, slot, zone));
            (found.fire.into_iter().map(said).collect(), None)
        }
    };
    let note =
        (found.missed > 0 && !fire.is_empty()).then(|| format!("{} before it missed", times(found.missed)));
    Some(Fire { fire, pass, note, may_wait, next: found.next, ..nothing })
}

/// The slot a job is to have now that the clock was set back; nothing if all can stay as it is.
pub(crate) fn heal(job: &JobRow, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let known = job.next_slot?;
    let schedule: Schedule = serde_json::from_str(&job.order.schedule).ok()?;
    let next = schedule.next_after(now, zone).map_or(known, |next| next.min(known));
    (next < known || job.not_before.is_some()).then_some(next)
}

/// Until when a job is left alone after failures. A failure that lies ahead is one of a clock that was wrong.
fn waits_until(job: &JobRow, now: Timestamp) -> Option<Timestamp> {
    let failed_at = job.failed_at.filter(|at| job.failures > 0 && *at <= now)?;
    failed_at.checked_add(backoff(job.failures)).ok()
}

fn times(missed: u64) -> String {
    if missed == 1 { "1 time".into() } else { format!("{missed} times") }
}
