//! Asking the index: which files it holds, which passages hold which words, and what stands in a passage.

use super::{FileState, Index, writing::model};
use crate::{error::MemoryError, folder::Stamp, kind::Kind};
use rusqlite::{OptionalExtension as _, Row, params};
use std::collections::HashMap;

/// What the index knows of a file without its text.
#[derive(Debug, Clone)]
pub(crate) struct KnownFile {
    pub hash: Vec<u8>,
    pub stamp: Stamp,
}

/// A passage as a search shows it.
pub(crate) struct Passage {
    pub path: String,
    pub kind: Kind,
    pub line_start: usize,
    pub line_end: usize,
    pub text: String,
    pub untrusted: bool,
}

/// A passage that holds words of the query, and how well by BM25.
pub(crate) struct Candidate {
    pub chunk: i64,
    pub bm25: f32,
}

/// A vector on its way into memory.
pub(crate) struct VectorRow {
    pub id: i64,
    pub scale: f32,
    pub bytes: Vec<u8>,
}

/// How much there is of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub files: usize,
    pub cut: usize,
    pub binary: usize,
    pub chunks: usize,
}

impl Index {
    /// All files of the index.
    pub fn known_files(&self) -> Result<HashMap<String, KnownFile>, MemoryError> {
        let mut statement =
            self.connection.prepare_cached("SELECT path, hash, bytes, modified, changed FROM files")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, known_file(row)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// One file of the index.
    pub fn known_file(&self, path: &str) -> Result<Option<KnownFile>, MemoryError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT path, hash, bytes, modified, changed FROM files WHERE path = ?1")?;
        Ok(statement.query_row([path], known_file).optional()?)
    }

    /// How much there is of everything.
    pub fn counts(&self) -> Result<Counts, MemoryError> {
        let state = |word: FileState| self.count("files WHERE state = ?1", &[&word.word()]);
        Ok(Counts {
            files: self.count("files", &[])?,
            cut: state(FileState::Cut)?,
            binary: state(FileState::Binary)?,
            chunks: self.count("chunks", &[])?,
        })
    }

    /// Passages in the index.
    pub fn chunk_count(&self) -> Result<usize, MemoryError> {
        self.count("chunks", &[])
    }

    /// Whether there is a file of one of these kinds; of any, if none is named.
    pub fn has_kinds(&self, kinds: &[Kind]) -> Result<bool, MemoryError> {
        let mut statement = self.connection.prepare_cached(include_str!("has_kinds.sql"))?;
        Ok(statement.exists([words_of_kinds(kinds)])?)
    }

    /// Texts without a vector.
    pub fn pending_count(&self) -> Result<usize, MemoryError> {
        self.count("pending", &[])
    }

    /// Passages that wait for a vector.
    pub fn pending_passages(&self) -> Result<usize, MemoryError> {
        self.count("chunks WHERE hash IN (SELECT hash FROM pending)", &[])
    }

