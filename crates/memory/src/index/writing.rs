//! Changing the index: a file with all its chunks in one transaction, vectors in batches, and what is no longer needed.

use super::{Index, reading::number};
use crate::{
    chunks::{Chunk, embedded_text},
    error::MemoryError,
    folder::Stamp,
    kind::Kind,
    query::spaced_out,
    vectors::{Quantised, VectorModel},
};
use rusqlite::{OptionalExtension as _, Transaction, TransactionBehavior, params};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

/// Vectors without a passage that are kept for a file that comes back, besides as many as there are passages.
const SPARE_VECTORS: i64 = 10_000;

/// How a file stands in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileState {
    Whole,
    /// Only its beginning.
    Cut,
    /// Nothing: it is not text.
    Binary,
}

/// A file as it goes into the index.
pub(crate) struct IndexedFile<'a> {
    pub path: &'a str,
    pub kind: Kind,
    pub hash: [u8; 32],
    pub stamp: Stamp,
    pub state: FileState,
}

/// A text that has no vector yet.
pub(crate) struct Pending {
    pub hash: Vec<u8>,
    pub text: String,
}

/// What came of one.
pub(crate) struct Made {
    pub hash: Vec<u8>,
    /// Nothing if the text has no direction: it holds no word the model knows.
    pub vector: Option<Quantised>,
}

impl FileState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Cut => "cut",
            Self::Binary => "binary",
        }
    }
}

impl Index {
    /// Puts a file into the index in the place of what stood there for it. What has not changed keeps its row.
    pub fn put_file(&mut self, file: &IndexedFile<'_>, chunks: &[Chunk]) -> Result<(), MemoryError> {
        let unit = self.unit()?;
        let id: i64 = unit.query_row(
            include_str!("put_file.sql"),
            params![
                file.path,
                file.kind.word(),
                file.hash,
                file.stamp.bytes as i64,
                file.stamp.modified,
                file.stamp.changed,
                file.state.word(),
            ],
            |row| row.get(0),
        )?;
        let mut present = present_chunks(&unit, id)?;
        let model: Option<String> = model(&unit)?;
        for chunk in chunks {
            let hash: [u8; 32] = Sha256::digest(chunk.embedded_text().as_bytes()).into();
            let key = Key {
                line_start: chunk.line_start,
                line_end: chunk.line_end,
                hash,
                untrusted: chunk.untrusted,
            };
            if present.get_mut(&key).and_then(Vec::pop).is_none() {
                put_chunk(&unit, id, chunk, &key, model.as_deref())?;
            }
        }
        for chunk in present.into_values().flatten() {
            remove_chunk(&unit, chunk)?;
        }
        Ok(unit.commit()?)
    }

    /// A file that holds what it held, though its dates changed.
    pub fn touch_file(&mut self, path: &str, stamp: Stamp) -> Result<(), MemoryError> {
        self.connection.execute(
            "UPDATE files SET bytes = ?2, modified = ?3, changed = ?4 WHERE path = ?1",
            params![path, stamp.bytes as i64, stamp.modified, stamp.changed],
        )?;
        Ok(())
    }

    /// Takes a file out.
    pub fn remove_file(&mut self, path: &str) -> Result<(), MemoryError> {
        let unit = self.unit()?;
        let id: Option<i64> =
            unit.query_row("SELECT id FROM files WHERE path = ?1", [path], |row| row.get(0)).optional()?;
        if let Some(id) = id {
            for chunk in present_chunks(&unit, id)?.into_values().flatten() {
                remove_chunk(&unit, chunk)?;
            }
            unit.execute("DELETE FROM files WHERE id = ?1", [id])?;
        }
        Ok(unit.commit()?)
    }

    /// Takes everything out, the vectors too.
    pub fn clear(&mut self) -> Result<(), MemoryError> {
        let unit = self.unit()?;
        unit.execute_batch(include_str!("clear.sql"))?;
        unit.execute(include_str!("count_prune.sql"), [])?;
        Ok(unit.commit()?)
    }

