//! Runs repeat themselves: whatever a program does with its calls, and wherever a run is cut off, taking it up again asks
//! for the same calls and ends in the same way. In this process, so that many programs can be tried.

use super::*;
use crate::journal::{Beginning, Call, Next, Recorded, Replay};
use proptest::prelude::*;
use serde_json::json;

/// A piece of a program. Numbers make inputs differ, so that a call taken for another is noticed.
#[derive(Debug, Clone)]
enum Piece {
    Call(u8),
    Fail(u8),
    All(Vec<u8>),
    Race(Vec<u8>),
    Settled(Vec<u8>),
    Chain(Vec<u8>),
    Later(u8),
    Dice,
    Clock,
    Loop(u8, Vec<Piece>),
    Try(Vec<Piece>),
    Beside(Vec<Piece>, Vec<Piece>),
}

fn piece() -> impl Strategy<Value = Piece> {
    let numbers = || prop::collection::vec(0..9_u8, 1..4);
    let leaf = prop_oneof![
        (0..9_u8).prop_map(Piece::Call),
        (0..9_u8).prop_map(Piece::Fail),
        numbers().prop_map(Piece::All),
        numbers().prop_map(Piece::Race),
        numbers().prop_map(Piece::Settled),
        numbers().prop_map(Piece::Chain),
        (0..9_u8).prop_map(Piece::Later),
        Just(Piece::Dice),
        Just(Piece::Clock),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let pieces = prop::collection::vec(inner, 1..3);
        prop_oneof![
            (1..4_u8, pieces.clone()).prop_map(|(times, pieces)| Piece::Loop(times, pieces)),
            pieces.clone().prop_map(Piece::Try),
            (pieces.clone(), pieces).prop_map(|(one, other)| Piece::Beside(one, other)),
        ]
    })
}

