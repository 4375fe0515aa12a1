//! Notes that were made up: words as frequent as in real texts, and vectors that lie in clusters.

use memory::{VectorModel, Vectors};
use std::{fmt::Write as _, fs, path::Path};

pub const DIMENSIONS: usize = 384;

/// Different subjects, each a cluster of vectors.
const SUBJECTS: u64 = 500;

/// Different words; the first are the most frequent.
const VOCABULARY: f64 = 40_000.0;

/// Passages in one file.
const PER_FILE: usize = 400;

/// What a query consists of besides its subject.
pub const WORDS: &[u64] = &[700, 3_000, 9_000];
/// A long question with frequent words.
pub const CHATTY: &[u64] = &[12, 25, 40, 90, 200, 700, 3_000];
/// Words that stand nowhere, so that meaning alone decides.
pub const UNKNOWN: &[u64] = &[];

/// A query of some subject.
pub fn query(run: usize, words: &[u64]) -> String {
    let subject = run as u64 % SUBJECTS;
    let words: Vec<String> = words.iter().map(|word| self::word(word + run as u64)).collect();
    // The subject is known to the model, and is no word of any text.
    format!("about{subject} {}", words.join(" "))
}

/// Paragraphs of about 500 letters, each long enough to stand alone.
pub fn write_notes(workspace: &Path, passages: usize) {
    fs::create_dir_all(workspace.join("memory")).unwrap();
    for file in 0..passages.div_ceil(PER_FILE) {
        let mut text = String::new();
        for number in 0..PER_FILE.min(passages - file * PER_FILE) {
            let mut random = Random((file * PER_FILE + number) as u64 + 1);
            let subject = random.next() % SUBJECTS;
            write!(text, "subject {subject} ").unwrap();
            for _ in 0..70 {
                // As frequent as their rank is low.
                let rank = VOCABULARY.powf(random.fraction()) as u64;
                write!(text, "{} ", word(rank)).unwrap();
            }
            text.push_str("\n\n");
        }
        fs::write(workspace.join(format!("memory/{file}.md")), text).unwrap();
    }
}

/// Knows the subject of a text and nothing else of it.
pub struct MadeUp;

impl Vectors for MadeUp {
    fn model(&self) -> Result<VectorModel, String> {
        Ok(VectorModel { name: "made up".into(), fingerprint: "made up".into(), dimensions: DIMENSIONS })
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

pub fn vector(text: &str) -> Vec<f32> {
    let subject: u64 = text
        .strip_prefix("subject ")
        .or_else(|| text.strip_prefix("about"))
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .unwrap_or(SUBJECTS);
    let own = text.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let (mut middle, mut around) = (Random(subject * 7_919 + 3), Random(own | 1));
    (0..DIMENSIONS).map(|_| (middle.fraction() - 0.5 + 0.7 * (around.fraction() - 0.5)) as f32).collect()
}

fn word(rank: u64) -> String {
    let mut random = Random(rank * 104_729 + 17);
    let syllables = 2 + (rank > 100) as usize + (rank > 5_000) as usize;
    (0..syllables)
        .map(|_| {
            let (one, other) = (random.next() as usize % 17, random.next() as usize % 5);
            format!("{}{}", &"bcdfghklmnprstvwz"[one..=one], &"aeiou"[other..=other])
        })
        .collect()
}

/// Numbers without a pattern, always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
