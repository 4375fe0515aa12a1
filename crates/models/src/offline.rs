//! An honest answer when no language model is configured: it says so, tells the time, and explains how to add
//! a model. It is not a language model and does not pretend to be one.

use crate::{
    request::ModelRequest,
    stream::{ModelAnswer, ModelEvent, ModelStream},
};
use jiff::Zoned;
use protocol::{Block, Message, Role, StopReason, Usage};

const GREETING: &str = include_str!("offline/greeting.md");
const HELP: &str = include_str!("offline/help.md");
const WHO: &str = include_str!("offline/who.md");
const UNKNOWN: &str = include_str!("offline/unknown.md");

/// Answers the last thing the user said.
pub(crate) fn answer(request: &ModelRequest) -> ModelStream {
    let said = request.messages.iter().rev().find(|it| it.role == Role::User).map(Message::text);
    let text = reply(&said.unwrap_or_default(), &Zoned::now());
    let usage = Usage::default();
    let done = ModelAnswer { blocks: vec![Block::text(text.clone())], stop: StopReason::EndTurn, usage };
    let pieces: Vec<ModelEvent> =
        text.split_inclusive('\n').map(|line| ModelEvent::Text(line.to_owned())).collect();
    Box::pin(futures::stream::iter(pieces.into_iter().chain([ModelEvent::Done(done)])))
}

/// What is answered to `said` at the time `now`.
pub(crate) fn reply(said: &str, now: &Zoned) -> String {
    let words: Vec<String> = said
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let asks =
        has(&["what", "what's", "whats", "which", "tell", "current", "today", "now"]) || words.len() <= 2;
    if asks && has(&["time", "date", "day", "clock", "today"]) {
        return format!("It is {} on this machine.\n", now.strftime("%H:%M on %A, %-d %B %Y (%Z)"));
    }
    if has(&["who", "who's"]) && has(&["you", "are", "this"]) || has(&["steward"]) && words.len() <= 3 {
        return WHO.to_owned();
    }
    if has(&["help", "model", "models", "key", "configure", "setup", "ollama", "anthropic", "openai"]) {
        return HELP.to_owned();
    }
    if words.len() <= 3
        && has(&["hello", "hi", "hey", "morning", "afternoon", "evening", "greetings", "moin"])
    {
        return GREETING.to_owned();
    }
    UNKNOWN.to_owned()
}
