//! The questions as they stand in the file. What they are checked for is up to `evals/memory/check.py`.

use serde::Deserialize;
use std::path::Path;

/// One question, with the passages that answer it.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    pub id: String,
    pub q: String,
    pub kind: String,
    pub lang: String,
    /// None at all if nothing in the corpus answers it.
    pub answers: Vec<Answer>,
    pub need: Need,
}

/// A passage that answers: of this file, and holding this text.
#[derive(Debug, Clone, Deserialize)]
pub struct Answer {
    pub path: String,
    pub text: String,
    /// Which part of the whole answer this is. Those of one part say the same.
    #[serde(default)]
    pub part: u32,
}

/// What it takes: any answer, or one of each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    Any,
    All,
}

/// The questions of a file, one on each line.
pub fn read(path: &Path) -> Vec<Question> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|it| panic!("{line}: {it}"))).collect()
}
