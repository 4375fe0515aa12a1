//! The environment with `<home>/.env` behind it. The file never overrides what is set, and nothing is set:
//! values are only looked up here, so no child process inherits them.

use anyhow::Context;
use std::{collections::BTreeMap, io, path::Path};

/// Variables by name, and where each came from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    process: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
}

impl Environment {
    /// The process's variables alone.
    pub fn of_process() -> Self {
        let process = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self { process: process.collect(), file: BTreeMap::new() }
    }

    /// Adds the home's `.env`, if there is one.
    pub fn with_file(mut self, path: &Path) -> anyhow::Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => self.file = parse(&text).with_context(|| format!("cannot use {}", path.display()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
        Ok(self)
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.find(name).map(|(value, _)| value)
    }

    /// A variable with words for where it is set.
    pub fn find(&self, name: &str) -> Option<(&str, String)> {
        let set =
            |map: &'_ BTreeMap<String, String>| map.get(name).filter(|value| !value.is_empty()).cloned();
        if set(&self.process).is_some() {
            return self
                .process
                .get(name)
                .map(|value| (value.as_str(), format!("the environment variable {name}")));
        }
        set(&self.file)?;
        self.file.get(name).map(|value| (value.as_str(), format!("{name} in the .env file")))
    }

    /// All variables whose name begins with `prefix`.
    pub fn starting_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut all: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, value) in self.file.iter().chain(&self.process) {
            all.insert(name, value);
        }
        all.into_iter().filter(move |(name, _)| name.starts_with(prefix))
    }
}

/// `NAME=value` lines; `export`, quotes and `#` comments as shells write them.
fn parse(text: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let mut variables = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) =
            line.split_once('=').with_context(|| format!("line {number}: expected `NAME=value`"))?;
        let name = name.trim();
        let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        anyhow::ensure!(named, "line {number}: `{name}` is not a variable name");
        variables.insert(name.to_owned(), unquote(value.trim()).to_owned());
    }
    Ok(variables)
}

fn unquote(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    value.split(" #").next().unwrap_or(value).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_as_shells_write_it_and_never_overrides() {
        let text = "# keys\nexport A=\"one two\"\nB='x#y'\nC=plain # comment\n\nD=";
        let mut environment = Environment { file: parse(text).unwrap(), ..Environment::default() };
        let check = |environment: &Environment, name: &str, expected: Option<&str>| {
            assert_eq!(environment.get(name), expected, "{name}");
        };
        check(&environment, "A", Some("one two"));
        check(&environment, "B", Some("x#y"));
        check(&environment, "C", Some("plain"));
        check(&environment, "D", None);
        environment.process.insert("A".into(), "set".into());
        check(&environment, "A", Some("set"));
    }

    #[test]
    fn a_bad_line_is_named() {
        assert_eq!(parse("A=1\nnonsense").unwrap_err().to_string(), "line 2: expected `NAME=value`");
        assert_eq!(parse("a b=1").unwrap_err().to_string(), "line 1: `a b` is not a variable name");
    }
}
