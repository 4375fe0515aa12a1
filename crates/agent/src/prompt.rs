//! What the model is told before the conversation: a short base prompt, then the owner's convention files
//! as they are now.

use models::SystemPrompt;
use std::{
    fmt::Write,
    io,
    path::{Path, PathBuf},
};

/// The files of the workspace that stand in every prompt, in this order.
pub const CONVENTION_FILES: [&str; 7] =
    ["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "MEMORY.md", "HEARTBEAT.md"];

/// How much of one file is shown, in characters: enough for a long file, not for a forgotten log.
const MAX_FILE_CHARS: usize = 20_000;

const BASE: &str = include_str!("prompts/base.md");

/// Builds the system prompt from the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    workspace: PathBuf,
}

impl Prompt {
    pub fn new(workspace: PathBuf) -> Self {
        Self { workspace }
    }

    /// Reads the files afresh, so that what the owner changes counts from the next question on.
    pub fn build(&self) -> SystemPrompt {
        let mut stable = BASE.trim_end().to_owned();
        for name in CONVENTION_FILES {
            if let Some(text) = read(&self.workspace.join(name)) {
                // Writing to a string cannot fail.
                write!(stable, "\n\n# {name}\n\n{}", shorten(text.trim())).ok();
            }
        }
        SystemPrompt { stable, changing: today() }
    }
}

fn read(path: &Path) -> Option<String> {
    match std::fs::read(path) {
        Ok(bytes) => {
            Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|text| !text.trim().is_empty())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "cannot read a convention file");
            None
        }
    }
}

/// Keeps a long text's first 70 % and last 20 %, with a mark that says what is missing.
fn shorten(text: &str) -> String {
    let length = text.chars().count();
    if length <= MAX_FILE_CHARS {
        return text.to_owned();
    }
    let (head, tail) = (MAX_FILE_CHARS * 7 / 10, MAX_FILE_CHARS * 2 / 10);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{start}\n\n[… {} characters left out here …]\n\n{end}", length - head - tail)
}

/// Only the day: a prompt that changes by the minute could never be cached.
fn today() -> String {
    let now = jiff::Zoned::now();
    let zone = now.time_zone().iana_name().unwrap_or("UTC");
    format!("Today is {} ({zone}).", now.strftime("%A, %-d %B %Y"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_keeps_its_head_and_tail_with_a_visible_mark() {
        let text = format!("{}{}", "a".repeat(20_000), "z".repeat(5_000));
        let short = shorten(&text);
        assert!(short.starts_with(&"a".repeat(14_000)) && short.ends_with(&"z".repeat(4_000)));
        assert!(short.contains("[… 7000 characters left out here …]"), "{}", &short[13_990..14_100]);
        assert_eq!(shorten("short"), "short");
    }

    #[test]
    fn the_prompt_holds_the_files_in_order_and_skips_what_is_missing_or_empty() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [("USER.md", "Ada"), ("AGENTS.md", "Be kind."), ("SOUL.md", " \n")] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let prompt = Prompt::new(dir.path().into()).build();
        assert!(prompt.stable.ends_with("# AGENTS.md\n\nBe kind.\n\n# USER.md\n\nAda"), "{}", prompt.stable);
        assert!(prompt.changing.starts_with("Today is "));
    }
}
