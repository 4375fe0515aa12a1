//! What the owner was told outside of turns, found without leafing through a conversation.

use crate::{Result, View, turns::RawEvent, view::count};
use protocol::{Event, SessionKey};
use rusqlite::params;

impl View {
    /// The latest notices of a session after one event and before another, in order.
    pub async fn notices(
        &self,
        session: &SessionKey,
        after: u64,
        before: u64,
        limit: usize,
    ) -> Result<Vec<Event>> {
        let session = session.clone();
        self.read(move |connection| {
            let sql = "SELECT seq, session, turn, at, version, body FROM events
                       WHERE session = ?1 AND kind = 'notice' AND seq > ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4";
            let seq = |seq: u64| i64::try_from(seq).unwrap_or(i64::MAX);
            let mut statement = connection.prepare_cached(sql)?;
            let parameters = params![session.as_str(), seq(after), seq(before), count(limit)];
            let rows = statement.query_map(parameters, RawEvent::read)?;
            let mut events = rows.map(|row| row?.decode(connection)).collect::<Result<Vec<_>>>()?;
            events.reverse();
            Ok(events)
        })
        .await
    }
}
