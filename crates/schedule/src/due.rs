//! What is to be fired now, what was missed, and when to look again. It leaves firing, and remembering the next
//! slot, to the caller.

use crate::schedule::{Schedule, Slots};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};

/// A slot this late still counts as on time: a house that was busy for a minute has missed nothing.
pub const GRACE: SignedDuration = SignedDuration::from_secs(60);

/// Missed slots are counted up to here; a year of missed seconds is as telling as a thousand of them.
pub const MISSED_COUNTED: u64 = 1_000;

/// The first wait after a failure. It doubles with each further one.
const FIRST_BACKOFF: SignedDuration = SignedDuration::from_secs(30);

/// No wait after a failure is longer: the owner may have mended the cause meanwhile.
const LONGEST_BACKOFF: SignedDuration = SignedDuration::from_hours(1);

/// What becomes of slots that passed while the house was closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missed {
    /// They are passed over.
    Skip,
    /// One firing stands for all of them.
    #[default]
    Once,
    /// Each is made up for, the oldest first.
    All,
}

/// What [`due`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Due {
    /// The slots to fire now, the oldest first.
    pub fire: Vec<Timestamp>,
    /// How many slots were passed over, counted up to [`MISSED_COUNTED`].
    pub missed: u64,
    /// The slot to remember in place of the one that was asked about; `None` if there is no further one.
    pub next: Option<Timestamp>,
    /// Whether `next` is due already and was only left for another time.
    pub more: bool,
}

/// What is to be done at `now` for a schedule whose remembered next slot is `slot`.
///
/// Before `not_before`, the end of a wait after failures, nothing is fired and `slot` stays as it is: look again at
/// the later of the two. At most `at_most` slots are fired at once. Asked again with the answer's `next`, no slot is
/// ever given twice.
pub fn due(
    schedule: &Schedule,
    slot: Timestamp,
    now: Timestamp,
    missed: Missed,
    not_before: Option<Timestamp>,
    at_most: usize,
    zone: &TimeZone,
) -> Due {
    let waits = slot > now || not_before.is_some_and(|until| until > now);
    let Some(slots) = Slots::of(schedule, zone) else {
        return Due::default();
    };
    if waits {
        return Due { next: Some(slot), ..Due::default() };
    }
    if missed == Missed::All {
        return all(&slots, slot, now, at_most);
    }
    if at_most == 0 {
        return Due { next: Some(slot), more: true, ..Due::default() };
    }
    let latest = slots.latest_until(slot, now).unwrap_or(slot);
    let passed = count(&slots, slot, latest);
    let next = slots.next_after(latest);
    if missed == Missed::Skip && now.duration_since(latest) > GRACE {
        return Due { fire: Vec::new(), missed: (passed + 1).min(MISSED_COUNTED), next, more: false };
    }
    Due { fire: vec![latest], missed: passed, next, more: false }
}

/// How long to wait after the given number of failures in a row.
pub fn backoff(failures: u32) -> SignedDuration {
    let Some(doublings) = failures.checked_sub(1) else { return SignedDuration::ZERO };
    let factor = 2_i32.checked_pow(doublings).unwrap_or(i32::MAX);
    FIRST_BACKOFF.checked_mul(factor).unwrap_or(LONGEST_BACKOFF).min(LONGEST_BACKOFF)
}

fn all(slots: &Slots, slot: Timestamp, now: Timestamp, at_most: usize) -> Due {
    let mut found = Due { next: Some(slot), ..Due::default() };
    while let Some(next) = found.next.filter(|next| *next <= now) {
        if found.fire.len() >= at_most {
            found.more = true;
            break;
        }
        found.fire.push(next);
        found.next = slots.next_after(next);
    }
    found
}

/// How many slots there are from `from` up to and without `to`.
fn count(slots: &Slots, from: Timestamp, to: Timestamp) -> u64 {
    let (mut passed, mut at) = (0, Some(from));
    while let Some(slot) = at.filter(|slot| *slot < to && passed < MISSED_COUNTED) {
        passed += 1;
        at = slots.next_after(slot);
    }
    passed
}
