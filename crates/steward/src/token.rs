//! The token clients show at the doors: set by the owner in `STEWARD_TOKEN`, else kept in `data/token`.

use crate::{
    environment::Environment,
    home::{self, Home},
};
use anyhow::Context;
use std::{fs, io};

const VARIABLE: &str = "STEWARD_TOKEN";

/// The token, and where it is set unless it is in its file.
pub(crate) struct Token {
    pub text: String,
    pub set_in: Option<String>,
}

/// The token, if there is one yet.
pub(crate) fn find(home: &Home, environment: &Environment) -> anyhow::Result<Option<Token>> {
    if let Some((text, place)) = environment.find(VARIABLE) {
        return Ok(Some(Token { text: text.to_owned(), set_in: Some(place) }));
    }
    let path = home.token_file();
    match fs::read_to_string(&path) {
        Ok(text) => {
            let text = text.trim().to_owned();
            anyhow::ensure!(
                !text.is_empty(),
                "{} is empty: delete it, and a new one is made",
                path.display()
            );
            Ok(Some(Token { text, set_in: None }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The token; made if there is none.
pub(crate) fn find_or_make(home: &Home, environment: &Environment) -> anyhow::Result<Token> {
    if let Some(token) = find(home, environment)? {
        return Ok(token);
    }
    home::create_once(&home.token_file(), &line(&gateway::new_token()))?;
    // Somebody else may have been faster; the one in the file counts.
    find(home, environment)?.context("the token was removed at once")
}

/// Puts a new token in place of the one in the file.
pub(crate) fn keep(home: &Home, token: &str) -> anyhow::Result<()> {
    home::replace(&home.token_file(), &line(token))
}

/// Why a token cannot be replaced that the owner set.
pub(crate) fn fixed(set_in: &str) -> String {
    format!("the token is set by {set_in}: change it there, and start Steward again")
}

fn line(token: &str) -> String {
    format!("{token}\n")
}
