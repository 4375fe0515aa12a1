//! `steward doctor`: what this machine offers and what is missing, in words that say what follows.

use crate::{hands, house, providers};
use std::process::ExitCode;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let (home, settings, environment) = house::enter()?;
    println!("home       {}", home.root().display());
    println!("workspace  {}", settings.workspace.display());
    let (_, model) = providers::open(&home, &settings, &environment)?;
    println!("model      {model}");
    println!(
        "policy     {:?}, {} rules in the configuration",
        settings.policy.preset,
        settings.policy.allow.len()
    );
    if !settings.sandbox.enabled {
        println!("sandbox    switched off: commands run with your own powers, and every one asks");
        return Ok(ExitCode::SUCCESS);
    }
    let mut missing = 0;
    for primitive in hands::detect().report() {
        let mark = if primitive.available { "ok     " } else { "MISSING" };
        missing += usize::from(!primitive.available);
        println!("sandbox    {mark}  {}: {}", primitive.name, primitive.consequence);
    }
    match missing {
        0 => println!("\nEverything the sandbox needs is there."),
        _ => println!("\nWhat is missing makes Steward ask more; nothing falls open silently."),
    }
    Ok(ExitCode::SUCCESS)
}