    fn count(&self, what: &str, values: &[&dyn rusqlite::ToSql]) -> Result<usize, MemoryError> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT count(*) FROM {what}"))?;
        Ok(statement.query_row(values, |row| number(row, 0))?)
    }

    /// The words of each text, as the index knows them.
    pub fn words_of(&self, texts: &[String]) -> Result<Vec<Vec<String>>, MemoryError> {
        self.connection.execute("DELETE FROM temp.asked", [])?;
        let mut insert =
            self.connection.prepare_cached("INSERT INTO temp.asked (rowid, text) VALUES (?1, ?2)")?;
        for (number, text) in texts.iter().enumerate() {
            insert.execute(params![number as i64, text])?;
        }
        let mut words = vec![Vec::new(); texts.len()];
        let mut statement =
            self.connection.prepare_cached("SELECT doc, term FROM temp.asked_words ORDER BY doc, offset")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(words) = words.get_mut(number(row, 0)?) {
                words.push(row.get(1)?);
            }
        }
        Ok(words)
    }

    /// How many passages hold a word.
    pub fn passages_with(&self, word: &str) -> Result<usize, MemoryError> {
        let mut statement =
            self.connection.prepare_cached("SELECT doc FROM temp.vocabulary WHERE term = ?1")?;
        Ok(statement.query_row([word], |row| number(row, 0)).optional()?.unwrap_or(0))
    }

    /// How many passages hold a word that begins so, counting one twice that holds two of them.
    pub fn passages_with_prefix(&self, prefix: &str, most_words: usize) -> Result<usize, MemoryError> {
        let mut statement = self.connection.prepare_cached(include_str!("prefix.sql"))?;
        let last = format!("{prefix}\u{10FFFF}");
        Ok(statement.query_row(params![prefix, last, most_words as i64], |row| number(row, 0))?)
    }

    /// The passages that match best, the best first.
    pub fn matches(&self, query: &str, kinds: &[Kind], most: usize) -> Result<Vec<Candidate>, MemoryError> {
        // Better is less there.
        let read = |row: &Row<'_>| Ok(Candidate { chunk: row.get(0)?, bm25: -row.get::<_, f64>(1)? as f32 });
        let most = most as i64;
        let words = words_of_kinds(kinds);
        let (sql, values): (_, &[&dyn rusqlite::ToSql]) = match &words {
            None => (include_str!("matches.sql"), &[&query, &most]),
            Some(words) => (include_str!("matches_of_kinds.sql"), &[&query, &most, words]),
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// What stands in a passage. Nothing if it was taken out meanwhile.
    pub fn passage(&self, chunk: i64) -> Result<Option<Passage>, MemoryError> {
        let mut statement = self.connection.prepare_cached(include_str!("passage.sql"))?;
        Ok(statement.query_row([chunk], passage).optional()?)
    }

    /// The newest passage of a kind people write themselves, to try a search with.
    pub fn newest_passage(&self) -> Result<Option<Passage>, MemoryError> {
        let mut statement = self.connection.prepare_cached(include_str!("newest_passage.sql"))?;
        Ok(statement.query_row([], passage).optional()?)
    }

    /// The fingerprint of the model whose vectors count.
    pub fn model(&self) -> Result<Option<String>, MemoryError> {
        model(&self.connection)
    }

    /// How often vectors were forgotten: whoever holds them in memory then begins again.
    pub fn prunes(&self) -> Result<i64, MemoryError> {
        let mut statement =
            self.connection.prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'prunes'")?;
        Ok(statement.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// Vectors of a model with ids above one.
    pub fn vector_count(&self, fingerprint: &str, above: i64) -> Result<usize, MemoryError> {
        self.count("vectors WHERE model = ?1 AND id > ?2", &[&fingerprint, &above])
    }

    /// Hands over the vectors of a model with ids above one, in order.
    pub fn vectors_above(
        &self,
        fingerprint: &str,
        above: i64,
        take: &mut dyn FnMut(VectorRow),
    ) -> Result<(), MemoryError> {
        let mut statement = self.connection.prepare_cached(include_str!("vectors_above.sql"))?;
        let mut rows = statement.query(params![fingerprint, above])?;
        while let Some(row) = rows.next()? {
            take(VectorRow { id: row.get(0)?, scale: row.get::<_, f64>(1)? as f32, bytes: row.get(2)? });
        }
        Ok(())
    }

    /// The passages a vector stands for.
    pub fn passages_of_vector(&self, vector: i64, kinds: &[Kind]) -> Result<Vec<i64>, MemoryError> {
        let mut statement = self.connection.prepare_cached(include_str!("passages_of_vector.sql"))?;
        let rows = statement.query_map(params![vector, words_of_kinds(kinds)], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The vector of a passage, if it has one.
    pub fn vector_of_passage(&self, fingerprint: &str, chunk: i64) -> Result<Option<VectorRow>, MemoryError> {
        let mut statement = self.connection.prepare_cached(include_str!("vector_of_passage.sql"))?;
        let read = |row: &Row<'_>| {
            Ok(VectorRow { id: row.get(0)?, scale: row.get::<_, f64>(1)? as f32, bytes: row.get(2)? })
        };
        Ok(statement.query_row(params![fingerprint, chunk], read).optional()?)
    }
}

/// Kinds as SQL takes them: a list in JSON, or nothing for all.
fn words_of_kinds(kinds: &[Kind]) -> Option<String> {
    let words: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", kind.word())).collect();
    (!words.is_empty()).then(|| format!("[{}]", words.join(",")))
}

/// A count, or the number of a line.
pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    Ok(usize::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

fn known_file(row: &Row<'_>) -> rusqlite::Result<KnownFile> {
    let bytes: i64 = row.get(2)?;
    let stamp = Stamp { bytes: bytes.cast_unsigned(), modified: row.get(3)?, changed: row.get(4)? };
    Ok(KnownFile { hash: row.get(1)?, stamp })
}

fn passage(row: &Row<'_>) -> rusqlite::Result<Passage> {
    let kind: String = row.get(1)?;
    Ok(Passage {
        path: row.get(0)?,
        kind: Kind::from_word(&kind).unwrap_or(Kind::Note),
        line_start: number(row, 2)?,
        line_end: number(row, 3)?,
        text: row.get(4)?,
        untrusted: row.get(5)?,
    })
}
