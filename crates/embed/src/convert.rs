//! Makes a model file of the weights as they are published: 32-bit numbers become 8-bit integers with one scale for
//! each row. Where the published files come from is for `fetch`, how the result is read for `weights`.

use crate::{
    shape::{HEAD, HIDDEN, LAYERS, MAX_PIECES, NAME, VOCABULARY},
    weights::{Header, MAGIC, VERSION, hex},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The file that is known to be all-MiniLM-L6-v2. The same weights are published in several places.
pub(crate) const WEIGHTS_SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// Its vocabulary, one piece a line.
pub(crate) const VOCABULARY_SHA256: &str = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3";

/// The greatest 8-bit weight; -128 is left out, so that a row and its negative are equally good.
const MAX_WEIGHT: f32 = 127.0;

/// Why published files cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadSource {
    /// The weights are not those that are known.
    #[error("these are not the weights of all-MiniLM-L6-v2 (their SHA-256 is another one)")]
    Weights,
    /// The vocabulary is not the one that is known.
    #[error("this is not the vocabulary of all-MiniLM-L6-v2 (its SHA-256 is another one)")]
    Vocabulary,
    /// What has the right hash does not have the right layout.
    #[error("the weights do not have the expected layout")]
    Layout,
}

/// A whole model file, from `model.safetensors` and `vocab.txt`.
pub(crate) fn convert(safetensors: &[u8], vocabulary: &str) -> Result<Vec<u8>, BadSource> {
    let source_sha256 = hex(&Sha256::digest(safetensors));
    if source_sha256 != WEIGHTS_SHA256 {
        return Err(BadSource::Weights);
    }
    if hex(&Sha256::digest(vocabulary)) != VOCABULARY_SHA256 {
        return Err(BadSource::Vocabulary);
    }
    let tensors = Tensors::read(safetensors).ok_or(BadSource::Layout)?;
    let payload = payload(&tensors, vocabulary).ok_or(BadSource::Layout)?;
    let header = Header {
        name: NAME.to_owned(),
        dimensions: HIDDEN,
        source_sha256,
        payload_sha256: hex(&Sha256::digest(&payload)),
        payload_bytes: payload.len(),
    };
    let header = serde_json::to_vec(&header).map_err(|_| BadSource::Layout)?;
    let length = u32::try_from(header.len()).map_err(|_| BadSource::Layout)?;
    let mut file = Vec::with_capacity(payload.len() + header.len() + 16);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(&header);
    file.extend_from_slice(&payload);
    Ok(file)
}

fn payload(tensors: &Tensors<'_>, vocabulary: &str) -> Option<Vec<u8>> {
    let mut into = Sections::default();
    into.bytes(vocabulary.as_bytes());
    into.matrix(&tensors.get("embeddings.word_embeddings.weight")?, &[0.0; VOCABULARY], HIDDEN);
    // Every text is a single one, so what is added for its number can as well be added to each place.
    let mut positions = tensors.get("embeddings.position_embeddings.weight")?;
    positions.truncate(MAX_PIECES * HIDDEN);
    let kinds = tensors.get("embeddings.token_type_embeddings.weight")?;
    for row in positions.chunks_mut(HIDDEN) {
        row.iter_mut().zip(&kinds).for_each(|(number, kind)| *number += kind);
    }
    into.numbers(&positions);
    into.normal(tensors, "embeddings.LayerNorm")?;
    for layer in (0..LAYERS).map(|number| format!("encoder.layer.{number}")) {
        let mut attention = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            // Scores are products of query and key, over the root of their length.
            let factor = if part == "query" { 1.0 / (HEAD as f32).sqrt() } else { 1.0 };
            let name = format!("{layer}.attention.self.{part}");
            attention.0.extend(tensors.get(&format!("{name}.weight"))?.iter().map(|it| it * factor));
            attention.1.extend(tensors.get(&format!("{name}.bias"))?.iter().map(|it| it * factor));
        }
        into.matrix(&attention.0, &attention.1, HIDDEN);
        into.linear(tensors, &format!("{layer}.attention.output.dense"))?;
        into.normal(tensors, &format!("{layer}.attention.output.LayerNorm"))?;
        into.linear(tensors, &format!("{layer}.intermediate.dense"))?;
        into.linear(tensors, &format!("{layer}.output.dense"))?;
        into.normal(tensors, &format!("{layer}.output.LayerNorm"))?;
    }
    Some(into.0)
}

/// Sections that follow each other, each after its length.
#[derive(Default)]
struct Sections(Vec<u8>);

impl Sections {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn numbers(&mut self, numbers: &[f32]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.bytes(&bytes);
    }

    fn matrix(&mut self, weights: &[f32], bias: &[f32], columns: usize) {
        let (mut values, mut scales) = (Vec::with_capacity(weights.len()), Vec::new());
        for row in weights.chunks(columns) {
            let greatest = row.iter().fold(f32::MIN_POSITIVE, |greatest, it| greatest.max(it.abs()));
            let scale = greatest / MAX_WEIGHT;
            values.extend(row.iter().map(|it| ((it / scale).round() as i8).cast_unsigned()));
            scales.push(scale);
        }
        self.bytes(&values);
        self.numbers(&scales);
        self.numbers(bias);
    }

    fn linear(&mut self, tensors: &Tensors<'_>, name: &str) -> Option<()> {
        let (weights, bias) =
            (tensors.get(&format!("{name}.weight"))?, tensors.get(&format!("{name}.bias"))?);
        self.matrix(&weights, &bias, weights.len() / bias.len().max(1));
        Some(())
    }

    fn normal(&mut self, tensors: &Tensors<'_>, name: &str) -> Option<()> {
        self.numbers(&tensors.get(&format!("{name}.weight"))?);
        self.numbers(&tensors.get(&format!("{name}.bias"))?);
        Some(())
    }
}

/// The tensors of a file in the safetensors format: a length, a directory in JSON, numbers.
struct Tensors<'a> {
    directory: HashMap<String, Tensor>,
    numbers: &'a [u8],
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    data_offsets: [usize; 2],
}

impl<'a> Tensors<'a> {
    fn read(file: &'a [u8]) -> Option<Self> {
        let (length, rest) = file.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (directory, numbers) = rest.split_at_checked(length)?;
        let mut directory: HashMap<String, serde_json::Value> = serde_json::from_slice(directory).ok()?;
        directory.remove("__metadata__");
        let directory =
            directory.into_iter().map(|(name, it)| Some((name, serde_json::from_value(it).ok()?)));
        Some(Self { directory: directory.collect::<Option<_>>()?, numbers })
    }

    fn get(&self, name: &str) -> Option<Vec<f32>> {
        let tensor = self.directory.get(name).filter(|tensor| tensor.dtype == "F32")?;
        let [start, end] = tensor.data_offsets;
        let (numbers, rest) = self.numbers.get(start..end)?.as_chunks();
        rest.is_empty().then(|| numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }
}
