//! `steward memory`: searching what the assistant remembers, adding to it, and looking after the index.

use crate::{
    cli::{Memory as Command, Part},
    house, notes,
    providers::Providers,
    terminal::{clean, say},
};
use anyhow::Context;
use memory::{Hit, Kind, Memory, Probe, Progress, Query, Stage, Status, Target};
use std::{
    io::{IsTerminal, Read, Write},
    process::ExitCode,
};

pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    let (home, settings, environment) = house::enter()?;
    crate::home::seed_workspace(&settings.workspace)?;
    let models = Providers::open(&home, &settings, &environment)?.models;
    let embedder = notes::embedder(&home, &settings, &environment, &models)?;
    let memory = notes::memory(&home, &settings, embedder);
    match command {
        Command::Search { query, kind, limit, json } => search(&memory, &query.join(" "), kind, limit, json),
        Command::Status { json } => status(&memory, json),
        Command::Reindex => reindex(&memory),
        Command::Write { daily, content } => write(&memory, daily, &content.join(" ")),
    }
}

fn search(
    memory: &Memory,
    query: &str,
    kind: Option<Part>,
    limit: Option<usize>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let mut bar = Bar::new();
    memory.sync(&mut |progress| bar.show(progress))?;
    bar.clear();
    let kinds = kind.into_iter().map(Kind::from).collect();
    let found = memory.search(&Query { text: query.to_owned(), kinds, limit, ..Default::default() })?;
    for hit in &found.hits {
        match json {
            true => say!("{}", serde_json::to_string(hit)?),
            false => say!("{}", shown(hit)),
        }
    }
    if found.hits.is_empty() && !json {
        say!("Nothing fits.");
    }
    if let Some(remark) = &found.remark {
        eprintln!("({remark})");
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(hit: &Hit) -> String {
    let place = format!("{}:{}-{}", hit.path, hit.line_start, hit.line_end);
    format!("{place}  ({:.2})\n{}\n", hit.score, clean(hit.excerpt.trim_end()))
}

fn status(memory: &Memory, json: bool) -> anyhow::Result<ExitCode> {
    let status = memory.status()?;
    match json {
        true => say!("{}", serde_json::to_string(&status)?),
        false => lines(&status).iter().for_each(|line| say!("{line}")),
    }
    Ok(if status.probe.is_ready() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn lines(status: &Status) -> Vec<String> {
    let mut files = format!("{} indexed, {} passages", status.files, status.chunks);
    if status.cut > 0 {
        files.push_str(&format!("; of {} only the beginning, they are very long", status.cut));
    }
    if status.binary > 0 {
        files.push_str(&format!("; {} left out, they are not text", status.binary));
    }
    let meaning = match &status.model {
        Ok(model) if status.pending > 0 => {
            format!("{model}; {} of {} passages, the rest follows", status.embedded, status.chunks)
        }
        Ok(model) => model.clone(),
        Err(why) => format!("words only: {why}"),
    };
    let probe = match &status.probe {
        Probe::Empty => "nothing to find yet: write something into MEMORY.md or memory/".to_owned(),
        Probe::Found { query, path, place, .. } => {
            format!("\u{201c}{query}\u{201d} found {path} at place {place}")
        }
        Probe::Missed { query, path } => {
            format!(
                "NOT FOUND: \u{201c}{query}\u{201d} should have found {path}; try `steward memory reindex`"
            )
        }
        Probe::Failed { why } => format!("FAILED: {why}"),
    };
    let bytes = format!("{:.1} MB on disk", status.bytes as f64 / 1e6);
    [("files", files), ("meaning", meaning), ("index", bytes), ("probe", probe)]
        .into_iter()
        .map(|(name, value)| format!("{name:9}{}", clean(&value)))
        .collect()
}

fn reindex(memory: &Memory) -> anyhow::Result<ExitCode> {
    let mut bar = Bar::new();
    memory.reindex(&mut |progress| bar.show(progress))?;
    bar.clear();
    status(memory, false)
}

fn write(memory: &Memory, daily: bool, content: &str) -> anyhow::Result<ExitCode> {
    let content = match content {
        "" | "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
            text
        }
        content => content.to_owned(),
    };
    let target = if daily { Target::Daily } else { Target::LongTerm };
    say!("{}", memory.write(target, &content, jiff::Zoned::now().date())?);
    Ok(ExitCode::SUCCESS)
}

/// One line on a terminal that says how far something has come.
struct Bar {
    drawn: bool,
}

impl Bar {
    fn new() -> Self {
        Self { drawn: false }
    }

    fn show(&mut self, progress: Progress) {
        let mut out = std::io::stderr().lock();
        if !out.is_terminal() || progress.total == 0 {
            return;
        }
        self.drawn = true;
        let done = (progress.done * 30).checked_div(progress.total).unwrap_or_default().min(30);
        let bar = format!("{}{}", "█".repeat(done), "░".repeat(30 - done));
        let what = match progress.stage {
            Stage::Reading => "reading",
            Stage::Embedding => "understanding",
        };
        // A terminal that is gone needs no bar.
        write!(out, "\r\x1b[K{what} {bar} {}/{}", progress.done, progress.total).ok();
        out.flush().ok();
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            eprint!("\r\x1b[K");
        }
    }
}

impl From<Part> for Kind {
    fn from(part: Part) -> Self {
        match part {
            Part::LongTerm => Self::LongTerm,
            Part::Daily => Self::Daily,
            Part::Note => Self::Note,
            Part::Extra => Self::Extra,
            Part::Transcript => Self::Transcript,
        }
    }
}
