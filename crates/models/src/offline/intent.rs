//! What the helper can be asked for. How it is recognised is for `route`, what comes of it for `wish`.

/// What somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Intent {
    Remember,
    Recall,
    Remind,
    Reminders,
    Unremind,
    Run,
    Read,
    Files,
    Fetch,
    Tasks,
    Clock,
    Reckon,
    Greet,
    Thank,
    Explain,
    Model,
    Undo,
}

/// All of them: the name in the examples, what it is in a suggestion, and how one could say it.
const ALL: [(Intent, &str, &str, &str); 17] = [
    (
        Intent::Remember,
        "remember",
        "write something into your notes",
        "remember that the spare key is under the pot",
    ),
    (Intent::Recall, "recall", "look something up in your notes", "what did I say about the spare key?"),
    (Intent::Remind, "remind", "set a reminder", "remind me in 20 minutes to take the pizza out"),
    (Intent::Reminders, "reminders", "list your reminders", "show my reminders"),
    (Intent::Unremind, "unremind", "remove a reminder", "delete the reminder about the pizza"),
    (Intent::Run, "run", "run a command, once you allow it", "run df -h"),
    (Intent::Read, "read", "show a file", "read notes.txt"),
    (Intent::Files, "files", "list files", "which files are in the workspace?"),
    (Intent::Fetch, "fetch", "show the beginning of a web page", "fetch https://example.com"),
    (Intent::Tasks, "tasks", "list your tasks", "show my tasks"),
    (Intent::Clock, "clock", "tell the time and the date", "what time is it?"),
    (Intent::Reckon, "reckon", "calculate", "what is 12 times 12?"),
    (Intent::Greet, "greet", "say hello", "hello"),
    (Intent::Thank, "thank", "take a thank-you", "thanks"),
    (Intent::Explain, "explain", "say what it can do", "what can you do?"),
    (Intent::Model, "model", "say how to add a language model", "how do I add a model?"),
    (Intent::Undo, "undo", "say what can be undone", "undo"),
];

impl Intent {
    /// The one with this name in the examples.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, known, _, _)| *known == name).map(|(intent, ..)| *intent)
    }

    /// The name in the examples.
    #[cfg(test)]
    pub fn name(self) -> &'static str {
        ALL.iter().find(|(intent, ..)| *intent == self).map_or("", |(_, name, ..)| name)
    }

    /// What it is and how to say it, as a line of a list.
    pub fn suggestion(self) -> String {
        let found = ALL.iter().find(|(intent, ..)| *intent == self);
        found.map_or_else(String::new, |(_, _, what, example)| format!("- {what}: `{example}`"))
    }
}

/// Everything it can do, as a list.
pub(crate) fn abilities() -> String {
    let small_talk = [Intent::Greet, Intent::Thank, Intent::Explain, Intent::Undo];
    let useful = ALL.iter().map(|(intent, ..)| *intent).filter(|intent| !small_talk.contains(intent));
    useful.map(Intent::suggestion).collect::<Vec<_>>().join("\n")
}
