//! Frames in pieces, and frames that are none.

use super::*;
use serde_json::json;

#[test]
fn a_frame_comes_whole_however_it_is_cut() {
    let report = Report::Done { value: json!({"a": "😀"}), cut_bytes: 0, console: "line\n".to_owned() };
    let bytes = encode(&report).unwrap();
    for cut in 0..bytes.len() {
        let mut frames = FrameBuffer::new(1000);
        frames.push(&bytes[..cut]);
        assert_eq!(frames.take::<Report>().unwrap(), None, "cut at {cut}");
        frames.push(&bytes[cut..]);
        assert_eq!(frames.take::<Report>().unwrap(), Some(report.clone()), "cut at {cut}");
        assert_eq!(frames.take::<Report>().unwrap(), None);
    }
    assert_eq!(read::<Report>(&mut &bytes[..], 1000).unwrap(), Some(report));
    assert_eq!(read::<Report>(&mut &bytes[..0], 1000).unwrap(), None);
}

#[test]
fn what_is_no_frame_is_refused() {
    let body = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let deep = format!(
        r#"{{"done":{{"value":{}{},"cut_bytes":0,"console":""}}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    for bytes in [
        body(""),
        body("{}"),
        body("null"),
        body("\u{0}"),
        body(r#"{"quiet":{"calls":[],"console":"","more":1}}"#),
        body(r#"{"quiet":{"calls":[{"id":-1,"path":"a","input":1}],"console":""}}"#),
        body(&deep),
        u32::MAX.to_le_bytes().to_vec(),
        2000_u32.to_le_bytes().to_vec(),
        [body(r#"{"quiet":{"calls":[],"console":""}}"#), vec![0]].concat(),
    ] {
        let mut frames = FrameBuffer::new(1999);
        frames.push(&bytes);
        assert!(frames.take::<Report>().is_err(), "{bytes:?}");
    }
}
