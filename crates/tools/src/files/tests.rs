//! Replacing text and telling pictures, without any file.

use super::{edit::replaced, picture::Picture};

#[test]
fn an_edit_needs_exactly_one_place() {
    let check = |content: &str, old: &str, new: &str, expected: Result<(&str, usize), &str>| match (
        replaced(content, old, new),
        expected,
    ) {
        (Ok((text, line)), Ok(expected)) => assert_eq!((text.as_str(), line), expected),
        (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
        (got, expected) => panic!("{content:?}: {got:?} instead of {expected:?}"),
    };
    check("one\ntwo\nthree", "two", "2", Ok(("one\n2\nthree", 2)));
    check("ä😀ö", "😀", "é", Ok(("äéö", 1)));
    check("a\r\nb\r\nc", "a\nb", "x\ny", Ok(("x\r\ny\r\nc", 1)));
    check("a\nb", "a\n", "", Ok(("b", 1)));
    check("x", "", "y", Err("`old` is empty"));
    check("x", "x", "x", Err("the same"));
    check("x", "y", "z", Err("was not found. Read the file again"));
    check(
        "fn a() {\n    b\n}",
        "fn a()  {\n  c\n}",
        "z",
        Err("Line 1 has its first line with other white space"),
    );
    check("a b a b a", "a", "z", Err("occurs 3 times (lines 1, 1, 1)"));
    // Overlapping places are two places: replacing the first would be a guess.
    check("aaa", "aa", "b", Err("occurs 2 times"));
    check(&"a".repeat(5_000_000), "a", "b", Err("occurs 1000 times"));
}

#[test]
fn pictures_are_told_by_their_bytes() {
    let check = |bytes: &[u8], expected: Option<(&'static str, u32, u32)>| {
        let got = Picture::of(bytes).map(|picture| (picture.mime_type, picture.width, picture.height));
        assert_eq!(got, expected, "{bytes:x?}");
    };
    check(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x01\x02\0\0\0\x03", Some(("image/png", 258, 3)));
    check(b"GIF89a\x02\x01\x03\0", Some(("image/gif", 258, 3)));
    check(b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08\0\x03\x01\x02\x03", Some(("image/jpeg", 258, 3)));
    check(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x01\0\x02\0\0", Some(("image/webp", 258, 3)));
    check(b"RIFF\0\0\0\0WEBPVP8L\x05\0\0\0\x2f\x01\xc1\0\0", Some(("image/webp", 258, 4)));
    check(b"RIFF\0\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x02\x01\x03\0", Some(("image/webp", 258, 3)));
    // Cut short, or endless markers, or no picture at all.
    check(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0", None);
    check(b"\xff\xd8\xff\xd0\xff\xd0", None);
    check(b"\xff\xd8\xff\xe0\0\0", None);
    check(b"<svg></svg>", None);
    check(b"", None);
}

#[test]
fn a_picture_a_provider_would_refuse_is_not_attached() {
    let picture = |width, height| Picture { mime_type: "image/png", width, height };
    assert!(picture(100, 100).attach(b"x", None).is_ok());
    assert!(picture(50_000, 1).attach(b"x", None).unwrap_err().contains("50000 × 1"));
    assert!(picture(0, 1).attach(b"x", None).is_err());
    assert!(picture(1, 1).attach(&vec![0; 4_000_000], None).unwrap_err().contains("3.75 MB"));
}
