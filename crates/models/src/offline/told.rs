//! What a tool gave, in plain words; and the next call where a wish needs two. Nothing is remembered between: all of it
//! follows from the messages.

use super::{
    intent::Intent,
    offered::{Offered, same_tool},
    passages, reminders,
    wish::{self, Step},
};
use jiff::Zoned;
use protocol::{Call, CallResult, CallStatus};
use schedule::Schedule;
use serde_json::Value;

/// How much of a file, a page or a command's output is shown: a screen of it.
const MOST_LINES: usize = 40;
const MOST_CHARACTERS: usize = 4_000;

/// What one call came to.
pub(crate) struct Outcome<'a> {
    pub call: &'a Call,
    pub result: &'a CallResult,
}

/// Goes on after calls. `said` is what the owner wanted, and `intent` what that was taken for.
pub(crate) fn go_on(
    outcomes: &[Outcome<'_>],
    said: &str,
    intent: impl Fn() -> Option<Intent>,
    now: &Zoned,
    offered: Offered<'_>,
) -> Step {
    if let [outcome] = outcomes {
        if let Some(step) = again_under_another_name(outcome, now, offered) {
            return step;
        }
        let listed = is_cron(outcome, "list") && outcome.result.status == CallStatus::Succeeded;
        if listed && intent() == Some(Intent::Unremind) {
            return reminders::remove(said, &outcome.result.output, offered);
        }
    }
    let texts: Vec<String> = outcomes.iter().map(|outcome| told(outcome, now)).collect();
    Step::Say(texts.join("\n"))
}

fn told(outcome: &Outcome<'_>, now: &Zoned) -> String {
    let output = outcome.result.output.trim();
    match outcome.result.status {
        CallStatus::Succeeded => succeeded(outcome, now),
        CallStatus::Failed if same_tool(&outcome.call.tool, "bash") && outcome.result.exit_code.is_some() => {
            ran(outcome)
        }
        CallStatus::Failed => format!("That did not work: {output}\n"),
        CallStatus::Denied => format!("That was not done, for it was not allowed: {output}\n"),
        CallStatus::Interrupted => format!("Steward was stopped in the middle of it. {output}\n"),
        CallStatus::Aborted => "Stopped.\n".to_owned(),
    }
}

fn succeeded(outcome: &Outcome<'_>, now: &Zoned) -> String {
    let input: Value = serde_json::from_str(&outcome.call.arguments).unwrap_or_default();
    let output = outcome.result.output.trim();
    let tool = outcome.call.tool.replace('.', "_");
    match tool.as_str() {
        "memory_write" => format!("Noted: {}\n{output}\n", input["content"].as_str().unwrap_or_default()),
        "memory_search" => passages::told(output, input["query"].as_str().unwrap_or_default()),
        "cron" => match input["action"].as_str() {
            Some("add") => added(&input, now),
            Some("list") => reminders::told(output),
            _ => format!("{output}\n"),
        },
        "bash" | "exec" => ran(outcome),
        "read" => fenced(&outcome.result.output, "The file is empty."),
        "glob" => fenced(output, "There are no such files."),
        "webfetch" => format!(
            "{}\nThis is the beginning of the page; only a language model could sum it up.\n",
            fenced(output, "The page is empty.")
        ),
        _ => format!("{}\n", shortened(output)),
    }
}

fn added(input: &Value, now: &Zoned) -> String {
    let message = input["message"].as_str().unwrap_or_default();
    let Ok(schedule) = serde_json::from_value::<Schedule>(input["schedule"].clone()) else {
        return format!("The reminder is set: {message}.\n");
    };
    let when = schedule.describe(now.time_zone());
    let next = match &schedule {
        Schedule::At { at } => Some(*at),
        repeated => repeated.next_after(now.timestamp(), now.time_zone()),
    };
    let first = next.map(|next| schedule::from_now(next, now.timestamp())).unwrap_or_default();
    let first =
        if matches!(schedule, Schedule::At { .. }) { first } else { format!("for the first time {first}") };
    format!("The reminder is set: {message}. It comes {}, {first}.\n", on(&schedule, &when))
}

/// `on Friday, …` but `every weekday`.
fn on(schedule: &Schedule, when: &str) -> String {
    if matches!(schedule, Schedule::At { .. }) { format!("on {when}") } else { when.to_owned() }
}

fn ran(outcome: &Outcome<'_>) -> String {
    let shown = fenced(&outcome.result.output, "It wrote nothing.");
    match outcome.result.exit_code {
        None | Some(0) => shown,
        Some(code) => format!("The command ended with code {code}.\n{shown}"),
    }
}

/// A reminder's name is taken when one like it is still there: the time is added to the new one's.
fn again_under_another_name(outcome: &Outcome<'_>, now: &Zoned, offered: Offered<'_>) -> Option<Step> {
    if !is_cron(outcome, "add") || outcome.result.status != CallStatus::Failed {
        return None;
    }
    let output = outcome.result.output.to_lowercase();
    let taken =
        ["taken", "already", "exists"].iter().any(|word| output.contains(word)) && output.contains("name");
    let input: Value = serde_json::from_str(&outcome.call.arguments).ok()?;
    let (name, message) = (input["name"].as_str()?, input["message"].as_str()?);
    // Once is enough: a name that was lengthened and is taken too is told of.
    if !taken || name != message.chars().take(name.chars().count()).collect::<String>() {
        return None;
    }
    let schedule: Schedule = serde_json::from_value(input["schedule"].clone()).ok()?;
    let longer = format!("{name} ({})", now.strftime("%Y-%m-%d %H:%M:%S"));
    Some(wish::add(&longer, &schedule, message, offered))
}

fn is_cron(outcome: &Outcome<'_>, action: &str) -> bool {
    let input: Value = serde_json::from_str(&outcome.call.arguments).unwrap_or_default();
    same_tool(&outcome.call.tool, "cron") && input["action"] == action
}

/// A text that is nobody's words here, as it is.
fn fenced(text: &str, if_empty: &str) -> String {
    if text.trim().is_empty() {
        return format!("{if_empty}\n");
    }
    let text = shortened(text);
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}\n{text}\n{fence}\n")
}

fn shortened(text: &str) -> String {
    let text = text.trim_end();
    let mut kept: String = text.lines().take(MOST_LINES).collect::<Vec<_>>().join("\n");
    if kept.chars().count() > MOST_CHARACTERS {
        kept = kept.chars().take(MOST_CHARACTERS).collect();
    }
    let left = text.lines().count().saturating_sub(kept.lines().count());
    if kept.len() < text.len() {
        kept.push_str(&format!("\n[… {left} more lines …]"));
    }
    kept
}
