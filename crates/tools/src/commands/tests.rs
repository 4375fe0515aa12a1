//! The ring buffer alone.

use super::ring::{Piece, Ring};

#[test]
fn a_ring_keeps_the_last_bytes_and_every_place() {
    let mut ring = Ring::new(4);
    let piece = |text: &str, lost, next, more| Piece { text: text.into(), lost, next, more };
    assert_eq!(ring.since(0, 9, false), piece("", 0, 0, false));
    ring.push(b"ab");
    assert_eq!(ring.since(0, 9, false), piece("ab", 0, 2, false));
    assert_eq!(ring.since(0, 1, false), piece("a", 0, 1, true));
    assert_eq!(ring.since(2, 9, false), piece("", 0, 2, false));
    // A place that was never given out.
    assert_eq!(ring.since(99, 9, false), piece("", 0, 2, false));
    ring.push(b"cdef");
    assert_eq!(ring.since(0, 9, false), piece("cdef", 2, 6, false));
    assert_eq!(ring.since(3, 9, false), piece("def", 0, 6, false));
    ring.push(b"0123456789");
    assert_eq!(ring.since(6, 9, false), piece("6789", 6, 16, false));
}

#[test]
fn a_character_is_not_given_in_halves() {
    let mut ring = Ring::new(100);
    ring.push(&"aä".as_bytes()[..2]);
    assert_eq!(ring.since(0, 9, false).text, "a");
    assert_eq!(ring.since(0, 9, true).text, "a\u{fffd}");
    ring.push(&"ä".as_bytes()[1..]);
    assert_eq!((ring.since(1, 9, false).text, ring.since(1, 9, false).next), ("ä".into(), 3));
    // Half a character alone, and more to come: it does not stand still for ever.
    assert_eq!(ring.since(1, 1, false).next, 2);
}
