//! The reminders there are, as a tool listed them: to be told, and to find the one that is to go.

use super::{
    offered::Offered,
    wish::Step,
    words::{stems, words},
};
use serde_json::json;

/// So many are removed at once; whoever has more says it again.
const MOST_AT_ONCE: usize = 20;

/// The list for reading.
pub(crate) fn told(output: &str) -> String {
    let reminders = read(output);
    if reminders.is_empty() {
        return "There are no reminders.\n".to_owned();
    }
    format!("Your reminders:\n\n{}\n", lines(&reminders))
}

/// The call that removes the one that is meant, or a question.
pub(crate) fn remove(said: &str, listed: &str, offered: Offered<'_>) -> Step {
    let reminders = read(listed);
    let meant = meant(said, &reminders);
    match meant.as_slice() {
        _ if reminders.is_empty() => Step::Say("There are no reminders.\n".to_owned()),
        [] => Step::Say(format!("None fits that. These are there:\n\n{}\n", lines(&reminders))),
        [_] => removals(&meant, offered),
        several if all_are_meant(said) => removals(several, offered),
        several => {
            let several: Vec<Reminder> = several.iter().map(|it| (*it).clone()).collect();
            Step::Say(format!("Which of these? Say its name.\n\n{}\n", lines(&several)))
        }
    }
}

#[derive(Debug, Clone)]
struct Reminder {
    id: String,
    name: String,
    message: String,
    when: String,
}

fn removals(reminders: &[&Reminder], offered: Offered<'_>) -> Step {
    let mut wanted = Vec::new();
    for reminder in reminders.iter().take(MOST_AT_ONCE) {
        match offered.call("cron", json!({ "action": "remove", "id": reminder.id })) {
            Step::Call(call) => wanted.extend(call),
            Step::Say(why) => return Step::Say(why),
        }
    }
    Step::Call(wanted)
}

/// Those whose words were said, the best only; all if all are meant.
fn meant<'a>(said: &str, reminders: &'a [Reminder]) -> Vec<&'a Reminder> {
    if all_are_meant(said) || reminders.len() == 1 && names_nothing(said) {
        return reminders.iter().collect();
    }
    let said = stems(said);
    let fit = |reminder: &Reminder| {
        let known = stems(&format!("{} {} {}", reminder.name, reminder.message, reminder.when));
        said.iter().filter(|stem| known.contains(stem) && !COMMAND_STEMS.contains(&stem.as_str())).count()
    };
    let best = reminders.iter().map(fit).max().unwrap_or(0);
    reminders.iter().filter(|reminder| best > 0 && fit(reminder) == best).collect()
}

/// What belongs to the request and not to the reminder.
const COMMAND_STEMS: &[&str] = &[
    "delet", "remov", "cancel", "remind", "reminder", "stop", "turn", "off", "about", "lösch", "erinn",
    "erinner", "nicht", "mehr", "alarm", "timer", "clear", "forget", "entfern", "have", "don't", "any",
    "more", "with", "need", "longer", "no",
];

fn names_nothing(said: &str) -> bool {
    stems(said).iter().all(|stem| COMMAND_STEMS.contains(&stem.as_str()) || stem.len() <= 3)
}

fn all_are_meant(said: &str) -> bool {
    words(said)
        .iter()
        .any(|word| ["all", "every", "everything", "alle", "sämtliche"].contains(&word.as_str()))
}

fn lines(reminders: &[Reminder]) -> String {
    let line = |reminder: &Reminder| match reminder.when.is_empty() {
        true => format!("- {}", reminder.name),
        false => format!("- {}: {}", reminder.name, reminder.when),
    };
    reminders.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A line for each: `id "name" when, next …: message`. What is no reminder has its kind in brackets.
fn read(output: &str) -> Vec<Reminder> {
    output.lines().filter_map(reminder).collect()
}

fn reminder(line: &str) -> Option<Reminder> {
    let (id, rest) = line.split_once(" \"")?;
    let end = rest.match_indices('"').map(|(at, _)| at).find(|at| !rest.get(..*at).is_some_and(escapes))?;
    let name = rest.get(..end)?.replace("\\\"", "\"").replace("\\\\", "\\");
    let (when, message) = rest.get(end + 1..)?.split_once(": ")?;
    let other = ["[heartbeat]", "[task]"].iter().any(|kind| when.contains(kind));
    (!other).then(|| Reminder {
        id: id.to_owned(),
        name,
        message: message.to_owned(),
        when: when.trim().to_owned(),
    })
}

/// Whether what follows this text is escaped.
fn escapes(before: &str) -> bool {
    before.chars().rev().take_while(|letter| *letter == '\\').count() % 2 == 1
}
