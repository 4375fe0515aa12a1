//! `websearch`: asks the search engine the owner configured; there is no such tool without one.
//!
//! Three engines' answers are understood: SearXNG, Brave and Tavily. Reading what is found is `webfetch`'s.

use super::fetch::{FetchLimits, Fetcher, Request};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of, text};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

/// Results given unless asked otherwise.
const DEFAULT_COUNT: usize = 5;
/// Characters of a result's text shown.
const MAX_SNIPPET_CHARS: usize = 400;

/// A search engine.
#[derive(Debug, Clone)]
pub struct SearchEndpoint {
    /// How it is spoken to.
    pub kind: SearchKind,
    /// Where it is; the owner named it, so it may lie inside.
    pub url: Url,
    /// Its key, if it needs one.
    pub key: Option<SecretString>,
}

/// How a search engine is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// `GET …?q=…&format=json`.
    Searxng,
    /// `GET …?q=…&count=…` with `X-Subscription-Token`.
    Brave,
    /// `POST` of JSON with a bearer token.
    Tavily,
}

/// The tool.
pub(crate) struct WebSearch {
    endpoint: SearchEndpoint,
    fetcher: Fetcher,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    query: String,
    /// Number of results; 5 if left out.
    #[schemars(range(min = 1, max = 20))]
    count: Option<usize>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    results: Vec<Found>,
}

/// One thing found, cut to what is shown.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    title: String,
    url: String,
    text: String,
}

impl WebSearch {
    pub(crate) fn new(endpoint: SearchEndpoint) -> Self {
        let fetcher = Fetcher::allowing(FetchLimits::default(), &endpoint.url);
        Self { endpoint, fetcher }
    }

    async fn search(&self, input: &Input) -> Result<ToolOutput, String> {
        let count = input.count.unwrap_or(DEFAULT_COUNT);
        let (url, json) = self.request(&input.query, count);
        let headers = self.headers()?;
        let request = Request { url: url.as_str(), json, headers, accept: "application/json" };
        let fetched = self.fetcher.fetch(request).await.map_err(|why| format!("The search failed. {why}"))?;
        let body = String::from_utf8_lossy(&fetched.body.bytes);
        if !fetched.status.is_success() {
            return Err(format!("The search engine answered {}: {}", fetched.status, text::line(&body, 200)));
        }
        let answer: Value = serde_json::from_str(&body).map_err(|_| {
            "The search engine did not answer with JSON; is its JSON format switched on?".to_owned()
        })?;
        let found = results(self.endpoint.kind, &answer);
        let mut results = found.ok_or("The search engine's answer has no results in it.")?;
        results.truncate(count);
        Ok(ToolOutput::text(listed(&results)).with(&Output { results }))
    }

    fn request(&self, query: &str, count: usize) -> (Url, Option<String>) {
        let mut url = self.endpoint.url.clone();
        match self.endpoint.kind {
            SearchKind::Searxng => {
                url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
                (url, None)
            }
            SearchKind::Brave => {
                url.query_pairs_mut().append_pair("q", query).append_pair("count", &count.to_string());
                (url, None)
            }
            SearchKind::Tavily => (url, Some(json!({ "query": query, "max_results": count }).to_string())),
        }
    }

    fn headers(&self) -> Result<HeaderMap, String> {
        let Some(key) = &self.endpoint.key else { return Ok(HeaderMap::new()) };
        let (name, value) = match self.endpoint.kind {
            SearchKind::Brave => {
                (HeaderName::from_static("x-subscription-token"), key.expose_secret().to_owned())
            }
            SearchKind::Searxng | SearchKind::Tavily => {
                (AUTHORIZATION, format!("Bearer {}", key.expose_secret()))
            }
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| "The search engine's key is unusable.")?;
        value.set_sensitive(true);
        Ok(HeaderMap::from_iter([(name, value)]))
    }
}

impl TypedTool for WebSearch {
    const NAME: &'static str = "websearch";
    const DESCRIPTION: &'static str = "Search the web.";
    const LABELS: Labels =
        Labels { brings_untrusted: true, acts_outside: true, idempotent: true, ..Labels::NONE };
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn show(&self, input: &Input) -> Presentation {
        Presentation::new("Search the web", &input.query)
    }

    async fn run(&self, input: Input, _context: &ToolContext) -> ToolOutput {
        self.search(&input).await.into()
    }
}

fn results(kind: SearchKind, answer: &Value) -> Option<Vec<Found>> {
    let (list, snippet) = match kind {
        SearchKind::Searxng | SearchKind::Tavily => (answer.get("results")?, "content"),
        // Brave leaves the group out when nothing was found.
        SearchKind::Brave => match answer.get("web") {
            Some(web) => (web.get("results")?, "description"),
            None => return answer.is_object().then(Vec::new),
        },
    };
    let items = list.as_array()?.iter().filter(|item| !text_in(item, "url").is_empty());
    let found = items.map(|item| Found {
        title: text::line(text_in(item, "title"), 200),
        url: text::line(text_in(item, "url"), 2_000),
        text: shortened(text_in(item, snippet)),
    });
    Some(found.collect())
}

fn text_in<'a>(item: &'a Value, name: &str) -> &'a str {
    item.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}

fn shortened(snippet: &str) -> String {
    let (kept, cut) = text::head(snippet, MAX_SNIPPET_CHARS);
    if cut > 0 { format!("{kept} …") } else { kept.to_owned() }
}

fn listed(results: &[Found]) -> String {
    if results.is_empty() {
        return "Nothing was found.".into();
    }
    let entry = |(number, found): (usize, &Found)| {
        format!("{}. {}\n{}\n{}", number + 1, found.title, found.url, found.text)
    };
    results.iter().enumerate().map(entry).collect::<Vec<_>>().join("\n\n")
}
