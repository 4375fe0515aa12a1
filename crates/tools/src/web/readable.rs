//! Turns a page into the Markdown a model reads: the article where there is one, else the whole body.
//!
//! Parsing, which a hostile page may make expensive, is `shallow`'s.

use super::shallow;
use dom_smoothie::{Config, Readability, TextMode};
use encoding_rs::Encoding;

/// Bytes in which a page may name its encoding, as browsers look.
const ENCODING_PRESCAN_BYTES: usize = 1_024;

/// A page as Markdown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) markdown: String,
}

/// The page as Markdown.
pub(super) fn page(html: &str, url: &str) -> Page {
    let config = Config {
        text_mode: TextMode::Markdown,
        // Data for search engines says nothing the page does not.
        disable_json_ld: true,
        ..Config::default()
    };
    let document = shallow::parse(html);
    let title = document.select("title").first().text().trim().to_owned();
    // Taken first, because looking for the article takes the page apart.
    let whole = document.md(Some(&["script", "style", "noscript", "template", "head"]));
    let article = Readability::with_document(document, Some(url), Some(config));
    if let Ok(article) = article.and_then(|mut page| page.parse())
        && !article.text_content.trim().is_empty()
    {
        let title = article.title.trim().to_owned();
        return Page { title, markdown: article.text_content.trim().to_owned() };
    }
    Page { title, markdown: whole.trim().to_owned() }
}

/// Bytes as text, by the encoding the answer or the page names; UTF-8 otherwise.
pub(super) fn decode(bytes: &[u8], content_type: &str) -> String {
    let named = label_after("charset=", content_type).or_else(|| {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(ENCODING_PRESCAN_BYTES)]);
        label_after("charset=", &start)
    });
    let encoding =
        named.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(encoding_rs::UTF_8);
    encoding.decode(bytes).0.into_owned()
}

fn label_after(key: &str, text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let (_, rest) = text.split_once(key)?;
    let label = rest.trim_start_matches(['"', '\'', ' ']);
    let end = label.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')));
    Some(label[..end.unwrap_or(label.len())].to_owned())
}
