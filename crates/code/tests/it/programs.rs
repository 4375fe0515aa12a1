//! Programs that fit the tools and programs that do not, and what exactly is said of them.

use crate::house::declarations;
use code::{Checked, Checker, Declarations, ToolSpec};
use serde_json::{Value, json};

/// What it is, the program, and the groups of tools it names.
const GOOD: &[(&str, &str, &[&str])] = &[
    ("nothing", "", &[]),
    ("a value", "return 1;", &[]),
    (
        "a call",
        r#"const found = await tools.memory.search({ query: "x" });
return found.output;"#,
        &["memory"],
    ),
    ("a call without input", "return (await tools.memory.search()).output;", &["memory"]),
    (
        "a tool of one word",
        r#"const { output, exitCode } = await tools.bash({ command: "ls" });
if (exitCode !== undefined && exitCode > 0) throw new Error(output);
return output.split("\n").length;"#,
        &["bash"],
    ),
    ("odd names", r#"return (await tools["odd-one"]["do it"]()).output;"#, &["odd-one"]),
    (
        "a loop",
        r#"const { items } = await tools.github.issues.list({ owner: "a", repo: "b", state: "open" });
for (const issue of items) {
  await tools.github.issues.close({ owner: "a", repo: "b", number: issue.number });
}"#,
        &["github"],
    ),
    (
        "all at once",
        r#"const { items } = await tools.github.issues.list({ owner: "a", repo: "b" });
const done = await Promise.all(items.map((it) => tools.github.issues.close({ owner: "a", repo: "b", number: it.number })));
return done.map((it) => it.state);"#,
        &["github"],
    ),
    (
        "settled",
        r#"const all = await Promise.allSettled([1, 2].map((number) => tools.github.issues.close({ owner: "a", repo: "b", number })));
return all.map((it) => (it.status === "fulfilled" ? it.value.state : String(it.reason.message)));"#,
        &["github"],
    ),
    (
        "of different types",
        r#"const [a, b] = await Promise.all([tools.bash({ command: "x" }), tools.tree.read({})]);
return a.output + b.children[0]?.name;"#,
        &["bash", "tree"],
    ),
    (
        "a race",
        r#"const first = await Promise.race([tools.bash({ command: "a" }), tools.bash({ command: "b" })]);
return first.output;"#,
        &["bash"],
    ),
    (
        "what went wrong",
        r#"try {
  await tools.bash({ command: "x" });
} catch (error) {
  if (error.name === "ToolDenied") return error.message;
  throw error;
} finally {
  console.log("done");
}"#,
        &["bash"],
    ),
    (
        "a fallback",
        r#"const text = await tools.bash({ command: "x" }).then((it) => it.output).catch(() => "none");
return text.trim();"#,
        &["bash"],
    ),
    (
        "recursion",
        r#"type Node = Awaited<ReturnType<typeof tools.tree.read>>;
const count = (node: Node): number => 1 + node.children.map(count).reduce((a, b) => a + b, 0);
return count(await tools.tree.read({}));"#,
        &["tree"],
    ),
    (
        "types of tools by name",
        r#"const input: GithubIssuesListInput = { owner: "a", repo: "b" };
const output: GithubIssuesListOutput = await tools.github.issues.list(input);
return output.items.length;"#,
        &["github"],
    ),
    (
        "only a type of a tool",
        r#"const kept: TreeReadOutput_Node[] = [];
return kept.map((it) => it.name);"#,
        &["tree"],
    ),
    (
        "own types",
        r#"interface Row { name: string; count?: number }
type Rows = Row[];
enum Kind { Small, Large }
const rows: Rows = [{ name: "a" }];
return rows.map((it) => ({ ...it, kind: (it.count ?? 0) > 3 ? Kind.Large : Kind.Small }));"#,
        &[],
    ),
    (
        "classes",
        r#"class Counter<T> {
  #seen = new Map<T, number>();
  constructor(private readonly most: number) {}
  add(value: T): this {
    this.#seen.set(value, (this.#seen.get(value) ?? 0) + 1);
    return this;
  }
  get top(): [T, number][] {
    return [...this.#seen].sort((a, b) => b[1] - a[1]).slice(0, this.most);
  }
}
return new Counter<string>(2).add("a").add("b").add("a").top;"#,
        &[],
    ),
    (
        "generators",
        r#"function* count(to: number) {
  for (let i = 0; i < to; i++) yield i;
}
async function* pages() {
  yield (await tools.bash({ command: "1" })).output;
}
const all: string[] = [];
for await (const page of pages()) all.push(page);
return [...count(3), all.length];"#,
        &["bash"],
    ),
    (
        "the library",
        r#"const text = "a-b-a";
const counts = Object.entries(Object.groupBy(text.split("-"), (it) => it)).map(([key, all]) => [key, all?.length]);
const when = new Date(Date.UTC(2026, 0, 1)).toISOString().slice(0, 10);
const names = [...text.matchAll(/(?<name>[a-z])/g)].map((it) => it.groups?.name ?? "");
const unique = new Set(names);
return { counts, when, unique: [...unique], n: Number.parseInt("7", 10) + Math.max(1, 2), json: JSON.parse("{}"), last: [1, 2].at(-1)?.toFixed(1), flat: [[1], [2]].flat(), big: 2n ** 3n };"#,
        &[],
    ),
    (
        "labels and switches",
        r#"outer: for (let i = 0; i < 3; i++) {
  switch (i) {
    case 1:
      continue outer;
    default:
      console.log(`${i}`);
  }
}
return null;"#,
        &[],
    ),
    (
        "a promise kept for later",
        r#"const later = tools.bash({ command: "a" });
const now = await tools.bash({ command: "b" });
let other: Promise<ToolText>;
other = tools.bash({ command: "c" });
return [now.output, (await later).output, (await other).output];"#,
        &["bash"],
    ),
    (
        "pushed and awaited",
        r#"const all: Promise<ToolText>[] = [];
for (const command of ["a", "b"]) all.push(tools.bash({ command }));
return (await Promise.all(all)).length;"#,
        &["bash"],
    ),
    (
        "groups taken apart",
        r#"const { github, memory: recall } = tools;
return [(await recall.search({})).output, (await github.issues.list({ owner: "a", repo: "b" })).items.length];"#,
        &["github", "memory"],
    ),
    ("ends in a comment", "return 1; // that is all", &[]),
    ("windows lines", "const a: number = 1;\r\nreturn a;\r\n", &[]),
    (
        "satisfies and assertions",
        r#"const limits = { a: 1 } satisfies Record<string, number>;
const any = JSON.parse("1") as number;
return limits.a + any!;"#,
        &[],
    ),
];

