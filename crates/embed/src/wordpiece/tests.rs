//! Texts and the pieces they are cut into.

use super::*;

const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\nhello\nworld\n!\n,\n.\n'\nnaive\ncafe\n你\n好\n##好\na\n##a\nstraße\nfi\n$\n—";

fn check(text: &str, expected: &[&str]) {
    let vocabulary = Vocabulary::read(WORDS).unwrap();
    let names: Vec<&str> = WORDS.lines().collect();
    let found: Vec<&str> =
        pieces(&vocabulary, text, 254).into_iter().map(|number| names[number as usize]).collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn words_become_the_longest_pieces() {
    check("hello world", &["hello", "world"]);
    check("unaffable", &["un", "##aff", "##able"]);
    check("unaffablex", &["[UNK]"]);
    check("aaa", &["a", "##a", "##a"]);
    check("xyz hello", &["[UNK]", "hello"]);
}

#[test]
fn case_and_accents_go() {
    check("HELLO World", &["hello", "world"]);
    check("Naïve CAFÉ", &["naive", "cafe"]);
    check("nai\u{308}ve cafe\u{301}", &["naive", "cafe"]);
    check("STRAßE", &["straße"]);
    check("\u{301}\u{308}", &[]);
}

#[test]
fn punctuation_and_chinese_characters_stand_alone() {
    check("hello,world!", &["hello", ",", "world", "!"]);
    check("don't", &["[UNK]", "'", "[UNK]"]);
    check("hello—world", &["hello", "—", "world"]);
    check("$hello.", &["$", "hello", "."]);
    check("你好", &["你", "好"]);
    check("hello你world", &["hello", "你", "world"]);
}

#[test]
fn odd_characters_are_taken_as_in_training() {
    check("", &[]);
    check(" \t\r\n\u{a0}\u{2003}", &[]);
    check("hel\u{200b}lo\u{0}", &["hello"]);
    check("hello\u{feff}\u{fffd} world", &["hello", "world"]);
    check("hello\u{a0}world", &["hello", "world"]);
    check("😀", &["[UNK]"]);
    check("👨\u{200d}👩\u{200d}👧", &["[UNK]"]);
    check("hello😀", &["[UNK]"]);
    check("\u{e000}hello", &["hello"]);
    check("\u{378}hello", &["[UNK]"]);
    check("ﬁ", &["[UNK]"]);
}

#[test]
fn a_word_of_more_than_a_hundred_characters_is_unknown() {
    check(&"a".repeat(100), &[&["a"][..], &["##a"; 99]].concat());
    check(&"a".repeat(101), &["[UNK]"]);
    check(&format!("{} hello", "é".repeat(70_000)), &["[UNK]"]);
}

#[test]
fn no_more_than_the_limit_is_cut() {
    let vocabulary = Vocabulary::read(WORDS).unwrap();
    let megabyte = "hello ".repeat(200_000);
    assert_eq!(pieces(&vocabulary, &megabyte, 254).len(), 254);
    assert_eq!(pieces(&vocabulary, &"!".repeat(1 << 20), 254).len(), 254);
    assert_eq!(pieces(&vocabulary, "unaffable", 2).len(), 2);
    // What is looked at is bounded even where nothing comes of it.
    assert_eq!(pieces(&vocabulary, &" ".repeat(1 << 20), 254), [0; 0]);
    assert_eq!(pieces(&vocabulary, &"\u{301}".repeat(1 << 19), 254), [0; 0]);
    assert_eq!(pieces(&vocabulary, &format!("{}hello", " ".repeat(MAX_TEXT_CHARS)), 254), [0; 0]);
}

#[test]
fn a_vocabulary_without_its_marks_is_refused() {
    assert!(Vocabulary::read("hello\nworld").is_none());
}
