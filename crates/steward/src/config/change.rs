//! Changes the file for its owner: one value, and every comment, blank and order stays as it was.

use super::{read, text_of};
use crate::{
    environment::Environment,
    home::{self, Home},
};
use anyhow::Context;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

/// Writes down which model to ask.
pub(crate) fn set_model(home: &Home, environment: &Environment, model: &str) -> anyhow::Result<()> {
    let path = home.config_file();
    // The owner may keep the file elsewhere, with a link to it here.
    let path = path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?;
    let text = with_model(&text_of(&path)?, model)?;
    // What the next start could not read is not written.
    read(&text, &path, environment)?;
    home::replace(&path, &text)
}

/// The text with another model in it.
pub(super) fn with_model(text: &str, model: &str) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse()?;
    let agent = document.entry("agent").or_insert_with(|| Item::Table(Table::new()));
    let agent: &mut dyn TableLike = agent.as_table_like_mut().context("`agent` is not a table")?;
    match agent.get_mut("model").and_then(Item::as_value_mut) {
        Some(value) => {
            let decor = value.decor().clone();
            *value = Value::from(model);
            *value.decor_mut() = decor;
        }
        None => {
            agent.insert("model", toml_edit::value(model));
        }
    }
    Ok(document.to_string())
}
