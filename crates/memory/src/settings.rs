//! What the owner may set about memory, as values that were already read and checked.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where memory lies and how it is searched.
#[derive(Debug, Clone)]
pub struct MemorySettings {
    /// The assistant's folder, with `MEMORY.md` and `memory/`.
    pub workspace: PathBuf,
    /// The index, which may be deleted at any time: it is made anew from the files.
    pub index: PathBuf,
    /// The folder with what was said in sessions, if that is to be searched.
    pub transcripts: Option<PathBuf>,
    /// Further files, and folders with markdown files.
    pub extra_paths: Vec<PathBuf>,
    /// The most a passage holds. A token is taken to be four characters.
    pub chunk_tokens: usize,
    /// How much of a passage the next one repeats at most, where a text had to be cut.
    pub chunk_overlap: usize,
    /// How the two searches become one.
    pub fusion: Fusion,
    /// How much meaning counts.
    pub vector_weight: f32,
    /// How much words count.
    pub keyword_weight: f32,
    /// What neither search holds for at least this likely is not shown. A small model finds many right answers with
    /// little confidence: of 356 questions, 0.35 loses 4 in 100 right answers that 0.25 keeps.
    pub min_score: f32,
    /// Answers to a search that does not say how many.
    pub max_results: usize,
}

/// How the list by meaning and the list by words become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusion {
    /// The weighted sum of both scores.
    #[default]
    Weighted,
    /// By the places in both lists, whatever the scores.
    Rrf,
}

impl MemorySettings {
    /// What is usual, for the memory in a workspace.
    pub fn new(workspace: PathBuf, index: PathBuf) -> Self {
        Self {
            workspace,
            index,
            transcripts: None,
            extra_paths: Vec::new(),
            chunk_tokens: 400,
            chunk_overlap: 80,
            fusion: Fusion::Weighted,
            vector_weight: 0.7,
            keyword_weight: 0.3,
            min_score: 0.25,
            max_results: 6,
        }
    }
}
