//! A workspace in a temporary folder, with another folder beside it that nothing may reach; and a model small enough to
//! be understood.

use memory::{Found, Kind, Memory, MemorySettings, NoVectors, Query, VectorModel, Vectors};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};
use tempfile::TempDir;

pub struct Scene {
    folder: TempDir,
    pub memory: Memory,
}

impl Scene {
    /// A memory without vectors.
    pub fn new() -> Self {
        Self::with(Arc::new(NoVectors), |_| {})
    }

    pub fn with(vectors: Arc<dyn Vectors>, change: impl FnOnce(&mut MemorySettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["workspace", "outside", "data/sessions"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let mut settings = settings(folder.path());
        change(&mut settings);
        Self { memory: Memory::new(settings, vectors), folder }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join("workspace").join(path)
    }

    pub fn outside(&self, path: &str) -> PathBuf {
        self.root().join("outside").join(path)
    }

    pub fn index(&self) -> PathBuf {
        self.root().join("data/memory.db")
    }

    /// The same files and the same index, as another process would see them.
    pub fn another(&self, vectors: Arc<dyn Vectors>) -> Memory {
        Memory::new(settings(self.root()), vectors)
    }

    pub fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        put(&self.path(path), text);
    }

    pub fn put_transcript(&self, name: &str, text: &str) {
        put(&self.root().join("data/sessions").join(name), text);
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn found(&self, text: &str) -> Found {
        found(&self.memory, text, None)
    }

    /// Where the hits stand.
    pub fn places(&self, text: &str) -> Vec<(String, usize, usize)> {
        places(self.found(text))
    }
}

pub fn settings(root: &Path) -> MemorySettings {
    let mut settings = MemorySettings::new(root.join("workspace"), root.join("data/memory.db"));
    settings.transcripts = Some(root.join("data/sessions"));
    settings.max_results = 10;
    settings
}

pub fn found(memory: &Memory, text: &str, kind: Option<Kind>) -> Found {
    memory
        .search(&Query { text: text.into(), kinds: kind.into_iter().collect(), ..Query::default() })
        .unwrap()
}

pub fn places(found: Found) -> Vec<(String, usize, usize)> {
    found.hits.into_iter().map(|hit| (hit.path, hit.line_start, hit.line_end)).collect()
}

fn put(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A model that knows a few meanings, each by several words, and counts what it is asked for. What it does not know is
/// near to nothing.
pub struct Meanings {
    texts: Mutex<usize>,
    told: Condvar,
    pub failure: Mutex<Option<String>>,
    pub fingerprint: Mutex<String>,
}

const MEANINGS: &[&[&str]] = &[
    &["dentist", "teeth", "toothache"],
    &["bicycle", "bike", "cycling"],
    &["tea", "drink", "beverage"],
    &["daughter", "child", "school"],
    &["server", "computer", "machine"],
    &["holiday", "vacation", "trip"],
];

/// Directions for what has no meaning here, so that two such texts are seldom alike.
const UNKNOWN: usize = 64;

impl Meanings {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            texts: Mutex::new(0),
            told: Condvar::new(),
            failure: Mutex::new(None),
            fingerprint: Mutex::new("meanings 1".into()),
        })
    }

    /// How many texts it was asked for since the last time this was asked.
    pub fn asked(&self) -> usize {
        std::mem::take(&mut *self.texts.lock().unwrap())
    }

    /// Waits until it was asked for so many texts.
    pub fn wait_for(&self, texts: usize) {
        let limit = Duration::from_secs(60);
        let asked = self.texts.lock().unwrap();
        let (_asked, waited) = self.told.wait_timeout_while(asked, limit, |asked| *asked < texts).unwrap();
        assert!(!waited.timed_out(), "it was never asked for {texts} texts");
    }
}

impl Vectors for Meanings {
    fn model(&self) -> Result<VectorModel, String> {
        let fingerprint = self.fingerprint.lock().unwrap().clone();
        Ok(VectorModel { name: "meanings".into(), fingerprint, dimensions: MEANINGS.len() + UNKNOWN })
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        if let Some(why) = self.failure.lock().unwrap().clone() {
            return Err(why);
        }
        *self.texts.lock().unwrap() += texts.len();
        self.told.notify_all();
        let count =
            |text: &str, words: &[&str]| words.iter().filter(|word| text.contains(**word)).count() as f32;
        let vector = |text: &&str| {
            let text = text.to_lowercase();
            let other =
                text.bytes().fold(7, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000_003) % UNKNOWN;
            let unknown = (0..UNKNOWN).map(|at| if at == other { 0.05 } else { 0.0 });
            MEANINGS.iter().map(|words| count(&text, words)).chain(unknown).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}
