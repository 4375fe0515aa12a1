//! Figures as tables, or as JSON.

use super::{
    figures::{Figures, Outcome, quantile, tells_apart},
    library::Library,
    mode::Mode,
    questions::Question,
};
use serde_json::{Value, json};

/// Passages listed of what stood in the place of an answer: enough to see whether one of them is an answer too.
const MISSES_SHOWN: usize = 3;
const CHARACTERS_SHOWN: usize = 160;

type Run = (Mode, Vec<Outcome>);

/// Prints Markdown tables: all questions, then by kind and language, then how sure the searches are of themselves.
pub fn print(library: &Library, questions: &[Question], runs: &[Run]) {
    println!(
        "{} questions, {} passages, {}, indexed in {:.1} s\n",
        questions.len(),
        library.passages,
        library.model,
        library.indexed_in.as_secs_f64()
    );
    head("mode", &Figures::NAMES.map(String::from));
    for (mode, outcomes) in runs {
        row(&mode.name(), mean(questions, outcomes, |_| true).values().iter().map(|it| percent(*it)));
    }
    println!("\nrecall@5 / recall@10 / MRR\n");
    let names: Vec<String> = runs.iter().map(|(mode, _)| mode.name()).collect();
    head("questions", &names);
    for (name, count, chosen) in groups(questions) {
        let cells = runs.iter().map(|(_, outcomes)| {
            let it = mean(questions, outcomes, &chosen);
            [it.recall_5, it.recall_10, it.reciprocal_rank].map(percent).join(" / ")
        });
        row(&format!("{name} ({count})"), cells);
    }
    println!("\nScore of what stands first\n");
    let columns = ["answered p10", "p50", "unanswered p50", "p90", "nothing shown", "tells apart"];
    head("mode", &columns.map(String::from));
    for (mode, outcomes) in runs {
        let Certainty { answered, unanswered, silent, apart } = Certainty::of(outcomes);
        let scores = [(&answered, 0.1), (&answered, 0.5), (&unanswered, 0.5), (&unanswered, 0.9)];
        let scores = scores.map(|(scores, share)| format!("{:.2}", quantile(scores, share)));
        let rest = [format!("{silent} of {}", unanswered.len()), format!("{apart:.2}")];
        row(&mode.name(), scores.into_iter().chain(rest));
    }
}

/// The same with every figure, and every question by itself.
pub fn json(library: &Library, questions: &[Question], runs: &[Run]) -> Value {
    let modes: Vec<Value> = runs
        .iter()
        .map(|(mode, outcomes)| {
            let groups: Vec<Value> = groups(questions)
                .map(|(name, count, chosen)| {
                    json!({
                        "questions": name, "count": count,
                        "figures": figures(&mean(questions, outcomes, chosen)),
                    })
                })
                .collect();
            let each: Vec<Value> = questions
                .iter()
                .zip(outcomes)
                .map(|(question, outcome)| {
                    json!({
                        "id": question.id, "top_score": outcome.top_score,
                        "figures": outcome.figures.as_ref().map(figures),
                    })
                })
                .collect();
            json!({
                "mode": mode.name(), "figures": figures(&mean(questions, outcomes, |_| true)),
                "groups": groups, "tells_apart": Certainty::of(outcomes).apart, "each": each,
            })
        })
        .collect();
    json!({ "questions": questions.len(), "passages": library.passages, "model": library.model, "modes": modes })
}

/// Prints the questions of which the usual search had nothing among its first ten, and what stood there instead.
pub fn print_misses(library: &Library, questions: &[Question], runs: &[Run]) {
    let ask = library.with(Mode::Usual);
    for (_, outcomes) in runs.iter().filter(|(mode, _)| *mode == Mode::Usual) {
        for (question, outcome) in questions.iter().zip(outcomes) {
            if outcome.figures.is_some_and(|figures| figures.recall_10 == 0.0) {
                println!("\n{} ({}) {}", question.id, question.lang, question.q);
                for hit in ask(&question.q).into_iter().take(MISSES_SHOWN) {
                    let text: String =
                        hit.excerpt.replace('\n', " ").chars().take(CHARACTERS_SHOWN).collect();
                    println!("  {}:{} {text}", hit.path, hit.line_start);
                }
            }
        }
    }
}

/// The figures as an object, under the names of the columns.
pub fn figures(figures: &Figures) -> Value {
    Figures::NAMES.iter().zip(figures.values()).map(|(name, value)| (*name, json!(value))).collect()
}

/// The mean over the questions that are chosen and have an answer.
pub fn mean(questions: &[Question], outcomes: &[Outcome], chosen: impl Fn(&Question) -> bool) -> Figures {
    let of = questions.iter().zip(outcomes).filter(|(question, _)| chosen(question));
    Figures::mean(of.filter_map(|(_, outcome)| outcome.figures.as_ref()))
}

/// The first row of a table, and the line below it.
pub fn head(first: &str, columns: &[String]) {
    row(first, columns.iter().cloned());
    println!("|{}", "---|".repeat(columns.len() + 1));
}

/// One row of a table.
pub fn row(first: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    println!("| {first} | {} |", cells.join(" | "));
}

/// As people write it: 0.8125 is 81.2.
pub fn percent(value: f64) -> String {
    format!("{:.1}", value * 100.0)
}

/// What top scores say of whether there is an answer.
struct Certainty {
    answered: Vec<f32>,
    unanswered: Vec<f32>,
    /// Questions without an answer to which nothing was shown, as is right.
    silent: usize,
    apart: f64,
}

impl Certainty {
    fn of(outcomes: &[Outcome]) -> Self {
        let scores = |with: bool| -> Vec<f32> {
            let of = outcomes.iter().filter(|outcome| outcome.figures.is_some() == with);
            of.map(|outcome| outcome.top_score.unwrap_or_default()).collect()
        };
        let (answered, unanswered) = (scores(true), scores(false));
        let silent = outcomes.iter().filter(|it| it.figures.is_none() && it.top_score.is_none()).count();
        let apart = tells_apart(&answered, &unanswered);
        Self { answered, unanswered, silent, apart }
    }
}

/// The kinds and the languages, each with how many questions of it have an answer.
fn groups(questions: &[Question]) -> impl Iterator<Item = (String, usize, impl Fn(&Question) -> bool)> {
    let mut names: Vec<&str> = Vec::new();
    for question in questions {
        if !names.contains(&question.kind.as_str()) {
            names.push(&question.kind);
        }
    }
    names.extend(["en", "de"]);
    names.into_iter().map(move |name| {
        let name = name.to_owned();
        let belongs = {
            let name = name.clone();
            move |it: &Question| it.kind == name || it.lang == name
        };
        let count = questions.iter().filter(|it| belongs(it) && !it.answers.is_empty()).count();
        (name, count, belongs)
    })
}
