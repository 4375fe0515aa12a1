//! Long texts and pictures stand once, by their hash, beside the rows that mention them, so that rows stay
//! small. Works on any value as JSON: a string over the limit is replaced by `{"$blob": hash}` and comes
//! back on reading. Values that could hold such an object themselves keep their JSON as text.

use crate::{Result, StoreError};
use rusqlite::{Connection, params};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Strings longer than this move out of the row.
const MAX_INLINE_BYTES: usize = 16 * 1024;

const KEY: &str = "$blob";

/// The value as JSON text, its long strings moved to the table.
pub(crate) fn encode(connection: &Connection, value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value).map_err(unwritable)?;
    if text.len() <= MAX_INLINE_BYTES {
        return Ok(text);
    }
    let mut value = serde_json::from_str(&text).map_err(unwritable)?;
    move_out(connection, &mut value)?;
    serde_json::to_string(&value).map_err(unwritable)
}

/// The value that `encode` was given.
pub(crate) fn decode<T: DeserializeOwned>(connection: &Connection, text: &str) -> Result<T> {
    if !text.contains(KEY) {
        return serde_json::from_str(text).map_err(unreadable);
    }
    let mut value = serde_json::from_str(text).map_err(unreadable)?;
    bring_back(connection, &mut value)?;
    serde_json::from_value(value).map_err(unreadable)
}

fn move_out(connection: &Connection, value: &mut Value) -> Result<()> {
    match value {
        Value::String(text) if text.len() > MAX_INLINE_BYTES => {
            let hash = hash_of(text);
            let sql = "INSERT OR IGNORE INTO blobs (sha256, data) VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute(params![hash, &*text])?;
            *value = serde_json::json!({ KEY: hash });
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| move_out(connection, item)),
        Value::Object(fields) => fields.values_mut().try_for_each(|field| move_out(connection, field)),
        _ => Ok(()),
    }
}

fn bring_back(connection: &Connection, value: &mut Value) -> Result<()> {
    match value {
        Value::Object(fields) if fields.len() == 1 && fields.contains_key(KEY) => {
            let hash = fields.get(KEY).and_then(Value::as_str).unwrap_or_default();
            let sql = "SELECT data FROM blobs WHERE sha256 = ?1";
            let text: String = connection.prepare_cached(sql)?.query_row([hash], |row| row.get(0))?;
            *value = Value::String(text);
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| bring_back(connection, item)),
        Value::Object(fields) => fields.values_mut().try_for_each(|field| bring_back(connection, field)),
        _ => Ok(()),
    }
}

/// The name a text stands under.
pub(crate) fn hash_of(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::Database(Box::new(error))
}

fn unreadable(error: serde_json::Error) -> StoreError {
    StoreError::Corrupt { what: "JSON".into(), source: Box::new(error) }
}
