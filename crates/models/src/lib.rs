//! Language model providers as one stream of events: a request goes in, text, thinking, the names of calls
//! and at the end exactly one answer or failure come out.
//!
//! Knows how providers spell things on their wires and how they fail. Knows neither sessions nor approvals
//! nor what a tool does, but for the few that the offline helper calls by name; which keys exist and where they are
//! kept is told to it.
//!
//! Reading order: `request` is what is asked, `settings` is whom, `stream` is what comes back, `models` is
//! the handle that joins them. Below it `exchange` carries one request to its end: `client` connects, `retry`
//! says when to ask again, `reading` turns bytes into events with `sse` and a decoder. `failure` puts what went
//! wrong into words, `fault` finds it in what a provider said, `redact` keeps the key out. `dialect` is what a
//! dialect must do; `transcript`, `names` and `answer` are what the dialects share; `anthropic` and `openai`
//! are the dialects, file for file alike; `offline` answers when there is no model at all, and
//! `listing` asks a server which models it has.

mod request;
mod settings;
mod stream;
mod models;
mod exchange;
mod client;
mod retry;
mod reading;
mod sse;
mod failure;
mod fault;
mod redact;
mod dialect;
mod transcript;
mod names;
mod answer;
mod anthropic;
mod openai;
mod offline;
mod listing;

pub use models::Models;
pub use offline::vectors_file as offline_example_vectors;
pub use request::{BadModelRef, ModelRef, ModelRequest, SystemPrompt};
pub use settings::{Credential, Dialect, ModelTiming, ProviderSettings};
pub use stream::{ModelAnswer, ModelEvent, ModelStream};

#[cfg(test)]
mod tests;
