//! Messages that no person wrote: reminders that came due, the regular look at things, runs of standing tasks, what
//! was handed in from outside. They are known by how `tasks` words them.

use super::wish::Step;

/// What such a message comes to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Occasion {
    /// There is nothing to find out.
    Answer(Step),
    /// A wish that was given earlier, and comes up now.
    Wish(String),
}

/// What the message is, if no person wrote it.
pub(crate) fn occasion(text: &str) -> Option<Occasion> {
    let say = |text: String| Some(Occasion::Answer(Step::Say(text)));
    if text.contains("HEARTBEAT.md") && text.contains("HEARTBEAT_OK") {
        return say("HEARTBEAT_OK\n".to_owned());
    }
    let reminders = reminders(text);
    if !reminders.is_empty() {
        let lines: Vec<String> = reminders.iter().map(|message| format!("⏰ {message}\n")).collect();
        return say(lines.concat());
    }
    let (before, note) = text.split_once("\n[")?;
    if note.starts_with("This is a run of the standing task") && note.contains("data from strangers") {
        return say(format!(
            "Something was handed in for this task, and no language model is configured to look at it: {}\n",
            before.trim()
        ));
    }
    if note.starts_with("This is a run of the standing task") {
        return Some(Occasion::Wish(before.trim().to_owned()));
    }
    if note.starts_with("A command that went on in the background has ended") {
        return say(format!("{}\n", before.trim()));
    }
    None
}

/// The messages of all reminders that came due together.
fn reminders(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("Reminder: ") {
        let at_line = start == 0 || rest.get(..start).is_some_and(|before| before.ends_with('\n'));
        let Some(after) = rest.get(start + "Reminder: ".len()..) else { break };
        let marks = ["\n\n[This is the reminder", "\n\n[This is the standing order"];
        let end = marks.iter().filter_map(|mark| after.find(mark)).min();
        let Some(end) = end.filter(|_| at_line) else {
            rest = after;
            continue;
        };
        found.push(after.get(..end).unwrap_or_default().trim().to_owned());
        rest = after.get(end..).unwrap_or_default();
    }
    found
}
