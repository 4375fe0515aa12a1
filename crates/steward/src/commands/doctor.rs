//! `steward doctor`: what this machine offers and what is missing, in words that say what follows.

use crate::terminal::say;
use crate::{
    hands, house, model_files,
    providers::{self, Providers},
    setup,
};
use embed::Embedder;
use std::process::ExitCode;

pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    let (home, settings, environment) = house::enter()?;
    say!("home       {}", home.root().display());
    say!("workspace  {}", settings.workspace.display());
    let models = Providers::open(&home, &settings, &environment)?.models;
    say!("model      {}", models.default_model());
    if models.default_model().is_offline() {
        setup::offers(&models).await.iter().for_each(|offer| say!("server     {offer}"));
    }
    for (vendor, source) in providers::key_sources(&home, &environment)? {
        say!("key        {vendor}: {}", source.as_deref().unwrap_or("not set"));
    }
    match Embedder::local(model_files::directories(&home, &environment)).model() {
        Ok(model) => say!("embedding  {}", model.name),
        Err(missing) => say!("embedding  MISSING  {missing}; until then notes are found by their words only"),
    }
    let preset = settings.policy.preset.name();
    say!("policy     {preset}, {} rules that allow", settings.policy.allow.len());
    if !settings.sandbox.enabled {
        say!("sandbox    switched off: commands run with your own powers, and every one asks");
        return Ok(ExitCode::SUCCESS);
    }
    let mut missing = 0;
    for primitive in hands::detect().report() {
        match primitive.available {
            true => say!("sandbox    ok       {}", primitive.name),
            false => say!("sandbox    MISSING  {}: {}", primitive.name, primitive.consequence),
        }
        missing += usize::from(!primitive.available);
    }
    match missing {
        0 => say!("\nEverything the sandbox needs is there."),
        _ => say!("\nWhat is missing makes Steward ask more; nothing falls open silently."),
    }
    Ok(ExitCode::SUCCESS)
}
