//! `steward doctor`: what this machine offers and what is missing, in words that say what follows.

use crate::{hands, house, providers};
use std::process::ExitCode;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let (home, settings, environment) = house::enter()?;
    println!("home       {}", home.root().display());
    println!("workspace  {}", settings.workspace.display());
    let (_, model) = providers::open(&home, &settings, &environment)?;
    println!("model      {model}");
    let preset = format!("{:?}", settings.policy.preset).to_lowercase();
    println!("policy     {preset}, {} rules that allow", settings.policy.allow.len());
    if !settings.sandbox.enabled {
        println!("sandbox    switched off: commands run with your own powers, and every one asks");
        return Ok(ExitCode::SUCCESS);
    }
    let mut missing = 0;
    for primitive in hands::detect().report() {
        match primitive.available {
            true => println!("sandbox    ok       {}", primitive.name),
            false => println!("sandbox    MISSING  {}: {}", primitive.name, primitive.consequence),
        }
        missing += usize::from(!primitive.available);
    }
    match missing {
        0 => println!("\nEverything the sandbox needs is there."),
        _ => println!("\nWhat is missing makes Steward ask more; nothing falls open silently."),
    }
    Ok(ExitCode::SUCCESS)
}
