//! Two opinions on a passage become one score. Pure.

use crate::settings::{Fusion, MemorySettings};
use std::collections::HashMap;

/// What keeps the first places of a list from deciding alone; the value of the paper that proposed it.
const RRF_K: f32 = 60.0;

/// What the searches say of a passage, from 0 to 1; nothing is nought.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Opinion {
    pub vector: f32,
    pub keyword: f32,
}

impl Opinion {
    /// The more favourable of the two.
    pub fn best(self) -> f32 {
        self.vector.max(self.keyword)
    }
}

/// The score of each passage, from 0 to 1. Without vectors, words decide alone.
pub(crate) fn fuse(
    opinions: &HashMap<i64, Opinion>,
    with_vectors: bool,
    settings: &MemorySettings,
) -> HashMap<i64, f32> {
    match settings.fusion {
        _ if !with_vectors => opinions.iter().map(|(id, opinion)| (*id, opinion.keyword)).collect(),
        Fusion::Weighted => {
            let (vector, keyword) = (settings.vector_weight.max(0.0), settings.keyword_weight.max(0.0));
            let whole = (vector + keyword).max(f32::EPSILON);
            let score = |it: &Opinion| (vector * it.vector + keyword * it.keyword) / whole;
            opinions.iter().map(|(id, opinion)| (*id, score(opinion))).collect()
        }
        Fusion::Rrf => {
            let mut scores: HashMap<i64, f32> = opinions.keys().map(|id| (*id, 0.0)).collect();
            for list in [ranked(opinions, |it| it.vector), ranked(opinions, |it| it.keyword)] {
                for (place, id) in (1..).zip(list) {
                    // Half of what the first place would give, so that first in both is one.
                    *scores.entry(id).or_default() += (RRF_K + 1.0) / (2.0 * (RRF_K + place as f32));
                }
            }
            scores
        }
    }
}

/// Those a search has anything to say for, the best first.
fn ranked(opinions: &HashMap<i64, Opinion>, of: fn(&Opinion) -> f32) -> Vec<i64> {
    let mut list: Vec<(i64, f32)> =
        opinions.iter().map(|(id, opinion)| (*id, of(opinion))).filter(|(_, score)| *score > 0.0).collect();
    list.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    list.into_iter().map(|(id, _)| id).collect()
}
