//! What the model is told of the tools without being shown their types: an index short enough for every prompt, and a
//! search over names and descriptions. Pure.

use super::{Declarations, text::description};

/// One group's line in the index; the rest of the group is found by searching.
const MAX_LINE_CHARS: usize = 240;

/// The whole index: it stands in every prompt, whatever the number of tools.
const MAX_INDEX_CHARS: usize = 6_000;

/// A search that gives more is not read.
const MAX_HITS: usize = 20;

/// A hit's description; the rest is in its signature.
const MAX_HIT_CHARS: usize = 120;

/// A word in the path says more than one in the description, and a whole word more than a part of one.
const IN_PATH: u32 = 6;
const IN_DESCRIPTION: u32 = 2;

/// More than any number of words can fit better by.
const EACH_WORD: u32 = 1_000;

/// A tool that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its path.
    pub path: String,
    /// The beginning of its description.
    pub description: String,
}

impl Declarations {
    /// The groups with the names of their tools, one line each.
    pub fn index(&self) -> String {
        let mut index = String::new();
        let mut groups = self.0.groups.iter();
        while let Some((key, group)) = groups.next() {
            let line = line_of(key, &group.paths);
            if index.chars().count() + line.chars().count() > MAX_INDEX_CHARS {
                index.push_str(&format!("… {} more groups: search for what is needed\n", groups.count() + 1));
                break;
            }
            index.push_str(&line);
        }
        index
    }

    /// The tools whose path or description has the words of `query`, the best first.
    pub fn search(&self, query: &str) -> Vec<Hit> {
        let query = query.to_lowercase();
        let words: Vec<&str> = words_of(&query).collect();
        let mut ranked: Vec<(u32, &str, &str)> = Vec::new();
        for (path, tool) in &self.0.by_path {
            let said = tool.spec.description.as_str();
            let points = match path.to_lowercase() == query.trim() {
                true => u32::MAX,
                false => points(&words, path, said),
            };
            if points > 0 {
                ranked.push((points, path, said));
            }
        }
        ranked.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(right.1)));
        let hit = |(_, path, said): (u32, &str, &str)| Hit {
            path: path.to_owned(),
            description: description(said, MAX_HIT_CHARS),
        };
        ranked.into_iter().take(MAX_HITS).map(hit).collect()
    }
}

fn line_of(group: &str, paths: &[String]) -> String {
    let mut line = match paths {
        [only] if only == group => return format!("{group}\n"),
        _ => format!("{group}:"),
    };
    for (index, path) in paths.iter().enumerate() {
        let name = path.strip_prefix(group).and_then(|rest| rest.strip_prefix('.')).unwrap_or(path);
        if line.chars().count() + name.chars().count() > MAX_LINE_CHARS {
            line.push_str(&format!(" … {} more", paths.len() - index));
            break;
        }
        line.push_str(if index == 0 { " " } else { ", " });
        line.push_str(name);
    }
    line + "\n"
}

/// A tool that has more of the words comes before one that has fewer, however well those fit.
fn points(words: &[&str], path: &str, said: &str) -> u32 {
    let path_words = split_name(path);
    let said = said.to_lowercase();
    let fits = words.iter().map(|word| {
        let near = |other: &str| other.starts_with(word) || (other.len() > 2 && word.starts_with(other));
        let fit =
            |other: &str, whole: u32| if other == *word { whole } else { u32::from(near(other)) * whole / 2 };
        let in_path = path_words.iter().map(|other| fit(other, IN_PATH)).max().unwrap_or(0);
        let in_said = words_of(&said).map(|other| fit(other, IN_DESCRIPTION)).max().unwrap_or(0);
        in_path + in_said
    });
    fits.filter(|fit| *fit > 0).map(|fit| fit + EACH_WORD).sum()
}

/// The words of a path, also those that only a capital letter sets apart.
fn split_name(path: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(path.len() + 8);
    let mut small_before = false;
    for c in path.chars() {
        if small_before && c.is_uppercase() {
            spaced.push(' ');
        }
        small_before = c.is_lowercase();
        spaced.extend(c.to_lowercase());
    }
    words_of(&spaced).map(str::to_owned).collect()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}
