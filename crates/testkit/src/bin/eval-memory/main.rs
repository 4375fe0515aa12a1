//! How well memory finds things: asks the questions of `evals/memory` and counts what came back. Usage:
//! `eval-memory [--sweep] [--json] [--misses]`. How a question is judged is for `figures`, what is searched for `library`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "an evaluation may stop at once")]

mod figures;
mod library;
mod mode;
mod questions;
mod report;
mod sweep;

use clap::Parser;
use figures::{Outcome, judge};
use library::Library;
use mode::Mode;
use questions::Question;
use std::path::PathBuf;

/// Ask questions about a corpus and count what memory finds.
#[derive(Parser)]
struct Options {
    /// The folder with `corpus/` and `questions.jsonl`
    #[arg(long, default_value = "evals/memory")]
    evals: PathBuf,
    /// The folder with the weights, before the usual places
    #[arg(long)]
    models: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Try weights, and say what choosing among them is worth on questions that were not looked at
    #[arg(long)]
    sweep: bool,
    /// List the questions of which the usual search showed nothing among its first ten
    #[arg(long)]
    misses: bool,
}

fn main() {
    let options = Options::parse();
    let questions = questions::read(&options.evals.join("questions.jsonl"));
    let library = Library::open(&options.evals.join("corpus"), options.models);
    if options.sweep {
        sweep::print(&questions, &sweep::runs(&library, &questions), options.json);
        return;
    }
    let runs: Vec<(Mode, Vec<Outcome>)> =
        Mode::compared().into_iter().map(|mode| (mode, ask_all(&library, mode, &questions))).collect();
    if options.json {
        println!("{:#}", report::json(&library, &questions, &runs));
    } else {
        report::print(&library, &questions, &runs);
    }
    if options.misses {
        report::print_misses(&library, &questions, &runs);
    }
}

/// What came of each question, in the same order.
fn ask_all(library: &Library, mode: Mode, questions: &[Question]) -> Vec<Outcome> {
    let asked = library.with(mode);
    questions.iter().map(|question| judge(question, &asked(&question.q))).collect()
}