    /// Makes this the model whose vectors count. If it was another, everything it has no vector for becomes pending.
    pub fn use_model(&mut self, wanted: &VectorModel) -> Result<(), MemoryError> {
        if model(&self.connection)?.as_deref() == Some(&wanted.fingerprint) {
            return Ok(());
        }
        let unit = self.unit()?;
        unit.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?1)", [&wanted.fingerprint])?;
        unit.execute("DELETE FROM pending", [])?;
        unit.execute(include_str!("refill_pending.sql"), [&wanted.fingerprint])?;
        Ok(unit.commit()?)
    }

    /// Some of the texts that have no vector yet. Those nobody holds any more are forgotten on the way.
    pub fn pending(&mut self, most: usize) -> Result<Vec<Pending>, MemoryError> {
        let unit = self.unit()?;
        let hashes: Vec<Vec<u8>> = {
            let mut statement = unit.prepare_cached("SELECT hash FROM pending LIMIT ?1")?;
            let rows = statement.query_map([most as i64], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        let mut texts = Vec::new();
        for hash in hashes {
            let mut statement =
                unit.prepare_cached("SELECT heading, text FROM chunks WHERE hash = ?1 LIMIT 1")?;
            let text = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
            match statement.query_row([&hash], text).optional()? {
                Some((heading, text)) => texts.push(Pending { hash, text: embedded_text(&heading, &text) }),
                None => {
                    unit.execute("DELETE FROM pending WHERE hash = ?1", [&hash])?;
                }
            }
        }
        unit.commit()?;
        Ok(texts)
    }

    /// Keeps vectors. A text for which no vector could be made is not asked for again.
    pub fn put_vectors(&mut self, fingerprint: &str, made: &[Made]) -> Result<(), MemoryError> {
        let unit = self.unit()?;
        for Made { hash, vector } in made {
            if let Some(Quantised { bytes, scale }) = vector {
                let bytes: Vec<u8> = bytes.iter().map(|byte| byte.cast_unsigned()).collect();
                unit.prepare_cached(
                    "INSERT OR IGNORE INTO vectors (hash, model, scale, vector) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![hash, fingerprint, f64::from(*scale), bytes])?;
            }
            unit.prepare_cached("DELETE FROM pending WHERE hash = ?1")?.execute([hash])?;
        }
        Ok(unit.commit()?)
    }

    /// Forgets vectors that no passage needs, once there are many. Tells whether it did.
    pub fn prune(&mut self) -> Result<bool, MemoryError> {
        let count = |table: &str| -> Result<i64, MemoryError> {
            let sql = format!("SELECT count(*) FROM {table}");
            Ok(self.connection.query_row(&sql, [], |row| row.get(0))?)
        };
        if count("vectors")? <= 2 * count("chunks")? + SPARE_VECTORS {
            return Ok(false);
        }
        let unit = self.unit()?;
        unit.execute(include_str!("prune.sql"), [])?;
        unit.execute(include_str!("count_prune.sql"), [])?;
        unit.commit()?;
        Ok(true)
    }

    fn unit(&mut self) -> Result<Transaction<'_>, MemoryError> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// The fingerprint of the model whose vectors count.
pub(super) fn model(connection: &rusqlite::Connection) -> Result<Option<String>, MemoryError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = 'model'")?;
    Ok(statement.query_row([], |row| row.get(0)).optional()?)
}

/// What makes a chunk the same one.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    line_start: usize,
    line_end: usize,
    hash: [u8; 32],
    untrusted: bool,
}

fn present_chunks(unit: &Transaction<'_>, file: i64) -> Result<HashMap<Key, Vec<i64>>, MemoryError> {
    let mut statement =
        unit.prepare_cached("SELECT id, line_start, line_end, hash, untrusted FROM chunks WHERE file = ?1")?;
    let mut rows = statement.query([file])?;
    let mut present: HashMap<Key, Vec<i64>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let (line_start, line_end) = (number(row, 1)?, number(row, 2)?);
        let key = Key { line_start, line_end, hash: row.get(3)?, untrusted: row.get(4)? };
        present.entry(key).or_default().push(row.get(0)?);
    }
    Ok(present)
}

fn put_chunk(
    unit: &Transaction<'_>,
    file: i64,
    chunk: &Chunk,
    key: &Key,
    model: Option<&str>,
) -> Result<(), MemoryError> {
    unit.prepare_cached(include_str!("put_chunk.sql"))?.execute(params![
        file,
        chunk.line_start as i64,
        chunk.line_end as i64,
        chunk.heading,
        chunk.text,
        key.hash,
        chunk.untrusted,
    ])?;
    unit.prepare_cached("INSERT INTO words (rowid, heading, text) VALUES (?1, ?2, ?3)")?.execute(params![
        unit.last_insert_rowid(),
        spaced_out(&chunk.heading),
        spaced_out(&chunk.text),
    ])?;
    unit.prepare_cached(include_str!("put_pending.sql"))?.execute(params![key.hash, model])?;
    Ok(())
}

fn remove_chunk(unit: &Transaction<'_>, id: i64) -> Result<(), MemoryError> {
    unit.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([id])?;
    unit.prepare_cached("DELETE FROM chunks WHERE id = ?1")?.execute([id])?;
    Ok(())
}
