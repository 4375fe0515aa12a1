//! What is to be told to the owner: an intent, written in the transaction of what it tells of, then sent, once for each
//! key. What is worth telling is for `telling` to say. Delivery inside the house is one transaction; a channel to the
//! outside notes its attempt first, and what it never answered for is shown to the owner instead of being sent again.

mod telling;

pub(crate) use telling::record;

use crate::{
    Durability, Result, Store, View, blobs,
    inbox::title_of,
    jobs::parse_id,
    sqlite::Unit,
    turns::{self, TurnRef},
    view,
};
use jiff::Timestamp;
use protocol::{Fact, Notice, SessionKey, TurnId};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

/// One delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxRow {
    /// What is told; its id is the delivery's.
    pub notice: Notice,
    /// What it is about, such as `turn:<id>`.
    pub key: String,
    /// Where to, as it was ordered: `last`, a session key, or a place.
    pub target: String,
    /// How often it was handed to a channel.
    pub attempts: u32,
    /// What went wrong, if something did.
    pub error: Option<String>,
    /// When it came up.
    pub created_at: Timestamp,
}

/// What the house itself has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotice {
    /// What it is about; the same one twice is told once.
    pub key: String,
    /// Where to: `last`, a session key, or a place.
    pub target: String,
    /// Whose word it is.
    pub from: String,
    /// What is said, in Markdown.
    pub text: String,
}

impl Store {
    /// Has something told to the owner, once for each key. Returns whether it is new.
    pub async fn notify(&self, notice: NewNotice) -> Result<bool> {
        self.write("notify", Durability::Synced, move |unit| {
            let NewNotice { key, target, from, text } = notice;
            let notice =
                Notice { id: Uuid::now_v7(), from, text, session: None, approval: None, untrusted: false };
            intend(unit, &key, &target, None, &notice)
        })
        .await
    }

    /// Tells it in a conversation of this house. If it comes of a turn in that very conversation it stands there
    /// already, and nothing is added. Returns whether it was still to be told.
    pub async fn deliver_here(&self, id: Uuid, session: &SessionKey) -> Result<bool> {
        let session = session.clone();
        self.write("deliver", Durability::Synced, move |unit| deliver_here(unit, id, session)).await
    }

    /// Notes that it is about to be handed to a channel. Durable when it returns, before the channel sees it.
    pub async fn outbox_attempt(&self, id: Uuid, resolved: &SessionKey) -> Result<()> {
        let sql =
            "UPDATE outbox SET attempts = attempts + 1, resolved = ?2 WHERE id = ?1 AND state = 'intent'";
        self.change_outbox("outbox attempt", sql, id, resolved.to_string()).await
    }

    /// Notes that a channel has it, under the platform's own name.
    pub async fn outbox_sent(&self, id: Uuid, platform_id: &str) -> Result<()> {
        let sql =
            "UPDATE outbox SET state = 'sent', platform_id = ?2, error = NULL, sent_at = ?3 WHERE id = ?1";
        self.change_outbox("outbox sent", sql, id, platform_id.to_owned()).await
    }

    /// Notes that nobody knows whether it arrived, or that it cannot be delivered. It is not tried again.
    pub async fn outbox_unresolved(&self, id: Uuid, error: &str) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'unresolved', error = ?2 WHERE id = ?1 AND state = 'intent'";
        self.change_outbox("outbox unresolved", sql, id, error.to_owned()).await
    }

    /// After a restart: what was handed to a channel and never answered for is not sent again by itself. Returns how
    /// many deliveries that are.
    pub async fn surface_outbox(&self) -> Result<usize> {
        self.write("surface outbox", Durability::Flushed, |unit| {
            let sql = "UPDATE outbox SET state = 'unresolved', error = ?1
                       WHERE id IN (SELECT id FROM outbox INDEXED BY outbox_open
                                    WHERE state = 'intent' AND attempts > 0)";
            let why = "Steward ended while this was being sent: it may or may not have arrived";
            unit.news.outbox = true;
            Ok(unit.connection.execute(sql, [why])?)
        })
        .await
    }

    async fn change_outbox(
        &self,
        label: &'static str,
        sql: &'static str,
        id: Uuid,
        value: String,
    ) -> Result<()> {
        self.write(label, Durability::Synced, move |unit| {
            let mut statement = unit.connection.prepare_cached(sql)?;
            let (id, now) = (id.to_string(), unit.now.as_millisecond());
            match statement.parameter_count() {
                3 => statement.execute(params![id, value, now])?,
                _ => statement.execute(params![id, value])?,
            };
            Ok(())
        })
        .await
    }
}

