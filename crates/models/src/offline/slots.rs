//! What a wish is about: the note, the command, the file, the address, the question. Which wish it is, is for `route`.

/// Words that begin a wish to see something.
pub(crate) const SHOWING: &[&str] =
    &["read", "show", "open", "cat", "print", "display", "lies", "zeig", "zeige", "öffne", "view", "what"];

/// What stands before a note. The longest that fits is taken off.
const NOTE_LEADS: &[&str] = &[
    "remember that",
    "remember",
    "keep in mind that",
    "keep in mind",
    "note that",
    "note to self",
    "make a note that",
    "make a note",
    "take a note that",
    "take a note",
    "jot down that",
    "jot down",
    "write down that",
    "write down",
    "write this down",
    "save a note saying",
    "save a note that",
    "save a note",
    "add to my notes that",
    "add to my notes",
    "don't forget that",
    "merk dir bitte dass",
    "merk dir dass",
    "merk dir",
    "merke dir dass",
    "merke dir",
    "merke",
    "notiere dass",
    "notiere",
    "notier dir bitte dass",
    "notier dir dass",
    "notier dir",
    "notier",
    "schreib dir auf dass",
    "schreib auf dass",
    "schreib auf",
    "schreib dir auf",
    "halte fest dass",
    "halte fest",
    "you should know that",
    "i want you to know that",
    "for your information",
    "fyi",
    "vergiss nicht dass",
    "denk daran dass",
    "denk daran",
    "note",
];

/// How a note may end.
const NOTE_ENDS: &[&str] = &[
    "write that down",
    "write it down",
    "don't forget it",
    "keep that",
    "keep that in mind",
    "make a note",
    "schreib das auf",
    "merk dir das",
    "notier das",
];

/// What is to be remembered, if the text begins or ends like a note.
pub(crate) fn note(text: &str) -> Option<String> {
    let whole = text.trim().trim_end_matches(['.', '!']);
    let lower = whole.to_lowercase();
    let ended =
        NOTE_ENDS.iter().find_map(|end| lower.strip_suffix(end)).and_then(|before| whole.get(..before.len()));
    if let Some(before) =
        ended.map(|before| before.trim_end_matches([' ', ',', ';', '-', '–'])).filter(|it| !it.is_empty())
    {
        return Some(before.to_owned());
    }
    let rest = after_lead(text, NOTE_LEADS)?;
    let about_past = ["when", "what", "who", "where", "which", "me?", "?"];
    let asks =
        text.trim_end().ends_with('?') || about_past.iter().any(|word| rest.to_lowercase().starts_with(word));
    (!rest.is_empty() && !asks).then_some(rest)
}

/// Whether a note belongs to this day rather than to what stays true.
pub(crate) fn is_of_today(note: &str) -> bool {
    let days = ["today", "tonight", "yesterday", "heute", "gestern"];
    super::words::words(note).iter().any(|word| days.contains(&word.as_str()))
}

/// The command, if the text begins like one.
pub(crate) fn command(text: &str) -> Option<String> {
    if let Some(command) = text.trim().strip_prefix('$') {
        return Some(command.trim().to_owned()).filter(|command| !command.is_empty());
    }
    let leads = [
        "run the command",
        "run command",
        "run",
        "could you run the command",
        "could you run",
        "can you run",
        "execute the command",
        "execute",
        "start the command",
        "execute this in the shell",
        "führe den befehl",
        "führe",
    ];
    let german = text.trim_start().to_lowercase().starts_with("führe");
    let rest = after_lead(text, &leads)?;
    let rest = if german { rest.strip_suffix("aus")?.trim() } else { rest.as_str() };
    let command = quoted(rest).unwrap_or(rest).trim();
    let vague = ["the", "my", "a", "it", "this", "that", "into", "out", "away", "das", "die", "den"];
    let first = command.split_whitespace().next()?;
    (!vague.contains(&first.to_lowercase().as_str())).then(|| command.to_owned())
}

/// The first web address in a text. A bare name counts with `www.`, or where somebody wants to go there.
pub(crate) fn address(text: &str) -> Option<String> {
    let visiting =
        ["fetch", "visit", "open", "browse", "besuche", "öffne", "website", "webseite", "page", "seite"];
    let visits = super::words::words(text).iter().any(|word| visiting.contains(&word.as_str()));
    text.split_whitespace().find_map(|word| {
        let word = word
            .trim_matches(['<', '>', '"', '\'', '(', ')', ',', '`'])
            .trim_end_matches(['.', '?', '!', ';', ':']);
        if word.starts_with("http://") || word.starts_with("https://") {
            return url::Url::parse(word).ok().map(|_| word.to_owned());
        }
        let host = word.split('/').next().unwrap_or_default();
        let (name, ending) = host.rsplit_once('.')?;
        let domain = ["com", "org", "net", "de", "io", "dev", "eu", "at", "ch", "uk", "gov", "edu", "info"];
        let named =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
        let counts = word.starts_with("www.") || visits;
        (named && counts && domain.contains(&ending)).then(|| format!("https://{word}"))
    })
}

