//! What the assistant remembers, for a client to add to and to search.

use super::known;
use crate::{
    fault::Fault,
    gateway::Gateway,
    reading::{Asked, Input},
    routes::Route,
};
use axum::{Json, extract::State, http::StatusCode};
use memory::{Memory, MemoryError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;

/// How many passages a search gives unless asked for more.
pub(crate) const USUAL_HITS: usize = 10;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/memory/write", write)
            .does("Writes something down to be remembered")
            .takes::<Note>()
            .gives::<Written>(),
        Route::get("/v1/memory/search", search)
            .does("Searches what is remembered")
            .asks::<Query>()
            .gives::<Found>(),
        Route::get("/v1/memory/get", get)
            .does("Lines of a file that a search found")
            .asks::<Lines>()
            .gives::<Excerpt>(),
    ]
}

/// Something to remember.
#[derive(Deserialize, JsonSchema)]
struct Note {
    general_session_id: String,
    target: Target,
    content: String,
}

/// Where it goes: to what stays true, or to what happened on a day.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Target {
    LongTerm,
    Daily,
}

/// Which part of memory.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    LongTerm,
    Daily,
    Note,
    Extra,
    Transcript,
}

/// Where it was written.
#[derive(Serialize, JsonSchema)]
struct Written {
    /// The file, relative to the assistant's workspace.
    path: String,
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    /// The words to look for.
    q: String,
    /// Only this part of memory.
    kind: Option<Kind>,
    /// At most so many passages.
    limit: Option<usize>,
}

/// What was found, the best first.
#[derive(Serialize, JsonSchema)]
struct Found {
    results: Vec<Passage>,
    /// What could not be searched, in plain words.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Passage {
    /// The file, relative to the assistant's workspace.
    path: String,
    excerpt: String,
    line_start: usize,
    line_end: usize,
    /// `long_term`, `daily`, `note`, `extra` or `transcript`.
    kind: &'static str,
    /// From 0 to 1.
    score: f32,
}

#[derive(Deserialize, JsonSchema)]
struct Lines {
    /// The file, as a search gave it.
    path: String,
    /// The first line, counted from 1.
    from: Option<usize>,
    /// At most so many.
    lines: Option<usize>,
}

/// Some lines of a file.
#[derive(Serialize, JsonSchema)]
struct Excerpt {
    path: String,
    text: String,
    line_start: usize,
    line_end: usize,
    /// Whether there is more after them.
    more: bool,
}

impl From<Target> for memory::Target {
    fn from(target: Target) -> Self {
        match target {
            Target::LongTerm => Self::LongTerm,
            Target::Daily => Self::Daily,
        }
    }
}

impl From<Kind> for memory::Kind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::LongTerm => Self::LongTerm,
            Kind::Daily => Self::Daily,
            Kind::Note => Self::Note,
            Kind::Extra => Self::Extra,
            Kind::Transcript => Self::Transcript,
        }
    }
}

async fn write(State(gateway): State<Gateway>, Input(note): Input<Note>) -> Result<Json<Written>, Fault> {
    known(&gateway, note.general_session_id).await?;
    let today = jiff::Zoned::now().date();
    let write = move |memory: Memory| memory.write(note.target.into(), &note.content, today);
    Ok(Json(Written { path: at_the_disk(&gateway, write).await? }))
}

async fn search(State(gateway): State<Gateway>, Asked(query): Asked<Query>) -> Result<Json<Found>, Fault> {
    let limit = Some(query.limit.unwrap_or(USUAL_HITS));
    let asked = memory::Query {
        text: query.q,
        kinds: query.kind.into_iter().map(Into::into).collect(),
        limit,
        ..Default::default()
    };
    let found = at_the_disk(&gateway, move |memory| memory.search(&asked)).await?;
    let results = found.hits.into_iter().map(|hit| Passage {
        path: hit.path,
        excerpt: hit.excerpt,
        line_start: hit.line_start,
        line_end: hit.line_end,
        kind: hit.kind.word(),
        score: hit.score,
    });
    Ok(Json(Found { results: results.collect(), remark: found.remark }))
}

async fn get(State(gateway): State<Gateway>, Asked(asked): Asked<Lines>) -> Result<Json<Excerpt>, Fault> {
    let read = move |memory: Memory| memory.get(&asked.path, asked.from, asked.lines);
    let memory::Excerpt { path, text, line_start, line_end, more, .. } = at_the_disk(&gateway, read).await?;
    Ok(Json(Excerpt { path, text, line_start, line_end, more }))
}

/// Memory blocks on the disk, so it is used where that holds nobody up.
pub(crate) async fn at_the_disk<T: Send + 'static>(
    gateway: &Gateway,
    work: impl FnOnce(Memory) -> Result<T, MemoryError> + Send + 'static,
) -> Result<T, Fault> {
    let memory = gateway.memory().clone();
    let crashed = |_| Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "memory could not be used");
    tokio::task::spawn_blocking(move || work(memory)).await.map_err(crashed)?.map_err(refusal)
}

fn refusal(error: MemoryError) -> Fault {
    let message = error.to_string();
    match &error {
        MemoryError::EmptyContent | MemoryError::NulInContent | MemoryError::EmptyQuery => {
            Fault::bad_request(message)
        }
        MemoryError::NotMemory(_) | MemoryError::NotSearched(_) | MemoryError::NotText(_) => {
            Fault::bad_request(message)
        }
        MemoryError::ContentTooLong(_) | MemoryError::FileTooLong(_) => Fault::too_large(message),
        MemoryError::Missing(_) => Fault::not_found(message),
        MemoryError::Changed => Fault::conflict("changed", message),
        MemoryError::Symlink(_) | MemoryError::NotAFile(_) => Fault::conflict("not_a_file", message),
        MemoryError::Io { source, .. } if source.kind() == ErrorKind::StorageFull => {
            Fault::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", message)
        }
        MemoryError::IndexFull => Fault::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", message),
        MemoryError::Io { .. } | MemoryError::Index(_) | MemoryError::BrokenIndex(_) => {
            tracing::error!(%error, "memory failed a request");
            Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
        }
    }
}
