//! Tools that reach the web, through one fetcher that never reaches inside.
//!
//! `guard` decides where a request may go, `fetch` makes it, `shallow` parses
//! pages that may be hostile, `readable` turns them into Markdown.

mod guard;
mod body;
mod fetch;
mod shallow;
mod readable;
mod webfetch;
mod websearch;

pub use fetch::{FetchLimits, Fetcher};
pub use guard::Lookup;
pub(crate) use webfetch::WebFetch;
pub(crate) use websearch::WebSearch;
pub use websearch::{SearchEndpoint, SearchKind};

#[cfg(test)]
mod tests;
