//! Bringing the index up to date: the text of files that changed, then vectors for what has none. Each file and each
//! batch of vectors is taken in by itself, so that whoever searches meanwhile waits for one at most.

use crate::{
    chunks::Cut,
    error::MemoryError,
    index::{FileState, IndexedFile, KnownFile, Made, Pending},
    memory::Memory,
    sources::{self, Source},
    vectors::{Quantised, VectorModel},
};
use sha2::{Digest as _, Sha256};
use std::{cmp::Reverse, collections::HashMap};

/// Texts turned into vectors at once: enough to keep a processor busy, and done in under a second.
const BATCH: usize = 16;

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// So many are done.
    pub done: usize,
    /// Of so many.
    pub total: usize,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Files are read, cut into passages and indexed by their words.
    Reading,
    /// Passages are turned into vectors.
    Embedding,
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Synced {
    /// Files that were new or changed.
    pub changed: usize,
    /// Files that were no longer there.
    pub gone: usize,
    /// Files that are still to be read.
    pub left: usize,
    /// Passages that were turned into vectors.
    pub embedded: usize,
    /// Why there are passages without a vector, in plain words.
    pub remark: Option<String>,
}

/// Says how far it has come, and is told whether to go on.
pub(crate) type GoOn<'a> = &'a mut dyn FnMut(Progress) -> bool;

impl Memory {
    /// Brings the index up to date: all files, all vectors. Blocks for as long as that takes.
    pub fn sync(&self, progress: &mut dyn FnMut(Progress)) -> Result<Synced, MemoryError> {
        let mut go_on = |at: Progress| {
            progress(at);
            true
        };
        self.retrying(|| {
            let mut synced = self.sync_text(u64::MAX, &mut go_on)?;
            let embedded = self.embed_pending(usize::MAX, &mut go_on)?;
            (synced.embedded, synced.remark) = (embedded.done, embedded.failed);
            Ok(synced)
        })
    }

    /// Deletes the index and makes it anew. Blocks for as long as that takes.
    pub fn reindex(&self, progress: &mut dyn FnMut(Progress)) -> Result<Synced, MemoryError> {
        self.with_writer(|index| index.clear())?;
        self.mark_dirty();
        self.sync(progress)
    }

    /// Reads what changed, the newest first, until so many bytes were read. The rest stays for the next time.
    pub(crate) fn sync_text(&self, most_bytes: u64, go_on: GoOn<'_>) -> Result<Synced, MemoryError> {
        let known = self.with_writer(|index| index.known_files())?;
        // What changes from here on is seen the next time.
        self.mark_clean();
        let outcome = self.sync_listed(known, most_bytes, go_on);
        if outcome.as_ref().map_or(true, |synced| synced.left > 0) {
            self.mark_dirty();
        }
        outcome
    }

    /// Whether there are files that are not in the index as they are, or no longer there.
    pub(crate) fn is_behind(&self) -> Result<bool, MemoryError> {
        let difference = self.difference(self.with_writer(|index| index.known_files())?);
        Ok(!difference.gone.is_empty() || difference.changed.iter().any(|(unsure, _)| !unsure))
    }

    fn difference(&self, mut known: HashMap<String, KnownFile>) -> Difference {
        let mut changed: Vec<(bool, Source)> = Vec::new();
        for source in sources::list(self.settings()) {
            match known.remove(&source.path).map(|known| known.stamp) {
                Some(stamp) if stamp == source.stamp => {}
                // Known only so far as that it was too young to be sure.
                Some(stamp) => changed.push((stamp.is_unsure_of(source.stamp), source)),
                None => changed.push((false, source)),
            }
        }
        changed.sort_by_key(|(unsure, source)| (*unsure, Reverse(source.stamp.modified)));
        Difference { changed, gone: known.into_keys().collect() }
    }

