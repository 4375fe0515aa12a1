//! What is handed in for event-triggered tasks. Who may hand in, and how it is put to the assistant, is for `tasks` to
//! say; here each delivery becomes a trigger once.

use super::find;
use crate::{
    Durability, Result, Store, View, inbox,
    jobs::parse_id,
    sqlite::Unit,
    turns::{parse_session, parse_turn},
};
use protocol::{Block, SessionKey, Trigger, TriggerKind, TurnId};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

/// The source of triggers that were handed in.
const SOURCE: &str = "hook";

/// What a token leads to.
#[derive(Clone, PartialEq, Eq)]
pub struct HookTask {
    /// The task.
    pub id: Uuid,
    /// Its conversation.
    pub session: SessionKey,
    /// What to do with what is handed in.
    pub prompt: String,
    /// What deliveries must be signed with.
    pub secret: Option<String>,
    /// Whether it still stands.
    pub active: bool,
}

/// One delivery.
#[derive(Debug, Clone)]
pub struct HookDelivery {
    /// What is put to the assistant: the order, and what was handed in.
    pub content: Vec<Block>,
    /// The sender's name for it; the same one twice is one delivery.
    pub key: Option<String>,
    /// What it was signed with: one signature is good for one delivery.
    pub signature: Option<String>,
    /// The hash of what was handed in: a name stands for one content only.
    pub body_sha256: String,
    /// How many deliveries may wait.
    pub max_queued: usize,
}

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookTaken {
    /// It is taken.
    Taken {
        /// The task.
        task: Uuid,
        /// Its run.
        turn: TurnId,
        /// Whether it was taken before; nothing was added then.
        repeated: bool,
    },
    /// The token leads nowhere.
    Unknown,
    /// The task is over.
    Ended,
    /// The name was used for something else before.
    KeyReused,
    /// The signature was used before.
    Replayed,
    /// Too many wait already.
    QueueFull {
        /// How many may wait.
        limit: usize,
    },
}

impl Store {
    /// Takes what was handed in for the task with this hash; durable when it returns.
    pub async fn take_hook(&self, hook_hash: &str, delivery: HookDelivery) -> Result<HookTaken> {
        let hook_hash = hook_hash.to_owned();
        self.write("take hook", Durability::Synced, move |unit| take(unit, &hook_hash, delivery)).await
    }
}

impl View {
    /// The task a token leads to, by the token's hash.
    pub async fn hook_task(&self, hook_hash: &str) -> Result<Option<HookTask>> {
        let hook_hash = hook_hash.to_owned();
        self.read(move |connection| hook_task(connection, &hook_hash)).await
    }
}

fn hook_task(connection: &Connection, hook_hash: &str) -> Result<Option<HookTask>> {
    let sql = "SELECT id, session, prompt, hook_secret, state = 'active' FROM tasks WHERE hook_hash = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query_and_then([hook_hash], |row| {
        Ok(HookTask {
            id: parse_id(&row.get::<_, String>(0)?)?,
            session: parse_session(&row.get::<_, String>(1)?)?,
            prompt: row.get(2)?,
            secret: row.get(3)?,
            active: row.get(4)?,
        })
    })?;
    rows.next().transpose()
}

fn take(unit: &mut Unit<'_>, hook_hash: &str, delivery: HookDelivery) -> Result<HookTaken> {
    let Some(task) = hook_task(unit.connection, hook_hash)? else { return Ok(HookTaken::Unknown) };
    let id = task.id.to_string();
    let key = delivery.key.as_ref().map(|key| format!("key:{key}"));
    let signature = delivery.signature.as_ref().map(|signature| format!("signature:{signature}"));
    if let Some((body, turn)) = known(unit.connection, &id, key.as_deref())? {
        if body != delivery.body_sha256 {
            return Ok(HookTaken::KeyReused);
        }
        return Ok(HookTaken::Taken { task: task.id, turn: parse_turn(&turn)?, repeated: true });
    }
    if known(unit.connection, &id, signature.as_deref())?.is_some() {
        return Ok(HookTaken::Replayed);
    }
    if !task.active {
        return Ok(HookTaken::Ended);
    }
    if inbox::waiting(unit.connection, &task.session)? >= delivery.max_queued {
        return Ok(HookTaken::QueueFull { limit: delivery.max_queued });
    }
    let model = find(unit.connection, task.id)?.and_then(|row| row.terms.model);
    let trigger = Trigger {
        source: SOURCE.into(),
        external_id: Uuid::now_v7().to_string(),
        session: task.session,
        kind: TriggerKind::Hook,
        content: delivery.content,
        history: Vec::new(),
        model,
        steer: false,
    };
    let turn = inbox::accept(unit, &trigger, true)?.turn;
    for key in [key, signature].into_iter().flatten() {
        let sql = "INSERT INTO hook_deliveries (task, key, body_sha256, turn) VALUES (?1, ?2, ?3, ?4)";
        let parameters = params![id, key, delivery.body_sha256, turn.to_string()];
        unit.connection.prepare_cached(sql)?.execute(parameters)?;
    }
    let sql = "UPDATE tasks SET turn = ?1 WHERE id = ?2";
    unit.connection.prepare_cached(sql)?.execute(params![turn.to_string(), id])?;
    Ok(HookTaken::Taken { task: task.id, turn, repeated: false })
}

/// What was handed in under a name before: the hash of its content, and its run.
fn known(connection: &Connection, task: &str, key: Option<&str>) -> Result<Option<(String, String)>> {
    let sql = "SELECT body_sha256, turn FROM hook_deliveries WHERE task = ?1 AND key = ?2";
    let known = connection
        .prepare_cached(sql)?
        .query_row(params![task, key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(known)
}
