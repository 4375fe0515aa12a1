//! What the owner is told outside of any turn, and when, on a line.

use super::clean;
use jiff::{Timestamp, tz::TimeZone};
use protocol::Notice;

/// A notice as a terminal shows it.
pub(crate) fn notice(notice: &Notice) -> String {
    let strangers = if notice.untrusted { " (it may repeat what strangers wrote)" } else { "" };
    // The offline helper marks what it says of reminders in the same way.
    let text = notice.text.trim_end().trim_start_matches("⏰ ");
    let mut line = format!("⏰ {}: {}{strangers}", clean(&notice.from), clean(text));
    if let Some(approval) = notice.approval {
        line.push_str(&format!(
            "\n  `steward approvals approve {approval}` or `steward approvals deny {approval}`"
        ));
    }
    line
}

/// A time on this machine's clock; as it was written if it is none.
pub(crate) fn clock_time(written: &str) -> String {
    match written.parse::<Timestamp>() {
        Ok(time) => time.to_zoned(TimeZone::system()).strftime("%a %Y-%m-%d %H:%M").to_string(),
        Err(_) => written.to_owned(),
    }
}