/// What it is, the program, and what is said of it: line, column, code, message.
const BAD: &[(&str, &str, &[&str])] = &[
    (
        "a wrong value",
        r#"const n: number = "x";"#,
        &["1:7 TS2322 Type 'string' is not assignable to type 'number'."],
    ),
    (
        "a wrong value, later",
        r#"

  const all = [1, 2];
  const n: string = all[0];"#,
        &["4:9 TS2322 Type 'number' is not assignable to type 'string'."],
    ),
    (
        "an input that lacks something",
        r#"await tools.github.issues.close({ owner: "a", number: 1 });"#,
        &[
            r#"1:33 TS2345 Argument of type '{ owner: string; number: number; }' is not assignable to parameter of type 'GithubIssuesCloseInput'.
  Property 'repo' is missing in type '{ owner: string; number: number; }' but required in type 'GithubIssuesCloseInput'."#,
        ],
    ),
    (
        "an input with something too much",
        r#"await tools.github.issues.list({ owner: "a", repo: "b", stat: "open" });"#,
        &[
            "1:57 TS2561 Object literal may only specify known properties, but 'stat' does not exist in type 'GithubIssuesListInput'. Did you mean to write 'state'?",
        ],
    ),
    (
        "an input of the wrong type",
        r#"await tools.github.issues.close({ owner: "a", repo: "b", number: "1" });"#,
        &["1:58 TS2322 Type 'string' is not assignable to type 'number'."],
    ),
    ("no input", "await tools.bash();", &["1:13 TS2554 Expected 1 arguments, but got 0."]),
    (
        "input where there is none",
        r#"await tools["odd-one"]["do it"]({ a: 1 });"#,
        &["1:35 TS2322 Type 'number' is not assignable to type 'never'."],
    ),
    (
        "a value that is not among them",
        r#"await tools.github.issues.list({ owner: "a", repo: "b", state: "opened" });"#,
        &[
            r#"1:57 TS2820 Type '"opened"' is not assignable to type '"open" | "closed" | "all" | undefined'. Did you mean '"open"'?"#,
        ],
    ),
    (
        "a tool that is not there",
        r#"await tools.github.issues.clos({ owner: "a", repo: "b", number: 1 });"#,
        &[
            "1:27 TS2551 Property 'clos' does not exist on type '{ close(input: GithubIssuesCloseInput): Promise<GithubIssuesCloseOutput>; list(input: GithubIssuesListInput): Promise<...>; }'. Did you mean 'close'?",
        ],
    ),
    (
        "a group that is not there",
        r#"await tools.githib.issues.list({ owner: "a", repo: "b" });"#,
        &["1:13 TS2551 Property 'githib' does not exist on type 'Tools'. Did you mean 'github'?"],
    ),
    (
        "nothing like any group",
        "await tools.calendar.list();",
        &["1:13 TS2339 `tools` has no `calendar`: use a tool that is in the list"],
    ),
    (
        "an output that is not there",
        r#"const it = await tools.bash({ command: "x" });
return it.stdout;"#,
        &["2:11 TS2339 Property 'stdout' does not exist on type 'ToolText'."],
    ),
    (
        "what may be missing",
        r#"const { items } = await tools.github.issues.list({ owner: "a", repo: "b" });
return items.map((it) => it.assignee.length);"#,
        &["2:26 TS18049 'it.assignee' is possibly 'null' or 'undefined'."],
    ),
    (
        "no await",
        r#"const found = tools.github.issues.list({ owner: "a", repo: "b" });
return found.items;"#,
        &[
            "2:14 TS2339 Property 'items' does not exist on type 'Promise<GithubIssuesListOutput>'. Did you forget to use 'await'?",
        ],
    ),
    (
        "no await in a loop",
        r#"for (const it of tools.github.issues.list({ owner: "a", repo: "b" })) console.log(it);"#,
        &[
            "1:18 TS2488 Type 'Promise<GithubIssuesListOutput>' must have a '[Symbol.iterator]()' method that returns an iterator. Did you forget to use 'await'?",
        ],
    ),
    (
        "no await in a condition",
        r#"if (tools.bash({ command: "x" })) return 1;"#,
        &[
            "1:5 TS2801 This condition will always return true since this 'Promise<ToolText>' is always defined. Did you forget to use 'await'?",
        ],
    ),
    (
        "a floating call",
        r#"tools.bash({ command: "x" });
return 1;"#,
        &[
            "1:1 floating-promise nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`",
        ],
    ),
    (
        "a floating call, hidden",
        r#"void tools.bash({ command: "x" });
(1, tools.bash({ command: "y" }));
true && tools.bash({ command: "z" });"#,
        &[
            "1:1 floating-promise nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`",
            "2:1 floating-promise nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`",
            "2:2 TS2695 Left side of comma operator is unused and has no side effects.",
            "3:1 floating-promise nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`",
        ],
    ),
    (
        "a floating chain",
        r#"tools.bash({ command: "x" }).then((it) => console.log(it.output));"#,
        &[
            "1:1 floating-promise nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`",
        ],
    ),
    (
        "floating calls of a map",
        r#"[1, 2].map((number) => tools.github.issues.close({ owner: "a", repo: "b", number }));"#,
        &[
            "1:1 floating-promise nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`",
        ],
    ),
    (
        "forEach does not wait",
        r#"[1, 2].forEach(async (number) => {
  await tools.github.issues.close({ owner: "a", repo: "b", number });
});
[1].forEach((it) => tools.bash({ command: `${it}` }));"#,
        &[
            "1:16 floating-callback nothing waits for the promises of this function: use `for (const item of items) { await ... }` or `await Promise.all(items.map(...))`",
            "4:13 floating-callback nothing waits for the promises of this function: use `for (const item of items) { await ... }` or `await Promise.all(items.map(...))`",
        ],
    ),
    (
        "filter does not wait",
        r#"const ok = ["a"].filter(async (command) => (await tools.bash({ command })).exitCode === 0);
return ok;"#,
        &[
            "1:25 promise-as-test `filter` does not wait for a promise, and a promise is always true: await the answers first, for example with `Promise.all`",
        ],
    ),
    (
        "a promise in a text",
        r#"return `it says ${tools.bash({ command: "x" })}`;"#,
        &["1:19 promise-in-text this is a promise, not its value: put `await` before it"],
    ),
    (
        "a floating function",
        r#"async function act() {
  await tools.bash({ command: "x" });
}
act();"#,
        &[
            "4:1 floating-promise nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`",
        ],
    ),
    (
        "an import",
        r#"import fs from "fs";
import type { A } from "b";
return fs;"#,
        &[
            "1:1 no-modules there are no modules, only `tools`, `console` and plain ECMAScript; leave out `import` and `export`",
            "2:1 no-modules there are no modules, only `tools`, `console` and plain ECMAScript; leave out `import` and `export`",
        ],
    ),
    (
        "an import at run time",
        r#"const fs = await import("node:fs");
return fs;"#,
        &[
            "1:18 no-modules there are no modules, only `tools`, `console` and plain ECMAScript; leave out `import` and `export`",
        ],
    ),
    (
        "an export",
        r#"export const a = 1;
export default a;"#,
        &[
            "1:1 no-modules there are no modules, only `tools`, `console` and plain ECMAScript; leave out `import` and `export`",
            "2:1 no-modules there are no modules, only `tools`, `console` and plain ECMAScript; leave out `import` and `export`",
        ],
    ),
    (
        "require",
        r#"const fs = require("fs");
return fs;"#,
        &[
            "1:12 TS2591 `require` is not available: there are no modules, only `tools`, `console` and plain ECMAScript",
        ],
    ),
    (
        "text as code",
        r#"eval("1");
new Function("return 1");
Function("return 2")();"#,
        &[
            "1:1 TS2304 `eval` is not available: text is never run as code: write the code itself",
            "2:5 TS2693 `Function` is not available: text is never run as code: write the code itself",
            "3:1 TS2693 `Function` is not available: text is never run as code: write the code itself",
        ],
    ),
    (
        "timers",
        "await new Promise((done) => setTimeout(done, 1000));",
        &[
            "1:29 TS2304 `setTimeout` is not available: there are no timers: a program runs to its end and waits only for tools",
        ],
    ),
    (
        "network",
        r#"const page = await fetch("https://example.org");
return page;"#,
        &["1:20 TS2304 `fetch` is not available: there is no network: use a tool"],
    ),
    (
        "the process",
        r#"return process.env.HOME + Buffer.from("a").toString();"#,
        &[
            "1:8 TS2591 `process` is not available: there is no process and no environment: use a tool",
            "1:27 TS2591 `Buffer` is not available: there are no byte arrays: work with strings",
        ],
    ),
    ("the global object", "return globalThis.fetch;", &["1:19 TS7017 `globalThis` has nothing of this name"]),
    (
        "no locales",
        r#"return new Intl.NumberFormat("de").format(1) + (1).toLocaleString("de");"#,
        &[
            "1:12 TS2304 `Intl` is not available: there are no locales: format by hand, for example with `toISOString`, `toFixed` and `padStart`",
            "1:67 TS2554 Expected 0 arguments, but got 1.",
        ],
    ),
    (
        "a name that is not there",
        r#"const total = 1;
return totl;"#,
        &["2:8 TS2552 Cannot find name 'totl'. Did you mean 'total'?"],
    ),
    (
        "no type",
        r#"const f = (x) => x;
return f(1);"#,
        &["1:12 TS7006 Parameter 'x' implicitly has an 'any' type."],
    ),
    (
        "a brace too many",
        r#"if (true) {
  console.log(1);
}}
return 1;"#,
        &["3:2 unbalanced this `}` closes nothing: there is no `{` for it"],
    ),
    (
        "a brace too few",
        r#"if (true) {
  console.log(1);
return 1;"#,
        &["3:10 TS1005 '}' expected."],
    ),
    (
        "half a text",
        r#"const a = "x;
return a;"#,
        &["1:14 TS1002 Unterminated string literal."],
    ),
    ("half a template", "return `x ${1", &["1:14 TS1160 Unterminated template literal."]),
    ("half a comment", "return 1; /* and", &["1:17 TS1010 '*/' expected."]),
    (
        "await in a plain function",
        r#"const f = () => {
  const it = await tools.bash({ command: "x" });
  return it;
};
return f();"#,
        &["2:14 TS1308 `await` stands in a function that is not `async`: put `async` before the function"],
    ),
    (
        "silenced",
        r#"// @ts-ignore
const a: number = "x";
// @ts-expect-error
const b: number = "y";
return [a, b];"#,
        &[
            "2:7 TS2322 Type 'string' is not assignable to type 'number'.",
            "4:7 TS2322 Type 'string' is not assignable to type 'number'.",
        ],
    ),
    (
        "silenced at the top",
        r#"// @ts-nocheck
const a: number = "x";
return a;"#,
        &["2:7 TS2322 Type 'string' is not assignable to type 'number'."],
    ),
    (
        "not a program",
        "Here is the program you asked for:",
        &[
            "1:1 TS1434 Unexpected keyword or identifier.",
            "1:6 TS1228 A type predicate is only allowed in return type position for functions and methods.",
            "1:9 TS1434 Unexpected keyword or identifier.",
            "1:13 TS1434 Unexpected keyword or identifier.",
            "1:21 TS1434 Unexpected keyword or identifier.",
            "1:25 TS1434 Unexpected keyword or identifier.",
            "1:34 TS1005 '(' expected.",
            "1:35 TS1109 Expression expected.",
        ],
    ),
    (
        "fenced",
        r#"  ```ts
return 1;
```"#,
        &["1:1 fenced leave out the ``` around the program"],
    ),
    (
        "a path beyond what is there",
        "await tools.github.pulls.list({});",
        &["1:20 TS2339 Property 'pulls' does not exist on type 'GithubTools'."],
    ),
    (
        "letters beyond the usual",
        r#"const größe = "🦉"; const n: number = größe;
return n;"#,
        &["1:27 TS2322 Type 'string' is not assignable to type 'number'."],
    ),
    (
        "newer than the library",
        "return [1].values().map((it) => it).toArray();",
        &[
            "1:21 TS2339 Property 'map' does not exist on type 'IterableIterator<number>'.",
            "1:26 TS7006 Parameter 'it' implicitly has an 'any' type.",
        ],
    ),
    (
        "unknown",
        r#"const value: unknown = 1;
return value.toFixed();"#,
        &["2:8 TS18046 'value' is of type 'unknown'. Find out what it is first, for example with `typeof`."],
    ),
    (
        "a constant changed",
        r#"const a = 1;
a = 2;"#,
        &["2:1 TS2588 Cannot assign to 'a' because it is a constant."],
    ),
];

