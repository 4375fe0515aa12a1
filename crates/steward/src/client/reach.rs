//! Finds out who has the home: a daemon that answers, or nobody. The lock is the only witness: an address that
//! a dead daemon left may be anybody's by now, and must not be shown the token.

use crate::{
    daemon::{self, Daemon},
    home::{Home, HomeLock},
    token::Token,
};
use anyhow::Context;
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// How often is looked whether the home is free or a daemon is there.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long a wait may be before it is worth a word; a daemon starts faster.
const WORTH_A_WORD: Duration = Duration::from_millis(300);

/// How long the daemon may take to answer: it is on this machine.
pub(super) const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// Who has the home.
pub(crate) enum Reached {
    /// A daemon that answers.
    Daemon(Daemon),
    /// Nobody else, from now on.
    Nobody(HomeLock),
}

/// Waits until either a daemon answers or the home is free.
pub(crate) async fn reach(home: &Home) -> anyhow::Result<Reached> {
    let (began, mut told) = (Instant::now(), false);
    loop {
        if let Some(lock) = home.try_lock()? {
            return Ok(Reached::Nobody(lock));
        }
        // A command that a daemon was about to start when it died holds lock and socket for a moment longer.
        if let Some(daemon) = daemon::find(home).filter(Daemon::lives)
            && TcpStream::connect(daemon.host()).await.is_ok()
        {
            return Ok(Reached::Daemon(daemon));
        }
        if !told && began.elapsed() > WORTH_A_WORD {
            eprintln!("{}; waiting for it to finish (Ctrl-C gives up)", home.in_use());
            told = true;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Asks the daemon for something over HTTP.
pub(crate) async fn post(daemon: &Daemon, token: &Token, path: &str) -> anyhow::Result<Value> {
    // No proxy ever sees the token.
    let client = reqwest::Client::builder().no_proxy().timeout(ANSWER_PATIENCE).build()?;
    let asked = client.post(format!("{}{path}", daemon.address)).bearer_auth(&token.text).send().await;
    let response = asked.with_context(|| format!("Steward at {} does not answer", daemon.address))?;
    let good = response.status().is_success();
    let answer: Value = response.json().await.context("Steward's answer makes no sense")?;
    anyhow::ensure!(good, "{}", answer["error"]["message"].as_str().unwrap_or("Steward refused"));
    Ok(answer)
}
