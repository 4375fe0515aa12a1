//! Vectors of this machine, with the real weights.

use crate::weights::models;
use embed::{Embedder, FILE_NAME, Unavailable};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn embedder() -> Embedder {
    Embedder::local(vec![PathBuf::from("/nowhere"), models()])
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The similarities that those who made the model publish, and some of the 32-bit model.
#[test]
fn similarities_are_those_of_the_published_model() {
    let embedder = embedder();
    let check = |a: &str, b: &str, expected: f32| {
        let vectors = embedder.embed(&[a, b]).unwrap();
        let found = cosine(&vectors[0], &vectors[1]);
        assert!((found - expected).abs() < 0.01, "{a} / {b}: {found}, expected {expected}");
    };
    let [weather, sunny, stadium] =
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."];
    check(weather, sunny, 0.6660);
    check(weather, stadium, 0.1046);
    check(sunny, stadium, 0.1411);
    check("That is a happy person", "That is a happy dog", 0.6945);
    check("That is a happy person", "That is a very happy person", 0.9429);
}

#[test]
fn vectors_have_unit_length_and_texts_without_words_none() {
    let long = "a long story ".repeat(1 << 16);
    let texts = ["hello", "", "  \n", "日本語のテキスト", "😀", &long];
    let embedder = embedder();
    assert_eq!(embedder.embed(&[]).unwrap().len(), 0);
    let vectors = embedder.embed(&texts).unwrap();
    for (text, vector) in texts.iter().zip(&vectors) {
        let expected = if text.trim().is_empty() { 0.0 } else { 1.0 };
        let text: String = text.chars().take(20).collect();
        assert_eq!(vector.len(), 384);
        assert!((cosine(vector, vector) - expected).abs() < 1e-5, "{text:?}: {}", cosine(vector, vector));
    }
}

#[test]
fn a_vector_does_not_depend_on_what_else_is_asked() {
    let embedder = embedder();
    let texts: Vec<String> =
        (0..40).map(|at| format!("note {at}: {}", "the lease ends ".repeat(at))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embedder.embed(&texts).unwrap();
    for (text, vector) in texts.iter().zip(together) {
        assert_eq!(embedder.embed(&[text]).unwrap(), [vector], "{text}");
    }
}

#[test]
fn only_the_first_256_pieces_are_seen() {
    let embedder = embedder();
    // 254 words, and the two marks.
    let full = "word ".repeat(254);
    let vectors = embedder.embed(&[&full, &format!("{full} and more")]).unwrap();
    assert_eq!(vectors[0], vectors[1]);
    let vectors = embedder.embed(&[&"word ".repeat(253), &format!("{} more", "word ".repeat(253))]).unwrap();
    assert_ne!(vectors[0], vectors[1]);
}

#[test]
fn weights_are_loaded_on_first_need_and_shared() {
    let embedder = embedder();
    let model = embedder.model().unwrap();
    assert_eq!((model.name.as_str(), model.dimensions), ("all-MiniLM-L6-v2", 384));
    assert_eq!((embedder.is_loaded(), embedder.loaded_bytes()), (false, 0));
    let other = embedder.clone();
    other.embed(&["hello"]).unwrap();
    assert!(embedder.is_loaded());
    assert!((20 << 20..30 << 20).contains(&embedder.loaded_bytes()));
    assert_eq!(embedder.model().unwrap(), model);
}

#[test]
fn what_is_missing_or_damaged_is_said() {
    let check = |folder: &Path, expected: &str| {
        let embedder = Embedder::local(vec![folder.to_owned()]);
        for error in [
            embedder.embed(&["a"]).unwrap_err().to_string(),
            embed::inspect(&[folder.into()]).unwrap_err().to_string(),
        ] {
            assert!(error.contains(expected) && error.contains("`steward models fetch`"), "{error}");
        }
    };
    let folder = tempfile::tempdir().unwrap();
    check(folder.path(), "no embedding model was found in ");
    let file = folder.path().join(FILE_NAME);
    let whole = fs::read(models().join(FILE_NAME)).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let mut newer = whole.clone();
    newer[8] += 1;
    for (content, expected) in [
        (&flipped[..], "it is damaged"),
        (&whole[..whole.len() / 2], "it cannot be read"),
        (&newer[..], "it is not a model file of this version"),
        (b"", "it is not a model file of this version"),
        (b"something else that is long enough", "it is not a model file of this version"),
    ] {
        fs::write(&file, content).unwrap();
        check(folder.path(), expected);
    }
    fs::write(&file, &whole).unwrap();
    assert_eq!(embed::inspect(&[folder.path().into()]).unwrap().bytes, whole.len() as u64);
    let absent = Embedder::absent("embeddings are switched off");
    assert_eq!(absent.model(), Err(Unavailable::Absent("embeddings are switched off".into())));
    assert_eq!(absent.embed(&["a"]).unwrap_err().to_string(), "embeddings are switched off");
}