#[test]
fn programs_that_fit() {
    let (checker, declarations) = (Checker::new(), declarations());
    for (name, program, expected) in GOOD {
        match checker.check(&declarations, program) {
            Checked::Good { groups, .. } => assert_eq!(groups, *expected, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn programs_that_do_not_fit() {
    let (checker, declarations) = (Checker::new(), declarations());
    for (name, program, expected) in BAD {
        match checker.check(&declarations, program) {
            Checked::Bad { diagnostics } => {
                let said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
                assert_eq!(said, *expected, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn types_are_taken_away_and_lines_are_kept() {
    let program = "interface Row {\n  name: string;\n}\n\n// the rows\nconst rows: Row[] = [];\nconst text = `a\n  b`;\n\nreturn rows.map((row: Row): string => row.name + text);";
    let good = Checked::Good {
        javascript: "\"use strict\";\nasync function program() {\n    const rows = [];\n    const text = `a\n  b`;\n    \
                     return rows.map((row) => row.name + text);\n}\n"
            .to_owned(),
        lines: vec![1, 1, 6, 7, 8, 10, 10],
        groups: Vec::new(),
    };
    assert_eq!(Checker::new().check(&declarations(), program), good);
}

#[test]
fn what_is_too_much_is_cut() {
    let (checker, declarations) = (Checker::new(), declarations());
    let many: String = (0..30).map(|index| format!("const v{index}: number = \"x\";\n")).collect();
    let Checked::Bad { diagnostics } = checker.check(&declarations, &many) else { panic!("thirty faults") };
    assert_eq!(diagnostics.len(), 20);

    let wide: String = (0..300).map(|index| format!("{}{index}: 1, ", "p".repeat(20))).collect();
    let Checked::Bad { diagnostics } =
        checker.check(&declarations, &format!("const a = {{ {wide} }};\nconst b: typeof a = 1;\nreturn b;"))
    else {
        panic!("a fault")
    };
    assert!(diagnostics[0].message.chars().count() <= 601, "{}", diagnostics[0].message);

    let Checked::Bad { diagnostics } = checker.check(&declarations, &"// x\n".repeat(30_000)) else {
        panic!("too long")
    };
    assert_eq!(
        diagnostics[0].to_string(),
        "1:1 too-long the program is too long: put data into a file and read it with a tool"
    );
}

/// The declarations stand in a function here, so the compiler reads them as it reads a program and says what is wrong.
#[test]
fn what_is_declared_is_typescript() {
    let checker = Checker::new();
    let none = Declarations::new(Vec::new());
    let odd = |path: &str, schema: Value| ToolSpec {
        path: path.to_owned(),
        description: "*/ evil(); /*".to_owned(),
        input_schema: schema.clone(),
        output_schema: Some(schema),
    };
    let hostile = vec![
        odd(
            "constructor.__proto__",
            json!({ "type": "object", "properties": { "__proto__": {}, "constructor": { "const": 1 }, "a\"b\n": {}, "*/": { "description": "*/ }" } } }),
        ),
        odd("new.new", json!({ "enum": ["a\"", "\\", "\n", "\u{2028}", "${x}", "`"] })),
        odd(
            "a b.c\"d",
            json!({ "$ref": "#/$defs/x y", "$defs": { "x y": { "type": "array", "items": { "$ref": "#/$defs/x y" } } } }),
        ),
        odd(
            "Array.Promise",
            json!({ "properties": { "Array": { "$ref": "#/properties/Promise" }, "Promise": { "type": ["object", "null"], "additionalProperties": { "$ref": "#" } } } }),
        ),
        odd(
            "x.y",
            json!({ "prefixItems": [{ "anyOf": [{ "type": "string" }, { "type": "object" }] }, {}], "minItems": 1 }),
        ),
        odd(
            "x.y.z",
            json!({ "type": "object", "properties": { "p": { "oneOf": [{ "enum": [[1, { "k": null }], -1e300] }, { "allOf": [{ "properties": { "q": {} } }, { "properties": { "r": false } }] }] } } }),
        ),
        odd("x", json!(true)),
        odd("X", json!({})),
        odd("1.2", json!({ "type": "integer" })),
    ];
    for declarations in [declarations(), Declarations::new(hostile)] {
        let text = declarations.text().replace("declare const tools: Tools;\n", "");
        let checked = checker.check(&none, &text);
        assert!(matches!(checked, Checked::Good { .. }), "{checked:#?}\n{text}");
    }
}

#[test]
fn programs_are_checked_for_many_at_once() {
    let (checker, declarations) = (Checker::new(), declarations());
    checker.warm();
    let checks: Vec<_> = (0..8)
        .map(|index| {
            let (checker, declarations) = (checker.clone(), declarations.clone());
            std::thread::spawn(move || {
                let program =
                    format!("const n: number = {};\nreturn n;", if index % 2 == 0 { "1" } else { "\"x\"" });
                matches!(checker.check(&declarations, &program), Checked::Good { .. })
            })
        })
        .collect();
    let good: Vec<bool> = checks.into_iter().map(|check| check.join().unwrap()).collect();
    assert_eq!(good, [true, false, true, false, true, false, true, false]);
}

#[test]
fn declarations_may_change_between_programs() {
    let checker = Checker::new();
    let with = |kind: &str| {
        let input_schema =
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": kind } } });
        Declarations::new(vec![ToolSpec {
            path: "t.act".to_owned(),
            description: String::new(),
            input_schema,
            output_schema: None,
        }])
    };
    let program = "return await tools.t.act({ a: 1 });";
    for _ in 0..2 {
        assert!(matches!(checker.check(&with("number"), program), Checked::Good { .. }));
        assert!(matches!(checker.check(&with("string"), program), Checked::Bad { .. }));
        assert!(matches!(checker.check(&Declarations::new(Vec::new()), program), Checked::Bad { .. }));
    }
}

/// The declarations of two thousand tools would not fit into the compiler's memory; those that are named do.
#[test]
fn of_very_many_tools_those_are_read_that_are_named() {
    let checker = Checker::new();
    let input_schema =
        json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } });
    let specs = (0..2_000).map(|index| ToolSpec {
        path: format!("group{}.tool{index}", index / 10),
        description: String::new(),
        input_schema: input_schema.clone(),
        output_schema: None,
    });
    let declarations = Declarations::new(specs.collect());
    let check = |program: &str| match checker.check(&declarations, program) {
        Checked::Good { groups, .. } => groups.join(" "),
        Checked::Bad { diagnostics } => diagnostics.iter().map(ToString::to_string).collect(),
        Checked::GaveUp { why } => why,
    };
    assert_eq!(check("return await tools.group7.tool71({ a: \"x\" });"), "group7");
    assert_eq!(
        check("const { group7, group9: nine } = tools;\nreturn typeof group7 + typeof nine;"),
        "group7 group9"
    );
    assert_eq!(
        check("const path = \"group7\";\nconst group = tools[path];"),
        "2:15 any-tool there are too many tools to take `tools` as a value: call each by its name, as `tools.group.tool(...)`"
    );
}
