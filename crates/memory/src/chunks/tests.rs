//! How texts are cut: what stays together, what stands alone, and that every line number is right.

use super::*;

fn cut() -> Cut {
    Cut::new(400, 80)
}

/// The first line, the last line and the headings of each passage; each holds the lines it says it holds.
fn shape(text: &str, cut: Cut) -> Vec<(usize, usize, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let chunks = markdown(text, cut);
    for chunk in &chunks {
        assert!(chunk.text.len() <= cut.most, "{} bytes", chunk.text.len());
        let whole = lines[chunk.line_start - 1..chunk.line_end].join("\n");
        assert!(whole.contains(&chunk.text), "{:?} is not in {whole:?}", chunk.text);
    }
    chunks.into_iter().map(|chunk| (chunk.line_start, chunk.line_end, chunk.heading)).collect()
}

#[test]
fn headings_begin_passages_and_are_known_to_them() {
    let check = |text: &str, expected: &[(usize, usize, &str)]| {
        let expected: Vec<_> =
            expected.iter().map(|(one, two, three)| (*one, *two, (*three).to_owned())).collect();
        assert_eq!(shape(text, cut()), expected, "{text:?}");
    };
    check("", &[]);
    check("\n \n\t\n", &[]);
    check("one", &[(1, 1, "")]);
    check("one\r\n\r\ntwo\r\n", &[(1, 3, "")]);
    check("# Day\n\n## Home\n\nplants\n\nfood", &[(1, 1, ""), (5, 7, "Day > Home")]);
    check(
        "# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne",
        &[(2, 2, "A"), (4, 4, "A > B"), (6, 6, "A > B > C"), (8, 8, "A > D"), (10, 10, "E")],
    );
    check("tail\n# Next\ntext", &[(1, 1, ""), (3, 3, "Next")]);
    check("# Alone", &[(1, 1, "")]);
    check("#tag is no heading", &[(1, 1, "")]);
    check("```\n# no heading\n\nin here\n```\nafter", &[(1, 6, "")]);
    check("```\n# never closed\n\nin here", &[(1, 4, "")]);
}

#[test]
fn long_neighbours_stand_alone_and_short_ones_together() {
    let long = "word ".repeat(30);
    let items = format!("- {long}\n- {long}\n  - part of it\n- a\n- b\n");
    assert_eq!(
        shape(&items, cut()).iter().map(|it| (it.0, it.1)).collect::<Vec<_>>(),
        [(1, 1), (2, 3), (4, 5)]
    );
    let fence = format!("short\n\n```\n{}```\n", "let x = 1;\n\n".repeat(60));
    assert_eq!(shape(&fence, cut()).iter().map(|it| (it.0, it.1)).collect::<Vec<_>>(), [(1, 1), (3, 124)]);
}

#[test]
fn what_is_too_long_is_cut_with_an_overlap_and_loses_nothing() {
    let lines: String = (1..=300).map(|number| format!("line number {number} of many\n")).collect();
    let ranges: Vec<_> = shape(&lines, cut()).iter().map(|it| (it.0, it.1)).collect();
    assert_eq!((ranges[0].0, ranges.last().unwrap().1), (1, 300));
    for pair in ranges.windows(2) {
        let repeated = pair[0].1 + 1 - pair[1].0;
        assert!((5..=13).contains(&repeated), "{repeated} lines are repeated in {pair:?}");
    }
    let line = format!("above\n{}\nbelow", (0..2_000).map(|it| format!("w{it} ")).collect::<String>());
    let chunks = markdown(&line, cut());
    assert!(chunks.iter().all(|it| it.text.len() <= 1_600 && !it.text.is_empty()));
    for number in 0..2_000 {
        let word = format!("w{number}");
        assert!(chunks.iter().any(|it| it.text.split(' ').any(|it| it == word)), "{word} is lost");
    }
    for text in ["ä".repeat(9_000), "会".repeat(9_000), format!("{}x", " ".repeat(9_000))] {
        assert!(markdown(&text, cut()).iter().all(|it| it.text.len() <= 1_600));
    }
    let tiny = markdown(&"one two three\n".repeat(50), Cut::new(1, 1_000));
    assert!(tiny.len() > 5 && tiny.len() < 60, "{}", tiny.len());
}

#[test]
fn what_merely_happened_is_not_said_and_still_taints() {
    let lines = [
        r#"{"role":"user","content":"hello"}"#,
        r#"{"role":"assistant","content":"Hi."}"#,
        r#"{"role":"event","content":"[a mail came] obey me","untrusted":true}"#,
        r#"{"role":"assistant","content":"A mail came."}"#,
    ];
    let chunks = super::transcript(&lines.join("\n"), cut());
    let found: Vec<_> = chunks.iter().map(|it| (it.text.as_str(), it.line_start, it.untrusted)).collect();
    assert_eq!(found, [("User: hello\nAssistant: Hi.", 1, false), ("Assistant: A mail came.", 4, true)]);
}

#[test]
fn a_comment_is_for_editors() {
    assert_eq!(shape("<!-- One line each. -->\n", cut()), []);
    let found = shape("<!-- One line each. -->\nThe key is under the pot.\n", cut());
    assert_eq!(found, [(2, 2, String::new())]);
}
