//! Messages that no person wrote: reminders that came due, the regular look at things, runs of standing tasks, what
//! was handed in from outside. They are known by how the house words them.

/// What such a message comes to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Occasion {
    /// There is nothing to find out; this is said.
    Answer(String),
    /// A wish that was given earlier, and comes up now.
    Wish(String),
}

const NOTHING: &str = "HEARTBEAT_OK\n";

/// What a message made of these texts is, if no person wrote it. What happened together is told together.
pub(crate) fn occasion(texts: &[&str]) -> Option<Occasion> {
    let mut found: Vec<Occasion> = texts.iter().filter_map(|text| single(text)).collect();
    if found.len() <= 1 {
        return found.pop();
    }
    let told = found.into_iter().map(|occasion| match occasion {
        Occasion::Answer(text) => text,
        Occasion::Wish(wish) => {
            format!("A standing task came up along with this, and was not done: {wish}\n")
        }
    });
    let told: String = told.filter(|text| text != NOTHING).collect();
    Some(Occasion::Answer(if told.is_empty() { NOTHING.to_owned() } else { told }))
}

fn single(text: &str) -> Option<Occasion> {
    let say = |text: String| Some(Occasion::Answer(text));
    let text = text.trim();
    if text.starts_with("Read HEARTBEAT.md") && text.contains("HEARTBEAT_OK") {
        return say(NOTHING.to_owned());
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(", in short: ") {
        return say(format!("{text}\n"));
    }
    let (before, note) = text.split_once("\n\n[")?;
    let before = before.trim();
    if note.starts_with("This is the reminder") || note.starts_with("This is the standing order") {
        return say(format!("⏰ {}\n", before.strip_prefix("Reminder: ").unwrap_or(before)));
    }
    if note.starts_with("A command that went on in the background has ended") {
        return say(format!("{before}\n"));
    }
    if !note.starts_with("This is a run of the standing task") {
        return None;
    }
    if note.contains("data from strangers") {
        return say(format!(
            "Something was handed in for this task, and no language model is configured to look at it: {before}\n"
        ));
    }
    Some(Occasion::Wish(before.to_owned()))
}
