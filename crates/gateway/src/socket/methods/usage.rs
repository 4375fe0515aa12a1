//! What models have cost, by the days of this machine's clock.

use super::failed;
use crate::{fault::Fault, gateway::Gateway};
use jiff::{Timestamp, ToSpan, Zoned, civil::Date};
use serde::Deserialize;
use serde_json::{Value, json};
use store::UsageRow;

/// How many days are told of unless the client says, and at most.
const DAYS: u16 = 30;
const MAX_DAYS: u16 = 366;

#[derive(Deserialize)]
pub(super) struct Span {
    days: Option<u16>,
}

/// Every day up to today, the oldest first, also those without any use.
pub(super) async fn summary(gateway: &Gateway, Span { days }: Span) -> Result<Value, Fault> {
    let days = days.unwrap_or(DAYS).clamp(1, MAX_DAYS);
    let (dates, bounds) = calendar(&Zoned::now(), days).map_err(|error| failed(error.to_string()))?;
    let used = gateway.store().view().usage_by_period(bounds).await?;
    let shown = |row: &UsageRow| {
        json!({
            "model": row.model, "calls": row.calls, "inputTokens": row.usage.input_tokens,
            "outputTokens": row.usage.output_tokens, "cacheReadTokens": row.usage.cache_read_tokens,
            "cacheWriteTokens": row.usage.cache_write_tokens,
            "cost": gateway.backstage().cost(&row.model, &row.usage),
        })
    };
    let day = |(date, models): (&Date, &Vec<UsageRow>)| json!({ "day": date, "models": models.iter().map(shown).collect::<Vec<_>>() });
    Ok(json!({ "days": dates.iter().zip(&used).map(day).collect::<Vec<_>>(), "currency": "USD" }))
}

/// The days up to today, and when each begins; the last bound is when today ends.
fn calendar(now: &Zoned, days: u16) -> Result<(Vec<Date>, Vec<Timestamp>), jiff::Error> {
    let first = now.date().checked_sub((i32::from(days) - 1).days())?;
    let dates: Vec<Date> = first.series(1.day()).take(usize::from(days) + 1).collect();
    // A day begins at midnight, or at the first moment after it that its clock shows.
    let begins = |date: &Date| date.to_zoned(now.time_zone().clone()).map(|start| start.timestamp());
    let bounds = dates.iter().map(begins).collect::<Result<_, _>>()?;
    Ok((dates, bounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_begin_where_the_clock_of_the_place_says() {
        let check = |now: &str, days: u16, expected: &[(&str, &str)]| {
            let (dates, bounds) = calendar(&now.parse().unwrap(), days).unwrap();
            let found: Vec<(String, String)> = dates
                .iter()
                .zip(&bounds)
                .map(|(date, bound)| (date.to_string(), bound.to_string()))
                .collect();
            let expected: Vec<(String, String)> =
                expected.iter().map(|(date, bound)| ((*date).into(), (*bound).into())).collect();
            assert_eq!(found, expected);
        };
        check(
            "2026-03-30T00:30:00+02:00[Europe/Berlin]",
            2,
            &[
                ("2026-03-29", "2026-03-28T23:00:00Z"),
                ("2026-03-30", "2026-03-29T22:00:00Z"),
                ("2026-03-31", "2026-03-30T22:00:00Z"),
            ],
        );
        check(
            "2026-01-01T12:00:00-05:00[America/New_York]",
            1,
            &[("2026-01-01", "2026-01-01T05:00:00Z"), ("2026-01-02", "2026-01-02T05:00:00Z")],
        );
    }
}
