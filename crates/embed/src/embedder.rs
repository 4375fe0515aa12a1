//! What others hold: texts in, vectors out, wherever they are made. The making is for `local` and `endpoint`.

use crate::{
    endpoint::{Endpoint, EndpointError, EndpointSettings},
    local::Local,
};
use std::{fmt, path::PathBuf, sync::Arc};

/// Turns texts into vectors. Cheap to clone; weights are shared, loaded on first need, dropped after being idle.
#[derive(Clone)]
pub struct Embedder {
    source: Source,
}

#[derive(Clone)]
enum Source {
    Local(Arc<Local>),
    Endpoint(Arc<Endpoint>),
    Absent(Arc<str>),
}

/// Which model makes the vectors. Vectors of different fingerprints cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// What it is called.
    pub name: String,
    /// The SHA-256 of its weights, or `endpoint:url:model`.
    pub fingerprint: String,
    /// How long its vectors are.
    pub dimensions: usize,
}

/// Why there are no vectors, in words for the owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// Nobody wants any.
    #[error("{0}")]
    Absent(String),
    /// The weights were not found.
    #[error("no embedding model was found in {}: run `steward models fetch`", listed(.directories))]
    NotFound {
        /// Where they were sought.
        directories: Vec<PathBuf>,
    },
    /// The weights cannot be used.
    #[error("the embedding model {} cannot be used: {why}; run `steward models fetch` to get it anew", .path.display())]
    Unusable {
        /// Where they are.
        path: PathBuf,
        /// What is wrong with them.
        why: String,
    },
    /// The endpoint cannot be asked.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

/// Why texts were not turned into vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// There is no model.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The endpoint gave none.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

impl Embedder {
    /// Weights of this machine: `minilm.steward` in the first of these directories that has it. Nothing is loaded yet.
    pub fn local(directories: Vec<PathBuf>) -> Self {
        Self { source: Source::Local(Arc::new(Local::new(directories))) }
    }

    /// Vectors of somebody else's, over HTTP. Nothing is asked yet.
    pub fn endpoint(settings: EndpointSettings) -> Self {
        Self { source: Source::Endpoint(Arc::new(Endpoint::new(settings))) }
    }

    /// No vectors at all, and why.
    pub fn absent(why: impl Into<String>) -> Self {
        Self { source: Source::Absent(why.into().into()) }
    }

    /// Which model there is. Local weights are not loaded for it, only the beginning of their file is read. An endpoint
    /// is asked once, and blocks, if nobody said how long its vectors are.
    pub fn model(&self) -> Result<ModelInfo, Unavailable> {
        match &self.source {
            Source::Local(local) => local.model(),
            Source::Endpoint(endpoint) => Ok(endpoint.model()?),
            Source::Absent(why) => Err(Unavailable::Absent(why.to_string())),
        }
    }

    /// A vector of length 1 for each text. Blocks. A text without words becomes zeroes; of a long one, the first 256
    /// word pieces are seen, or what the endpoint takes.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match &self.source {
            Source::Local(local) => Ok(local.embed(texts)?),
            Source::Endpoint(endpoint) => Ok(endpoint.embed(texts)?),
            Source::Absent(why) => Err(Unavailable::Absent(why.to_string()).into()),
        }
    }

    /// Whether nothing must be loaded before vectors are made.
    pub fn is_ready(&self) -> bool {
        !matches!(self.source, Source::Local(_)) || self.is_loaded()
    }

    /// Whether weights are in memory.
    pub fn is_loaded(&self) -> bool {
        self.loaded_bytes() > 0
    }

    /// How much memory they take.
    pub fn loaded_bytes(&self) -> usize {
        match &self.source {
            Source::Local(local) => local.loaded_bytes(),
            Source::Endpoint(_) | Source::Absent(_) => 0,
        }
    }
}

impl fmt::Debug for Embedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match &self.source {
            Source::Local(_) => "Embedder::local",
            Source::Endpoint(_) => "Embedder::endpoint",
            Source::Absent(_) => "Embedder::absent",
        })
    }
}

fn listed(directories: &[PathBuf]) -> String {
    directories.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", ")
}
