//! Hostile programs: each ends by itself or is ended, and says so in words; the process never just dies, and what the
//! house hears is only what it may hear.

use crate::support::{begin, host, innermost, program, run};
use code::{Cause, Host, Limits, RunError, Runner, Step};
use sandbox::{Isolation, Primitives};
use serde_json::{Value, json};

/// What is to come of a program.
enum Expect {
    /// It ends well with this.
    Returns(Value),
    /// It is ended for one of these reasons.
    Fails(&'static [Cause]),
    /// Nobody catches an error of this name whose message holds these words.
    Throws(&'static str, &'static str),
}
use Cause::{Calls, Memory, Stuck, Thrown, Time};
use Expect::{Fails, Returns, Throws};

/// Small enough that every bomb goes off at once.
fn tight() -> Limits {
    Limits { memory_bytes: 16 << 20, cpu_ms: 2000, ..Limits::default() }
}

async fn check(limits: &Limits, programs: Vec<(&str, Expect)>) {
    for (javascript, expect) in programs {
        let ended = run(javascript, limits).await;
        match (&ended.step, &expect) {
            (Step::Done { value, .. }, Returns(expected)) => assert_eq!(value, expected, "{javascript}"),
            (Step::Failed { failure, .. }, Fails(causes)) => {
                assert!(causes.contains(&failure.cause), "{javascript}: {failure:?}");
            }
            (Step::Failed { failure, .. }, Throws(name, words)) => {
                assert_eq!(
                    (failure.cause, failure.name.as_str()),
                    (Thrown, *name),
                    "{javascript}: {failure:?}"
                );
                assert!(failure.message.contains(words), "{javascript}: {failure:?}");
            }
            (other, _) => panic!("{javascript}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn endless_programs_are_stopped() {
    let short = Limits { cpu_ms: 100, ..tight() };
    check(&short, vec![
        ("while (true) {}", Fails(&[Time])),
        ("while (true) { try { while (true) {} } catch {} finally { continue } }", Fails(&[Time])),
        ("try { while (true) {} } finally { while (true) {} }", Fails(&[Time])),
        ("for (;;) await null", Fails(&[Time])),
        ("const f = () => { Promise.resolve().then(f) }; f(); await new Promise(() => {})", Fails(&[Time])),
        ("const f = async () => { await 0; f(); f() }; f(); await new Promise(() => {})", Fails(&[Time, Memory])),
        ("[3, 2, 1].sort(() => { while (true) {} })", Fails(&[Time])),
        ("return /^(a+)+$/.test('a'.repeat(40) + 'b')", Fails(&[Time])),
        ("return 'a'.repeat(5000).replace(/(a*)*(a*)*(a*)*b/g, '')", Fails(&[Time, Thrown])),
        ("while (true) { try { 'x'.repeat(1 << 20) } catch {} }", Fails(&[Time])),
        ("const a = Array(50000).fill('xx'); while (true) { try { a.join(',') } catch {} }", Fails(&[Time])),
        ("const a = Array(50000).fill(1); while (true) { try { a.slice().reverse().concat(a) } catch {} }", Fails(&[Time])),
        ("const s = 'ab'.repeat(1 << 20); while (true) { try { s.split('') } catch {} }", Fails(&[Time, Memory])),
        ("for (const x of (function* () { while (true) yield 1 })()) {}", Fails(&[Time])),
        ("for await (const x of (async function* () { while (true) yield 1 })()) {}", Fails(&[Time])),
        ("await { then() { while (true) {} } }", Fails(&[Time])),
        ("await { then(resolve) { resolve(this) } }", Fails(&[Time])),
        ("return { toJSON() { while (true) {} } }", Fails(&[Time])),
        ("return new Proxy({}, { ownKeys() { while (true) {} } })", Fails(&[Time])),
        ("throw { get message() { while (true) {} } }", Fails(&[Time])),
        ("throw new Proxy({}, { get() { while (true) {} } })", Fails(&[Time])),
        ("console.log({ toJSON() { while (true) {} } })", Fails(&[Time])),
        ("await tools.echo({ toJSON() { while (true) {} } })", Fails(&[Time])),
        ("Error.prepareStackTrace = () => { while (true) {} }; await tools.echo({})", Fails(&[Time])),
        ("const p = tools.echo({}); Object.defineProperty(p, 'constructor', { get() { while (true) {} } }); await p", Fails(&[Time])),
        ("Object.prototype.then = function () { while (true) {} }; return await tools.echo({})", Fails(&[Time])),
    ])
    .await;
}

#[tokio::test]
async fn greedy_programs_are_stopped() {
    check(
        &tight(),
        vec![
            ("const a = []; while (true) a.push({})", Fails(&[Memory])),
            ("const a = []; while (true) { try { a.push({ a: [1] }) } catch {} }", Fails(&[Memory, Time])),
            (
                "const a = []; while (true) { try { a.push(new Array(2000).fill(1)) } catch {} }",
                Fails(&[Memory, Time]),
            ),
            ("const m = new Map(); for (let i = 0; ; i++) m.set(i, i)", Fails(&[Memory])),
            ("let f = () => 0; while (true) { const g = f; f = () => g }", Fails(&[Memory])),
            ("let s = 'x'; while (true) s += s", Fails(&[Memory, Thrown])),
            ("let s = ''; while (true) s += Math.random()", Fails(&[Memory, Thrown, Time])),
            ("let x = 3n; while (true) x = x * x", Fails(&[Memory, Thrown, Time])),
            ("return Array.from({ length: 1e9 })", Fails(&[Memory, Time])),
            ("return new Array(1e9).fill(0)", Fails(&[Memory, Time, Thrown])),
            ("return new Uint8Array(1e9)", Fails(&[Memory, Thrown])),
            ("const a = []; while (true) a.push(new Uint8Array(1e5))", Fails(&[Memory, Thrown])),
            (
                "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a",
                Fails(&[Memory, Thrown, Cause::Value]),
            ),
            ("return JSON.parse('['.repeat(1e6))", Fails(&[Memory, Thrown])),
            ("new RegExp('('.repeat(1e5))", Fails(&[Memory, Thrown])),
            ("while (true) new Promise(() => {}).then(() => {}).then(() => {})", Fails(&[Time, Memory])),
            ("const f = () => new Promise((go) => go(f())); await f()", Fails(&[Thrown, Memory])),
            ("function f() { return f() + 1 } return f()", Throws("RangeError", "call stack")),
            (
                "function f() { return f() + 1 } try { f() } catch { return 'caught' }",
                Returns(json!("caught")),
            ),
            ("const a = { toJSON() { return JSON.stringify(a) } }; return a", Fails(&[Cause::Value])),
            ("const a = { get a() { return { ...a } } }; return a", Fails(&[Cause::Value, Memory, Thrown])),
            ("try { new Array(1e8).fill(0) } catch { return 'caught' }", Returns(json!("caught"))),
        ],
    )
    .await;
}

#[tokio::test]
async fn text_does_not_become_code() {
    check(&tight(), vec![
        ("return eval('1')", Throws("ReferenceError", "eval")),
        ("return globalThis['ev' + 'al']", Returns(json!(null))),
        ("return Function('return 1')()", Throws("TypeError", "eval is not supported")),
        ("return new Function('return 1')()", Throws("TypeError", "eval is not supported")),
        ("return (async () => {}).constructor('return 1')()", Throws("TypeError", "eval is not supported")),
        ("return (function* () {}).constructor('return 1')()", Throws("TypeError", "eval is not supported")),
        ("return (async function* () {}).constructor('return 1')()", Throws("TypeError", "eval is not supported")),
        ("return [].map.constructor('return globalThis')()", Throws("TypeError", "eval is not supported")),
        ("return tools.echo.constructor('return 1')()", Throws("TypeError", "eval is not supported")),
        ("return console.log.constructor.call(0, 'return 1')()", Throws("TypeError", "eval is not supported")),
        ("return Reflect.construct(Function, ['return 1'])()", Throws("TypeError", "eval is not supported")),
        ("return Date.constructor('return 1')()", Throws("TypeError", "eval is not supported")),
        ("class F extends Function {} return new F('return 1')()", Throws("TypeError", "eval is not supported")),
        ("return await import('fs')", Throws("ReferenceError", "could not load module")),
        ("return await import('/etc/passwd')", Throws("ReferenceError", "could not load module")),
        ("return Object.keys(await import('boot'))", Returns(json!([]))),
        ("import fs from 'fs'; return 1", Throws("SyntaxError", "")),
        ("} import fs from 'fs'; {", Throws("ReferenceError", "could not load module")),
        ("} export const x = tools.echo({}); {", Returns(json!(null))),
        ("return (", Throws("SyntaxError", "")),
        ("return [typeof require, typeof process, typeof fetch, typeof setTimeout, typeof Deno, typeof std]",
         Returns(json!(["undefined", "undefined", "undefined", "undefined", "undefined", "undefined"]))),
        ("return [typeof WebAssembly, typeof Atomics, typeof SharedArrayBuffer, typeof WeakRef, typeof performance, typeof host]",
         Returns(json!(["undefined", "undefined", "undefined", "undefined", "undefined", "undefined"]))),
        ("return `${tools.mail.search}`", Returns(json!("function search() {\n    [native code]\n}"))),
        ("return String(Date) + Date.now", Returns(json!("function Date() {\n    [native code]\n}function now() {\n    [native code]\n}"))),
        ("return new Error('x').stack.includes('boot')", Returns(json!(false))),
    ])
    .await;
}

#[tokio::test]
async fn nothing_a_program_changes_reaches_the_journal() {
    let echo = |input: Value| json!({ "path": "echo", "input": input });
    check(&tight(), vec![
        ("delete tools.echo", Throws("TypeError", "")),
        ("tools = {}", Throws("TypeError", "")),
        ("tools.mail.search = () => 1", Throws("TypeError", "")),
        ("tools.extra = () => 1", Throws("TypeError", "")),
        ("console.log = () => 1", Throws("TypeError", "")),
        ("Object.defineProperty(tools, 'echo', { value: 1 })", Throws("TypeError", "")),
        ("Object.setPrototypeOf(tools.mail, { x: 1 })", Throws("TypeError", "")),
        ("return [tools.__proto__, tools.toString, tools.constructor]", Returns(json!([null, null, null]))),
        ("new tools.echo({})", Throws("TypeError", "")),
        ("return await tools.echo.call(null, { a: 1 }, 2, 3)", Returns(echo(json!({ "a": 1 })))),
        ("return await tools.nothing({})", Throws("TypeError", "")),
        ("Object.prototype.path = 'mail.send'; Object.prototype.input = 1; Object.prototype.id = 7; return await tools.echo({})",
         Returns(echo(json!({})))),
        ("Array.prototype.push = Map.prototype.set = () => { throw 1 }; return await tools.echo({ a: [1] })",
         Returns(echo(json!({ "a": [1] })))),
        ("Promise.prototype.then = Promise.prototype.catch = () => {}; return (await tools.echo({})).path", Returns(json!("echo"))),
        ("globalThis.Promise = globalThis.Error = globalThis.Object = undefined; return (await tools.echo({})).path", Returns(json!("echo"))),
        ("JSON.stringify = () => '{\"a\":2}'; JSON.parse = () => 3; return await tools.echo({ a: 1 })", Returns(echo(json!({ "a": 1 })))),
        ("Date.now = () => 5; Math.random = () => 5; globalThis.Date = null; return await tools.echo({})", Returns(echo(json!({})))),
        ("Object.prototype.toJSON = () => 'mine'; return (await tools.echo({ a: 1 })).input", Returns(json!("mine"))),
        ("Object.prototype.then = function (go) { delete Object.prototype.then; go('mine') }; return await tools.echo({})", Returns(json!("mine"))),
        ("Object.prototype.__defineSetter__('path', () => { throw 1 }); return (await tools.echo({})).path", Returns(json!("echo"))),
        ("Error.prepareStackTrace = () => 7; try { await tools.fail({}) } catch (error) { return error.name }", Returns(json!("ToolError"))),
        (
                "let n = 0; Error.prepareStackTrace = () => { if (n++ < 3) tools.echo({ inner: n }); return '' };\n\
                 return (await Promise.all([tools.echo({ a: 1 }), tools.echo({ a: 2 })])).map((one) => one.input.a)",
                Returns(json!([1, 2])),
            ),
            ("Object.freeze(globalThis); return (await tools.echo({})).path", Returns(json!("echo"))),
        ("Function.prototype.call = Function.prototype.apply = null; return (await tools.echo({})).path", Returns(json!("echo"))),
    ])
    .await;
}

#[tokio::test]
async fn odd_inputs_are_json_or_errors() {
    let refused = |input: &str| {
        format!(
            "try {{ await tools.echo({input}) }} catch (error) {{ return error.name + ': ' + error.message }}"
        )
    };
    let texts: Vec<String> = [
        "{ s: 'x'.repeat(2e6) }",
        "{ get a() { throw new RangeError('mine') } }",
        "1n",
        "() => 1",
        "Symbol('s')",
        "Array(200).fill(0).reduce((inner) => [inner], 1)",
    ]
    .into_iter()
    .map(refused)
    .collect();
    let answers = [
        "TypeError: the input of `echo` cannot be sent: it has 2000008 bytes, and 1048576 are allowed",
        "RangeError: mine",
        "TypeError: BigInt are forbidden in JSON.stringify",
        "TypeError: the input of `echo` cannot be sent: it is a function or a symbol",
        "TypeError: the input of `echo` cannot be sent: it is a function or a symbol",
        "TypeError: the input of `echo` cannot be sent: it is nested more than 100 levels deep",
    ];
    let mut programs: Vec<(&str, Expect)> =
        texts.iter().zip(answers).map(|(text, answer)| (text.as_str(), Returns(json!(answer)))).collect();
    programs.extend([
        ("const a = {}; a.a = a; await tools.echo(a)", Throws("TypeError", "circular")),
        ("return (await tools.echo()).input", Returns(json!({}))),
        ("return (await tools.echo(null)).input", Returns(json!(null))),
        ("return (await tools.echo({ a: NaN, b: -0, c: Infinity, d: undefined, e: () => 1, [Symbol('f')]: 1, g: 1e21, h: 0.1 })).input",
         Returns(json!({ "a": null, "b": 0, "c": null, "g": 1e21, "h": 0.1 }))),
        ("return (await tools.echo({ s: '\\ud83d', t: '\\u0000😀' })).input", Returns(json!({ "s": "\u{fffd}", "t": "\0😀" }))),
        ("return (await tools.echo(new Proxy({ a: 1 }, { get: (t, k) => (k === 'toJSON' ? undefined : 2) }))).input", Returns(json!({ "a": 2 }))),
        ("return (await tools.echo({ ['__proto__']: 1, constructor: 2 })).input", Returns(json!({ "__proto__": 1, "constructor": 2 }))),
        ("return (await tools.echo(new Date())).input", Returns(json!("2027-01-15T08:00:00.000Z"))),
        ("return (await tools.echo({ n: new Map([[1, 2]]), s: new Set([1]), r: /x/ })).input", Returns(json!({ "n": {}, "s": {}, "r": {} }))),
        ("while (true) tools.echo({})", Fails(&[Calls])),
        ("while (true) { try { tools.echo({}) } catch {} }", Fails(&[Calls])),
        ("while (true) { try { tools.echo({}) } catch { try { console.log('x'.repeat(1000)) } catch {} } }", Fails(&[Calls])),
        ("await Promise.all(Array(1001).fill(0).map(() => tools.echo({})))", Fails(&[Calls])),
        ("for (let i = 0; i < 20; i++) tools.echo({ s: 'x'.repeat(9e5) })", Fails(&[Calls])),
        ("await tools.echo({ toJSON() { while (true) tools.echo({}) } })", Fails(&[Calls])),
        ("const f = () => ({ toJSON: () => tools.echo(f()) }); await tools.echo(f())", Returns(json!(null))),
    ]);
    check(&tight(), programs).await;
}

#[tokio::test]
async fn odd_ends_have_words() {
    check(
        &tight(),
        vec![
            ("await new Promise(() => {})", Fails(&[Stuck])),
            ("await tools.echo({}); await new Promise(() => {})", Fails(&[Stuck])),
            ("const p = new Promise((go) => tools.echo({}).then(() => {})); await p", Fails(&[Stuck])),
            ("throw undefined", Throws("Thrown", "something without words")),
            ("throw null", Throws("Thrown", "null")),
            ("throw 'text'", Throws("Thrown", "text")),
            ("throw 42", Throws("Thrown", "42")),
            ("throw Symbol('s')", Throws("Thrown", "something without words")),
            ("throw () => 1", Throws("Thrown", "something without words")),
            ("throw { a: 1 }", Throws("Thrown", "{\"a\":1}")),
            ("throw new Proxy({}, { get() { throw 1 } })", Throws("Thrown", "something without words")),
            (
                "throw { get name() { throw 1 }, get message() { return tools.echo({}) } }",
                Throws("Thrown", ""),
            ),
            ("const e = new Error('a'); e.name = {}; e.message = 7; throw e", Throws("Thrown", "")),
            ("throw new Error('x'.repeat(1e6))", Throws("Error", "xxx")),
            ("throw new Error('\\ud83d cut')", Throws("Error", "\u{fffd} cut")),
            ("await tools.fail({})", Throws("ToolError", "it is broken")),
            ("await Promise.any([tools.fail({}), tools.fail({})])", Throws("AggregateError", "")),
            ("return undefined", Returns(json!(null))),
            ("return Symbol('s')", Returns(json!(null))),
            ("return () => 1", Returns(json!(null))),
            ("return [undefined, NaN, -0]", Returns(json!([null, null, 0]))),
            ("return 'half \\ud83d'", Returns(json!("half \u{fffd}"))),
            ("return 1n", Fails(&[Cause::Value])),
            ("const a = []; a.push(a); return a", Fails(&[Cause::Value])),
            ("return { toJSON() { throw 1 } }", Fails(&[Cause::Value])),
            ("return tools.echo({ a: 1 }).then((r) => r.input.a)", Returns(json!(1))),
            ("tools.echo({}); return 1", Returns(json!(1))),
            ("return { toJSON() { tools.echo({}); return 5 } }", Returns(json!(5))),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_too_long_is_cut() {
    let limits = Limits { value_bytes: 10, console_bytes: 20, ..tight() };
    let ended =
        run("for (let i = 0; i < 1000; i++) console.log('line', i); return 'x'.repeat(100)", &limits).await;
    let Step::Done { value, cut_bytes, .. } = ended.step else { panic!("{ended:?}") };
    assert_eq!((value, cut_bytes), (json!("\"xxxxxxxxx"), 92));
    assert_eq!(ended.console, "line 0\nline 1\nline 2\n[the rest of the console is cut off]\n");
}

#[tokio::test]
async fn lines_are_those_of_the_program() {
    for (javascript, line) in [
        ("const a = 1;\n\nnull.x;", Some(3)),
        ("const f = () => {\n  throw new Error('x')\n};\nf()", Some(2)),
        ("return (\n\n;", Some(3)),
        ("let a = 1;\nawait tools.fail({});", Some(2)),
        ("let a = 1;\nawait Promise.all([\n  tools.echo({}),\n  tools.fail({}),\n]);", Some(4)),
        ("throw 1", None),
    ] {
        let ended = run(javascript, &tight()).await;
        let Step::Failed { failure, .. } = ended.step else { panic!("{javascript}: {ended:?}") };
        assert_eq!(failure.line, line, "{javascript}: {failure:?}");
    }
}

#[tokio::test]
async fn the_process_can_reach_nothing() {
    let host = host();
    let program = program("await tools.echo({})");
    let beginning = begin(&program);
    let mut runner = code::Runner::start(&host, &program, &beginning, &tight()).await.unwrap();
    assert!(matches!(runner.next().await, Step::Quiet { .. }));
    let pid = innermost(&runner);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let field = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name)).map(|rest| rest.trim().to_owned())
    };
    assert_eq!(field("Seccomp:").as_deref(), Some("2"), "{status}");
    assert_eq!(field("CapEff:").as_deref(), Some("0000000000000000"), "{status}");
    assert_eq!(field("Threads:").as_deref(), Some("1"), "{status}");
    assert_eq!(
        field("Seccomp_filters:").as_deref(),
        Some("4"),
        "three of the sandbox, one of its own: {status}"
    );
}

/// Single built-ins that neither look at the clock nor ask for memory: the kernel ends them.
#[tokio::test]
async fn what_the_engine_cannot_stop_the_kernel_stops() {
    let short = Limits { cpu_ms: 50, ..tight() };
    check(
        &short,
        vec![
            ("return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)", Fails(&[Time])),
            ("return ('a'.repeat(2e6)).indexOf('a'.repeat(1e6) + 'b')", Fails(&[Time])),
        ],
    )
    .await;
}

#[tokio::test]
async fn without_the_sandbox_nothing_runs_unless_that_is_wanted() {
    let program = program("return 1 + 1");
    let whole = crate::support::sandbox();
    let poor = whole.limited_to(Primitives::default());
    let host = Host::new(poor);
    let refused = Runner::start(&host, &program, &begin(&program), &tight()).await;
    assert!(
        matches!(&refused, Err(RunError::Spawn(error)) if error.to_string().contains("incomplete")),
        "{refused:?}"
    );
    let no_mounts = Primitives { namespaces: false, ..whole.primitives().clone() };
    for host in [
        host.with_isolation(Isolation::Off),
        Host::new(whole.limited_to(no_mounts)).with_isolation(Isolation::Available),
        Host::new(whole).with_isolation(Isolation::Available),
    ] {
        let mut runner = Runner::start(&host, &program, &begin(&program), &tight()).await.unwrap();
        let done = Step::Done { value: json!(2), cut_bytes: 0, console: String::new() };
        assert_eq!(runner.next().await, done, "{host:?}");
    }
}

#[tokio::test]
async fn a_process_that_lies_is_not_believed() {
    let program = program("return 1");
    let frame = |text: &str| {
        let length: String =
            (text.len() as u32).to_le_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
        format!("printf '{length}%s' '{text}'")
    };
    let quiet = |calls: &str| frame(&format!(r#"{{"quiet":{{"calls":[{calls}],"console":""}}}}"#));
    let limits = Limits { console_bytes: 10, ..tight() };
    let long = "x".repeat(300);
    for (says, why) in [
        (quiet(r#"{"id":0,"path":"secret.tool","input":{}}"#), "it asked for call 0 of `secret.tool`"),
        (quiet(r#"{"id":1,"path":"echo","input":{}}"#), "it asked for call 1 of `echo`"),
        (quiet(""), "it waits for nothing"),
        (
            format!("{}; {}", quiet(r#"{"id":0,"path":"echo","input":{}}"#), quiet("")),
            "it spoke nonsense: more than a frame",
        ),
        (frame("{}"), "it spoke nonsense: expected value at line 1 column 2"),
        ("printf '\\377\\377\\377\\377'".to_owned(), "it spoke nonsense: more than a frame"),
        ("yes".to_owned(), "it spoke nonsense: more than a frame"),
        ("printf '\\001'".to_owned(), "the process ended with code 0"),
        ("exit 3".to_owned(), "the process ended with code 3"),
        ("kill -SEGV $$".to_owned(), "signal 11 ended the process"),
        (
            frame(&format!(
                r#"{{"failed":{{"failure":{{"cause":"thrown","name":"","message":"","line":null}},"console":"{long}"}}}}"#
            )),
            "it wrote more than it may",
        ),
    ] {
        // One write, so that what is said comes in one piece.
        let says = format!("({says}) | dd bs=1M iflag=fullblock status=none; exit ${{PIPESTATUS[0]}}");
        let says = if says.contains("yes") { "yes".to_owned() } else { says };
        let host = Host::with_command(crate::support::sandbox(), ["bash", "-c", &says]);
        let mut runner = Runner::start(&host, &program, &begin(&program), &limits).await.unwrap();
        assert_eq!(runner.next().await, Step::Died { why: why.to_owned() }, "{says}");
    }
}

#[tokio::test]
async fn a_process_that_says_nothing_is_given_up() {
    let program = program("return 1");
    let limits = Limits { answer_ms: 50, ..tight() };
    let host = Host::with_command(crate::support::sandbox(), ["sleep", "1000"]);
    let mut runner = Runner::start(&host, &program, &begin(&program), &limits).await.unwrap();
    let Step::Failed { failure, .. } = runner.next().await else { panic!("it answered") };
    assert_eq!(failure.message, "the program did not answer within 50 ms");
    assert!(matches!(runner.next().await, Step::Died { .. }));
}

#[tokio::test]
async fn a_program_ends_when_every_call_is_answered() {
    let ended =
        run("tools.mail.send({ n: 1 }).then(() => tools.mail.send({ n: 2 })); return 'early'", &tight())
            .await;
    let Step::Done { value, .. } = &ended.step else { panic!("{ended:?}") };
    assert_eq!((value, ended.recorded.calls.len()), (&json!("early"), 2));
    assert_eq!(ended.recorded.open().count(), 0);
    // An error ends it at once: what it asked for in the same breath is not done.
    let ended = run("tools.mail.send({ n: 1 }); throw new Error('no')", &tight()).await;
    assert!(matches!(&ended.step, Step::Failed { .. }), "{ended:?}");
    assert_eq!(ended.recorded.calls.len(), 0);
}
