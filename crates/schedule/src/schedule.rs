//! The three kinds of schedule and when each comes next. What is to be fired, and what of the missed, is for `due`.

use crate::{bad::BadSchedule, cron::Expression};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};

/// Shorter intervals would keep the house busy with itself.
pub const LEAST_INTERVAL_MS: u64 = 1_000;

/// Ten years: whoever wants longer means a date.
pub const MOST_INTERVAL_MS: u64 = 10 * 366 * 24 * 60 * 60 * 1_000;

/// When something is to happen. The written form is `{"kind":"at","at":…}`, `{"kind":"every","everyMs":…}` or
/// `{"kind":"cron","expr":…,"tz":…}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Schedule {
    /// Once.
    At {
        /// The one slot.
        at: Timestamp,
    },
    /// Again and again, the same time apart.
    Every {
        /// How far apart.
        #[serde(rename = "everyMs")]
        every_ms: u64,
        /// A slot to count from, forwards and backwards. Without it, the slots count from where one looks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        anchor: Option<Timestamp>,
    },
    /// Whenever the wall clock matches.
    Cron {
        /// Five to seven fields: [seconds] minute hour day month weekday [year].
        expr: String,
        /// Whose wall clock, as an IANA name; the owner's if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tz: Option<String>,
    },
}

impl Schedule {
    /// Whether this can be kept and comes up after `now`.
    pub fn check(&self, now: Timestamp, zone: &TimeZone) -> Result<(), BadSchedule> {
        match self {
            Self::At { at } if *at <= now => {
                Err(BadSchedule::Past(at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()))
            }
            Self::Every { every_ms, .. } if *every_ms < LEAST_INTERVAL_MS => {
                Err(BadSchedule::TooOften(*every_ms))
            }
            Self::Every { every_ms, .. } if *every_ms > MOST_INTERVAL_MS => {
                Err(BadSchedule::TooRare(*every_ms))
            }
            Self::At { .. } | Self::Every { .. } => Ok(()),
            Self::Cron { expr, tz } => {
                let zone = whose(tz.as_deref(), zone)?;
                let expression = Expression::read(expr)?;
                let next = expression.next_after(now, &zone);
                next.map(drop).ok_or_else(|| BadSchedule::Never(expr.clone()))
            }
        }
    }

    /// The first slot strictly after `after`. `zone` is the owner's and counts where no other is named.
    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        Slots::of(self, zone)?.next_after(after)
    }

    /// The last slot in `(after, until]`.
    pub fn latest_until(&self, after: Timestamp, until: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        Slots::of(self, zone)?.latest_until(after, until)
    }
}

/// The zone of an IANA name.
pub fn zone_named(name: &str) -> Result<TimeZone, BadSchedule> {
    TimeZone::get(name).map_err(|_| BadSchedule::Zone(name.to_owned()))
}

/// A schedule that was made ready to be asked many times.
pub(crate) enum Slots {
    At(Timestamp),
    Every { every: SignedDuration, anchor: Option<Timestamp> },
    Cron { expression: Box<Expression>, zone: TimeZone },
}

impl Slots {
    /// `None` if the schedule would not pass `check` anyway.
    pub(crate) fn of(schedule: &Schedule, zone: &TimeZone) -> Option<Self> {
        match schedule {
            Schedule::At { at } => Some(Self::At(*at)),
            Schedule::Every { every_ms, anchor } => {
                let allowed = (LEAST_INTERVAL_MS..=MOST_INTERVAL_MS).contains(every_ms);
                let every = SignedDuration::from_millis(i64::try_from(*every_ms).ok()?);
                allowed.then_some(Self::Every { every, anchor: *anchor })
            }
            Schedule::Cron { expr, tz } => {
                let zone = whose(tz.as_deref(), zone).ok()?;
                Some(Self::Cron { expression: Box::new(Expression::read(expr).ok()?), zone })
            }
        }
    }

    pub(crate) fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::At(at) => (*at > after).then_some(*at),
            Self::Every { every, anchor } => {
                let anchor = anchor.unwrap_or(after);
                let passed = after.duration_since(anchor).as_nanos().div_euclid(every.as_nanos());
                slot_of(anchor, *every, passed + 1)
            }
            Self::Cron { expression, zone } => expression.next_after(after, zone),
        }
    }

    pub(crate) fn latest_until(&self, after: Timestamp, until: Timestamp) -> Option<Timestamp> {
        let first = self.next_after(after).filter(|first| *first <= until)?;
        match self {
            Self::At(_) => Some(first),
            Self::Every { every, .. } => {
                let passed = until.duration_since(first).as_nanos().div_euclid(every.as_nanos());
                slot_of(first, *every, passed)
            }
            Self::Cron { .. } => Some(self.bisect(first, until)),
        }
    }

    /// The last slot at or before `until`, knowing one. Asking what comes after the middle halves the stretch
    /// each time, so a year of seconds takes as many steps as its length has bits, and the answer agrees with
    /// `next_after` whatever the clock of the zone did in between.
    fn bisect(&self, known: Timestamp, until: Timestamp) -> Timestamp {
        let (mut latest, mut free_from) = (known, until);
        // No expression has two slots in one second.
        while free_from.duration_since(latest) >= SignedDuration::from_secs(1) {
            let Ok(middle) = latest.checked_add(free_from.duration_since(latest) / 2) else { break };
            match self.next_after(middle).filter(|next| *next <= free_from) {
                Some(next) => latest = next,
                None => free_from = middle,
            }
        }
        latest
    }
}

fn whose(tz: Option<&str>, owners: &TimeZone) -> Result<TimeZone, BadSchedule> {
    tz.map_or_else(|| Ok(owners.clone()), zone_named)
}

fn slot_of(anchor: Timestamp, every: SignedDuration, number: i128) -> Option<Timestamp> {
    let nanos = every.as_nanos().checked_mul(number)?;
    anchor.checked_add(SignedDuration::try_from_nanos_i128(nanos)?).ok()
}
