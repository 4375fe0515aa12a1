//! The corpus, indexed once in a folder of its own that goes away with it, and searched in any mode.

use super::mode::Mode;
use embed::Embedder;
use memory::{Hit, MAX_HITS, Memory, MemorySettings, NoVectors, Query, Stage, VectorModel, Vectors};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A corpus that can be searched.
pub struct Library {
    settings: MemorySettings,
    vectors: Arc<Remembering>,
    /// Passages that have a vector.
    pub passages: usize,
    /// The model that made it.
    pub model: String,
    /// What indexing took.
    pub indexed_in: Duration,
    _index: TempDir,
}

impl Library {
    /// Indexes a corpus. The corpus itself is only read.
    pub fn open(corpus: &Path, models: Option<PathBuf>) -> Self {
        let index = tempfile::tempdir().expect("a folder for the index");
        let corpus = corpus.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", corpus.display()));
        let mut settings = MemorySettings::new(corpus.clone(), index.path().join("memory.db"));
        settings.transcripts = Some(corpus.join("sessions"));
        let vectors = Arc::new(Remembering::new(Embedder::local(weights(models))));
        let model = vectors.model().unwrap_or_else(|why| panic!("{why}, or name its folder with `--models`"));
        let begin = Instant::now();
        let memory = Memory::new(settings.clone(), vectors.clone());
        let mut shown = 0;
        let synced = memory.sync(&mut |at| {
            if at.stage == Stage::Embedding && at.done >= shown {
                eprintln!("embedding: {} of {} passages", at.done, at.total);
                shown = at.done + 400;
            }
        });
        let synced = synced.expect("the corpus is indexed");
        assert_eq!(synced.remark, None, "not all passages have a vector");
        let indexed_in = begin.elapsed();
        Self { settings, vectors, passages: synced.embedded, model: model.name, indexed_in, _index: index }
    }

    /// A search in this mode: a question in, passages out, the best first.
    pub fn with(&self, mode: Mode) -> impl Fn(&str) -> Vec<Hit> {
        let vectors: Arc<dyn Vectors> =
            if mode.has_vectors() { self.vectors.clone() } else { Arc::new(NoVectors) };
        let memory = Memory::new(mode.applied_to(self.settings.clone()), vectors);
        move |question| {
            let query = Query { text: question.into(), limit: Some(MAX_HITS), ..Query::default() };
            memory.search(&query).unwrap_or_else(|error| panic!("{question}: {error}")).hits
        }
    }
}

/// Where weights are: as named, as the environment says, beside the program.
fn weights(models: Option<PathBuf>) -> Vec<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|it| Some(it.parent()?.join("models")));
    let named = std::env::var_os("STEWARD_MODELS_DIR").map(PathBuf::from);
    models.into_iter().chain(named).chain(beside).collect()
}

/// Makes the vector of a question once, however many modes ask for it.
struct Remembering {
    embedder: Embedder,
    made: Mutex<HashMap<String, Vec<f32>>>,
}

impl Remembering {
    fn new(embedder: Embedder) -> Self {
        Self { embedder, made: Mutex::default() }
    }
}

impl Vectors for Remembering {
    fn model(&self) -> Result<VectorModel, String> {
        Vectors::model(&self.embedder)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        let [question] = texts else { return Vectors::embed(&self.embedder, texts) };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = made.get(*question) {
            return Ok(vec![vector.clone()]);
        }
        let vectors = Vectors::embed(&self.embedder, texts)?;
        made.extend(vectors.first().map(|vector| ((*question).to_owned(), vector.clone())));
        Ok(vectors)
    }
}
