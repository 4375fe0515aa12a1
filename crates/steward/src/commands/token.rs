//! `steward token`: what programs show at the doors.

use crate::terminal::say;
use crate::{
    cli::Token,
    client::{self, Reached},
    house, token,
};
use std::process::ExitCode;

pub(crate) async fn run(command: Token) -> anyhow::Result<ExitCode> {
    let (home, _, environment) = house::enter()?;
    let token = token::find_or_make(&home, &environment)?;
    match command {
        Token::Show => say!("{}", token.text),
        Token::Rotate => {
            if let Some(place) = &token.set_in {
                anyhow::bail!(token::fixed(place));
            }
            match client::reach(&home).await? {
                Reached::Daemon(daemon) => {
                    client::post(&daemon, &token, "/api/token/rotate").await?;
                }
                Reached::Nobody(_lock) => token::keep(&home, &gateway::new_token())?,
            }
            say!("The token was replaced; `steward token show` prints it.");
        }
    }
    Ok(ExitCode::SUCCESS)
}