impl View {
    /// What is still to be told, the oldest first, after `after`.
    pub async fn outbox_open(&self, after: Option<Uuid>, limit: usize) -> Result<Vec<OutboxRow>> {
        let sql = "SELECT notice, key, target, attempts, error, created_at FROM outbox INDEXED BY outbox_open
                   WHERE state = 'intent' AND id > ?1 ORDER BY id LIMIT ?2";
        self.outbox_rows(sql, after, limit).await
    }

    /// What may or may not have arrived, the oldest first, after `after`.
    pub async fn outbox_unresolved(&self, after: Option<Uuid>, limit: usize) -> Result<Vec<OutboxRow>> {
        let sql =
            "SELECT notice, key, target, attempts, error, created_at FROM outbox INDEXED BY outbox_unresolved
                   WHERE state = 'unresolved' AND id > ?1 ORDER BY id LIMIT ?2";
        self.outbox_rows(sql, after, limit).await
    }

    async fn outbox_rows(
        &self,
        sql: &'static str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<OutboxRow>> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let after = after.map(|id| id.to_string()).unwrap_or_default();
            let rows = statement
                .query_and_then(params![after, view::count(limit)], |row| outbox_row(connection, row))?;
            rows.collect()
        })
        .await
    }
}

fn outbox_row(connection: &Connection, row: &Row<'_>) -> Result<OutboxRow> {
    Ok(OutboxRow {
        notice: blobs::decode(connection, &row.get::<_, String>(0)?)?,
        key: row.get(1)?,
        target: row.get(2)?,
        attempts: row.get(3)?,
        error: row.get(4)?,
        created_at: view::timestamp(row.get(5)?),
    })
}

/// Writes the intent, unless there is one about the same. Returns whether it is new.
fn intend(unit: &mut Unit<'_>, key: &str, target: &str, job: Option<Uuid>, notice: &Notice) -> Result<bool> {
    let sql = "INSERT OR IGNORE INTO outbox (id, key, target, job, notice, state, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, 'intent', ?6)";
    let added = unit.connection.prepare_cached(sql)?.execute(params![
        notice.id.to_string(),
        key,
        target,
        job.map(|job| job.to_string()),
        blobs::encode(unit.connection, notice)?,
        unit.now.as_millisecond(),
    ])?;
    unit.news.outbox |= added > 0;
    Ok(added > 0)
}

fn deliver_here(unit: &mut Unit<'_>, id: Uuid, session: SessionKey) -> Result<bool> {
    let sql = "SELECT notice FROM outbox WHERE id = ?1 AND state = 'intent'";
    let row: Option<String> =
        unit.connection.prepare_cached(sql)?.query_row([id.to_string()], |row| row.get(0)).optional()?;
    let Some(notice) = row else { return Ok(false) };
    let notice: Notice = blobs::decode(unit.connection, &notice)?;
    let now = unit.now.as_millisecond();
    if notice.session.as_ref() != Some(&session) {
        let sql =
            "INSERT INTO sessions (key, title, turns, created_at, updated_at) VALUES (?1, ?2, 0, ?3, ?3)
                   ON CONFLICT (key) DO UPDATE SET updated_at = excluded.updated_at, archived = 0";
        let parameters = params![session.as_str(), title_of(&notice.text), now];
        unit.connection.prepare_cached(sql)?.execute(parameters)?;
        let nobody = TurnRef { session: session.clone(), turn: TurnId::from(Uuid::nil()) };
        turns::append(unit, &nobody, &[Fact::Noticed { notice }])?;
    }
    let sql = "UPDATE outbox SET state = 'sent', resolved = ?2, sent_at = ?3 WHERE id = ?1";
    unit.connection.prepare_cached(sql)?.execute(params![id.to_string(), session.as_str(), now])?;
    Ok(true)
}

/// The jobs a turn tells of that are not over, with the first slot of each.
fn jobs_of(connection: &Connection, turn: TurnId) -> Result<Vec<(Uuid, i64)>> {
    let sql =
        "SELECT job, min(slot) FROM firings WHERE turn = ?1 AND outcome IS NULL GROUP BY job ORDER BY 2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement
        .query_and_then([turn.to_string()], |row| Ok((parse_id(&row.get::<_, String>(0)?)?, row.get(1)?)))?;
    rows.collect()
}
