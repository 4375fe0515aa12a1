//! What the compiler's words become, when the thread ends, and what happens at the limits.

use super::{
    Checked, Checker,
    engine::{Answer, Engine, Fault},
    messages::plain,
};
use crate::declarations::{Declarations, ToolSpec};
use serde_json::json;
use std::time::Duration;

#[test]
fn words_that_mislead() {
    let check = |code: &str, message: &str, expected: &str| assert_eq!(plain(code, message), expected);
    check(
        "TS2322",
        "Type 'string' is not assignable to type 'number'.",
        "Type 'string' is not assignable to type 'number'.",
    );
    check(
        "TS2591",
        "Cannot find name 'require'. Do you need to install type definitions for node? Try `npm i --save-dev @types/node` and then add 'node' to the types field in your tsconfig.",
        "`require` is not available: there are no modules, only `tools`, `console` and plain ECMAScript",
    );
    check(
        "TS2582",
        "Cannot find name 'describe'. Do you need to install type definitions for a test runner?",
        "Cannot find name 'describe'.",
    );
    check(
        "TS2550",
        "Property 'union' does not exist on type 'Set<any>'. Do you need to change your target library? Try changing the 'lib' compiler option to 'esnext' or later.",
        "Property 'union' does not exist on type 'Set<any>'.",
    );
    check(
        "TS2552",
        "Cannot find name 'totl'. Did you mean 'total'?",
        "Cannot find name 'totl'. Did you mean 'total'?",
    );
    check(
        "TS2693",
        "'Function' only refers to a type, but is being used as a value here.",
        "`Function` is not available: text is never run as code: write the code itself",
    );
    check(
        "TS2693",
        "'Row' only refers to a type, but is being used as a value here.",
        "'Row' only refers to a type, but is being used as a value here.",
    );
    check(
        "TS2307",
        "Cannot find module 'fs' or its corresponding type declarations.",
        "there are no modules, only `tools`, `console` and plain ECMAScript; leave out `import` and `export`",
    );
    check(
        "TS2339",
        "Property 'x' does not exist on type 'Tools'.",
        "`tools` has no `x`: use a tool that is in the list",
    );
    check(
        "TS2339",
        "Property 'x' does not exist on type 'Row'.",
        "Property 'x' does not exist on type 'Row'.",
    );
    check("TS1", &"é".repeat(700), &("é".repeat(600) + "…"));
}

#[test]
fn a_thread_without_work_ends_and_is_followed_by_another() {
    let checker = Checker::with_idle(Duration::ZERO);
    let none = Declarations::new(Vec::new());
    let ended = || checker.worker.lock().unwrap().take().map(|worker| worker.thread.join().is_ok());
    for _ in 0..3 {
        assert!(matches!(checker.check(&none, "return 1;"), Checked::Good { .. }));
        assert_eq!(ended(), Some(true), "with no one to ask it ends by itself");
    }
    checker.warm();
    assert_eq!(ended(), Some(true));
    assert_eq!(ended(), None);
}

