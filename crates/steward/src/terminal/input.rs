//! Where the owner types: an editor with history and several lines on a terminal, plain lines anywhere else.

use anyhow::Context;
use reedline::{
    DefaultPrompt, DefaultPromptSegment, EditCommand, Emacs, FileBackedHistory, KeyCode, KeyModifiers,
    Reedline, ReedlineEvent, Signal, ValidationResult, Validator, default_emacs_keybindings,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::{
    io::{self, BufRead, IsTerminal},
    path::PathBuf,
    time::Duration,
};

/// How many lines of history are kept.
const HISTORY: usize = 1000;

/// What came of asking for input.
pub(crate) enum Typed {
    /// A message or a `/command`.
    Line(String),
    /// Ctrl-C at the prompt.
    Interrupt,
    /// Nothing more will come.
    End,
}

/// A source of lines. Blocking; it is asked on a thread of its own.
pub(crate) enum Input {
    Editor(Box<Reedline>),
    Plain,
}

impl Input {
    /// An editor if both ends are a terminal.
    pub fn new(history: PathBuf) -> Self {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Self::Plain;
        }
        let mut keys = default_emacs_keybindings();
        let new_line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
        keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line.clone());
        keys.add_binding(KeyModifiers::SHIFT, KeyCode::Enter, new_line);
        let mut editor = Reedline::create()
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_validator(Box::new(Whole))
            .use_bracketed_paste(true);
        match FileBackedHistory::with_file(HISTORY, history) {
            Ok(history) => editor = editor.with_history(Box::new(history)),
            Err(error) => tracing::warn!(%error, "no history of earlier lines"),
        }
        Self::Editor(Box::new(editor))
    }

    /// Whether somebody types, rather than a file or a pipe.
    pub fn is_interactive(&self) -> bool {
        matches!(self, Self::Editor(_))
    }

    /// Asks for the next line.
    pub fn read(&mut self) -> anyhow::Result<Typed> {
        match self {
            Self::Editor(editor) => {
                let prompt = DefaultPrompt::new(
                    DefaultPromptSegment::Basic("you".into()),
                    DefaultPromptSegment::Empty,
                );
                match editor.read_line(&prompt)? {
                    Signal::Success(line) => Ok(Typed::Line(joined(&line))),
                    Signal::CtrlC => Ok(Typed::Interrupt),
                    _ => Ok(Typed::End),
                }
            }
            Self::Plain => {
                let mut line = String::new();
                match io::stdin().lock().read_line(&mut line)? {
                    0 => Ok(Typed::End),
                    _ => Ok(Typed::Line(line)),
                }
            }
        }
    }
}

/// Whether standard input has something to read, or its end, within a while.
pub(crate) fn input_comes(patience: Duration) -> anyhow::Result<bool> {
    let stdin = io::stdin();
    let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec::try_from(patience).context("a bad pause")?;
    match rustix::event::poll(&mut wanted, Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error).context("cannot look at standard input"),
    }
}

/// A line goes on after a backslash at its end or inside an open code fence.
struct Whole;

impl Validator for Whole {
    fn validate(&self, line: &str) -> ValidationResult {
        let open_fence = line.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1;
        match line.ends_with('\\') || open_fence {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Complete,
        }
    }
}

fn joined(line: &str) -> String {
    line.replace("\\\n", "\n")
}
