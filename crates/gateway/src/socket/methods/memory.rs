//! What the assistant remembers, for its owner to look through and to change.

use crate::{
    doors::desk::notes::{USUAL_HITS, at_the_disk},
    fault::Fault,
    gateway::Gateway,
};
use memory::{FileInfo, Hit, Kind, Target};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
pub(super) struct Query {
    query: String,
    kind: Option<Kind>,
    limit: Option<usize>,
}

pub(super) async fn search(gateway: &Gateway, Query { query, kind, limit }: Query) -> Result<Value, Fault> {
    let limit = Some(limit.unwrap_or(USUAL_HITS));
    let asked = memory::Query { text: query, kinds: kind.into_iter().collect(), limit, ..Default::default() };
    let found = at_the_disk(gateway, move |memory| memory.search(&asked)).await?;
    let shown = |hit: Hit| {
        json!({
            "path": hit.path, "excerpt": hit.excerpt, "lineStart": hit.line_start, "lineEnd": hit.line_end,
            "kind": hit.kind, "score": hit.score,
        })
    };
    let results = found.hits.into_iter().map(shown).collect::<Vec<_>>();
    Ok(json!({ "results": results, "remark": found.remark }))
}

pub(super) async fn list(gateway: &Gateway) -> Result<Value, Fault> {
    let files = at_the_disk(gateway, |memory| memory.list()).await?;
    let shown =
        |file: FileInfo| json!({ "path": file.path, "bytes": file.bytes, "modifiedAt": file.modified_at });
    Ok(json!({ "files": files.into_iter().map(shown).collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
pub(super) struct One {
    path: String,
}

pub(super) async fn read(gateway: &Gateway, One { path }: One) -> Result<Value, Fault> {
    let wanted = path.clone();
    let file = at_the_disk(gateway, move |memory| memory.read(&wanted)).await?;
    Ok(json!({ "path": path, "text": file.text, "hash": file.hash }))
}

#[derive(Deserialize)]
pub(super) struct Edited {
    path: String,
    text: String,
    /// Of the text that was changed.
    hash: String,
}

pub(super) async fn save(gateway: &Gateway, Edited { path, text, hash }: Edited) -> Result<Value, Fault> {
    let hash = at_the_disk(gateway, move |memory| memory.save(&path, &text, &hash)).await?;
    Ok(json!({ "hash": hash }))
}

#[derive(Deserialize)]
pub(super) struct Note {
    target: Target,
    content: String,
}

pub(super) async fn write(gateway: &Gateway, Note { target, content }: Note) -> Result<Value, Fault> {
    let today = jiff::Zoned::now().date();
    let path = at_the_disk(gateway, move |memory| memory.write(target, &content, today)).await?;
    Ok(json!({ "path": path }))
}

pub(super) async fn status(gateway: &Gateway) -> Result<Value, Fault> {
    let status = at_the_disk(gateway, |memory| memory.status()).await?;
    Ok(json!(status))
}

/// Answers when it has begun; `status` tells how far it has come.
pub(super) fn reindex(gateway: &Gateway) -> Value {
    let memory = gateway.memory().clone();
    tokio::task::spawn_blocking(move || {
        if let Err(error) = memory.reindex(&mut |_| {}) {
            tracing::error!(%error, "the index could not be made anew");
        }
    });
    json!({})
}