fn text_of(pieces: &[Piece]) -> String {
    pieces.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn one(piece: &Piece) -> String {
    let call = |n: &u8| format!("tools.echo({{ n: {n}, seen: out.length }})");
    let calls = |numbers: &[u8]| numbers.iter().map(call).collect::<Vec<_>>().join(", ");
    match piece {
        Piece::Call(n) => format!("out.push(await {});", call(n)),
        Piece::Fail(n) => format!("out.push(await tools.fail({{ n: {n} }}));"),
        Piece::All(numbers) => format!("out.push(await Promise.all([{}]));", calls(numbers)),
        Piece::Race(numbers) => format!("out.push(await Promise.race([{}]));", calls(numbers)),
        Piece::Settled(numbers) => {
            format!(
                "out.push((await Promise.allSettled([tools.fail({{}}), {}])).map((it) => it.status));",
                calls(numbers)
            )
        }
        Piece::Chain(numbers) => {
            let links: String =
                numbers.iter().map(|n| format!(".then((v) => tools.echo({{ after: v, n: {n} }}))")).collect();
            format!("out.push(await tools.echo({{}}){links}.catch((error) => error.message));")
        }
        Piece::Later(n) => format!("{}.then((v) => out.push(['later', v]));", call(n)),
        Piece::Dice => "out.push((await tools.echo({ dice: Math.random() })).dice);".to_owned(),
        Piece::Clock => "console.log(new Date().toISOString(), Date.now()); out.push(Date.now());".to_owned(),
        Piece::Loop(times, pieces) => format!("for (let i = 0; i < {times}; i++) {{ {} }}", text_of(pieces)),
        Piece::Try(pieces) => {
            format!(
                "try {{ {} }} catch (error) {{ out.push(error.name); console.log(error); }}",
                text_of(pieces)
            )
        }
        Piece::Beside(one, other) => format!(
            "await Promise.all([(async () => {{ {} }})(), (async () => {{ {} }})()]);",
            text_of(one),
            text_of(other)
        ),
    }
}

/// How a run went in the end.
#[derive(Debug, PartialEq)]
struct Ended {
    recorded: Recorded,
    report: Report,
    console: String,
}

fn start(body: &str) -> Start {
    Start {
        javascript: format!("async function program() {{ const out = [];\n{body}\nreturn out }}"),
        paths: vec!["echo".to_owned(), "fail".to_owned()],
        seed: 11,
        now_ms: 1_800_000_000_000,
        limits: Limits::default(),
        engine: engine_version(),
    }
}

/// Runs a program on from a record, with what is left to be decided decided by `choice` and the length of the record.
fn run_on(start: &Start, mut recorded: Recorded, choice: u64) -> Ended {
    let earlier = recorded.clone();
    let mut replay = Replay::new(&earlier);
    let mut caught_up = false;
    let (mut engine, mut report) = Engine::start(start);
    let mut all = String::new();
    loop {
        let (calls, console) = match report {
            Report::Quiet { calls, console } => (calls, console),
            Report::Done { ref mut console, .. } | Report::Failed { ref mut console, .. } => {
                all += &std::mem::take(console);
                if !caught_up {
                    replay.ended().unwrap();
                }
                return Ended { recorded, report, console: all };
            }
        };
        all += &console;
        let next = if caught_up { Next::CaughtUp(calls) } else { replay.asked(calls).unwrap() };
        let delivery = match next {
            Next::Deliver(delivery) => delivery.clone(),
            Next::CaughtUp(calls) => {
                caught_up = true;
                recorded.calls.extend(calls);
                let delivery = choose(&recorded, choice);
                recorded.deliveries.push(delivery.clone());
                delivery
            }
        };
        report = engine.as_mut().unwrap().deliver(&delivery);
    }
}

/// Answers one of the open calls, any of them.
fn choose(recorded: &Recorded, choice: u64) -> Delivery {
    let open: Vec<&Call> = recorded.open().collect();
    let told = recorded.deliveries.len() as u64;
    let call = open[(choice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(told * 7_919) >> 7)
        as usize
        % open.len()];
    let outcome = match call.path.as_str() {
        "echo" => Outcome::Ok { value: call.input.clone() },
        _ => Outcome::Error { name: ErrorName::ToolError, message: format!("no {}", call.input) },
    };
    Delivery { call: call.id, now_ms: 1_800_000_000_000 + told as i64 * 17, outcome }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_run_cut_off_anywhere_goes_on_as_it_would_have(
        pieces in prop::collection::vec(piece(), 1..5),
        choice in any::<u64>(),
    ) {
        let start = start(&text_of(&pieces));
        let beginning = Beginning::new(&start.javascript, start.seed, start.now_ms);
        let whole = run_on(&start, Recorded::new(beginning), choice);
        for deliveries in 0..=whole.recorded.deliveries.len() {
            // What was asked for before the next answer is on record, and then what the last answer led to is not yet.
            for calls in [asked_by(&start, &whole.recorded, deliveries), asked_by(&start, &whole.recorded, deliveries.saturating_sub(1))] {
                let cut = Recorded {
                    beginning: whole.recorded.beginning.clone(),
                    calls: whole.recorded.calls[..calls].to_vec(),
                    deliveries: whole.recorded.deliveries[..deliveries].to_vec(),
                };
                prop_assert_eq!(&run_on(&start, cut, choice), &whole, "cut after {} answers", deliveries);
            }
        }
    }
}

/// How many calls a run had asked for after so many answers.
fn asked_by(start: &Start, recorded: &Recorded, deliveries: usize) -> usize {
    let (mut engine, mut report) = Engine::start(start);
    let mut asked = 0;
    for index in 0..=deliveries {
        if let Report::Quiet { calls, .. } = &report {
            asked += calls.len();
        }
        if let Some(delivery) = recorded.deliveries.get(index).filter(|_| index < deliveries) {
            report = engine.as_mut().unwrap().deliver(delivery);
        }
    }
    asked
}

#[test]
fn a_program_that_was_changed_is_noticed() {
    let before = start("await tools.echo({ n: 1 }); await tools.echo({ n: 2 });");
    let after = start("await tools.echo({ n: 1 }); await tools.echo({ n: 3 });");
    let beginning = Beginning::new(&before.javascript, 11, 1_800_000_000_000);
    let whole = run_on(&before, Recorded::new(beginning), 0);
    let mut replay = Replay::new(&whole.recorded);
    let (mut engine, mut report) = Engine::start(&after);
    let divergence = loop {
        let Report::Quiet { calls, .. } = report else { panic!("{report:?}") };
        match replay.asked(calls) {
            Ok(Next::Deliver(delivery)) => report = engine.as_mut().unwrap().deliver(delivery),
            Ok(other) => panic!("{other:?}"),
            Err(divergence) => break divergence,
        }
    };
    let (expected, got) = (r#"`echo` with {"n":2}"#.to_owned(), r#"`echo` with {"n":3}"#.to_owned());
    assert_eq!(divergence, crate::journal::Divergence { call: 1, expected, got });
}

#[test]
fn time_stands_still_until_something_is_told() {
    let body = "const a = [Date.now(), new Date().getTime(), Date().slice(0, 15), new Date(5).getTime(), Date.UTC(2020, 0)];\n\
                await tools.echo({}); out.push(a, Date.now(), new Date() instanceof Date, new Date().constructor === Date);";
    let start = start(body);
    let beginning = Beginning::new(&start.javascript, 11, 1_800_000_000_000);
    let ended = run_on(&start, Recorded::new(beginning), 0);
    let at_first =
        json!([1_800_000_000_000_i64, 1_800_000_000_000_i64, "Fri Jan 15 2027", 5, 1_577_836_800_000_i64]);
    let value = json!([at_first, 1_800_000_000_000_i64, true, true]);
    assert_eq!(ended.report, Report::Done { value, cut_bytes: 0, console: String::new() });
}

#[test]
fn a_program_finds_only_this() {
    let start = start("return Object.getOwnPropertyNames(globalThis).sort().join(' ')");
    let (_, report) = Engine::start(&start);
    let value = json!(
        "AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError \
         Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Iterator JSON Map Math \
         NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError \
         URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet console decodeURI \
         decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt tools \
         undefined unescape"
    );
    assert_eq!(report, Report::Done { value, cut_bytes: 0, console: String::new() });
}

#[test]
fn a_tool_may_also_be_a_group() {
    let mut start =
        start("return [typeof tools.a, typeof tools.a.b, typeof tools.a.b.c, typeof tools['__proto__'].x]");
    start.paths = ["a.b.c", "a", "a.b", "__proto__.x"].map(str::to_owned).to_vec();
    let (_, report) = Engine::start(&start);
    let value = json!(["function", "function", "function", "function"]);
    assert_eq!(report, Report::Done { value, cut_bytes: 0, console: String::new() });
}

#[test]
fn dice_fall_alike_for_the_same_seed() {
    let throw = |seed| {
        let start = Start { seed, ..start("return [Math.random(), Math.random()]") };
        Engine::start(&start).1
    };
    assert_eq!(throw(1), throw(1));
    assert_ne!(throw(1), throw(2));
}
