//! The hash chain over the log: each event's hash covers its row and the hash before it. Whoever changes,
//! adds or removes a row in the middle breaks the chain from there on.

use crate::{Result, StoreError, View};
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

/// How the chain stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainState {
    /// Every event is as it was written.
    Whole {
        /// How many there are.
        events: u64,
        /// The hash of the last one; keep it elsewhere to notice if the end is cut off.
        head: String,
    },
    /// The first event that is not as it was written.
    Broken {
        /// Its place.
        seq: u64,
        /// What is wrong.
        reason: String,
    },
}

impl View {
    /// Checks the whole chain, and every long text the log refers to.
    pub async fn verify_chain(&self) -> Result<ChainState> {
        self.read(verify).await
    }
}

/// What a row's hash is taken over.
pub(crate) struct Link<'a> {
    pub seq: i64,
    pub session: &'a str,
    pub turn: &'a str,
    pub at: i64,
    pub kind: &'a str,
    pub version: u32,
    pub body: &'a str,
}

impl Link<'_> {
    /// The hash of this row after the one before it. Every part is preceded by its length.
    pub fn hash(&self, previous: &[u8]) -> [u8; 32] {
        let (seq, at, version) = (self.seq.to_be_bytes(), self.at.to_be_bytes(), self.version.to_be_bytes());
        let text = [self.session, self.turn, self.kind, self.body].map(str::as_bytes);
        let mut hash = Sha256::new();
        for part in [previous, &seq, &at, &version].into_iter().chain(text) {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

/// The number the next row gets, and the hash it follows.
pub(crate) fn end_of_chain(connection: &Connection) -> Result<(i64, Vec<u8>)> {
    let sql = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1";
    let last =
        connection.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(last.unwrap_or_default())
}

fn verify(connection: &Connection) -> Result<ChainState> {
    let mut statement = connection
        .prepare("SELECT seq, session, turn, at, kind, version, body, hash FROM events ORDER BY seq")?;
    let mut rows = statement.query([])?;
    let (mut previous, mut events, mut last) = (Vec::new(), 0, 0);
    while let Some(row) = rows.next()? {
        let (session, turn, kind, body): (String, String, String, String) =
            (row.get(1)?, row.get(2)?, row.get(4)?, row.get(6)?);
        let seq: i64 = row.get(0)?;
        let link = Link {
            seq,
            session: &session,
            turn: &turn,
            at: row.get(3)?,
            kind: &kind,
            version: row.get(5)?,
            body: &body,
        };
        let broken = |reason: &str| ChainState::Broken { seq: seq.unsigned_abs(), reason: reason.into() };
        if seq != last + 1 {
            return Ok(broken("events before it are missing"));
        }
        if row.get::<_, Vec<u8>>(7)? != link.hash(&previous) {
            return Ok(broken("it is not as it was written, or the one before it is not"));
        }
        (previous, events, last) = (link.hash(&previous).to_vec(), events + 1, seq);
    }
    if let Some(hash) = changed_blob(connection)? {
        let reason = format!("a text the log refers to was changed ({hash})");
        return Ok(ChainState::Broken { seq: 0, reason });
    }
    let head = previous.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(ChainState::Whole { events, head })
}

fn changed_blob(connection: &Connection) -> Result<Option<String>> {
    let mut statement = connection.prepare("SELECT sha256, data FROM blobs")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (hash, data): (String, String) = (row.get(0)?, row.get(1)?);
        if crate::blobs::hash_of(&data) != hash {
            return Ok(Some(hash));
        }
    }
    Ok::<_, StoreError>(None)
}
