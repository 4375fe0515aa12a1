//! `webfetch`: a web page as Markdown, anything else as it is.
//!
//! Reaching it safely is `fetch`'s; making it readable `readable`'s.

use super::{
    fetch::{Fetched, Fetcher, Request},
    readable,
};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, files::Picture, output_of, text};
use protocol::CallStatus;
use reqwest::header::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Characters given unless asked otherwise.
const DEFAULT_CHARS: usize = 10_000;
/// Characters of a title given by itself; all of it stands in the text.
const MAX_TITLE_CHARS: usize = 200;

/// The tool.
pub(crate) struct WebFetch {
    pub(crate) fetcher: Fetcher,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    url: String,
    #[schemars(range(min = 1, max = 100_000))]
    max_chars: Option<usize>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// Where it came from in the end.
    url: String,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Of a picture, what it is.
    text: String,
    /// Whether text was cut.
    truncated: bool,
}

impl TypedTool for WebFetch {
    const NAME: &'static str = "webfetch";
    const DESCRIPTION: &'static str = "Fetch from the public web: pages as Markdown, anything else as it is.";
    const LABELS: Labels =
        Labels { brings_untrusted: true, acts_outside: true, idempotent: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new("Fetch from the web", &input.url)
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let max_chars = input.max_chars.unwrap_or(DEFAULT_CHARS).min(context.limits.max_output_bytes);
        let request = Request {
            url: &input.url,
            json: None,
            headers: HeaderMap::new(),
            accept: "text/html, text/markdown, text/plain, application/json, */*;q=0.5",
        };
        match self.fetcher.fetch(request).await {
            // Parsing a large page takes a while, and the page is a stranger's.
            Ok(fetched) => match tokio::task::spawn_blocking(move || told(&fetched, max_chars)).await {
                Ok(output) => output,
                Err(error) => ToolOutput::failed(format!("The page could not be read: {error}.")),
            },
            Err(why) => ToolOutput::failed(why),
        }
    }
}

fn told(fetched: &Fetched, max_chars: usize) -> ToolOutput {
    let bytes = &fetched.body.bytes;
    let kind = fetched.content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let ok = fetched.status.is_success();
    let given = |title: Option<String>, text: &str, truncated| Output {
        url: fetched.url.to_string(),
        status: fetched.status.as_u16(),
        title: title.map(|title| text::line(&title, MAX_TITLE_CHARS)),
        text: text.to_owned(),
        truncated,
    };
    if ok && let Some(picture) = Picture::of(bytes) {
        return match picture.attach(bytes, None) {
            Ok(attachment) => {
                let text = format!("{} of {} × {} pixels.", picture.mime_type, picture.width, picture.height);
                let value = given(None, &text, false);
                ToolOutput { attachments: vec![attachment], ..ToolOutput::text(text).with(&value) }
            }
            Err(why) => ToolOutput::failed(format!("It is a picture, but {why}.")),
        };
    }
    if bytes[..bytes.len().min(8_192)].contains(&0) {
        let size = text::size(bytes.len() as u64);
        return ToolOutput::failed(format!("The answer is not text: `{kind}`, {size}."));
    }
    let decoded = readable::decode(bytes, &fetched.content_type);
    let (title, content) = match is_html(&kind, &decoded) {
        true => markdown(&decoded, fetched.url.as_str()),
        false => (None, decoded),
    };
    let (shown, missing) = text::head(&content, max_chars);
    let mut output = format!("{}\n", fetched.url);
    if !ok {
        output = format!("{}: status {}\n", fetched.url, fetched.status);
    }
    output.push_str(&format!("\n{shown}"));
    if missing > 0 {
        output.push_str(&format!("\n[{missing} more characters were cut; ask for more with maxChars]"));
    }
    if fetched.body.cut {
        output.push_str(&format!("\n[only the first {} were read]", text::size(bytes.len() as u64)));
    }
    let status = if ok { CallStatus::Succeeded } else { CallStatus::Failed };
    let truncated = missing > 0 || fetched.body.cut;
    let told = ToolOutput { status, ..ToolOutput::text(output) }.truncated(truncated);
    if ok { told.with(&given(title, shown, truncated)) } else { told }
}

fn is_html(kind: &str, decoded: &str) -> bool {
    let start = decoded.trim_start().get(..9).unwrap_or_default().to_ascii_lowercase();
    match kind {
        "text/html" | "application/xhtml+xml" => true,
        // Servers that name no type.
        "" => start.starts_with("<!doctype") || start.starts_with("<html"),
        _ => false,
    }
}

/// The page's title, and its text with the title above it.
fn markdown(html: &str, url: &str) -> (Option<String>, String) {
    let page = readable::page(html, url);
    match page.title.is_empty() {
        true => (None, page.markdown),
        false => {
            let text = format!("# {}\n\n{}", page.title, page.markdown);
            (Some(page.title), text)
        }
    }
}
