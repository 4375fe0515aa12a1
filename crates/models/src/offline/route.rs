//! Which wish a text is: by rules where they are sure, else by the nearest examples. What is then done is for `wish`.

use super::{
    examples::Ranking,
    intent::Intent,
    reckon::reckon,
    slots::{self, address, file},
    words::words,
};
use jiff::Zoned;

/// Nearness to the examples of an intent and the lead over the next one count together; below this they say nothing.
const SURE_BY_MEANING: f32 = 0.35;

/// The same where only words can be compared.
const SURE_BY_WORDS: f32 = 0.3;

/// What somebody wants, or what it may have been.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Wish(Intent),
    /// Nothing is near enough; these were the nearest.
    Unclear(Vec<Intent>),
}

/// Finds out what is wanted. `rank` is only asked where no rule is sure.
pub(crate) fn route(text: &str, now: &Zoned, rank: impl FnOnce(&str) -> Ranking) -> Route {
    if let Some(intent) = sure(text, now) {
        return Route::Wish(intent);
    }
    let ranking = rank(text);
    let enough = if ranking.by_meaning { SURE_BY_MEANING } else { SURE_BY_WORDS };
    match ranking.nearest.as_slice() {
        [(intent, first), (_, second), ..] if first + (first - second) >= enough => Route::Wish(*intent),
        // If anything here knows the answer, it is the notes.
        _ if asks_about_own(text) => Route::Wish(Intent::Recall),
        _ => Route::Unclear(ranking.nearest.iter().take(2).map(|(intent, _)| *intent).collect()),
    }
}

/// Whether it is a question about the owner's own affairs.
fn asks_about_own(text: &str) -> bool {
    const ASKING: &[&str] = &[
        "where", "when", "what", "who", "whose", "whom", "which", "how", "why", "did", "do", "does", "is",
        "are", "was", "were", "have", "has", "wo", "wohin", "wann", "was", "wer", "wem", "wen", "wessen",
        "welche", "welcher", "welches", "wie", "warum", "habe", "hatte", "hat", "ist", "sind", "war",
    ];
    const OWN: &[&str] = &[
        "i", "my", "me", "mine", "we", "our", "us", "ich", "mein", "meine", "meinen", "meinem", "meiner",
        "mir", "mich", "wir", "unser", "unsere", "unseren", "unserem", "uns",
    ];
    let words = words(text);
    let asks = words.first().is_some_and(|word| ASKING.contains(&word.as_str()));
    // Advice is not in the notes.
    let advice = words.iter().any(|word| ["should", "shall", "soll", "sollte"].contains(&word.as_str()));
    asks && !advice && words.iter().any(|word| OWN.contains(&word.as_str()))
}

/// What a rule is sure of.
fn sure(text: &str, now: &Zoned) -> Option<Intent> {
    let words = words(text);
    let is = |position: usize, wanted: &[&str]| {
        words.get(position).is_some_and(|word| wanted.contains(&word.as_str()))
    };
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    if reckon(text).is_some() {
        return Some(Intent::Reckon);
    }
    if let Some(intent) = opening(text, &words, now) {
        return Some(intent);
    }
    if address(text).is_some() {
        return Some(Intent::Fetch);
    }
    if let Some(intent) = about_reminders(text, now, &has) {
        return Some(intent);
    }
    if has(&["files", "dateien"])
        && has(&["list", "show", "which", "find", "all", "zeig", "zeige", "welche", "alle", "liste"])
    {
        return Some(Intent::Files);
    }
    if file(text).is_some() && (is(0, slots::SHOWING) || has(&["file", "datei"])) {
        return Some(Intent::Read);
    }
    if words.len() <= 4 && has(&["thanks", "thank", "danke", "dankeschön", "thx"]) {
        return Some(Intent::Thank);
    }
    let whole = words.join(" ");
    match whole.as_str() {
        "hi" | "hello" | "hey" | "hallo" | "moin" | "servus" | "good morning" | "good evening"
        | "guten morgen" | "guten tag" | "guten abend" => Some(Intent::Greet),
        "help" | "hilfe" | "what can you do" | "was kannst du" => Some(Intent::Explain),
        "time" | "date" | "uhrzeit" | "datum" => Some(Intent::Clock),
        "ls" | "dir" => Some(Intent::Files),
        "undo" => Some(Intent::Undo),
        _ => None,
    }
}

/// What the first words decide.
fn opening(text: &str, words: &[String], now: &Zoned) -> Option<Intent> {
    if text.trim_start().starts_with('$') || slots::command(text).is_some() {
        return Some(Intent::Run);
    }
    let searched = ["search my notes", "in my notes", "search memory", "in meinen notizen", "in den notizen"];
    if searched.iter().any(|words| text.to_lowercase().contains(words)) {
        return Some(Intent::Recall);
    }
    let question = ["do you remember", "weißt du noch", "erinnerst du dich", "what did i", "was habe ich"];
    let whole = words.join(" ");
    if question.iter().any(|start| whole.starts_with(start)) {
        return Some(Intent::Recall);
    }
    if slots::note(text).is_some() {
        // `Remember to call at five` is no note.
        let to_do = whole.starts_with("remember to") || whole.starts_with("denk daran");
        let timed = to_do && schedule::phrase::find(text, now).is_some();
        return Some(if timed { Intent::Remind } else { Intent::Remember });
    }
    None
}

fn about_reminders(text: &str, now: &Zoned, has: &impl Fn(&[&str]) -> bool) -> Option<Intent> {
    let lower = text.to_lowercase();
    let ends = [
        "delete",
        "remove",
        "cancel",
        "clear",
        "stop",
        "lösche",
        "lösch",
        "entferne",
        "ausschalten",
        "nicht",
    ];
    let lists = ["list", "show", "which", "what", "any", "liste", "zeig", "zeige", "welche"];
    let things =
        ["reminder", "reminders", "erinnerung", "erinnerungen", "alarm", "alarms", "timer", "wecker"];
    let reminding = ["remind me", "erinnere mich", "erinner mich"].iter().any(|words| lower.contains(words));
    let no_more = ["not remind", "don't have to remind", "don't remind", "stop remind", "nicht mehr"];
    let ended = lower.contains("remind") || lower.contains("erinner");
    if has(&things) && has(&ends) || ended && no_more.iter().any(|words| lower.contains(words)) {
        return Some(Intent::Unremind);
    }
    if has(&["reminders", "alarms", "erinnerungen"]) && has(&lists) {
        return Some(Intent::Reminders);
    }
    let orders =
        ["wake me", "weck mich", "set a timer", "set an alarm", "set a reminder", "stell mir", "stell einen"];
    let starts = ["what", "which", "when will", "do i", "was ", "woran", "wann", "habe ich", "are there"];
    let asks = starts.iter().any(|start| lower.starts_with(start));
    let timed =
        || (has(&things) || has(&["remind", "erinnern"])) && schedule::phrase::find(text, now).is_some();
    let ordered = reminding || orders.iter().any(|words| lower.contains(words)) || timed();
    (ordered && !asks).then_some(Intent::Remind)
}
