//! Figures of lists that are small enough to reckon by hand.

use super::*;
use crate::questions::Answer;
use memory::Kind;

#[test]
fn one_of_several_places_is_enough() {
    let question = question(Need::Any, &["plum", "pear"]);
    let outcome = judge(&question, &[hit("apple"), hit("a pear"), hit("a plum")]);
    let figures =
        Figures { recall_5: 1.0, recall_10: 1.0, reciprocal_rank: 0.5, within_2000: 1.0, within_4000: 1.0 };
    assert_eq!(outcome, Outcome { figures: Some(figures), top_score: Some(0.5) });
}

#[test]
fn all_parts_are_counted_one_by_one() {
    let question = question(Need::All, &["plum", "pear"]);
    let hits: Vec<Hit> = ["plum", "", "", "", "", "pear"].map(hit).to_vec();
    let figures = judge(&question, &hits).figures.unwrap();
    assert_eq!((figures.recall_5, figures.recall_10, figures.reciprocal_rank), (0.5, 1.0, 1.0));
}

#[test]
fn two_places_of_one_part_count_once() {
    let mut question = question(Need::All, &["plum", "pear", "cherry"]);
    question.answers[1].part = 1;
    let figures = judge(&question, &[hit("plum"), hit("pear")]).figures.unwrap();
    assert_eq!(figures.recall_5, 0.5);
}

#[test]
fn the_text_in_another_file_is_no_answer() {
    let mut elsewhere = hit("a plum");
    elsewhere.path = "memory/b.md".into();
    let figures = judge(&question(Need::Any, &["plum"]), &[elsewhere]).figures.unwrap();
    assert_eq!(figures, Figures::default());
}

#[test]
fn a_budget_counts_characters_and_cuts_none() {
    let long = "ü".repeat(1_990);
    let hits = [hit(&long), hit("a plum, and more"), hit("plum")];
    let figures = judge(&question(Need::Any, &["plum"]), &hits).figures.unwrap();
    assert_eq!((figures.within_2000, figures.within_4000), (0.0, 1.0));
    let figures = judge(&question(Need::Any, &["plum"]), &[hit(&long), hit("plum")]).figures.unwrap();
    assert_eq!(figures.within_2000, 1.0, "a letter of two bytes is one character");
}

#[test]
fn a_question_without_an_answer_has_no_figures() {
    let outcome = judge(&question(Need::Any, &[]), &[hit("plum")]);
    assert_eq!(outcome, Outcome { figures: None, top_score: Some(0.5) });
}

#[test]
fn means_and_quantiles() {
    let full = Figures { recall_5: 1.0, ..Figures::default() };
    assert_eq!(Figures::mean([full, Figures::default()].iter()).recall_5, 0.5);
    assert_eq!(quantile(&[0.3, 0.1, 0.2], 0.5), 0.2);
    assert_eq!(tells_apart(&[0.9, 0.5], &[0.5, 0.1]), 0.875);
}

fn question(need: Need, texts: &[&str]) -> Question {
    let answer =
        |(part, text): (u32, &&str)| Answer { path: "memory/a.md".into(), text: (*text).into(), part };
    Question {
        id: "q".into(),
        q: "which fruit?".into(),
        kind: "keyword".into(),
        lang: "en".into(),
        answers: (1..).zip(texts).map(answer).collect(),
        need,
    }
}

fn hit(excerpt: &str) -> Hit {
    Hit {
        path: "memory/a.md".into(),
        line_start: 1,
        line_end: 1,
        excerpt: excerpt.into(),
        kind: Kind::Note,
        score: 0.5,
        untrusted: false,
    }
}
