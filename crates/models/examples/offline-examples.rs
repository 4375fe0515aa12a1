//! Makes the vectors of the offline helper's examples anew: `cargo run --release -p models --example offline-examples --
//! FOLDER`, where FOLDER holds the embedding model.

use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder that holds the embedding model")?;
    let embedder = embed::Embedder::local(vec![folder.into()]);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/offline/examples.vectors");
    std::fs::write(&file, models::offline_example_vectors(&embedder)?)?;
    println!("written: {}", file.display());
    Ok(())
}
