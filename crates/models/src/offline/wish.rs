//! What is done about a wish: something is said, or a tool is called. What a tool gave is told by `told`.

use super::{
    Helper,
    intent::{Intent, abilities},
    offered::Offered,
    reckon::reckon,
    slots,
};
use jiff::Zoned;
use schedule::{Schedule, phrase};
use serde_json::{Value, json};

const GREETING: &str = include_str!("greeting.md");
const THANKS: &str = include_str!("thanks.md");
const EXPLAIN: &str = include_str!("explain.md");
const MODEL: &str = include_str!("model.md");
const UNDO: &str = include_str!("undo.md");
const UNKNOWN: &str = include_str!("unknown.md");

/// A reminder is found by its name, so it should be one to say.
const NAME_CHARACTERS: usize = 60;

/// What happens next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Say(String),
    Call(Vec<Wanted>),
}

/// A call that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub tool: String,
    pub input: Value,
}

/// What is done about a wish that was recognised.
pub(crate) fn grant(intent: Intent, text: &str, now: &Zoned, offered: Offered<'_>, helper: &Helper) -> Step {
    match intent {
        Intent::Remember => remember(text, offered),
        Intent::Recall => offered.call("memory.search", json!({ "query": slots::question(text) })),
        Intent::Remind => remind(text, now, offered),
        Intent::Reminders | Intent::Unremind => offered.call("cron", json!({ "action": "list" })),
        Intent::Run => match slots::command(text) {
            Some(command) => offered.call_one_of(&["bash", "exec"], json!({ "command": command })),
            None => Step::Say("Which command? Write it as it would stand in a shell: `run df -h`.\n".into()),
        },
        Intent::Read => match slots::file(text) {
            Some(path) => offered.call("read", json!({ "path": path })),
            None => Step::Say("Which file? Give its path: `read notes.txt`.\n".into()),
        },
        Intent::Files => files(text, offered),
        Intent::Fetch => match slots::address(text) {
            Some(url) => offered.call("webfetch", json!({ "url": url })),
            None => Step::Say("Which page? Give its address: `fetch https://example.com`.\n".into()),
        },
        Intent::Tasks => offered.call("tasks.list", json!({})),
        Intent::Clock => {
            Step::Say(format!("It is {} on this machine.\n", now.strftime("%H:%M on %A, %-d %B %Y (%Z)")))
        }
        Intent::Reckon => Step::Say(match reckon(text) {
            Some(result) => format!("{result}\n"),
            None => "That sum could not be read. Write it with signs: `3 * (4 + 5)`.\n".into(),
        }),
        Intent::Greet => Step::Say(GREETING.into()),
        Intent::Thank => Step::Say(THANKS.into()),
        Intent::Explain => Step::Say(
            EXPLAIN.replace("{abilities}", &abilities()).replace("{understanding}", &helper.understanding()),
        ),
        Intent::Model => Step::Say(MODEL.into()),
        Intent::Undo => Step::Say(UNDO.into()),
    }
}

/// What is said where nothing was recognised.
pub(crate) fn not_understood(nearest: &[Intent]) -> Step {
    let suggestions: Vec<String> = nearest.iter().map(|intent| intent.suggestion()).collect();
    Step::Say(UNKNOWN.replace("{suggestions}", &suggestions.join("\n")))
}

fn remember(text: &str, offered: Offered<'_>) -> Step {
    let content = slots::note(text).unwrap_or_else(|| text.trim().to_owned());
    if content.is_empty() {
        return Step::Say(
            "What shall be remembered? `remember that the spare key is under the pot`.\n".into(),
        );
    }
    let target = if slots::is_of_today(&content) { "daily" } else { "long_term" };
    offered.call("memory.write", json!({ "target": target, "content": content }))
}

fn remind(text: &str, now: &Zoned, offered: Offered<'_>) -> Step {
    let timer = ["timer", "alarm", "wecker"].iter().any(|word| text.to_lowercase().contains(word));
    let as_timer = || text.replace(" for ", " in ").replace(" auf ", " in ").replace(" of ", " in ");
    let found = phrase::find(text, now).or_else(|| if timer { phrase::find(&as_timer(), now) } else { None });
    let Some(found) = found else {
        return Step::Say(
            "When? Say it along with what: `remind me tomorrow at 9 to call Anna`, `every weekday at 8 remind me of \
             the bus`.\n"
                .into(),
        );
    };
    if let Err(bad) = found.schedule.check(now.timestamp(), now.time_zone()) {
        return Step::Say(format!("That cannot be kept: {bad}.\n"));
    }
    let message = match found.rest.to_lowercase().as_str() {
        "" if timer => "time is up".to_owned(),
        "" => {
            return Step::Say("Of what? Say it along with when: `remind me at 17:00 to call Anna`.\n".into());
        }
        "wake me" | "wake me up" | "weck mich" => "time to get up".to_owned(),
        _ => found.rest,
    };
    let name: String = message.chars().take(NAME_CHARACTERS).collect();
    add(&name, &found.schedule, &message, offered)
}

/// The call that sets a reminder. One that comes once is gone when it has come.
pub(crate) fn add(name: &str, schedule: &Schedule, message: &str, offered: Offered<'_>) -> Step {
    let mut input = json!({ "action": "add", "name": name, "schedule": schedule, "message": message });
    if matches!(schedule, Schedule::At { .. }) && offered.takes("cron", "deleteAfterRun") {
        input["deleteAfterRun"] = json!(true);
    }
    offered.call("cron", input)
}

fn files(text: &str, offered: Offered<'_>) -> Step {
    let (pattern, folder) = (slots::pattern(text), slots::folder(text));
    if offered.has("glob") {
        let mut input = json!({ "pattern": pattern });
        if let Some(folder) = folder {
            input["path"] = json!(folder);
        }
        return offered.call("glob", input);
    }
    let quoted = folder.unwrap_or_else(|| ".".to_owned()).replace('\'', r"'\''");
    offered.call_one_of(&["bash", "exec"], json!({ "command": format!("ls -la '{quoted}'") }))
}
