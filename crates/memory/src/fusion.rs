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

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(fusion: Fusion, with_vectors: bool, opinions: &[(f32, f32)]) -> Vec<f32> {
        let mut settings = MemorySettings::new("/w".into(), "/i".into());
        settings.fusion = fusion;
        let opinions: HashMap<i64, Opinion> =
            (0..).zip(opinions).map(|(id, &(vector, keyword))| (id, Opinion { vector, keyword })).collect();
        let fused = fuse(&opinions, with_vectors, &settings);
        (0..opinions.len() as i64).map(|id| (fused[&id] * 1000.0).round() / 1000.0).collect()
    }

    #[test]
    fn scores_are_weighted_or_places_are() {
        let opinions = [(0.5, 1.0), (0.8, 0.0), (0.0, 0.6)];
        assert_eq!(scores(Fusion::Weighted, true, &opinions), [0.65, 0.56, 0.18]);
        assert_eq!(scores(Fusion::Rrf, true, &opinions), [0.992, 0.5, 0.492]);
        assert_eq!(scores(Fusion::Weighted, false, &opinions), [1.0, 0.0, 0.6]);
        assert_eq!(scores(Fusion::Rrf, true, &[(1.0, 1.0)]), [1.0]);
    }
}
