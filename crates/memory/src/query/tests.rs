//! What is taken for a word, for a name, and for nothing; and which of them are searched for.

use super::*;

#[test]
fn words_that_say_nothing_are_left_out_and_names_are_kept_as_they_are() {
    let check = |query: &str, expected: &[&str]| assert_eq!(terms(query), expected, "{query:?}");
    check("When did I say the lease ends?", &["lease", "ends"]);
    check("Wann läuft denn mein Mietvertrag aus?", &["läuft", "Mietvertrag"]);
    check("what is ERR_4711", &["ERR_4711"]);
    check("mail anna@example.org, please", &["mail", "anna@example.org"]);
    check("(see src/main.rs)", &["see", "src/main.rs"]);
    check("parseHeader in v1.2.3", &["parseHeader", "v1.2.3"]);
    check("e-mail e.g. x", &["e", "mail", "g", "x"]);
    check("+49 170 1234567", &["49", "170", "1234567"]);
    check("who is it", &["who", "is", "it"]);
    check("Tea tea TEA", &["Tea"]);
    check("?!", &[]);
}

#[test]
fn the_rarest_are_searched_for() {
    let weighed = |text: &str, passages| Weighed { term: text.into(), passages, prefix: false };
    let plan = |terms: &[(&str, usize)]| {
        super::plan(terms.iter().map(|(text, passages)| weighed(text, *passages)).collect(), 100_000)
    };
    let expression = |terms: &[(&str, usize)]| plan(terms).expression;
    assert_eq!(expression(&[("often", 7_000), ("rare", 3)]).as_deref(), Some("\"rare\" OR \"often\""));
    assert_eq!(expression(&[("everywhere", 90_000), ("rare", 3)]).as_deref(), Some("\"rare\""));
    assert_eq!(expression(&[("everywhere", 90_000)]).as_deref(), Some("\"everywhere\""));
    assert_eq!(expression(&[("nowhere", 0)]), None);
    let many: Vec<(&str, usize)> = ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter().zip(1..).collect();
    assert_eq!(expression(&many).unwrap().matches(" OR ").count() + 1, MAX_TERMS);
    assert_eq!(expression(&[("a\"b", 1)]).as_deref(), Some("\"a b\""));
    let (with, without) = (plan(&[("a", 5), ("b", 0)]), plan(&[("a", 5)]));
    assert!(with.best_score > without.best_score, "what is nowhere makes the rest less likely");
}

#[test]
fn scripts_without_blanks_are_spaced_out() {
    assert_eq!(spaced_out("plain text"), "plain text");
    assert_eq!(spaced_out("a会議b"), "a 会  議 b");
}
