//! Takes a shell script apart: every command in it, every path it touches, and every reason why it is not fully
//! understood. It informs; the kernel sandbox is what enforces. Deciding is for `judge`.

mod commands;
mod doubt;
mod options;
mod parse;
mod reading;
mod special;
mod word;

use crate::call::Access;
use parse::Parsed;
use reading::{Inner, read};
pub(crate) use word::{Form, Word};

/// What a script would do.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    /// Every simple command, those inside wrappers and `sh -c` included.
    pub(crate) commands: Vec<Command>,
    /// Every path it names or opens.
    pub(crate) uses: Vec<PathUse>,
    /// Where `cd` goes, if the script has one.
    pub(crate) cd: Option<Word>,
    /// Why it is not understood; empty when it is.
    pub(crate) unclear: Vec<String>,
    /// Why it may never run.
    pub(crate) forbidden: Vec<String>,
}

/// One simple command.
#[derive(Debug)]
pub(crate) struct Command {
    /// Its words, the name first.
    pub(crate) words: Vec<Word>,
    /// Whether the table knows every word of it.
    pub(crate) known: bool,
    /// How far it reaches.
    pub(crate) effect: Effect,
    /// Whether it only runs another command, which is listed too.
    pub(crate) wraps: bool,
    /// Whether the shell runs it itself.
    pub(crate) builtin: bool,
}

/// A path a script touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathUse {
    pub(crate) text: String,
    pub(crate) tilde: bool,
    pub(crate) access: Access,
}

/// How far something reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// It changes nothing.
    #[default]
    Reads,
    /// It changes what the assistant itself keeps.
    Keeps,
    /// It changes files here.
    Writes,
    /// It reaches outside, or nobody knows.
    Outside,
}

/// How deep `sh -c` and wrappers may be stacked: more is never written by hand.
const MAX_LAYERS: usize = 4;

/// The most commands one script may hold: an owner cannot check more on one screen.
const MAX_COMMANDS: usize = 200;

/// Analyses a script.
pub(crate) fn analyse(script: &str) -> Analysis {
    let mut analysis = Analysis::default();
    let mut queue: Vec<(Inner, usize)> = vec![(Inner::Script(script.into()), 0)];
    let mut makes_links = false;
    while let Some((inner, layer)) = queue.pop() {
        if layer > MAX_LAYERS || analysis.commands.len() > MAX_COMMANDS {
            analysis.note("it stacks too many commands");
            break;
        }
        match inner {
            Inner::Script(script) => {
                let parsed = parse::parse(&script);
                analysis.take(&parsed);
                queue.extend(parsed.commands.into_iter().rev().map(|words| (Inner::Words(words), layer)));
            }
            Inner::Words(words) => {
                let reading = read(&words);
                makes_links |= reading.makes_links;
                for reason in &reading.unclear {
                    analysis.note(reason);
                }
                analysis.forbidden.extend(reading.forbidden);
                analysis.uses.extend(reading.uses);
                if let Some(target) = reading.cd
                    && analysis.cd.replace(target).is_some()
                {
                    analysis.note("it changes the folder more than once");
                }
                queue.extend(reading.inner.into_iter().rev().map(|inner| (inner, layer + 1)));
                analysis.commands.push(Command {
                    words,
                    known: reading.known,
                    effect: reading.effect,
                    wraps: reading.wraps,
                    builtin: reading.builtin,
                });
            }
        }
    }
    let plain = analysis.commands.iter().filter(|command| !command.wraps).count();
    if makes_links && plain > 1 {
        analysis.note("one command can change where the paths of another lead");
    }
    if analysis.commands.is_empty() && analysis.uses.is_empty() {
        analysis.note("there is no command in it");
    }
    analysis
}

/// The words of a text that is exactly one plain command, as rules hold.
pub(crate) fn plain_words(text: &str) -> Option<Vec<String>> {
    let parsed = parse::parse(text);
    let [words] = parsed.commands.as_slice() else { return None };
    if !parsed.unclear.is_empty() || !parsed.redirects.is_empty() {
        return None;
    }
    words.iter().map(|word| word.known().map(str::to_owned)).collect()
}

impl Analysis {
    /// How far the whole script reaches.
    pub(crate) fn effect(&self) -> Effect {
        let commands = self.commands.iter().map(|command| command.effect).max().unwrap_or_default();
        let writes = self.uses.iter().any(|path| path.access >= Access::Write);
        let unclear = if self.unclear.is_empty() { Effect::Reads } else { Effect::Outside };
        commands.max(unclear).max(if writes { Effect::Writes } else { Effect::Reads })
    }

    fn note(&mut self, reason: &str) {
        if !self.unclear.iter().any(|known| known == reason) {
            self.unclear.push(reason.into());
        }
    }

    fn take(&mut self, parsed: &Parsed) {
        for reason in &parsed.unclear {
            self.note(reason);
        }
        for (word, access) in &parsed.redirects {
            if word.form != Form::Literal {
                self.note("a redirection's file is only known when it runs");
            }
            if !crate::place::is_harmless_device(&word.text) {
                self.uses.push(PathUse { text: word.text.clone(), tilde: word.tilde, access: *access });
            }
        }
    }
}
