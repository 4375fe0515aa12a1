//! How the memory is doing, in figures and by trying: a search that finds nothing at all is not called ready.

use crate::{
    error::MemoryError,
    index::{Counts, bytes_on_disk},
    memory::Memory,
    query::terms,
    search::{MAX_HITS, Query},
};
use serde::{Serialize, Serializer};

/// Words of a note that a search is tried with: as many as people ask.
const PROBE_WORDS: usize = 8;

/// How the memory is doing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Files in the index.
    pub files: usize,
    /// Of which only the beginning is indexed: they are too long.
    pub cut: usize,
    /// Of which nothing is: they are not text.
    pub binary: usize,
    /// Passages in the index.
    pub chunks: usize,
    /// Passages that have a vector.
    pub embedded: usize,
    /// Passages that wait for one.
    pub pending: usize,
    /// The model that makes vectors, or why there is none.
    #[serde(serialize_with = "name_or_reason")]
    pub model: Result<String, String>,
    /// Bytes of the index on disk.
    pub bytes: u64,
    /// Whether files changed that are not yet in the index.
    pub dirty: bool,
    /// What came of trying.
    pub probe: Probe,
}

/// What came of searching for the words of a note that is in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Probe {
    /// There is nothing to search.
    Empty,
    /// The note came back.
    Found {
        /// What was asked.
        query: String,
        /// The note.
        path: String,
        /// Its place among the answers, counted from 1.
        place: usize,
        /// What was said to be missing.
        remark: Option<String>,
    },
    /// Other notes came back, or none.
    Missed {
        /// What was asked.
        query: String,
        /// The note.
        path: String,
    },
    /// The search failed.
    Failed {
        /// Why.
        why: String,
    },
}

impl Probe {
    /// Whether searching works.
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Found { .. })
    }
}

impl Memory {
    /// How the memory is doing. Searches once, so it brings the index up to date as a search does. Blocks.
    pub fn status(&self) -> Result<Status, MemoryError> {
        // As it was before the search put it right.
        let dirty = self.retrying(|| self.is_behind())?;
        let probe = self.probe().unwrap_or_else(|error| Probe::Failed { why: error.to_string() });
        let (counts, pending) = self.retrying(|| {
            self.with_reader(|reader| Ok((reader.index.counts()?, reader.index.pending_passages()?)))
        })?;
        let Counts { files, cut, binary, chunks } = counts;
        Ok(Status {
            files,
            cut,
            binary,
            chunks,
            embedded: chunks - pending,
            pending,
            model: self.vectors().model().map(|model| model.name),
            bytes: bytes_on_disk(&self.settings().index),
            dirty,
            probe,
        })
    }

    fn probe(&self) -> Result<Probe, MemoryError> {
        // Any search brings the index up to date; this one is for nothing else.
        self.search(&Query { text: "memory".into(), limit: Some(0), ..Query::default() })?;
        let newest = self.retrying(|| self.with_reader(|reader| reader.index.newest_passage()))?;
        let Some(note) = newest else { return Ok(Probe::Empty) };
        let words: Vec<String> = terms(&note.text).into_iter().take(PROBE_WORDS).collect();
        let query = words.join(" ");
        let asked =
            Query { text: query.clone(), min_score: Some(0.0), limit: Some(MAX_HITS), ..Query::default() };
        let found = self.search(&asked)?;
        // The same words may stand elsewhere too.
        let place = found.hits.iter().position(|hit| hit.path == note.path || hit.excerpt == note.text);
        Ok(match place {
            Some(place) => Probe::Found { query, path: note.path, place: place + 1, remark: found.remark },
            None => Probe::Missed { query, path: note.path },
        })
    }
}

fn name_or_reason<S: Serializer>(model: &Result<String, String>, to: S) -> Result<S::Ok, S::Error> {
    let (key, value) = match model {
        Ok(name) => ("name", name),
        Err(reason) => ("missing", reason),
    };
    to.collect_map([(key, value)])
}
