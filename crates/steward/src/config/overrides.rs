//! Environment variables over the file: `STEWARD_<GROUP>_<KEY>`, with short forms for the common ones.

use super::{complaint, written::Written};
use crate::environment::Environment;
use toml::{Table, Value};

const PREFIX: &str = "STEWARD_";

/// Short names, and what they stand for.
const SHORT: [(&str, &str, &str); 3] = [
    ("STEWARD_MODEL", "agent", "model"),
    ("STEWARD_HOST", "gateway", "host"),
    ("STEWARD_PORT", "gateway", "port"),
];

/// Groups whose keys are names the owner chose.
pub(super) const NAMED: [&str; 2] = ["providers", "prices"];

/// The file's table with every override in it, as a configuration.
pub(super) fn apply(mut table: Table, environment: &Environment) -> anyhow::Result<Written> {
    let groups = group_names();
    for (name, value) in environment.starting_with(PREFIX).filter(|(_, value)| !value.is_empty()) {
        let Some((group, key)) = target(name, &groups) else { continue };
        let group = table.entry(group).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(group) = group {
            group.insert(key, meaning(value));
        }
        // Checked one by one, so that a mistake names its variable.
        let checked: Result<Written, _> = table.clone().try_into();
        checked.map_err(|error| complaint::about_variable(name, value, &error))?;
    }
    table.try_into().map_err(anyhow::Error::from)
}

/// The group and key a variable is for; `None` for variables that are no part of the configuration.
fn target(name: &str, groups: &[String]) -> Option<(String, String)> {
    if let Some((_, group, key)) = SHORT.iter().find(|(short, _, _)| *short == name) {
        return Some(((*group).into(), (*key).into()));
    }
    let rest = name.strip_prefix(PREFIX)?.to_ascii_lowercase();
    let group = groups
        .iter()
        .find(|group| rest.strip_prefix(group.as_str()).is_some_and(|key| key.starts_with('_')))?;
    let key = rest.strip_prefix(group.as_str())?.strip_prefix('_')?;
    Some((group.clone(), key.to_owned()))
}

/// Where a key is set, if not in the file.
pub(super) fn set_in(group: &str, key: &str, environment: &Environment) -> Option<String> {
    let groups = group_names();
    let wanted = |name: &str| target(name, &groups).is_some_and(|found| found == (group.into(), key.into()));
    let mut names =
        environment.starting_with(PREFIX).filter(|(name, value)| !value.is_empty() && wanted(name));
    names.next().and_then(|(name, _)| environment.find(name)).map(|(_, place)| place)
}

/// The groups with plain keys; providers and prices are written in the file.
fn group_names() -> Vec<String> {
    let written = Table::try_from(Written::default()).unwrap_or_default();
    written.keys().filter(|group| !NAMED.contains(&group.as_str())).cloned().collect()
}

/// A value as TOML reads it; anything that is not TOML is text.
fn meaning(text: &str) -> Value {
    match format!("value = {text}").parse::<Table>().ok().and_then(|mut table| table.remove("value")) {
        Some(value @ (Value::Integer(_) | Value::Boolean(_) | Value::Float(_) | Value::Array(_))) => value,
        _ => Value::String(text.to_owned()),
    }
}
