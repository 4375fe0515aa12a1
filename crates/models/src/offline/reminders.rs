//! The reminders there are, as a tool listed them: to be told, and to find the one that is to go.

use super::{
    offered::Offered,
    wish::Step,
    words::{stems, words},
};
use serde_json::{Value, json};

/// So many are removed at once; whoever has more says it again.
const MOST_AT_ONCE: usize = 20;

/// The list for reading.
pub(crate) fn told(output: &str) -> String {
    let Some(reminders) = read(output) else {
        return format!("{}\n", output.trim());
    };
    if reminders.is_empty() {
        return "There are no reminders.\n".to_owned();
    }
    format!("Your reminders:\n\n{}\n", lines(&reminders))
}

/// The call that removes the one that is meant, or a question.
pub(crate) fn remove(said: &str, listed: &str, offered: Offered<'_>) -> Step {
    let Some(reminders) = read(listed) else {
        return Step::Say(format!("Which one? These are there:\n\n{}\n", listed.trim()));
    };
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
        let input = match offered.takes("cron", "id") && !reminder.id.is_empty() {
            true => json!({ "action": "remove", "id": reminder.id }),
            false => json!({ "action": "remove", "name": reminder.name }),
        };
        match offered.call("cron", input) {
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

/// A list in JSON: an array, or an object that holds one under `jobs`.
fn read(output: &str) -> Option<Vec<Reminder>> {
    let value: Value = serde_json::from_str(output.trim()).ok()?;
    let jobs = value.as_array().or_else(|| value["jobs"].as_array())?;
    let text = |job: &Value, field: &str| job[field].as_str().unwrap_or_default().to_owned();
    let reminder = |job: &Value| {
        let when = [text(job, "describe"), text(job, "when")].into_iter().find(|when| !when.is_empty());
        let next = [text(job, "nextRun"), text(job, "next")].into_iter().find(|next| !next.is_empty());
        let when = match (when, next) {
            (Some(when), Some(next)) => format!("{when}, next {next}"),
            (when, next) => when.or(next).unwrap_or_default(),
        };
        Reminder { id: text(job, "id"), name: text(job, "name"), message: text(job, "message"), when }
    };
    let wanted = |job: &&Value| job["kind"].as_str().is_none_or(|kind| kind == "reminder");
    Some(jobs.iter().filter(wanted).map(reminder).collect())
}
