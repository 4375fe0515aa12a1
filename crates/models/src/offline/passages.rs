//! What a search of the notes gave, as quotations with where they stand. Finding them is for the tool.

use super::words::stems;

/// More would bury the answer.
const MOST_PASSAGES: usize = 3;

/// What is this much worse than the best is another matter.
const NEAR_THE_BEST: f32 = 0.7;

/// A passage is quoted by the lines that fit, or by its first where none shares a word.
const MOST_LINES: usize = 4;

/// Where earlier conversations are found. They hold the question itself, and what was noted says it better.
const CONVERSATIONS: &str = "sessions/";

/// The passages that fit, quoted.
pub(crate) fn told(output: &str, query: &str) -> String {
    let mut passages = read(output);
    if passages.iter().any(|passage| !passage.path.starts_with(CONVERSATIONS)) {
        passages.retain(|passage| !passage.path.starts_with(CONVERSATIONS));
    }
    passages.retain(|passage| !passage.text.iter().all(|line| asks(line, query)));
    let best = passages.iter().map(|passage| passage.score).fold(0.0, f32::max);
    let mut text = String::new();
    for passage in passages.iter().filter(|passage| passage.score >= best * NEAR_THE_BEST).take(MOST_PASSAGES)
    {
        let (line, lines) = quoted(passage, query);
        let quote: Vec<String> = lines.iter().map(|line| format!("> {line}")).collect();
        text.push_str(&format!("{}\n— `{}:{line}`\n\n", quote.join("\n"), passage.path));
    }
    match text.is_empty() {
        true => format!("Nothing in your notes fits \"{query}\".\n"),
        false => format!("In your notes:\n\n{}\n", text.trim_end()),
    }
}

/// Whether a line of a conversation is this very question.
fn asks(line: &str, query: &str) -> bool {
    line.trim().is_empty() || line.starts_with("User: ") && line.contains(query)
}

/// One passage as the search gave it.
struct Passage<'a> {
    path: &'a str,
    line: usize,
    score: f32,
    text: Vec<&'a str>,
}

/// `path:3-7 (0.81)`, the passage, an empty line.
fn read(output: &str) -> Vec<Passage<'_>> {
    let mut passages: Vec<Passage<'_>> = Vec::new();
    for line in output.lines() {
        if let Some((path, line, score)) = heading(line) {
            passages.push(Passage { path, line, score, text: Vec::new() });
        } else if let Some(passage) = passages.last_mut() {
            passage.text.push(line);
        }
    }
    for passage in &mut passages {
        let blank = |line: &&str| line.trim().is_empty() || line.starts_with('[');
        while passage.text.last().is_some_and(blank) {
            passage.text.pop();
        }
    }
    passages
}

fn heading(line: &str) -> Option<(&str, usize, f32)> {
    let (place, score) = line.strip_suffix(')')?.rsplit_once(" (")?;
    let (path, lines) = place.rsplit_once(':')?;
    let (first, _) = lines.split_once('-')?;
    Some((path, first.parse().ok()?, score.parse().ok()?))
}

/// The lines worth quoting, and where the first of them stands.
fn quoted<'a>(passage: &Passage<'a>, query: &str) -> (usize, Vec<&'a str>) {
    let wanted = stems(query);
    let fit = |line: &str| stems(line).iter().filter(|stem| wanted.contains(stem)).count();
    let lines = || (passage.line..).zip(passage.text.iter().map(|line| line.trim()));
    let best = lines().map(|(_, line)| fit(line)).max().unwrap_or(0);
    let worth = |line: &str| !line.is_empty() && fit(line) * 2 >= best;
    let chosen: Vec<(usize, &str)> = lines().filter(|(_, line)| worth(line)).take(MOST_LINES).collect();
    let first = chosen.first().map_or(passage.line, |(number, _)| *number);
    (first, chosen.into_iter().map(|(_, line)| line).collect())
}
