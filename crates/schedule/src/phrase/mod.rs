//! Reading how people say when, in English and in German: `in 20 minutes`, `tomorrow at 9`, `jeden Werktag um 9 Uhr`.
//!
//! A clock time that has passed today is meant tomorrow, and a bare hour is one of the 24-hour clock unless the
//! evening or the afternoon is named. What is vague gets a usual time that `describe` says back: a day is 09:00, a
//! morning 08:00, an evening 19:00. A time the clock of the zone jumps over is moved on by the jump.
//!
//! Reading order: `tokens` takes the text apart, `numbers`, `span`, `clock`, `day` and `repeat` each read one kind of
//! piece, `pieces` gathers those of one phrase, `resolve` asks the calendar, `rest` is what else the sentence says.

mod tokens;
mod numbers;
mod span;
mod clock;
mod day;
mod repeat;
mod pieces;
mod resolve;
mod rest;

use crate::schedule::Schedule;
use jiff::{Timestamp, Zoned};
use pieces::{Pieces, collect};
use resolve::resolve;
use std::ops::Range;
use thiserror::Error;
use tokens::Tokens;

#[cfg(test)]
mod tests;

/// No time could be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "I could not read a time in \"{0}\"; say for example \"in 20 minutes\", \"tomorrow at 9\" or \"every weekday at 8\""
)]
pub struct BadPhrase(String);

/// A time phrase in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What the phrase means.
    pub schedule: Schedule,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// What else the sentence says, without the request to be reminded.
    pub rest: String,
}

/// The one time that `text` names.
pub fn time(text: &str, now: &Zoned) -> Result<Timestamp, BadPhrase> {
    match schedule(text, now)? {
        Schedule::At { at } => Ok(at),
        Schedule::Every { .. } | Schedule::Cron { .. } => Err(bad(text)),
    }
}

/// What `text` as a whole means. A time that has passed is given as it was said.
pub fn schedule(text: &str, now: &Zoned) -> Result<Schedule, BadPhrase> {
    let text = text.trim();
    let tokens = Tokens::of(text.trim_end_matches(['.', '!', '?', ',', ' ']));
    // The dot of a date belongs to it.
    let dotted = Tokens::of(text.trim_end_matches(['!', '?', ',', ' ']));
    let whole = |tokens: &Tokens| {
        let (pieces, _) = collect(tokens, 0).filter(|(_, end)| *end == tokens.len())?;
        resolve(&pieces, now)
    };
    let stretch = || {
        let (stretch, _) = span::stretch(&tokens, 0).filter(|(_, end)| *end == tokens.len())?;
        resolve(&Pieces { stretch: Some(stretch), ..Pieces::default() }, now)
    };
    whole(&dotted).or_else(|| whole(&tokens)).or_else(stretch).ok_or_else(|| bad(text))
}

/// The time phrase in a sentence, if there is one, and the rest of the sentence: `remind me in 20 minutes to take the
/// pizza out` leaves `take the pizza out`.
pub fn find(text: &str, now: &Zoned) -> Option<Found> {
    let tokens = Tokens::of(text);
    let phrases = phrases(&tokens, now);
    let first = phrases.iter().enumerate().max_by_key(|(place, phrase)| {
        let at_edge = phrase.ends_sentence(&tokens) || follows_lead(&tokens, phrase.start);
        (at_edge, phrase.end - phrase.start, std::cmp::Reverse(*place))
    });
    let (place, chosen) = first?;
    let joined = phrases.iter().enumerate().filter(|(other, _)| *other != place).find_map(|(_, other)| {
        let pieces = chosen.pieces.with(&other.pieces)?;
        let apart = other.ends_sentence(&tokens) || follows_lead(&tokens, other.start);
        Some((resolve(&pieces, now).filter(|_| apart)?, other))
    });
    let mut gone = vec![chosen.range(&tokens)?];
    let schedule = match joined {
        Some((schedule, other)) => {
            gone.push(other.range(&tokens)?);
            schedule
        }
        None => resolve(&chosen.pieces, now)?,
    };
    let range = gone.first()?.clone();
    gone.sort_by_key(|range| range.start);
    let mut parts = Vec::new();
    let mut from = 0;
    for range in &gone {
        parts.push(text.get(from..range.start)?);
        from = range.end;
    }
    parts.push(text.get(from..)?);
    Some(Found { schedule, range, rest: rest::rest(&parts) })
}

/// A stretch of tokens that means a time.
struct Phrase {
    pieces: Pieces,
    start: usize,
    end: usize,
}

impl Phrase {
    fn range(&self, tokens: &Tokens) -> Option<Range<usize>> {
        Some(tokens.get(self.start)?.start..tokens.get(self.end.checked_sub(1)?)?.end)
    }

    fn ends_sentence(&self, tokens: &Tokens) -> bool {
        (self.end..tokens.len()).all(|at| tokens.is(at, &[".", "!", "?", ",", "please", "bitte"]))
    }
}

/// All phrases in the text, from left to right, none within another.
fn phrases(tokens: &Tokens, now: &Zoned) -> Vec<Phrase> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        // What follows `about` is what to be reminded of, even if it is a Sunday.
        let topic = tokens.is(at, &["about", "of", ","]);
        let found_here = if topic { None } else { collect(tokens, at) };
        match found_here.filter(|(pieces, _)| resolve(pieces, now).is_some()) {
            Some((pieces, end)) => {
                found.push(Phrase { pieces, start: at, end });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Whether a phrase that begins here stands at the front, or right behind the request.
fn follows_lead(tokens: &Tokens, start: usize) -> bool {
    start == 0
        || ["me", "mich", "mir", "us", "uns", "reminder", "erinnerung", "please", "bitte", "timer", "alarm"]
            .contains(&tokens.before(start))
}

fn bad(text: &str) -> BadPhrase {
    let short: String = text.chars().take(80).collect();
    BadPhrase(if short.len() < text.len() { format!("{short}…") } else { short })
}
