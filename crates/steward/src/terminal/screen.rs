//! Puts an answer on the screen: styled with a spinner on a terminal, plain text anywhere else.

use super::say::say;
use super::{Extent, Markdown, Shown, clean, listing};
use std::{
    io::{self, IsTerminal, Write},
    time::Duration,
};

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Where answers are shown.
pub(crate) struct Screen {
    styled: bool,
    markdown: Markdown,
    /// What the spinner says, while it spins.
    waiting: Option<String>,
    frame: usize,
    /// Whether the cursor stands at the beginning of a line.
    fresh_line: bool,
    /// Whether a paragraph ended and its gap is still to be drawn.
    gap: bool,
}

impl Screen {
    /// How often the spinner turns.
    pub const TICK: Duration = Duration::from_millis(80);

    /// For standard output as it is.
    pub fn new() -> Self {
        let styled =
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { styled, markdown: Markdown::default(), waiting: None, frame: 0, fresh_line: true, gap: false }
    }

    /// Shows one thing.
    pub fn show(&mut self, shown: &Shown) -> io::Result<()> {
        match shown {
            Shown::Waiting => self.wait("thinking"),
            Shown::Progress(text) => self.wait(&clean(text)),
            Shown::Text(text) => self.text(text),
            Shown::Paragraph => {
                self.end_markdown()?;
                self.gap = true;
                Ok(())
            }
            Shown::Again => {
                self.end_markdown()?;
                self.note("(the answer was cut off; here it is again)")
            }
            Shown::Call(call) => {
                self.note(&format!("· {} {}", clean(&call.tool), clean(&call.arguments)))?;
                self.wait(&clean(&call.tool))
            }
            Shown::Program(code) => {
                self.note("· a program")?;
                self.print(&self.listing(code, Extent::Short));
                self.wait("checking the program")
            }
            Shown::Note(line) => {
                self.note(line)?;
                self.wait("working")
            }
            Shown::Asked => {
                self.end_markdown()?;
                self.line_end()
            }
            Shown::Over(_) => {
                self.end_markdown()?;
                self.line_end()
            }
        }
    }

    /// Turns the spinner, if it spins.
    pub fn tick(&mut self) -> io::Result<()> {
        let Some(waiting) = &self.waiting else { return Ok(()) };
        self.frame = (self.frame + 1) % FRAMES.len();
        let mut out = io::stdout().lock();
        write!(out, "\r\x1b[2K\x1b[2m{} {waiting}…\x1b[0m", FRAMES[self.frame])?;
        out.flush()
    }

    /// A line of Steward's own, apart from the answer.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        self.stop_waiting()?;
        self.line_end()?;
        match self.styled {
            true => self.print(&format!("\x1b[2m{text}\x1b[0m")),
            false => self.print(text),
        }
        Ok(())
    }

    /// Standard output of somebody who only wants the answer is kept to that.
    fn print(&self, text: &str) {
        match self.styled {
            true => say!("{text}"),
            false => eprintln!("{text}"),
        }
    }

    /// A program's lines as this screen shows them.
    pub fn listing(&self, code: &str, extent: Extent) -> String {
        listing(code, extent, self.styled)
    }

    fn wait(&mut self, what: &str) -> io::Result<()> {
        if self.styled {
            self.line_end()?;
            self.waiting = Some(what.to_owned());
            self.tick()?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.stop_waiting()?;
        let mut out = io::stdout().lock();
        if std::mem::take(&mut self.gap) {
            out.write_all(if self.fresh_line { b"\n" } else { b"\n\n" })?;
        }
        let shown = if self.styled { self.markdown.push(text) } else { text.to_owned() };
        out.write_all(shown.as_bytes())?;
        if !shown.is_empty() {
            self.fresh_line = shown.ends_with('\n');
        }
        out.flush()
    }

    fn end_markdown(&mut self) -> io::Result<()> {
        self.stop_waiting()?;
        let rest = self.markdown.finish();
        if !rest.is_empty() {
            self.fresh_line = rest.ends_with('\n');
        }
        io::stdout().write_all(rest.as_bytes())?;
        io::stdout().flush()
    }

    fn line_end(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.fresh_line, true) {
            io::stdout().write_all(b"\n")?;
        }
        io::stdout().flush()
    }

    fn stop_waiting(&mut self) -> io::Result<()> {
        if self.waiting.take().is_some() {
            io::stdout().write_all(b"\r\x1b[2K")?;
        }
        Ok(())
    }
}
