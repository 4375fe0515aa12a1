//! Conversations as a list: opened, named, put away, looked for.

use crate::{Durability, Result, Store, View, inbox::title_of, turns, view};
use jiff::Timestamp;
use protocol::SessionKey;
use rusqlite::{Params, Row, params};

/// One conversation in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Its key.
    pub key: SessionKey,
    /// The title it was given, or the first line of its first message.
    pub title: String,
    /// How many turns it has.
    pub turns: u64,
    /// When it was opened or its first message was accepted.
    pub created_at: Timestamp,
    /// When its latest message was accepted.
    pub updated_at: Timestamp,
    /// Whether the owner put it away. The next message in it brings it back.
    pub archived: bool,
}

/// Which conversations are wanted.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// Only those with this in their title, whatever the case.
    pub search: Option<String>,
    /// Only those put away, or only the others.
    pub archived: Option<bool>,
}

impl SessionFilter {
    fn wants(&self, row: &SessionRow) -> bool {
        let titled = |search: &String| row.title.to_lowercase().contains(&search.to_lowercase());
        self.archived.is_none_or(|archived| archived == row.archived)
            && self.search.as_ref().is_none_or(titled)
    }
}

impl Store {
    /// Opens a conversation before anything is said in it, so that it is listed. One that exists stays as it is.
    /// An empty title waits for the first message.
    pub async fn create_session(&self, session: &SessionKey, title: &str) -> Result<()> {
        let (session, title) = (session.clone(), title_of(title));
        self.write("create session", Durability::Synced, move |unit| {
            let sql = "INSERT OR IGNORE INTO sessions (key, title, turns, created_at, updated_at)
                       VALUES (?1, ?2, 0, ?3, ?3)";
            let parameters = params![session.as_str(), title, unit.now.as_millisecond()];
            unit.connection.prepare_cached(sql)?.execute(parameters)?;
            Ok(())
        })
        .await
    }

    /// Gives a conversation another title. Returns whether there is such a conversation.
    pub async fn rename_session(&self, session: &SessionKey, title: &str) -> Result<bool> {
        let title = title_of(title.trim());
        self.change_session(session, "UPDATE sessions SET title = ?2 WHERE key = ?1", title).await
    }

    /// Puts a conversation away, or back. Returns whether there is such a conversation.
    pub async fn archive_session(&self, session: &SessionKey, archived: bool) -> Result<bool> {
        self.change_session(session, "UPDATE sessions SET archived = ?2 WHERE key = ?1", archived).await
    }

    async fn change_session(
        &self,
        session: &SessionKey,
        sql: &'static str,
        value: impl rusqlite::ToSql + Send + 'static,
    ) -> Result<bool> {
        let session = session.clone();
        self.write("change session", Durability::Synced, move |unit| {
            Ok(unit.connection.prepare_cached(sql)?.execute(params![session.as_str(), value])? > 0)
        })
        .await
    }
}

const COLUMNS: &str = "key, title, turns, created_at, updated_at, archived";

impl View {
    /// All conversations, the latest first.
    pub async fn sessions(&self, limit: usize) -> Result<Vec<SessionRow>> {
        self.find_sessions(SessionFilter::default(), limit).await
    }

    /// The conversations that are wanted, the latest first.
    pub async fn find_sessions(&self, filter: SessionFilter, limit: usize) -> Result<Vec<SessionRow>> {
        // SQLite knows upper and lower case of plain letters only, so the titles are looked at here.
        let wanted = move |row: &Result<SessionRow>| row.as_ref().map_or(true, |row| filter.wants(row));
        self.session_rows("ORDER BY updated_at DESC, key", [], move |rows| {
            rows.filter(wanted).take(limit).collect()
        })
        .await
    }

    /// One conversation; none if nothing was said in it and nobody opened it.
    pub async fn session(&self, session: &SessionKey) -> Result<Option<SessionRow>> {
        let key = session.as_str().to_owned();
        self.session_rows("WHERE key = ?1", [key], |rows| rows.next().transpose()).await
    }

    async fn session_rows<T: Send + 'static>(
        &self,
        which: &str,
        parameters: impl Params + Send + 'static,
        take: impl FnOnce(&mut dyn Iterator<Item = Result<SessionRow>>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let sql = format!("SELECT {COLUMNS} FROM sessions {which}");
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query_and_then(parameters, session_row)?;
            take(&mut rows)
        })
        .await
    }
}

fn session_row(row: &Row<'_>) -> Result<SessionRow> {
    Ok(SessionRow {
        key: turns::parse_session(&row.get::<_, String>(0)?)?,
        title: row.get(1)?,
        turns: u64::try_from(row.get::<_, i64>(2)?).unwrap_or_default(),
        created_at: view::timestamp(row.get(3)?),
        updated_at: view::timestamp(row.get(4)?),
        archived: row.get(5)?,
    })
}
