//! How much may be spent in a day. Standing orders stop at the limit; what the owner says is always answered.

use jiff::{Timestamp, Zoned};
use protocol::Usage;
use std::{sync::Arc, time::Duration};
use store::{StoreError, UsageRow, View};

/// What such tokens of a model cost, in US dollars; `None` without a price.
pub type Cost = Arc<dyn Fn(&str, &Usage) -> Option<f64> + Send + Sync>;

/// The owner's limits for one day.
#[derive(Clone, Default)]
pub struct Spending {
    /// Tokens, in and out; none if absent.
    pub daily_tokens: Option<u64>,
    /// US dollars; none if absent. Models without a price count nothing.
    pub daily_cost: Option<f64>,
    /// What tokens cost.
    pub cost: Option<Cost>,
}

impl Spending {
    /// Why standing orders must wait for tomorrow, if they must.
    pub(crate) async fn reached(&self, view: &View, now: &Zoned) -> Result<Option<String>, StoreError> {
        if self.daily_tokens.is_none() && self.daily_cost.is_none() {
            return Ok(None);
        }
        let today = now.start_of_day().map_or(Timestamp::UNIX_EPOCH, |start| start.timestamp());
        Ok(self.judge(&view.usage_since(today).await?))
    }

    fn judge(&self, rows: &[UsageRow]) -> Option<String> {
        let tokens: u64 = rows.iter().map(|row| row.usage.input_tokens + row.usage.output_tokens).sum();
        if let Some(limit) = self.daily_tokens.filter(|limit| tokens >= *limit) {
            return Some(format!("{tokens} tokens were used today, and `limits.daily_tokens` is {limit}"));
        }
        let price = |row: &UsageRow| self.cost.as_ref().and_then(|cost| cost(&row.model, &row.usage));
        let cost: f64 = rows.iter().filter_map(price).sum();
        let limit = self.daily_cost.filter(|limit| cost >= *limit)?;
        Some(format!("{cost:.2} dollars were spent today, and `limits.daily_cost` is {limit:.2}"))
    }
}

/// How long until the next day begins.
pub(crate) fn until_tomorrow(now: &Zoned) -> Duration {
    let tomorrow = now.tomorrow().and_then(|day| day.start_of_day());
    let left = tomorrow.map(|tomorrow| now.duration_until(&tomorrow)).unwrap_or_default();
    // A clock that is set meanwhile must not hold orders back for long.
    Duration::try_from(left).unwrap_or_default().clamp(Duration::from_secs(1), Duration::from_secs(3600))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(model: &str, input_tokens: u64, output_tokens: u64) -> UsageRow {
        let usage = Usage { input_tokens, output_tokens, ..Usage::default() };
        UsageRow { model: model.into(), calls: 1, usage }
    }

    #[test]
    fn the_limit_that_is_reached_is_named() {
        let cost: Cost = Arc::new(|model, usage| (model == "a/dear").then_some(usage.output_tokens as f64));
        let check = |tokens, dollars, rows: &[UsageRow], expected: Option<&str>| {
            let spending = Spending { daily_tokens: tokens, daily_cost: dollars, cost: Some(cost.clone()) };
            assert_eq!(spending.judge(rows).as_deref(), expected);
        };
        let rows = [used("a/dear", 10, 2), used("b/free", 100, 8)];
        check(None, None, &rows, None);
        check(Some(121), Some(2.5), &rows, None);
        let tokens = "120 tokens were used today, and `limits.daily_tokens` is 120";
        check(Some(120), Some(2.0), &rows, Some(tokens));
        let cost = "2.00 dollars were spent today, and `limits.daily_cost` is 2.00";
        check(None, Some(2.0), &rows, Some(cost));
    }

    #[test]
    fn tomorrow_is_never_far_nor_now() {
        let check = |now: &str, seconds: u64| {
            assert_eq!(until_tomorrow(&now.parse().unwrap()), Duration::from_secs(seconds), "{now}");
        };
        check("2026-11-15T23:59:30[Europe/Berlin]", 30);
        check("2026-11-15T12:00:00[Europe/Berlin]", 3600);
        check("2026-11-15T23:59:59.999[Europe/Berlin]", 1);
    }
}
