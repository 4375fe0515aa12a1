//! Where tests find the real weights.

use std::path::PathBuf;

/// Where the weights are. Without them these tests fail: what is promised cannot be seen otherwise.
pub fn models() -> PathBuf {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.parent()?.join("models"));
    let folder = std::env::var_os("STEWARD_MODELS_DIR").map(PathBuf::from).or_else(beside).unwrap();
    let there = folder.join("minilm.steward").exists();
    assert!(
        there,
        "no weights in {}: run `cargo build -p steward && scripts/fetch-weights target/debug/steward`",
        folder.display()
    );
    folder
}
