//! All vectors of one model side by side in memory, and which of them are nearest to a query's.

use crate::{
    dot::dot,
    error::MemoryError,
    index::{Index, VectorRow},
    vectors::{Quantised, VectorModel, unit},
};

/// Vectors whose nearness is reckoned exactly, for those it is reckoned roughly to find.
const EXACT: usize = 200;

/// The vectors of one model.
pub(crate) struct Matrix {
    model: VectorModel,
    /// How often vectors had been forgotten when this was made.
    prunes: i64,
    ids: Vec<i64>,
    scales: Vec<f32>,
    /// One row after another.
    bytes: Vec<i8>,
}

impl Matrix {
    /// The vectors as they are by now: what is held already is not read again.
    pub fn refreshed(present: Option<Self>, index: &Index, model: &VectorModel) -> Result<Self, MemoryError> {
        let prunes = index.prunes()?;
        let mut matrix = match present {
            Some(matrix) if matrix.model == *model && matrix.prunes == prunes => matrix,
            _ => {
                Self { model: model.clone(), prunes, ids: Vec::new(), scales: Vec::new(), bytes: Vec::new() }
            }
        };
        let last = matrix.ids.last().copied().unwrap_or(0);
        let new = index.vector_count(&model.fingerprint, last)?;
        // Doubling would take twice the memory.
        matrix.ids.reserve_exact(new);
        matrix.scales.reserve_exact(new);
        matrix.bytes.reserve_exact(new * model.dimensions);
        index.vectors_above(&model.fingerprint, last, &mut |row| matrix.push(&row))?;
        Ok(matrix)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The ids of the nearest vectors with the cosine of their angle to the query, the nearest first.
    pub fn nearest(&self, query: &[f32], most: usize) -> Vec<(i64, f32)> {
        let (Some(exact), Some(rough)) = (unit(query), Quantised::new(query)) else { return Vec::new() };
        if exact.len() != self.model.dimensions {
            return Vec::new();
        }
        let rows = self.bytes.chunks_exact(self.model.dimensions);
        let mut best: Vec<(f32, u32)> = rows
            .zip(&self.scales)
            .zip(0..)
            .map(|((row, scale), at)| (dot(row, &rough.bytes) as f32 * scale, at))
            .collect();
        let kept = most.max(EXACT);
        if best.len() > kept {
            best.select_nth_unstable_by(kept, |one, other| other.0.total_cmp(&one.0));
            best.truncate(kept);
        }
        for (score, at) in &mut best {
            *score = self.cosine(*at as usize, &exact);
        }
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        best.truncate(most);
        best.into_iter().map(|(score, at)| (self.ids[at as usize], score)).collect()
    }

    fn push(&mut self, row: &VectorRow) {
        if row.bytes.len() == self.model.dimensions {
            self.ids.push(row.id);
            self.scales.push(row.scale);
            self.bytes.extend(row.bytes.iter().map(|byte| byte.cast_signed()));
        }
    }

    fn cosine(&self, at: usize, query: &[f32]) -> f32 {
        let row = &self.bytes[at * query.len()..(at + 1) * query.len()];
        cosine(row.iter().copied(), self.scales[at], query)
    }
}

/// The cosine of the angle between a kept vector and one of length one.
pub(crate) fn cosine(row: impl Iterator<Item = i8>, scale: f32, query: &[f32]) -> f32 {
    row.zip(query).map(|(byte, number)| f32::from(byte) * number).sum::<f32>() * scale
}
