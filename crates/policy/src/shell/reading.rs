//! Reads one simple command with the tables of `commands`: what it does, which of its words are paths, what it
//! runs in turn. The commands with a grammar of their own are read in `special`.

use super::{
    Effect, PathUse,
    commands::{
        BUILTINS, FAMILIES, FORBIDDEN, HARMLESS_VARIABLES, INTERPRETERS, LINK_MAKERS, Operands, PROFILES,
        Profile, REFUSED, RESERVED, SHELLS, SWEEPING, SYSTEM_DIRS, WALKERS, WRAPPERS, Wrapper,
    },
    options::{Line, Order, sort},
    special,
    word::{Form, Word},
};
use crate::{call::Access, place::is_harmless_device};

/// What one command turned out to be.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) known: bool,
    pub(super) effect: Effect,
    pub(super) uses: Vec<PathUse>,
    pub(super) inner: Vec<Inner>,
    pub(super) unclear: Vec<String>,
    pub(super) forbidden: Option<String>,
    pub(super) makes_links: bool,
    pub(super) wraps: bool,
    pub(super) builtin: bool,
    pub(super) cd: Option<Word>,
}

/// A command inside a command.
#[derive(Debug)]
pub(super) enum Inner {
    Words(Vec<Word>),
    Script(String),
}

/// Reads one command.
pub(super) fn read(words: &[Word]) -> Reading {
    let mut reading = Reading::default();
    for word in words {
        match word.form {
            Form::Literal => {}
            Form::Pattern => {
                reading.unclear(format!("the shell replaces `{}` with the files that fit", word.text))
            }
            Form::Unknown => reading.unclear(format!("`{}` is only known when it runs", word.text)),
        }
    }
    let name = words.first().and_then(Word::known).map(str::to_owned);
    match (name.as_deref(), words.split_first()) {
        (Some(name), Some((_, rest))) if is_plain_name(name) => reading.command(name, rest),
        _ => {
            reading.effect = Effect::Outside;
            reading.unclear("which program runs is not plain".into());
        }
    }
    reading.mentions(words);
    reading
}

impl Reading {
    pub(super) fn unclear(&mut self, reason: String) {
        if !self.unclear.contains(&reason) {
            self.unclear.push(reason);
        }
    }

    /// Adds a path, unless it is standard input or a device that holds nothing.
    pub(super) fn path(&mut self, word: &Word, access: Access) {
        if word.text != "-" && !is_harmless_device(&word.text) {
            self.uses.push(PathUse { text: word.text.clone(), tilde: word.tilde, access });
        }
    }

    /// Adds the current folder.
    pub(super) fn here(&mut self, access: Access) {
        self.uses.push(PathUse { text: ".".into(), tilde: false, access });
    }

