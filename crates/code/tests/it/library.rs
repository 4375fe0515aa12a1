//! What the checker promises and what a run keeps: the library is all there, and what was checked runs.

use crate::support::{host, run};
use code::{
    Beginning, Checked, Checker, Declarations, Delivery, Limits, Outcome, Program, Runner, Step, ToolSpec,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LIBRARY: &str = include_str!("../../src/checker/lib.d.ts");

/// Interfaces that stand for no object of their own.
const SHAPES: &[&str] = &[
    "PropertyDescriptor",
    "TypedPropertyDescriptor",
    "RegExpMatchArray",
    "RegExpExecArray",
    "ArrayLike",
    "ConcatArray",
];

#[tokio::test]
async fn whatever_the_library_declares_is_there_when_a_program_runs() {
    let declared = declared();
    assert!(declared.len() > 25 && declared["Array"].contains(&"toSorted"), "{declared:?}");
    let table = serde_json::to_string(&declared).unwrap();
    let body = format!(
        "const table = {table};
         const missing = [];
         const holds = (object, name) => object !== undefined && object !== null && name in Object(object);
         for (const [owner, names] of Object.entries(table)) {{
             const target = owner.endsWith('Constructor') ? globalThis[owner.slice(0, -11)]
                 : ['Math', 'JSON'].includes(owner) ? globalThis[owner]
                 : owner === 'Console' ? console
                 : globalThis[owner]?.prototype;
             for (const name of names) if (!holds(target, name)) missing.push(owner + '.' + name);
         }}
         return missing;"
    );
    match run(&body, &Limits::default()).await.step {
        // What each object is given of its own when it is made, so that the prototype lacks it.
        Step::Done { value, .. } => assert_eq!(
            value,
            json!(["AggregateError.errors", "Error.cause", "Function.prototype", "RegExp.lastIndex"])
        ),
        other => panic!("{other:?}"),
    }
}

/// The members of each interface that has an object of its own, by their names.
fn declared() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut declared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut owner = None;
    for line in LIBRARY.lines() {
        let word = |text: &'static str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
        };
        if let Some(rest) = line.strip_prefix("interface ") {
            let values = [format!("declare var {}: ", word(rest)), format!(": {};", word(rest))];
            let has_value = values.iter().any(|it| LIBRARY.contains(it.as_str()));
            owner = Some(word(rest)).filter(|name| has_value && !SHAPES.contains(name));
        } else if line == "}" {
            owner = None;
        } else if let Some(owner) = owner
            && let Some(member) = line.strip_prefix("  ").map(|it| it.trim_start_matches("readonly "))
            && !word(member).is_empty()
            && word(member) != "new"
        {
            declared.entry(owner).or_default().push(word(member));
        }
    }
    declared
}

#[tokio::test]
async fn what_was_checked_runs() {
    let declarations = Declarations::new(vec![ToolSpec {
        path: "ledger.read".to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object", "required": ["page"], "properties": { "page": { "type": "integer" } } }),
        output_schema: Some(
            json!({ "type": "object", "required": ["rows"], "properties": { "rows": { "type": "array", "items": { "type": "number" } } } }),
        ),
    }]);
    let program = r#"
        enum Kind { Small = "small", Large = "large" }
        interface Sum { kind: Kind; total: number }
        class Adder<T extends number> {
          #total = 0;
          constructor(private readonly limit: T) {}
          add(rows: readonly number[]): Sum {
            for (const row of rows) this.#total += row;
            return { kind: this.#total > this.limit ? Kind.Large : Kind.Small, total: this.#total };
          }
        }
        async function* pages(count: number): AsyncGenerator<number[]> {
          for (let page = 0; page < count; page++) yield (await tools.ledger.read({ page })).rows;
        }
        const adder = new Adder(5);
        const sums: Sum[] = [];
        for await (const rows of pages(2)) sums.push(adder.add(rows));
        const both = await Promise.all([7, 8].map((page) => tools.ledger.read({ page })));
        return { sums, both: both.flatMap((it) => it.rows) satisfies number[] };"#;
    let expected = json!({
        "sums": [{ "kind": "small", "total": 1 }, { "kind": "large", "total": 12 }],
        "both": [70, 1, 80, 1],
    });
    assert_eq!(checked_and_run(&declarations, program).await, Ok(expected));

    let failing = "interface Gone {\n  a: 1;\n}\n\nconst page: number = 1;\nconst { rows } = await tools.ledger.read({ page });\nthrow new Error(`line ${rows.length + 5}`);";
    assert_eq!(checked_and_run(&declarations, failing).await, Err((Some(7), "line 7".to_owned())));
}

/// Each page has ten times its number, and one.
async fn checked_and_run(declarations: &Declarations, program: &str) -> Result<Value, (Option<u32>, String)> {
    let (javascript, lines) = match Checker::new().check(declarations, program) {
        Checked::Good { javascript, lines, .. } => (javascript, lines),
        other => panic!("{other:?}"),
    };
    let program = Program { javascript, lines, paths: declarations.paths().map(str::to_owned).collect() };
    let beginning = Beginning::new(&program.javascript, 1, 1_800_000_000_000);
    let mut runner = Runner::start(&host(), &program, &beginning, &Limits::default()).await.unwrap();
    let mut open = Vec::new();
    loop {
        match runner.next().await {
            Step::Quiet { calls, .. } => open.extend(calls),
            Step::Done { value, .. } => return Ok(value),
            Step::Failed { failure, .. } => return Err((failure.line, failure.message)),
            Step::Died { why } => panic!("{why}"),
        }
        let call = open.remove(0);
        let outcome =
            Outcome::Ok { value: json!({ "rows": [call.input["page"].as_u64().unwrap() * 10, 1] }) };
        runner.deliver(&Delivery { call: call.id, now_ms: 1_800_000_000_001, outcome }).await.unwrap();
    }
}
