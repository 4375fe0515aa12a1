//! `steward open`: a way into the page for the owner's browser.

use crate::terminal::say;
use crate::{
    client::{self, Reached},
    house, token,
};
use anyhow::Context;
use std::process::ExitCode;

pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    let (home, _, environment) = house::enter()?;
    let Reached::Daemon(daemon) = client::reach(&home).await? else {
        anyhow::bail!("Steward is not running: start it with `steward serve`");
    };
    let token = token::find_or_make(&home, &environment)?;
    let made = client::post(&daemon, &token, "/api/login-links").await?;
    let link = made["url"].as_str().context("Steward gave no link")?;
    say!("{link}\nOpen it in a browser on this machine. It works once, within ten minutes.");
    Ok(ExitCode::SUCCESS)
}
