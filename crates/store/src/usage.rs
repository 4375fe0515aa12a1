//! What models have cost, in tokens.

use crate::{Result, View};
use jiff::Timestamp;
use protocol::Usage;
use rusqlite::{Connection, params};

/// What a model has cost in some time.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageRow {
    /// `provider/model`.
    pub model: String,
    /// How many calls it answered.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
}

impl View {
    /// What each model has cost since a time, the dearest first.
    pub async fn usage_since(&self, since: Timestamp) -> Result<Vec<UsageRow>> {
        self.read(move |connection| usage_between(connection, since, Timestamp::MAX)).await
    }

    /// What each model has cost between every two of these times that follow each other, the dearest first.
    /// Where a day begins is the caller's to know.
    pub async fn usage_by_period(&self, bounds: Vec<Timestamp>) -> Result<Vec<Vec<UsageRow>>> {
        self.read(move |connection| {
            bounds
                .windows(2)
                .map(|period| match period {
                    [from, to] => usage_between(connection, *from, *to),
                    _ => Ok(Vec::new()),
                })
                .collect()
        })
        .await
    }
}

fn usage_between(connection: &Connection, from: Timestamp, to: Timestamp) -> Result<Vec<UsageRow>> {
    let sql = "SELECT model, count(*), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
                      sum(cache_write_tokens)
               FROM usage WHERE at >= ?1 AND at < ?2 GROUP BY model ORDER BY sum(output_tokens) DESC, model";
    let mut statement = connection.prepare_cached(sql)?;
    let number = |value: i64| u64::try_from(value).unwrap_or_default();
    let rows = statement.query_map(params![from.as_millisecond(), to.as_millisecond()], |row| {
        Ok(UsageRow {
            model: row.get(0)?,
            calls: number(row.get(1)?),
            usage: Usage {
                input_tokens: number(row.get(2)?),
                output_tokens: number(row.get(3)?),
                cache_read_tokens: number(row.get(4)?),
                cache_write_tokens: number(row.get(5)?),
            },
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
