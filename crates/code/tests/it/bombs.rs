//! Programs made to wear the compiler out: each ends with an answer, the next program is checked as if nothing had been,
//! and the memory goes back.

use crate::house::declarations;
use code::{Checked, Checker};
use std::fs;

/// Either the memory or the time: which of them is used up first depends on the machine.
const TOO_MUCH: &str = ": use simpler types";
const TOO_DEEP: &str = "the program is nested too deep to be checked: split it up";

/// What it is, the program, and how that what came of it ends.
fn bombs() -> Vec<(&'static str, String, &'static str)> {
    let nested = |open: &str, close: &str, times: usize| open.repeat(times) + "1" + &close.repeat(times);
    let digits = "type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;\n";
    vec![
        ("a union of a million texts", format!("{digits}type N = `${{D}}${{D}}${{D}}${{D}}${{D}}${{D}}`;\nconst n: N = 1;"), "bad"),
        (
            "a type that counts",
            "type F<N extends number, R extends unknown[] = []> = R[\"length\"] extends N ? R : F<N, [...R, R]>;\n\
             type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;\ntype U = `${D}${D}${D}${D}${D}`;\n\
             type G<T extends string> = { [K in T]: F<900> };\nconst a: G<U> = {} as { [K in U]: F<899> };"
                .to_owned(),
            TOO_MUCH,
        ),
        (
            "a type that doubles",
            "type T<A> = [A, A];\ntype B<A> = T<T<T<T<A>>>>;\ntype C<A> = B<B<B<B<A>>>>;\n\
             const a: C<C<C<0>>> = null as unknown as C<C<C<1>>>;"
                .to_owned(),
            "good",
        ),
        ("brackets in brackets", format!("return {};", nested("[", "]", 20_000)), TOO_DEEP),
        ("parentheses in parentheses", format!("return {};", nested("(", ")", 20_000)), TOO_DEEP),
        ("a long sum", format!("return {}1;", "1 + ".repeat(20_000)), TOO_DEEP),
        ("a shorter sum", format!("return {}1;", "1 + ".repeat(1_000)), "good"),
        ("a chain of calls", format!("const o: any = 1;\nreturn o{};", ".a()".repeat(20_000)), TOO_DEEP),
        ("a comment of braces", format!("// {}", "{[(`".repeat(20_000)), "good"),
    ]
}

#[test]
fn bombs_end_and_leave_nothing_behind() {
    let (checker, declarations) = (Checker::new(), declarations());
    let fine = "const found = await tools.memory.search({ query: \"x\" });\nreturn found.output;";
    let good = checker.check(&declarations, fine);
    assert!(matches!(good, Checked::Good { .. }));
    let before = resident_bytes();
    for (name, program, expected) in bombs() {
        let checked = checker.check(&declarations, &program);
        let said = match &checked {
            Checked::GaveUp { why } => why.as_str(),
            Checked::Bad { .. } => "bad",
            Checked::Good { .. } => "good",
        };
        assert!(said.ends_with(expected), "{name}: {checked:?}");
        assert_eq!(checker.check(&declarations, fine), good, "after {name}");
    }
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 64 << 20, "{} MB more than before", grown >> 20);
}

fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
