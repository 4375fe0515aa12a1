//! Has the gateway built again when the page was, and says so when there is none to take in.

use std::{fs, path::Path};

fn main() {
    let dist = Path::new("../../ui/dist");
    // A folder that is not there would count as changed at every build. Where it cannot be made, so be it.
    if let Err(error) = fs::create_dir_all(dist) {
        println!("cargo::warning=cannot make ui/dist: {error}");
    }
    println!("cargo::rerun-if-changed={}", dist.display());
    println!("cargo::rerun-if-changed=build.rs");
    if !dist.join("index.html").exists() {
        println!("cargo::warning=the page is not built, so Steward will not have one; `make` builds both");
    }
}
