//! A text cut into passages, and how well one answers a query. Pure.

use std::collections::BTreeSet;

/// Lines one passage spans: what a person takes in at a glance.
const MAX_LINES: usize = 12;

/// Bytes one passage holds, so that a file without line breaks is not answered as a whole.
const MAX_BYTES: usize = 2_000;

/// Different words of a query that count; a pasted page must not make a search slow.
const MAX_WORDS: usize = 32;

/// A part of a text with its place, lines counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Passage<'a> {
    pub text: &'a str,
    pub line_start: usize,
    pub line_end: usize,
}

/// Paragraphs, cut where they grow long. A heading stands with what follows it, even over blank lines: found
/// alone it would answer nothing.
pub(crate) fn passages(text: &str) -> Vec<Passage<'_>> {
    let mut done = Vec::new();
    let mut open: Option<Open> = None;
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let end = at + line.trim_end().len();
        let blank = line.trim().is_empty();
        let heading = is_heading(line);
        let ends = |open: &Open| {
            let long = number - open.line_start >= MAX_LINES || end - open.start > MAX_BYTES;
            open.has_body && (blank || heading) || long
        };
        if let Some(open) = open.take_if(|open| ends(open)) {
            open.close(text, &mut done);
        }
        if !blank {
            let open = open.get_or_insert(Open {
                start: at,
                end,
                line_start: number,
                line_end: number,
                has_body: false,
            });
            open.end = end;
            open.line_end = number;
            open.has_body |= !heading;
        }
        at += line.len();
    }
    if let Some(open) = open {
        open.close(text, &mut done);
    }
    done
}

/// A passage that may still grow. Only its first line can be longer than a passage may be.
struct Open {
    start: usize,
    end: usize,
    line_start: usize,
    line_end: usize,
    has_body: bool,
}

impl Open {
    fn close<'a>(self, text: &'a str, done: &mut Vec<Passage<'a>>) {
        let Self { line_start, line_end, .. } = self;
        let mut rest = &text[self.start..self.end];
        while rest.len() > MAX_BYTES {
            let most = rest.floor_char_boundary(MAX_BYTES);
            let cut = rest[..most].rfind(char::is_whitespace).filter(|cut| *cut > 0).unwrap_or(most);
            done.push(Passage { text: &rest[..cut], line_start, line_end });
            rest = rest[cut..].trim_start();
        }
        done.push(Passage { text: rest, line_start, line_end });
    }
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with([' ', '\t'])
}

/// The different words of a query, in lower case.
pub(crate) fn words(query: &str) -> BTreeSet<String> {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(MAX_WORDS).map(str::to_lowercase).collect()
}

/// How many of the words occur, then how often any of them does; nothing if none does. The larger is the better.
pub(crate) fn score(words: &BTreeSet<String>, text: &str) -> Option<(usize, usize)> {
    let text = text.to_lowercase();
    let counts = words.iter().map(|word| occurrences(word, &text)).filter(|count| *count > 0);
    let (different, total) = counts.fold((0, 0), |(different, total), count| (different + 1, total + count));
    (different > 0).then_some((different, total))
}

/// A word counts where a word of the text begins with it, so that "invoice" finds "invoices" and "art" does not find
/// "start". Scripts without upper and lower case mostly write words together, or with an article in front:
/// theirs count anywhere.
fn occurrences(word: &str, text: &str) -> usize {
    let anywhere = word.starts_with(|first: char| !first.is_lowercase() && !first.is_numeric());
    let begins = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
    text.match_indices(word).filter(|(at, _)| anywhere || begins(*at)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_blank_lines_and_headings_stay_with_their_text() {
        let check = |text: &str, expected: &[(&str, usize, usize)]| {
            let expected: Vec<Passage<'_>> = expected
                .iter()
                .map(|&(text, line_start, line_end)| Passage { text, line_start, line_end })
                .collect();
            assert_eq!(passages(text), expected, "{text:?}");
        };
        check("", &[]);
        check("\n \n\t\n", &[]);
        check("one", &[("one", 1, 1)]);
        check("one\ntwo\n\n\nthree\n", &[("one\ntwo", 1, 2), ("three", 5, 5)]);
        check("one\r\n\r\ntwo\r\n", &[("one", 1, 1), ("two", 3, 3)]);
        check("# Day\n\n## Home\n\nplants\n\nfood", &[("# Day\n\n## Home\n\nplants", 1, 5), ("food", 7, 7)]);
        check("tail\n# Next\ntext", &[("tail", 1, 1), ("# Next\ntext", 2, 3)]);
        check("#tag is no heading\n\ntext", &[("#tag is no heading", 1, 1), ("text", 3, 3)]);
        check("    indented\n\n  # too", &[("    indented", 1, 1), ("  # too", 3, 3)]);
    }

    #[test]
    fn long_paragraphs_and_long_lines_are_cut() {
        let lines: String = (1..=30).map(|number| format!("line {number}\n")).collect();
        let ranges: Vec<_> = passages(&lines).iter().map(|it| (it.line_start, it.line_end)).collect();
        assert_eq!(ranges, [(1, 12), (13, 24), (25, 30)]);

        let line = "käse ".repeat(990);
        let text = format!("above\n{line}\nbelow");
        let found = passages(&text);
        assert!(found.iter().all(|it| it.text.len() <= MAX_BYTES));
        let ranges: Vec<_> = found.iter().map(|it| (it.line_start, it.line_end)).collect();
        assert_eq!(ranges, [(1, 1), (2, 2), (2, 2), (2, 2), (3, 3)]);
        let count: usize = found.iter().map(|it| it.text.matches("käse").count()).sum();
        assert_eq!(count, 990, "no word is cut in two where there is a blank");
        assert_eq!(passages(&"ä".repeat(3_000)).iter().map(|it| it.text.len()).sum::<usize>(), 6_000);
    }

    #[test]
    fn words_are_counted_where_words_begin_whatever_their_case() {
        let check = |query: &str, text: &str, expected: Option<(usize, usize)>| {
            assert_eq!(score(&words(query), text), expected, "{query:?} in {text:?}");
        };
        check("dentist", "Nothing here.", None);
        check("dentist", "The DENTIST, and other dentists.", Some((1, 2)));
        check("art", "A fresh start.", None);
        check("dentist Tuesday dentist", "Dentist on Tuesday", Some((2, 2)));
        check("ÄRZTE", "die ärzte; Ärztekammer", Some((1, 2)));
        check("МОСКВА", "в москва", Some((1, 1)));
        check("会議", "明日の会議は三時です", Some((1, 1)));
        check("20", "In 2026, or 1920", Some((1, 1)));
        check("e-mail", "An e-mail", Some((2, 2)));
        check("?!", "?!", None);
    }
}
