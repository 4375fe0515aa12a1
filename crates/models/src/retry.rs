//! Whether and when a request is tried again. Pure: clock and chance are handed in; the waiting is done by
//! `exchange`.

use crate::settings::ModelTiming;
use jiff::Timestamp;
use reqwest::{StatusCode, header::HeaderMap};
use std::time::Duration;

/// The longest pause a provider may ask for; beyond it the owner should hear of it rather than wait.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The longest pause chosen here, so that many retries do not double into hours.
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// Whether trying again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It cannot.
    No,
    /// It can, after the pause the provider asked for, if it did.
    Yes {
        /// What the provider asked for.
        after: Option<Duration>,
    },
}

/// How long to wait before retry number `retries_made + 1`; nothing if there shall be none. `chance` is
/// between 0 and 1.
pub(crate) fn pause(timing: &ModelTiming, retries_made: u32, again: Again, chance: f64) -> Option<Duration> {
    let Again::Yes { after } = again else { return None };
    if retries_made >= timing.max_retries {
        return None;
    }
    let doubled = timing.retry_base.saturating_mul(2_u32.saturating_pow(retries_made)).min(MAX_BACKOFF);
    // Half is fixed, half is chance, so that clients turned away together do not come back together.
    let backoff = doubled.mul_f64(0.5 + chance.clamp(0.0, 1.0) / 2.0);
    match after {
        Some(after) if after > MAX_RETRY_AFTER => None,
        Some(after) => Some(after.max(backoff)),
        None => Some(backoff),
    }
}

/// Whether a response with this status may be followed by a better one.
pub(crate) fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 429) || status.is_server_error()
}

/// The pause a provider asks for: milliseconds, seconds or a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|it| it.parse::<f64>().ok());
    if let Some(pause) = milliseconds.and_then(|it| Duration::try_from_secs_f64(it / 1000.0).ok()) {
        return Some(pause);
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO))
}
