//! Reads a command's options against a profile's spelling of them. What the operands mean is for `reading`.

use super::{PathUse, word::Word};
use crate::call::Access;

/// A command line, sorted.
#[derive(Debug, Default)]
pub(super) struct Line<'a> {
    /// The words that are no options.
    pub(super) operands: Vec<&'a Word>,
    /// The options given, without dashes.
    pub(super) flags: Vec<String>,
    /// Paths given as values of options.
    pub(super) uses: Vec<PathUse>,
    /// Other values of options.
    pub(super) values: Vec<String>,
    /// Whether an option stands in for the first operand.
    pub(super) first_given: bool,
    /// Options that are not understood.
    pub(super) unclear: Vec<String>,
}

/// Where options may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Anywhere, as GNU programs take them.
    Anywhere,
    /// Only before the first operand, as programs do that run another command.
    First,
}

/// Sorts the words after a command's name.
pub(super) fn sort<'a>(name: &str, words: &'a [Word], short: &str, long: &str, order: Order) -> Line<'a> {
    let mut line = Line::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if let Some(option) = text.strip_prefix("--") {
            line.long(name, option, long, &mut rest);
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            line.short(name, cluster, short, &mut rest);
        } else {
            line.operands.push(word);
            if order == Order::First {
                break;
            }
        }
    }
    line.operands.extend(rest);
    line
}

impl Line<'_> {
    pub(super) fn has(&self, flags: &[&str]) -> bool {
        self.flags.iter().any(|flag| flags.contains(&flag.as_str()))
    }

    fn long(&mut self, name: &str, option: &str, long: &str, rest: &mut std::slice::Iter<'_, Word>) {
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (option, None),
        };
        let marks = ['=', '<', '>', '!', '?'];
        let spelled = long.split_whitespace().find(|entry| entry.trim_end_matches(marks) == key);
        let Some(spelled) = spelled else {
            return self.unclear.push(format!("the option `--{key}` of `{name}` is not understood"));
        };
        self.flags.push(key.into());
        let mark = spelled.chars().last().filter(|mark| marks.contains(mark));
        match (mark, value) {
            (None, None) | (Some('?'), None) => {}
            (None, Some(_)) => self.unclear.push(format!("the option `--{key}` of `{name}` takes no value")),
            (Some(mark), Some(value)) => self.value(mark, value, false),
            (Some(mark), None) => match rest.next() {
                Some(word) => self.value(mark, &word.text, word.tilde),
                None => self.unclear.push(format!("the option `--{key}` of `{name}` lacks its value")),
            },
        }
    }

    fn short(&mut self, name: &str, cluster: &str, short: &str, rest: &mut std::slice::Iter<'_, Word>) {
        for (at, letter) in cluster.char_indices() {
            let found = short.char_indices().find(|(_, own)| *own == letter && !":<>!".contains(letter));
            let Some((own, _)) = found else {
                return self.unclear.push(format!("the option `-{letter}` of `{name}` is not understood"));
            };
            self.flags.push(letter.into());
            let mark = short.get(own + letter.len_utf8()..).and_then(|after| after.chars().next());
            let Some(mark) = mark.filter(|mark| ":<>!".contains(*mark)) else { continue };
            let attached = cluster.get(at + letter.len_utf8()..).filter(|value| !value.is_empty());
            return match (attached, attached.is_none().then(|| rest.next()).flatten()) {
                (Some(value), _) => self.value(mark, value, false),
                (None, Some(word)) => self.value(mark, &word.text, word.tilde),
                (None, None) => {
                    self.unclear.push(format!("the option `-{letter}` of `{name}` lacks its value"))
                }
            };
        }
    }

    fn value(&mut self, mark: char, text: &str, tilde: bool) {
        let access = match mark {
            '<' => Access::Read,
            '>' => Access::Write,
            _ => {
                self.first_given |= mark == '!';
                return self.values.push(text.into());
            }
        };
        self.uses.push(PathUse { text: text.into(), tilde, access });
    }
}