/// The first thing in a text that looks like a file.
pub(crate) fn file(text: &str) -> Option<String> {
    if let Some(quoted) = quoted(text).filter(|quoted| !quoted.contains(char::is_whitespace)) {
        return Some(quoted.to_owned());
    }
    text.split_whitespace().find_map(|word| {
        let word = word
            .trim_matches(['"', '\'', '(', ')', ',', ';', ':', '?', '!', '`', '“', '”', '„'])
            .trim_end_matches('.');
        let name = word.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').filter(|(stem, ending)| {
            let short = (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
            short && !stem.is_empty() && !ending.chars().all(|c| c.is_ascii_digit())
        });
        let path =
            word.len() > 1 && (word.starts_with('/') || word.starts_with("~/") || word.starts_with("./"));
        ((ending.is_some() || path) && !word.contains("://")).then(|| word.to_owned())
    })
}

/// What files are sought: `*.md`, or all.
pub(crate) fn pattern(text: &str) -> String {
    let kinds = [
        ("markdown", "md"),
        ("pdf", "pdf"),
        ("pdfs", "pdf"),
        ("jpg", "jpg"),
        ("jpgs", "jpg"),
        ("png", "png"),
        ("text", "txt"),
    ];
    let words = super::words::words(text);
    let dotted = text.split_whitespace().find_map(|word| {
        let ending =
            word.trim_matches(['?', '!', ',', '"', '`']).trim_start_matches('*').strip_prefix('.')?;
        let plain = (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
        plain.then(|| ending.to_owned())
    });
    let named = || {
        kinds
            .iter()
            .find(|(kind, _)| words.iter().any(|word| word == kind))
            .map(|(_, ending)| (*ending).to_owned())
    };
    dotted.or_else(named).map_or_else(|| "*".to_owned(), |ending| format!("*.{ending}"))
}

/// The folder that is named, if any: `in the reports folder`, `in /tmp`.
pub(crate) fn folder(text: &str) -> Option<String> {
    let here = ["this", "workspace", "current", "the", "my", "arbeitsordner", "working"];
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(['?', '!', ',', '.', '"', '`'])).collect();
    let path = words.iter().find(|word| word.len() > 1 && (word.starts_with('/') || word.starts_with("~/")));
    let named = words.windows(2).find_map(|pair| match pair {
        [name, noun] if ["folder", "directory"].contains(&noun.to_lowercase().as_str()) => Some(*name),
        [noun, name] if ["ordner", "verzeichnis"].contains(&noun.to_lowercase().as_str()) => Some(*name),
        _ => None,
    });
    let named = named.filter(|name| !here.contains(&name.to_lowercase().as_str()) && *name != "auf");
    path.copied().or(named).map(str::to_owned)
}

/// What is looked for in the notes.
pub(crate) fn question(text: &str) -> String {
    const LEADS: &[&str] = &[
        "search my notes for",
        "search memory for",
        "search the notes for",
        "look up what i wrote about",
        "look up",
        "find what we said about",
        "do you remember",
        "do you know",
        "what do you know about",
        "what did i tell you about",
        "what did i say about",
        "what have i told you about",
        "suche in meinen notizen nach",
        "such in den notizen nach",
        "suche in den notizen nach",
        "was weißt du über",
        "weißt du noch",
        "weißt du",
        "was habe ich über",
    ];
    let rest = after_lead(text, LEADS).filter(|rest| !rest.is_empty());
    rest.unwrap_or_else(|| text.trim().to_owned()).trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

/// What follows the longest lead, without the signs around it.
fn after_lead(text: &str, leads: &[&str]) -> Option<String> {
    let text = text.trim();
    let text = ["please", "bitte"].iter().find_map(|polite| after_words(text, polite)).unwrap_or(text);
    let rest = leads.iter().filter_map(|lead| after_words(text, lead)).min_by_key(|rest| rest.len())?;
    Some(rest.trim_matches([' ', ':', ',', ';', '-', '–', '.', '\n']).to_owned())
}

/// What follows the words of `lead`, whatever their case and the commas between them.
fn after_words<'a>(text: &'a str, lead: &str) -> Option<&'a str> {
    let mut rest = text;
    for word in lead.split(' ') {
        let trimmed = rest.trim_start_matches([' ', ',', ':']);
        let end = trimmed.find(|c: char| !c.is_alphanumeric() && c != '\'').unwrap_or(trimmed.len());
        if trimmed.get(..end)?.to_lowercase() != word {
            return None;
        }
        rest = trimmed.get(end..)?;
    }
    Some(rest)
}

fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('`')?;
    rest.split_once('`').map(|(inside, _)| inside.trim()).filter(|inside| !inside.is_empty())
}
