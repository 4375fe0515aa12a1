//! Words and names that strangers wrote, made fit for TypeScript and for a prompt. Pure.

/// The first words say what a thing is for; a longer description is paid for with every prompt.
pub(super) const MAX_DESCRIPTION_CHARS: usize = 400;

/// A description on one line, without what could end the comment it stands in, hide, or turn the text around.
pub(super) fn description(text: &str, most: usize) -> String {
    let visible: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !hides(*c)).collect();
    let words: Vec<&str> = visible.split(' ').filter(|word| !word.is_empty()).collect();
    let line = words.join(" ").replace("*/", "* /");
    match line.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", line[..cut].trim_end()),
        None => line,
    }
}

/// A property's name: as it is if it can stand as it is, else quoted.
pub(super) fn property(name: &str) -> String {
    match is_plain(name) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

/// How a property is reached: `.name` or `["odd name"]`.
pub(super) fn access(name: &str) -> String {
    match is_plain(name) {
        true => format!(".{name}"),
        false => format!("[{}]", quoted(name)),
    }
}

/// A string as TypeScript writes it. What hides is escaped, so that nothing looks like what it is not.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            _ if hides(c) || (c.is_whitespace() && c != ' ') => {
                quoted.push_str(&format!("\\u{{{:x}}}", u32::from(c)))
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A type's name made of a path or of words: `github.issues.close` gives `GithubIssuesClose`.
pub(super) fn type_name(words: &str) -> String {
    let mut name = String::new();
    for word in words.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    match name.chars().next() {
        None => "Unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("T{name}"),
        Some(_) => name,
    }
}

/// `new` alone would be read as a constructor; every other reserved word may name a property.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$');
    first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$') && name != "new"
}

/// Control characters, and those that turn the direction of text, join invisibly or carry hidden tags.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
