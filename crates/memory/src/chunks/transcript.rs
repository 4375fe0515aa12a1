//! What was said in a session, one exchange a passage: a message of the user and what the assistant said to it. What
//! tools gave is left out; whether any of it came from strangers is kept.

use super::{Chunk, Cut, Line, cut_lines};
use serde::Deserialize;

/// A line of a transcript, as far as it is of use here.
#[derive(Deserialize)]
struct Said {
    role: String,
    #[serde(default)]
    content: String,
    #[serde(default)]
    untrusted: bool,
}

/// The passages of a transcript, in order. Lines that are not understood are passed over: the last may be half written.
pub(crate) fn transcript(text: &str, cut: Cut) -> Vec<Chunk> {
    let mut exchange = Exchange::default();
    let (mut done, mut untrusted) = (Vec::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        let Ok(said) = serde_json::from_str::<Said>(line) else { continue };
        // What merely happened begins something new, too, but nobody said it.
        if said.role == "user" || said.role == "event" {
            exchange.close(cut, &mut done);
        }
        untrusted |= said.untrusted;
        if let Some(spoken) = spoken(&said) {
            exchange.lines.push((number, spoken));
            exchange.untrusted |= untrusted;
        }
    }
    exchange.close(cut, &mut done);
    done
}

/// The lines of a transcript as a person reads them; what tools did stands as an empty line, so that numbers agree.
pub(crate) fn transcript_lines(text: &str) -> Vec<String> {
    let readable =
        |line| serde_json::from_str::<Said>(line).ok().as_ref().and_then(spoken).unwrap_or_default();
    text.lines().map(readable).collect()
}

fn spoken(said: &Said) -> Option<String> {
    let by = match said.role.as_str() {
        "user" => "User",
        "assistant" => "Assistant",
        _ => return None,
    };
    (!said.content.trim().is_empty()).then(|| format!("{by}: {}", said.content.trim()))
}

#[derive(Default)]
struct Exchange {
    lines: Vec<(usize, String)>,
    untrusted: bool,
}

impl Exchange {
    fn close(&mut self, cut: Cut, done: &mut Vec<Chunk>) {
        let Self { lines, untrusted } = std::mem::take(self);
        let lines: Vec<Line<'_>> = lines
            .iter()
            .flat_map(|(number, text)| {
                text.lines().map(|text| Line { number: *number, text: text.trim_end() })
            })
            .collect();
        for (text, line_start, line_end) in cut_lines(&lines, cut) {
            if !text.trim().is_empty() {
                done.push(Chunk { heading: String::new(), text, line_start, line_end, untrusted });
            }
        }
    }
}
