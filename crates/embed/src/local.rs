//! Weights of this machine: sought, loaded on first need, dropped when idle. What is computed with them is for
//! `forward`.

use crate::{
    embedder::{ModelInfo, Unavailable},
    forward::{MAX_TOKENS, forward},
    shape::{HIDDEN, MAX_PIECES},
    weights::{BadFile, Header, Weights, read_header},
    wordpiece,
};
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// What the file of the weights is called.
pub const FILE_NAME: &str = "minilm.steward";

/// A model file that was found to be in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// How big it is.
    pub bytes: u64,
    /// Which model it holds.
    pub model: ModelInfo,
    /// The hash of the file the weights were taken from.
    pub source_sha256: String,
}

/// Looks for a model file in these directories, as an embedder does, and checks it whole.
pub fn inspect(directories: &[PathBuf]) -> Result<Found, Unavailable> {
    let (path, file) = Local::new(directories.to_vec()).seek()?;
    let weights = Weights::load(&path).map_err(|error| unusable(&path, &error))?;
    let metadata = file.metadata().map_err(|error| unusable(&path, &error.into()))?;
    let (model, source_sha256) = (info(&weights.header), weights.header.source_sha256);
    Ok(Found { path, bytes: metadata.len(), model, source_sha256 })
}

/// How long weights stay in memory unused. Questions come in bursts, and loading again costs a few hundredths of a
/// second.
const IDLE: Duration = Duration::from_secs(60);

/// Weights that may be in memory.
pub(crate) struct Local {
    directories: Vec<PathBuf>,
    idle: Duration,
    loaded: Arc<Mutex<Option<Loaded>>>,
}

struct Loaded {
    weights: Arc<Weights>,
    last_used: Instant,
    /// Dropped along with the weights, which ends the thread that waits for them to be idle.
    _watched: mpsc::Sender<()>,
}

impl Local {
    /// Seeks weights in these directories when they are needed.
    pub(crate) fn new(directories: Vec<PathBuf>) -> Self {
        Self { directories, idle: IDLE, loaded: Arc::default() }
    }

    /// Which model there is.
    pub(crate) fn model(&self) -> Result<ModelInfo, Unavailable> {
        if let Some(loaded) = &*lock(&self.loaded) {
            return Ok(info(&loaded.weights.header));
        }
        let (path, mut file) = self.seek()?;
        let header = read_header(&mut file).map_err(|error| unusable(&path, &error))?;
        Ok(info(&header))
    }

    /// A vector for each text.
    pub(crate) fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Unavailable> {
        let weights = self.weights()?;
        let vectors = embed(&weights, texts);
        if let Some(loaded) = &mut *lock(&self.loaded) {
            loaded.last_used = Instant::now();
        }
        Ok(vectors)
    }

    /// How much memory the weights take now.
    pub(crate) fn loaded_bytes(&self) -> usize {
        lock(&self.loaded).as_ref().map_or(0, |loaded| loaded.weights.bytes())
    }

    fn weights(&self) -> Result<Arc<Weights>, Unavailable> {
        let mut slot = lock(&self.loaded);
        if let Some(loaded) = &mut *slot {
            loaded.last_used = Instant::now();
            return Ok(Arc::clone(&loaded.weights));
        }
        let (path, _) = self.seek()?;
        let weights = Arc::new(Weights::load(&path).map_err(|error| unusable(&path, &error))?);
        let (watched, ended) = mpsc::channel();
        let (watch, idle) = (Arc::downgrade(&self.loaded), self.idle);
        let spawned = thread::Builder::new()
            .name("embed-idle".to_owned())
            .spawn(move || drop_when_idle(&watch, &ended, idle));
        match spawned {
            Ok(_) => {
                let loaded =
                    Loaded { weights: Arc::clone(&weights), last_used: Instant::now(), _watched: watched };
                *slot = Some(loaded);
            }
            // Without somebody to drop them, weights are not kept.
            Err(error) => tracing::warn!(%error, "the embedding model is loaded for one use only"),
        }
        Ok(weights)
    }

    fn seek(&self) -> Result<(PathBuf, File), Unavailable> {
        for path in self.directories.iter().map(|directory| directory.join(FILE_NAME)) {
            match File::open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unusable(&path, &error.into())),
            }
        }
        Err(Unavailable::NotFound { directories: self.directories.clone() })
    }
}

/// Waits until the weights were not used for so long, drops them, and ends. Ends at once when somebody else does.
fn drop_when_idle(watched: &Weak<Mutex<Option<Loaded>>>, ended: &mpsc::Receiver<()>, idle: Duration) {
    let mut wait = idle;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let Some(loaded) = watched.upgrade() else { return };
        let mut slot = lock(&loaded);
        let Some(loaded) = &*slot else { return };
        // A long batch holds them by itself.
        let in_use = Arc::strong_count(&loaded.weights) > 1;
        wait = if in_use { idle } else { idle.saturating_sub(loaded.last_used.elapsed()) };
        if wait.is_zero() {
            *slot = None;
            return;
        }
    }
}

/// Cuts the texts into pieces and packs as many into a pass as fit.
fn embed(weights: &Weights, texts: &[&str]) -> Vec<Vec<f32>> {
    let vocabulary = &weights.vocabulary;
    let mut vectors = vec![vec![0.0; HIDDEN]; texts.len()];
    let mut packed: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut tokens = 0;
    for (number, text) in texts.iter().enumerate() {
        let words = wordpiece::pieces(vocabulary, text, MAX_PIECES - 2);
        if words.is_empty() {
            continue;
        }
        let pieces: Vec<u32> = [vocabulary.start].into_iter().chain(words).chain([vocabulary.end]).collect();
        if tokens + pieces.len() > MAX_TOKENS {
            pass(weights, &packed, &mut vectors);
            packed.clear();
            tokens = 0;
        }
        tokens += pieces.len();
        packed.push((number, pieces));
    }
    pass(weights, &packed, &mut vectors);
    vectors
}

fn pass(weights: &Weights, packed: &[(usize, Vec<u32>)], vectors: &mut [Vec<f32>]) {
    let texts: Vec<&[u32]> = packed.iter().map(|(_, pieces)| pieces.as_slice()).collect();
    for ((number, _), vector) in packed.iter().zip(forward(weights, &texts)) {
        vectors[*number] = vector;
    }
}

fn info(header: &Header) -> ModelInfo {
    ModelInfo {
        name: header.name.clone(),
        fingerprint: header.payload_sha256.clone(),
        dimensions: header.dimensions,
    }
}

fn unusable(path: &Path, why: &BadFile) -> Unavailable {
    Unavailable::Unusable { path: path.to_owned(), why: why.to_string() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
