//! What the assistant remembers, put together from the configuration: which folders, which index, and what turns text
//! into vectors.

use crate::{config::Settings, environment::Environment, home::Home, model_files};
use anyhow::Context;
use embed::{Embedder, EndpointSettings};
use memory::{Memory, MemorySettings};
use models::{ModelRef, Models};
use std::{path::PathBuf, sync::Arc};

/// The memory of this home.
pub(crate) fn memory(home: &Home, settings: &Settings, embedder: Embedder) -> Memory {
    let wanted = &settings.memory;
    let mut meant = MemorySettings::new(settings.workspace.clone(), home.data().join("memory.db"));
    meant.transcripts = Some(home.data().join("sessions"));
    meant.extra_paths = wanted.extra_paths.iter().map(PathBuf::from).collect();
    meant.chunk_tokens = wanted.chunk_tokens.get();
    meant.chunk_overlap = wanted.chunk_overlap;
    meant.fusion = wanted.fusion;
    meant.vector_weight = wanted.vector_weight;
    meant.keyword_weight = wanted.keyword_weight;
    meant.min_score = wanted.min_score;
    meant.max_results = wanted.max_results.get();
    Memory::new(meant, Arc::new(embedder))
}

/// What turns text into vectors here.
pub(crate) fn embedder(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
    models: &Models,
) -> anyhow::Result<Embedder> {
    match settings.memory.embeddings.as_str() {
        "local" => Ok(Embedder::local(model_files::directories(home, environment))),
        "off" => Ok(Embedder::absent("`memory.embeddings` is `off` in config.toml")),
        model => endpoint(models, model)
            .with_context(|| format!("`memory.embeddings` in {}", home.config_file().display())),
    }
}

/// What the offline helper understands by: never an endpoint, which would be sent what the owner says.
pub(crate) fn helpers_embedder(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
    memorys: &Embedder,
) -> Embedder {
    match settings.memory.embeddings.as_str() {
        "local" => memorys.clone(),
        _ => Embedder::local(model_files::directories(home, environment)),
    }
}

fn endpoint(models: &Models, written: &str) -> anyhow::Result<Embedder> {
    let model: ModelRef = written
        .parse()
        .map_err(|error| anyhow::anyhow!("it is `{written}`: {error}; write that, `local` or `off`"))?;
    let provider = models.providers().into_iter().find(|provider| provider.name == model.provider);
    let provider = provider.with_context(|| format!("there is no provider `{}`", model.provider))?;
    Ok(Embedder::endpoint(EndpointSettings {
        base_url: provider.base_url.clone(),
        model: model.model,
        api_key: provider.credential.as_ref().map(|credential| credential.secret.clone()),
        dimensions: None,
    }))
}
