//! The examples of what people say, and how near a text comes to each: by its words, and by its meaning where there
//! are vectors. What is made of it is for `route`.

use super::{intent::Intent, words};
use embed::Embedder;
use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

const TEXT: &str = include_str!("examples.txt");

/// The vectors of the examples: 275 texts take more than half a second to embed, and nobody waits that long for a hello. One
/// line with the model's name and the length of a vector, then a byte for each number.
const VECTORS: &[u8] = include_bytes!("examples.vectors");

/// A number of a vector of length 1 as a byte; few are larger than a third.
const SCALE: f32 = 381.0;

/// How much words count beside meaning, found by holding each example against all others.
const WORDS_WEIGHT: f32 = 0.3;

/// So many of the nearest examples speak for an intent together: one alone may only share the topic. Found in the same way.
const SPEAK_TOGETHER: usize = 3;

/// What people say.
pub(crate) static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
    let mut intent = None;
    let mut examples = Vec::new();
    for line in TEXT.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("## "), intent) {
            (Some(name), _) => intent = Intent::named(name),
            (None, Some(intent)) => examples.push(Example { intent, text: line }),
            (None, None) => {}
        }
    }
    examples
});

/// One of them.
pub(crate) struct Example {
    pub intent: Intent,
    pub text: &'static str,
}

/// How near a text comes to what people say for each intent, the nearest first.
pub(crate) struct Ranking {
    pub nearest: Vec<(Intent, f32)>,
    /// Whether meaning was looked at, not only words.
    pub by_meaning: bool,
}

/// What is made once and kept: the examples as vectors of the embedder there is.
#[derive(Default)]
pub(crate) struct Meanings(OnceLock<Option<Vec<Vec<i8>>>>);

/// Ranks the intents for a text. Blocks while the text is embedded.
pub(crate) fn rank(text: &str, embedder: &Embedder, meanings: &Meanings) -> Ranking {
    let by_words = words::nearness(text, EXAMPLES.iter().map(|example| example.text));
    let meaning = meaning(text, embedder, meanings);
    let scores: Vec<f32> = match &meaning {
        Some(meaning) => by_words
            .iter()
            .zip(meaning)
            .map(|(words, meaning)| WORDS_WEIGHT * words + (1.0 - WORDS_WEIGHT) * meaning)
            .collect(),
        None => by_words,
    };
    Ranking { nearest: best_of_each(&scores), by_meaning: meaning.is_some() }
}

fn best_of_each(scores: &[f32]) -> Vec<(Intent, f32)> {
    let mut of_each: HashMap<Intent, Vec<f32>> = HashMap::new();
    for (example, score) in EXAMPLES.iter().zip(scores) {
        of_each.entry(example.intent).or_default().push(*score);
    }
    let mut best: Vec<(Intent, f32)> =
        of_each.into_iter().map(|(intent, scores)| (intent, nearest_few(scores))).collect();
    best.sort_by(|one, two| two.1.total_cmp(&one.1));
    best
}

fn nearest_few(mut scores: Vec<f32>) -> f32 {
    scores.sort_by(|one, two| two.total_cmp(one));
    scores.truncate(SPEAK_TOGETHER);
    #[allow(clippy::cast_precision_loss, reason = "there are at most a few")]
    let count = scores.len().max(1) as f32;
    scores.iter().sum::<f32>() / count
}

/// How near the text is to each example, if it can be embedded.
fn meaning(text: &str, embedder: &Embedder, meanings: &Meanings) -> Option<Vec<f32>> {
    let model = embedder.model().ok()?;
    let kept = meanings.0.get_or_init(|| kept(&model.name, model.dimensions).or_else(|| made(embedder)));
    let examples = kept.as_ref()?;
    let vector = embedder.embed(&[text]).ok()?.into_iter().next()?;
    Some(examples.iter().map(|example| product(example, &vector)).collect())
}

/// The vectors that came along, if they are of this model.
pub(super) fn kept(model: &str, dimensions: usize) -> Option<Vec<Vec<i8>>> {
    let end = VECTORS.iter().position(|byte| *byte == b'\n')?;
    let (head, bytes) = (VECTORS.get(..end)?, VECTORS.get(end + 1..)?);
    if head != format!("{model} {dimensions}").as_bytes() {
        return None;
    }
    let vectors: Vec<Vec<i8>> = bytes
        .chunks_exact(dimensions)
        .map(|vector| vector.iter().map(|byte| byte.cast_signed()).collect())
        .collect();
    (vectors.len() == EXAMPLES.len()).then_some(vectors)
}

fn made(embedder: &Embedder) -> Option<Vec<Vec<i8>>> {
    let texts: Vec<&str> = EXAMPLES.iter().map(|example| example.text).collect();
    let vectors = embedder.embed(&texts).ok()?;
    Some(vectors.iter().map(|vector| vector.iter().map(|number| byte(*number)).collect()).collect())
}

/// The bytes of `examples.vectors`, made anew.
pub fn vectors_file(embedder: &Embedder) -> Result<Vec<u8>, embed::EmbedError> {
    let model = embedder.model()?;
    let texts: Vec<&str> = EXAMPLES.iter().map(|example| example.text).collect();
    let mut file = format!("{} {}\n", model.name, model.dimensions).into_bytes();
    for vector in embedder.embed(&texts)? {
        file.extend(vector.iter().map(|number| byte(*number).cast_unsigned()));
    }
    Ok(file)
}

#[allow(clippy::cast_possible_truncation, reason = "it is within a byte by then")]
fn byte(number: f32) -> i8 {
    (number * SCALE).round().clamp(-127.0, 127.0) as i8
}

pub(super) fn product(example: &[i8], vector: &[f32]) -> f32 {
    let sum: f32 = example.iter().zip(vector).map(|(one, two)| f32::from(*one) * two).sum();
    sum / SCALE
}