    fn command(&mut self, written: &str, rest: &[Word]) {
        let Some(name) = known_name(written) else {
            // Somebody's own program: only a rule of the owner's can let it run.
            self.effect = Effect::Outside;
            return self.plain_operands(rest);
        };
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        self.builtin = BUILTINS.contains(&name) && written == name;
        self.forbidden = FORBIDDEN
            .iter()
            .find(|(forbidden, _)| fits(forbidden, name))
            .map(|(_, why)| format!("`{name}`: {why}"));
        if let Some((_, why)) = REFUSED.iter().find(|(names, _)| names.contains(&name)) {
            self.effect = Effect::Outside;
            self.unclear(format!("`{name}`: {why}"));
            return special::refused(self, name, rest);
        }
        match name {
            "find" => special::find(self, rest),
            "tar" => special::tar(self, rest),
            "cd" => special::cd(self, rest),
            "test" | "[" => special::test(self, rest),
            "command" if rest.first().is_some_and(|first| matches!(first.text.as_str(), "-v" | "-V")) => {
                self.known = true;
                self.wraps = true;
            }
            _ if SHELLS.contains(&family) => special::shell(self, name, rest),
            _ if INTERPRETERS.contains(&family) => special::interpreter(self, name, rest),
            _ => match WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) {
                Some(wrapper) => self.wrapper(name, wrapper, rest),
                None => self.profiled(name, rest),
            },
        }
    }

    fn profiled(&mut self, name: &str, rest: &[Word]) {
        if FAMILIES.contains(&name) {
            return special::git(self, rest);
        }
        match profile(name) {
            Some(profile) => self.with_profile(name, profile, rest),
            None => {
                self.effect = Effect::Outside;
                self.plain_operands(rest);
            }
        }
    }

    pub(super) fn with_profile(&mut self, name: &str, profile: &Profile, rest: &[Word]) {
        let line = sort(name, rest, profile.short, profile.long, Order::Anywhere);
        self.known = true;
        self.effect = self.effect.max(profile.effect);
        for reason in &line.unclear {
            self.unclear(reason.clone());
        }
        self.uses.extend(line.uses.iter().cloned());
        let recursive = SWEEPING.iter().any(|(sweeper, flags)| *sweeper == name && line.has(flags));
        self.makes_links |= LINK_MAKERS.contains(&name)
            || (name == "cp" && line.has(&["r", "R", "a", "d", "P", "recursive", "archive"]));
        self.operands(name, profile.operands, &line, recursive);
        let walks =
            WALKERS.iter().any(|(walker, flags)| *walker == name && (flags.is_empty() || line.has(flags)));
        if walks && self.uses.is_empty() {
            self.here(Access::Read);
        }
        special::extra_checks(self, name, &line);
    }

    fn operands(&mut self, name: &str, operands: Operands, line: &Line<'_>, recursive: bool) {
        let write = if recursive { Access::Sweep } else { Access::Write };
        let has_target = line.uses.iter().any(|value| value.access == Access::Write);
        let skip_first = usize::from(!line.first_given);
        let words = &line.operands;
        match operands {
            Operands::OnlyOptions if words.is_empty() => {}
            Operands::OnlyOptions => self.unclear(format!("what follows `{name}` is not understood")),
            Operands::Text => {}
            Operands::Read => words.iter().for_each(|word| self.path(word, Access::Read)),
            Operands::Write => words.iter().for_each(|word| self.path(word, write)),
            Operands::FirstTextThenRead => {
                words.iter().skip(skip_first).for_each(|word| self.path(word, Access::Read))
            }
            Operands::FirstTextThenWrite => words.iter().skip(1).for_each(|word| self.path(word, write)),
            Operands::FirstWriteThenRead => {
                words.iter().take(1).for_each(|word| self.path(word, Access::Write));
                words.iter().skip(1).for_each(|word| self.path(word, Access::Read));
            }
            Operands::AllButLastRead => {
                let reads = if has_target { words.len() } else { words.len().saturating_sub(1) };
                words.iter().take(reads).for_each(|word| self.path(word, Access::Read));
                words.iter().skip(reads).for_each(|word| self.path(word, Access::Write));
            }
            Operands::TextOrRead => {
                words.iter().filter(|word| leads_away(word)).for_each(|word| self.path(word, Access::Read))
            }
            Operands::Web => special::web(self, name, line),
        }
    }

    fn wrapper(&mut self, name: &str, wrapper: &Wrapper, rest: &[Word]) {
        let line = sort(name, rest, wrapper.short, wrapper.long, Order::First);
        self.wraps = true;
        self.known = true;
        for reason in &line.unclear {
            self.unclear(reason.clone());
        }
        if let Some(why) = wrapper.unclear {
            self.unclear(why.into());
        }
        self.uses.extend(line.uses.iter().cloned());
        let mut words = line.operands.into_iter().skip(wrapper.skip).cloned().peekable();
        while let Some(assignment) = words.next_if(|word| name == "env" && word.text.contains('=')) {
            let variable = assignment.text.split('=').next().unwrap_or_default();
            if !HARMLESS_VARIABLES.contains(&variable) {
                self.unclear(format!("it sets the variable `{variable}`"));
            }
        }
        let inner: Vec<Word> = words.collect();
        match inner.is_empty() {
            true if name == "env" => self.wraps = false,
            true => self.unclear(format!("`{name}` names no command")),
            false => self.inner.push(Inner::Words(inner)),
        }
    }

    /// A command the tables do not know: what looks like a path must lie where both reading and writing is open.
    pub(super) fn plain_operands(&mut self, rest: &[Word]) {
        for word in rest {
            for path in path_parts(&word.text) {
                let tilde = word.tilde || path.starts_with("~/");
                self.uses.push(PathUse { text: path.into(), tilde, access: Access::Write });
            }
        }
    }

    /// Every word that could be a path is looked at, so that forbidden places are seen wherever they are named.
    fn mentions(&mut self, words: &[Word]) {
        for word in words {
            let text = word.text.trim_end_matches('*');
            for path in path_parts(text) {
                let tilde = path.starts_with('~');
                let is_listed = self.uses.iter().any(|known| known.text == path);
                if !is_listed && !is_harmless_device(path) {
                    self.uses.push(PathUse { text: path.into(), tilde, access: Access::Mention });
                }
            }
        }
        let sweeps = words.first().is_some_and(|name| matches!(name.text.as_str(), "rm" | "chmod" | "chown"))
            && words.iter().any(|word| word.text.starts_with('-') && word.text.contains(['r', 'R']));
        for word in words.iter().filter(|word| sweeps && word.form != Form::Literal) {
            let text = word.text.trim_end_matches('*').to_owned();
            self.uses.push(PathUse { text, tilde: word.tilde, access: Access::Sweep });
        }
    }
}

/// The profile of a command, two words for one with subcommands.
pub(super) fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.names.contains(&name))
}

/// Whether a word that is normally text would lead a program away from the current folder.
pub(super) fn leads_away(word: &Word) -> bool {
    word.tilde || word.text.starts_with('/') || word.text.split('/').any(|part| part == "..")
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !RESERVED.contains(&name) && !name.contains(['=', '~', '\n', ' '])
}

/// The command a name stands for; none when the name leads to somebody's own program.
fn known_name(written: &str) -> Option<&str> {
    match written.rsplit_once('/') {
        None => Some(written),
        Some((dir, name)) => SYSTEM_DIRS.contains(&dir).then_some(name),
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(name == pattern, |start| name.starts_with(start))
}

/// The parts of a word that could be paths: the word itself, and what follows `=`, `:`, `,` or `@` in it.
fn path_parts(text: &str) -> Vec<&str> {
    let looks_like_path = |part: &&str| part.contains('/') || part.starts_with('~') || *part == "..";
    let mut parts: Vec<&str> = if text.contains("://") {
        Vec::new()
    } else {
        std::iter::once(text)
            .chain(text.split(['=', ':', ',', '@']).skip(1))
            .filter(looks_like_path)
            .collect()
    };
    if let Some(attached) =
        text.strip_prefix('-').and_then(|text| text.find(['/', '~']).and_then(|at| text.get(at..)))
    {
        parts.push(attached);
    }
    if let Some((_, path)) = text.split_once("file://") {
        parts.push(path);
    }
    parts
}