    fn sync_listed(
        &self,
        known: HashMap<String, KnownFile>,
        most_bytes: u64,
        go_on: GoOn<'_>,
    ) -> Result<Synced, MemoryError> {
        let Difference { changed, gone } = self.difference(known);
        let mut synced = Synced { gone: gone.len(), ..Synced::default() };
        // First what is new, then what is gone: a renamed file keeps its vectors either way, but none is ever missing.
        let (total, mut bytes) = (changed.len(), 0);
        for (done, (_, source)) in changed.iter().enumerate() {
            if bytes > most_bytes || !go_on(Progress { stage: Stage::Reading, done, total }) {
                synced.left = changed[done..].iter().filter(|(unsure, _)| !unsure).count();
                break;
            }
            bytes += source.stamp.bytes.min(sources::MAX_INDEXED_BYTES);
            synced.changed += usize::from(self.index_file(source)?);
        }
        for path in &gone {
            self.with_writer(|index| index.remove_file(path))?;
        }
        if synced.changed + synced.gone > 0 {
            self.with_writer(|index| index.prune())?;
        }
        Ok(synced)
    }

    /// Whether there was anything new in it.
    fn index_file(&self, source: &Source) -> Result<bool, MemoryError> {
        let (kind, content) = match sources::read(self.settings(), &source.path) {
            Ok(read) => read,
            Err(error) => {
                if !matches!(error, MemoryError::Missing(_)) {
                    tracing::warn!(%error, "a file of the memory is left out");
                }
                self.with_writer(|index| index.remove_file(&source.path))?;
                return Ok(true);
            }
        };
        if !content.settled {
            self.mark_dirty();
        }
        let settings = self.settings();
        let cut = Cut::new(settings.chunk_tokens, settings.chunk_overlap);
        let hash = hash(cut, content.text.as_deref());
        let state = match (&content.text, content.cut) {
            (None, _) => FileState::Binary,
            (_, true) => FileState::Cut,
            (_, false) => FileState::Whole,
        };
        let stamp = content.stamp;
        let known = self.with_writer(|index| index.known_file(&source.path))?;
        if known.is_some_and(|known| known.hash == hash) {
            self.with_writer(|index| index.touch_file(&source.path, stamp))?;
            return Ok(false);
        }
        let chunks = content.text.map(|text| sources::chunks(kind, &text, cut)).unwrap_or_default();
        let file = IndexedFile { path: &source.path, kind, hash, stamp, state };
        self.with_writer(|index| index.put_file(&file, &chunks))?;
        Ok(true)
    }

    /// Turns up to so many pending texts into vectors. That there is no model is no error: words are searched anyway.
    pub(crate) fn embed_pending(&self, most: usize, go_on: GoOn<'_>) -> Result<Embedded, MemoryError> {
        let model = match self.vectors().model() {
            Ok(model) => model,
            Err(why) => return Ok(Embedded { done: 0, failed: Some(why) }),
        };
        self.with_writer(|index| index.use_model(&model))?;
        let total = self.with_writer(|index| index.pending_count())?.min(most);
        let mut done = 0;
        while done < total && go_on(Progress { stage: Stage::Embedding, done, total }) {
            let pending = self.with_writer(|index| index.pending(BATCH.min(total - done)))?;
            if pending.is_empty() {
                break;
            }
            match self.embed(&model, &pending) {
                Ok(made) => self.with_writer(|index| index.put_vectors(&model.fingerprint, &made))?,
                Err(why) => return Ok(Embedded { done, failed: Some(why) }),
            }
            done += pending.len();
        }
        Ok(Embedded { done, failed: None })
    }

    fn embed(&self, model: &VectorModel, pending: &[Pending]) -> Result<Vec<Made>, String> {
        let texts: Vec<&str> = pending.iter().map(|it| it.text.as_str()).collect();
        let vectors = self.vectors().embed(&texts)?;
        if vectors.len() != texts.len() || vectors.iter().any(|it| it.len() != model.dimensions) {
            return Err(format!("`{}` gave vectors of another number or length than it says", model.name));
        }
        let made = |(it, vector): (&Pending, Vec<f32>)| Made {
            hash: it.hash.clone(),
            vector: Quantised::new(&vector),
        };
        Ok(pending.iter().zip(vectors).map(made).collect())
    }
}

/// What the files have and the index has not, and the other way round.
struct Difference {
    /// Each with whether it is only too young to be sure; the newest first.
    changed: Vec<(bool, Source)>,
    gone: Vec<String>,
}

/// What came of turning texts into vectors.
pub(crate) struct Embedded {
    pub done: usize,
    pub failed: Option<String>,
}

/// Of what goes into the index: the text, and how it is cut.
fn hash(cut: Cut, text: Option<&str>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(format!("{} {} {}\n", cut.most, cut.overlap, text.is_some()));
    hash.update(text.unwrap_or_default());
    hash.finalize().into()
}
