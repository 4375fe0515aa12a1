//! What there is in a file to look at.

use super::says_something;

#[test]
fn headings_and_blank_lines_are_nothing_to_look_at() {
    for (text, expected) in [
        ("", false),
        ("\n\n  \n", false),
        ("# Heartbeat\n\n## Mornings\n", false),
        ("  # Heartbeat  \r\n", false),
        ("# Heartbeat\n- look at the oven\n", true),
        ("look", true),
    ] {
        assert_eq!(says_something(text), expected, "{text:?}");
    }
}
