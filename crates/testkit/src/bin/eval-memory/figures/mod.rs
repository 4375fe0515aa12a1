//! What counts as found, and what many questions come to. Pure.

#[cfg(test)]
mod tests;

use super::questions::{Answer, Need, Question};
use memory::Hit;
use std::collections::BTreeSet;

/// What came of one question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// The figures of a question that has an answer.
    pub figures: Option<Figures>,
    /// The score of what stood first; nothing if nothing was shown.
    pub top_score: Option<f32>,
}

/// How well answers were found, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// The share of what is needed that is among the first five.
    pub recall_5: f64,
    /// Among the first ten.
    pub recall_10: f64,
    /// One over the place of the first answer.
    pub reciprocal_rank: f64,
    /// The share of what is needed among the passages that fit into 2,000 characters.
    pub within_2000: f64,
    /// Into 4,000.
    pub within_4000: f64,
}

impl Figures {
    /// What the columns are called, in the order of `values`.
    pub const NAMES: [&str; 5] = ["recall@5", "recall@10", "MRR", "in 2,000 chars", "in 4,000 chars"];

    pub fn values(&self) -> [f64; 5] {
        [self.recall_5, self.recall_10, self.reciprocal_rank, self.within_2000, self.within_4000]
    }

    /// One number for all of them, to choose settings by.
    pub fn worth(&self) -> f64 {
        self.values().iter().sum::<f64>() / 5.0
    }

    /// The mean of several; noughts for none.
    pub fn mean<'a>(of: impl Iterator<Item = &'a Figures>) -> Self {
        let (mut sums, mut count) = ([0.0; 5], 0.0_f64);
        for figures in of {
            for (sum, value) in sums.iter_mut().zip(figures.values()) {
                *sum += value;
            }
            count += 1.0;
        }
        let [recall_5, recall_10, reciprocal_rank, within_2000, within_4000] =
            sums.map(|sum| sum / count.max(1.0));
        Self { recall_5, recall_10, reciprocal_rank, within_2000, within_4000 }
    }
}

/// What came of a question to which this was shown, the best first.
pub fn judge(question: &Question, hits: &[Hit]) -> Outcome {
    let recall = |hits: &[Hit]| recall(question, hits);
    let figures = Figures {
        recall_5: recall(first(hits, 5)),
        recall_10: recall(first(hits, 10)),
        reciprocal_rank: reciprocal_rank(question, hits),
        within_2000: recall(fitting(hits, 2_000)),
        within_4000: recall(fitting(hits, 4_000)),
    };
    Outcome {
        figures: (!question.answers.is_empty()).then_some(figures),
        top_score: hits.first().map(|hit| hit.score),
    }
}

/// How often a question with an answer has a higher top score than one without: 0.5 is no better than a coin.
pub fn tells_apart(answered: &[f32], unanswered: &[f32]) -> f64 {
    let mut won = 0.0;
    for with in answered {
        for without in unanswered {
            won += if with > without {
                1.0
            } else if with < without {
                0.0
            } else {
                0.5
            };
        }
    }
    won / (answered.len() * unanswered.len()).max(1) as f64
}

/// The value below which this share of the values lies.
pub fn quantile(values: &[f32], share: f64) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let place = share * sorted.len().saturating_sub(1) as f64;
    sorted.get(place.round() as usize).copied().unwrap_or_default()
}

fn recall(question: &Question, hits: &[Hit]) -> f64 {
    let is_found = |it: &&Answer| hits.iter().any(|hit| holds(hit, it));
    let found: BTreeSet<u32> = question.answers.iter().filter(is_found).map(|it| it.part).collect();
    let parts: BTreeSet<u32> = question.answers.iter().map(|it| it.part).collect();
    match question.need {
        Need::Any => f64::from(!found.is_empty()),
        Need::All => found.len() as f64 / parts.len().max(1) as f64,
    }
}

fn reciprocal_rank(question: &Question, hits: &[Hit]) -> f64 {
    let answers = |hit: &Hit| question.answers.iter().any(|it| holds(hit, it));
    hits.iter().position(answers).map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

fn holds(hit: &Hit, answer: &Answer) -> bool {
    hit.path == answer.path && hit.excerpt.contains(&answer.text)
}

fn first(hits: &[Hit], most: usize) -> &[Hit] {
    &hits[..most.min(hits.len())]
}

/// Those that fit whole into so many characters, up to the first that does not.
fn fitting(hits: &[Hit], characters: usize) -> &[Hit] {
    let mut left = characters;
    let fits = |hit: &&Hit| match left.checked_sub(hit.excerpt.chars().count()) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    first(hits, hits.iter().take_while(fits).count())
}
