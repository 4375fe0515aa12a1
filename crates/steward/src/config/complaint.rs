//! Mistakes in the configuration, in words that name the place and the fix.

use std::path::Path;

/// A mistake in the file: the line, what stands there, and what should.
pub(super) fn about_file(path: &Path, text: &str, error: &toml::de::Error) -> anyhow::Error {
    let start = error.span().map_or(0, |span| span.start).min(text.len());
    let number = text.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count() + 1;
    let line = text.lines().nth(number - 1).unwrap_or_default().trim_end();
    let fix = plain(error.message());
    anyhow::anyhow!("{}, line {number}: {fix}\n\n    {line}\n", path.display())
}

/// A mistake in a variable.
pub(super) fn about_variable(name: &str, value: &str, error: &toml::de::Error) -> anyhow::Error {
    anyhow::anyhow!("the environment variable {name} is `{value}`: {}", plain(error.message()))
}

/// The parser's words, made plain.
fn plain(message: &str) -> String {
    let message = message.trim().trim_end_matches('.');
    if let Some((unknown, known)) = message.split_once(", expected ") {
        if let Some(key) = unknown.strip_prefix("unknown field ") {
            return unknown_key(key.trim_matches('`'), known);
        }
        let known = known.trim_start_matches("a ").trim_start_matches("an ");
        let wanted = match known {
            "nonzero u32" | "nonzero usize" | "u32" | "usize" | "integer" => "a whole number of at least 1",
            "u16" => "a whole number from 0 to 65535",
            "string" => "a text in quotes",
            "boolean" => "`true` or `false`",
            "a sequence" | "sequence" => "a list in brackets",
            other => other,
        };
        return format!("{unknown}; it must be {wanted}");
    }
    message.replace('\n', " ")
}

fn unknown_key(key: &str, known: &str) -> String {
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    let nearest = known.iter().map(|candidate| (distance(key, candidate), candidate)).min();
    match nearest {
        Some((distance, candidate)) if distance <= 3 => {
            format!("there is no key `{key}` here; did you mean `{candidate}`?")
        }
        _ => format!("there is no key `{key}` here; remove it, or use one of: {}", known.join(", ")),
    }
}

/// How many letters differ, at least: insertions, deletions and changes.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        for j in 1..row.len() {
            let changed = diagonal + usize::from(b.get(j - 1) != Some(&x));
            diagonal = row[j];
            row[j] = changed.min(row[j] + 1).min(row[j - 1] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}
