//! `read` over text, long lines, huge files, binary files and pictures.

use crate::support::Bench;
use serde_json::json;

#[tokio::test]
async fn lines_come_with_their_numbers() {
    let bench = Bench::new();
    bench.file("a.txt", "one\ntwo\r\nthree");
    let text = bench.ok("read", json!({ "path": "a.txt" })).await;
    assert_eq!(text, "     1\tone\n     2\ttwo\n     3\tthree\n");
    let text = bench.ok("read", json!({ "path": bench.path("a.txt"), "offset": 2, "limit": 1 })).await;
    assert_eq!(text, "     2\ttwo\n[more follows; go on with offset 3]\n");
    let text = bench.ok("read", json!({ "path": "./x/../a.txt", "offset": 3 })).await;
    assert_eq!(text, "     3\tthree\n");
}

#[tokio::test]
async fn what_cannot_be_read_is_said_in_words() {
    let bench = Bench::new();
    bench.file("dir/a.txt", "x");
    bench.file("empty", "");
    bench.file("short", "x\n");
    bench.file("binary", b"\x7fELF\0\0\0");
    rustix::fs::mknodat(rustix::fs::CWD, bench.path("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    assert_eq!(bench.ok("read", json!({ "path": "empty" })).await, "`empty` is empty.");
    let check = async |arguments, part: &str| {
        let why = bench.fails("read", arguments).await;
        assert!(why.contains(part), "{why}");
    };
    check(json!({ "path": "nothing" }), "There is no file `nothing`").await;
    check(json!({ "path": "dir" }), "is a directory. List it with `glob`").await;
    check(json!({ "path": "short", "offset": 5 }), "ends before line 5").await;
    check(json!({ "path": "binary" }), "is not a text file (7 bytes)").await;
    check(json!({ "path": "pipe" }), "not an ordinary file").await;
    check(json!({ "path": "short/x" }), "below something that is no directory").await;
    check(json!({ "path": "" }), "is not a path").await;
    check(json!({ "path": "a\0b" }), "is not a path").await;
    check(json!({ "path": "short", "offset": 0 }), "less than the minimum").await;
    check(json!({ "file": "short" }), "\"path\" is a required property").await;
}

#[tokio::test]
async fn long_lines_and_long_files_are_cut_visibly() {
    let bench = Bench::new();
    // 2,000 two-byte characters fit exactly; one more does not.
    bench.file("exact", "ä".repeat(2_000));
    bench.file("long", format!("{}\nnext\n", "ä".repeat(1_000_000)));
    bench.file("many", "line\n".repeat(2_500));
    bench.file("wide", format!("{}\n", "x".repeat(1_000)).repeat(500));
    let exact = bench.call("read", json!({ "path": "exact" })).await;
    assert_eq!((exact.output.chars().count(), exact.truncated), (2_008, false));
    let long = bench.call("read", json!({ "path": "long" })).await;
    assert!(long.truncated);
    assert!(
        long.output.contains("ä … [line cut, 2.0 MB in all]\n     2\tnext\n"),
        "{}",
        &long.output[4_000..]
    );
    assert!(!long.output.contains('\u{fffd}'));
    let many = bench.call("read", json!({ "path": "many" })).await;
    assert!(
        many.truncated && many.output.ends_with("  2000\tline\n[more follows; go on with offset 2001]\n")
    );
    let wide = bench.call("read", json!({ "path": "wide" })).await;
    assert!(wide.truncated && wide.output.len() <= 100_100, "{}", wide.output.len());
    assert!(wide.output.ends_with("go on with offset 100]\n"), "{}", &wide.output[99_000..]);
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_replaced_and_said() {
    let bench = Bench::new();
    bench.file("latin", b"caf\xe9\n");
    bench.file("bom", "\u{feff}x\n");
    let text = bench.ok("read", json!({ "path": "latin" })).await;
    assert_eq!(text, "     1\tcaf\u{fffd}\n[some bytes are not UTF-8 and were replaced]\n");
    assert_eq!(bench.ok("read", json!({ "path": "bom" })).await, "     1\t\u{feff}x\n");
    // A character across the end of what was sniffed.
    bench.file("seam", format!("{}ä\n", "x".repeat(8_191)));
    let text = bench.ok("read", json!({ "path": "seam" })).await;
    assert!(!text.contains("not UTF-8"));
}

#[tokio::test]
async fn a_huge_file_is_not_read_whole() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.path("sparse")).unwrap();
    std::io::Write::write_all(&mut &file, "x\n".repeat(10_000).as_bytes()).unwrap();
    file.set_len(1 << 40).unwrap();
    let begun = std::time::Instant::now();
    let text = bench.ok("read", json!({ "path": "sparse", "limit": 2 })).await;
    assert!(text.starts_with("     1\tx\n     2\tx\n[more"), "{text}");
    assert!(begun.elapsed().as_secs() < 5);
    let why = bench.fails("read", json!({ "path": "sparse", "offset": 20_000 })).await;
    assert!(why.contains("too far into the file"), "{why}");
}

#[tokio::test]
async fn a_picture_is_attached() {
    let bench = Bench::new();
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03".as_slice(), &[7; 20_000]].concat();
    bench.file("art/small.png", &png);
    let result = bench.call("read", json!({ "path": "art/small.png" })).await;
    assert_eq!(result.output, "`art/small.png`: image/png of 2 × 3 pixels.");
    assert_eq!(result.attachments.len(), 1);
    assert_eq!(result.attachments[0].name.as_deref(), Some("small.png"));
    assert_eq!(result.attachments[0].data.len(), png.len().div_ceil(3) * 4);
    bench.file("large.png", [png, vec![7; 4_000_000]].concat());
    let why = bench.fails("read", json!({ "path": "large.png" })).await;
    assert!(why.contains("larger than 3.75 MB"), "{why}");
}
