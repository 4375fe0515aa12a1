//! What the owner is shown is what runs: escaping is exact, and the fingerprint sees every difference.

use crate::{Fingerprint, Fingerprinted, fingerprint, present};
use serde_json::json;
use std::{collections::BTreeSet, path::Path};

/// Undoes `present`.
pub(super) fn reveal(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u{") {
        out.push_str(&rest[..at]);
        let (code, after) = rest[at + 3..].split_once('}').unwrap();
        out.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        rest = after;
    }
    out + rest
}

#[test]
fn odd_characters_are_spelled_out_and_flagged() {
    let check = |text: &str, shown: &str, flag: Option<&str>| {
        let presented = present(text);
        assert_eq!(presented.text, shown);
        assert_eq!(presented.flags.is_empty(), flag.is_none(), "{text:?} {:?}", presented.flags);
        if let Some(flag) = flag {
            assert!(
                presented.flags.iter().any(|found| found.contains(flag)),
                "{text:?} {:?}",
                presented.flags
            );
        }
        assert_eq!(reveal(&presented.text), text);
    };
    check("ls -la ./x", "ls -la ./x", None);
    check("echo \\n", "echo \\n", None);
    check("echo \\u{41}", "echo \\u{5c}u{41}", None);
    check("ls\u{1b}[2K", "ls\\u{1b}[2K", Some("control"));
    check("a\tb", "a\\u{9}b", Some("control"));
    check("a\rb", "a\\u{d}b", Some("control"));
    check("a\u{8}b", "a\\u{8}b", Some("control"));
    check("a\u{202e}b", "a\\u{202e}b", Some("direction"));
    check("a\u{2066}b", "a\\u{2066}b", Some("direction"));
    check("a\u{200b}b", "a\\u{200b}b", Some("cannot be seen"));
    check("a\u{feff}b", "a\\u{feff}b", Some("cannot be seen"));
    check("a\u{a0}b", "a\\u{a0}b", Some("blanks"));
    check("a\u{e0041}b", "a\\u{e0041}b", Some("without a fixed meaning"));
    check("rm \u{ff0d}rf", "rm \\u{ff0d}rf", Some("look like"));
    check("p\u{430}ypal.com", "p\\u{430}ypal.com", Some("look like"));
    check("\u{440}\u{430}\u{443}", "\\u{440}\\u{430}\\u{443}", Some("look like"));
    check("привет", "привет", None);
    check("grüße 你好", "grüße 你好", None);
    check("a\nb", "a\nb", Some("several lines"));
    check(&format!("ls{}; rm x", " ".repeat(40)), &format!("ls{}; rm x", " ".repeat(40)), Some("wide gap"));
}

#[test]
fn the_fingerprint_sees_every_difference_and_no_order_of_keys() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let arguments = json!({"a": 1, "b": [true, null, "x"]});
    let argv = words(&["ls", "-l"]);
    let executables = [(Path::new("/bin/ls"), [7; 32])];
    let environment = [("A".to_owned(), Some("1".to_owned()))];
    let base = Fingerprinted {
        tool: "bash",
        arguments: &arguments,
        argv: &argv,
        executables: &executables,
        cwd: Path::new("/w"),
        environment: &environment,
        sandbox: "net=none",
        session: "terminal--default",
        expires_at_ms: 5,
    };
    let (same, numbers, texts, moved) = (
        json!({"b": [true, null, "x"], "a": 1}),
        json!({"a": 1.0}),
        json!({"a": "1"}),
        json!({"a": [1], "b": []}),
    );
    assert_eq!(fingerprint(&base), fingerprint(&Fingerprinted { arguments: &same, ..base.clone() }));
    let (joined, split) = (words(&["ls -l"]), words(&["ls", "-", "l"]));
    let other_bytes = [(Path::new("/bin/ls"), [8; 32])];
    let (unset, renamed) = ([("A".to_owned(), None)], [("A1".to_owned(), Some(String::new()))]);
    let different = [
        Fingerprinted { tool: "exec", ..base.clone() },
        Fingerprinted { arguments: &numbers, ..base.clone() },
        Fingerprinted { arguments: &texts, ..base.clone() },
        Fingerprinted { arguments: &moved, ..base.clone() },
        Fingerprinted { argv: &joined, ..base.clone() },
        Fingerprinted { argv: &split, ..base.clone() },
        Fingerprinted { executables: &other_bytes, ..base.clone() },
        Fingerprinted { executables: &[], ..base.clone() },
        Fingerprinted { cwd: Path::new("/v"), ..base.clone() },
        Fingerprinted { environment: &unset, ..base.clone() },
        Fingerprinted { environment: &renamed, ..base.clone() },
        Fingerprinted { environment: &[], ..base.clone() },
        Fingerprinted { sandbox: "net=all", ..base.clone() },
        Fingerprinted { session: "terminal--other", ..base.clone() },
        Fingerprinted { expires_at_ms: 6, ..base.clone() },
        base.clone(),
    ];
    let seen: BTreeSet<[u8; 32]> = different.iter().map(|case| fingerprint(case).0).collect();
    assert_eq!(seen.len(), different.len());
    assert_eq!(Fingerprint([0xab; 32]).to_string(), "ab".repeat(32));
}
