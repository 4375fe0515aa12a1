//! Trying weights, and what a choice among them is worth: chosen on one half of the questions, told of the other, so
//! that a setting which only fits these questions is seen not to help.

use super::{
    ask_all,
    figures::{Figures, Outcome},
    library::Library,
    mode::Mode,
    questions::Question,
    report::{self, head, percent, row},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::{cmp::Reverse, collections::BTreeMap};

/// Ways of cutting the questions into halves; each half is chosen on once.
const SPLITS: u8 = 20;

/// Hundredths that meaning counts.
const WEIGHTS: std::ops::RangeInclusive<u8> = 40..=90;
const STEP: usize = 5;

type Run = (Mode, Vec<Outcome>);

/// All weights and RRF, over all questions.
pub fn runs(library: &Library, questions: &[Question]) -> Vec<Run> {
    let weights = WEIGHTS.step_by(STEP).map(|weight| Mode::Weighted(f32::from(weight) / 100.0));
    weights.chain([Mode::Rrf]).map(|mode| (mode, ask_all(library, mode, questions))).collect()
}

/// Prints what each came to, and what choosing brought.
pub fn print(questions: &[Question], runs: &[Run], as_json: bool) {
    let all: Vec<(Mode, Figures)> =
        runs.iter().map(|(mode, outcomes)| (*mode, report::mean(questions, outcomes, |_| true))).collect();
    let held_out = held_out(questions, runs);
    if as_json {
        println!("{:#}", to_json(&all, &held_out));
        return;
    }
    let columns: Vec<String> =
        Figures::NAMES.into_iter().chain(["mean of these"]).map(String::from).collect();
    head("mode", &columns);
    for (mode, figures) in &all {
        let values = figures.values().into_iter().chain([figures.worth()]);
        row(&mode.name(), values.map(percent));
    }
    let HeldOut { chosen, by_choice, by_mode } = held_out;
    println!("\nChosen by the mean on one half, told of the other, {} times\n", usize::from(SPLITS) * 2);
    head("setting", &["mean on the other half".to_owned()]);
    row("the one that was chosen", [percent(by_choice)].into_iter());
    for (mode, worth) in &by_mode {
        row(
            &format!("always {mode}, chosen {} times", chosen.get(mode).unwrap_or(&0)),
            [percent(*worth)].into_iter(),
        );
    }
}

/// What settings came to on questions that had no part in choosing them.
struct HeldOut {
    /// How often each was the best.
    chosen: BTreeMap<String, usize>,
    /// What the best of one half came to on the other, on the mean.
    by_choice: f64,
    /// What each would have come to there.
    by_mode: Vec<(String, f64)>,
}

fn held_out(questions: &[Question], runs: &[Run]) -> HeldOut {
    let trials = f64::from(SPLITS) * 2.0;
    let mut chosen: BTreeMap<String, usize> = BTreeMap::new();
    let mut by_choice = 0.0;
    let mut by_mode: Vec<(String, f64)> = runs.iter().map(|(mode, _)| (mode.name(), 0.0)).collect();
    for split in 0..SPLITS {
        let half = half(questions, split);
        for choosing in [true, false] {
            let worth = |outcomes: &[Outcome], side: bool| {
                report::mean(questions, outcomes, |it| half.contains(&it.id.as_str()) == side).worth()
            };
            let told: Vec<f64> = runs.iter().map(|(_, outcomes)| worth(outcomes, !choosing)).collect();
            let looked_at = runs.iter().map(|(_, outcomes)| worth(outcomes, choosing));
            let best = looked_at.enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
            let best = best.expect("there is something to choose from").0;
            *chosen.entry(runs[best].0.name()).or_default() += 1;
            by_choice += told[best] / trials;
            for ((_, sum), worth) in by_mode.iter_mut().zip(told) {
                *sum += worth / trials;
            }
        }
    }
    HeldOut { chosen, by_choice, by_mode }
}

/// One half of the questions of each kind and language, another one for each split and always the same.
fn half(questions: &[Question], split: u8) -> Vec<&str> {
    let mut sorted: Vec<&Question> = questions.iter().filter(|it| !it.answers.is_empty()).collect();
    let order = |it: &Question| Sha256::new().chain_update([split]).chain_update(&it.id).finalize();
    sorted.sort_by_cached_key(|it| (it.kind.clone(), it.lang.clone(), Reverse(order(it))));
    sorted.into_iter().step_by(2).map(|it| it.id.as_str()).collect()
}

fn to_json(all: &[(Mode, Figures)], held_out: &HeldOut) -> Value {
    let modes: Vec<Value> = all
        .iter()
        .map(|(mode, figures)| {
            json!({ "mode": mode.name(), "figures": report::figures(figures), "mean": figures.worth() })
        })
        .collect();
    json!({
        "modes": modes,
        "held_out": {
            "chosen": held_out.chosen,
            "by_choice": held_out.by_choice,
            "by_mode": held_out.by_mode.iter().cloned().collect::<BTreeMap<_, _>>(),
        },
    })
}
