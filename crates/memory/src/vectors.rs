//! What memory asks of whoever turns text into vectors, and how a vector is kept: one signed byte for each number.

use embed::Embedder;

/// What turns text into vectors. Both calls may block for as long as loading a model or asking an endpoint takes.
pub trait Vectors: Send + Sync {
    /// Which model would be used. The error says in plain words why there is none.
    fn model(&self) -> Result<VectorModel, String>;

    /// Whether asking takes no longer than it has to: nothing must be loaded first.
    fn is_ready(&self) -> bool {
        true
    }

    /// One vector for each text, in the same order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String>;
}

/// What a vector was made by. Vectors of different fingerprints cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorModel {
    /// For people.
    pub name: String,
    /// Differs whenever the same text may give another vector.
    pub fingerprint: String,
    /// The numbers in one vector.
    pub dimensions: usize,
}

impl Vectors for Embedder {
    fn model(&self) -> Result<VectorModel, String> {
        let model = Self::model(self).map_err(|error| error.to_string())?;
        Ok(VectorModel { name: model.name, fingerprint: model.fingerprint, dimensions: model.dimensions })
    }

    fn is_ready(&self) -> bool {
        Self::is_ready(self)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        Self::embed(self, texts).map_err(|error| error.to_string())
    }
}

/// No vectors at all: search goes by words only, and says so.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVectors;

impl Vectors for NoVectors {
    fn model(&self) -> Result<VectorModel, String> {
        Err("no embedding model is set up".into())
    }

    fn embed(&self, _texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        Err("no embedding model is set up".into())
    }
}

/// A vector of length one in a byte for each number: `number = byte * scale`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantised {
    pub bytes: Vec<i8>,
    pub scale: f32,
}

impl Quantised {
    /// Nothing if it has no direction, or holds what is no number.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let vector = unit(vector)?;
        let largest = vector.iter().fold(0_f32, |most, number| most.max(number.abs()));
        let scale = largest / 127.0;
        // Between -127 and 127 by the choice of the scale.
        let bytes = vector.iter().map(|number| (number / scale).round() as i8).collect();
        Some(Self { bytes, scale })
    }
}

/// The vector of length one in the same direction.
pub(crate) fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(|number| number / length).collect())
}