/// What was found out for one program is kept for the next; that must never show.
#[test]
fn what_is_said_of_a_program_does_not_depend_on_those_before() {
    let house = |kind: &str| {
        let tool = |path: &str| ToolSpec {
            path: path.to_owned(),
            description: String::new(),
            input_schema: json!({ "type": "object", "properties": { "n": { "type": kind } } }),
            output_schema: Some(json!({ "type": "object", "properties": { "n": { "type": kind } } })),
        };
        Declarations::new(vec![tool("a.get"), tool("b.get"), tool("c.d.get")])
    };
    let (numbers, words) = (house("number"), house("string"));
    let programs = [
        "return (await tools.a.get({ n: 1 })).n;",
        "interface Row { n: number }\nconst rows: Row[] = [];\nreturn rows.map((row) => row.m);",
        "interface Row { m: number }\nconst rows: Row[] = [];\nreturn rows.map((row) => row.m);",
        "type Array<T> = T;\ninterface Promise<T> { x: T }\nconst a: Array<number> = \"\";",
        "return (await tools.b.get({ n: \"1\" })).n;",
        "} declare global { interface Array<T> { odd: 1 } } {",
        "return [1].odd;",
        "const all = tools; return (await all.c.d.get({})).n;",
        "return (await tools.c.d.get({ n: 1 }).then((it) => it)).m;",
        "let x: BGetInput = { n: 1 }; return x;",
        "function program() { return tools.a; }\ntools.a.get({});",
        "const n: 1 | 2 = 3; return await import(\"x\");",
        "return (await tools.d.get({})).n;",
        "enum Kind { One, Two }\nreturn Kind.One + Row;",
    ];
    // The later half is for other tools of the same names.
    let tools = |index: usize| if index < programs.len() / 2 { &numbers } else { &words };
    let alone: Vec<Checked> = (0..)
        .zip(programs)
        .map(|(index, program)| Checker::with_idle(Duration::ZERO).check(tools(index), program))
        .collect();
    let checker = Checker::new();
    for stride in [1, 3, 5] {
        for turn in 0..programs.len() {
            let index = turn * stride % programs.len();
            assert_eq!(checker.check(tools(index), programs[index]), alone[index], "{}", programs[index]);
        }
    }
}

#[test]
fn types_that_were_kept_are_let_go_in_time() {
    let none = Declarations::new(Vec::new());
    let mut engine = Engine::start().unwrap();
    let puzzle = "type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;\nconst n: `${D}${D}${D}${D}` = 1;";
    let bytes = |engine: &Engine| engine.runtime.memory_usage().malloc_size;
    assert!(engine.check(&none, "return 1;").is_ok());
    engine.let_go(false).unwrap();
    let before = bytes(&engine);
    assert!(engine.check(&none, puzzle).is_ok());
    assert!(bytes(&engine) > before + (1 << 20), "a puzzle leaves much behind");
    engine.let_go(true).unwrap();
    let after = bytes(&engine);
    assert!(after < before + (1 << 19), "{before} bytes before, {after} after");
    assert!(matches!(engine.check(&none, "return 1;"), Ok((Answer::Good { .. }, _))));
}

#[test]
fn warming_again_and_again_is_warming_once() {
    let checker = Checker::new();
    let thread = || checker.worker.lock().unwrap().as_ref().map(|worker| worker.thread.thread().id());
    assert_eq!(thread(), None, "nothing is loaded before it is needed");
    checker.warm();
    let first = thread();
    assert!(first.is_some());
    (0..100).for_each(|_| checker.clone().warm());
    let none = Declarations::new(Vec::new());
    assert!(matches!(checker.check(&none, "return 1;"), Checked::Good { .. }));
    checker.warm();
    assert_eq!(thread(), first);
}

#[test]
fn a_thread_ends_with_the_last_who_could_ask() {
    let checker = Checker::new();
    checker.warm();
    let worker = checker.worker.lock().unwrap().take().unwrap();
    drop((checker, worker.requests));
    assert!(worker.thread.join().is_ok());
}

#[test]
fn memory_and_time_have_limits() {
    let none = Declarations::new(Vec::new());
    let long = Duration::from_secs(60);
    assert_eq!(Engine::start_with(8 << 20, long).err(), Some(Fault::Memory), "too little for the compiler");
    let unions = "type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;\n\
                  const n: `${D}${D}${D}${D}` | `a${D}${D}${D}${D}` = 1;";
    let mut small = Engine::start_with(32 << 20, long).unwrap();
    assert_eq!(small.check(&none, unions).err(), Some(Fault::Memory));
    let mut hasty = Engine::start_with(256 << 20, Duration::from_millis(10)).unwrap();
    assert_eq!(hasty.check(&none, unions).err(), Some(Fault::Deadline));
    let mut enough = Engine::start_with(256 << 20, long).unwrap();
    assert!(matches!(enough.check(&none, unions), Ok((Answer::Bad { .. }, _))));
}
