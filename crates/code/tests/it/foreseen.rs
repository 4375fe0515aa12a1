//! What programs seem about to do: made-up results lead them on, and nothing they do makes that fail or go on for ever.

use crate::support::{begin, host, program, sandbox};
use code::{Call, Delivery, Host, Limits, Outcome, Recorded, foresee, stub};
use serde_json::{Value, json};

/// Small enough that a program which only computes is stopped soon.
fn short() -> Limits {
    Limits { cpu_ms: 200, ..Limits::default() }
}

fn made_up(path: &str) -> Value {
    match path {
        "mail.search" => stub(Some(&json!({ "type": "array", "items": { "type": "object", "properties": {
            "id": { "type": "integer" }, "from": { "type": "string" } } } }))),
        _ => stub(None),
    }
}

async fn foreseen(host: &Host, body: &str, recorded: impl FnOnce(&mut Recorded), most: usize) -> Vec<String> {
    let program = program(body);
    let mut run = Recorded::new(begin(&program));
    recorded(&mut run);
    let limits = short();
    let foreseen = foresee(host, &program, &run, &made_up, &limits, most);
    let calls = on_any_thread(foreseen).await;
    calls.iter().map(|call| format!("{} {} {}", call.id, call.path, call.input)).collect()
}

/// Whoever asks may go on in another thread.
fn on_any_thread<T: Send>(future: T) -> T {
    future
}

fn asked(id: u32, path: &str, input: Value) -> Call {
    Call { id, path: path.to_owned(), input }
}

#[tokio::test]
async fn a_forecast_goes_on_from_the_record_with_made_up_results() {
    let body = "const found = await tools.mail.search({ n: 1 });
        for (const { id } of found) await tools.mail.send({ id });
        const [one] = await Promise.all([tools.echo({ last: found.length }), tools.fail({})]);
        return one.output;";
    let from_the_start =
        ["0 mail.search {\"n\":1}", "1 mail.send {\"id\":1}", "2 echo {\"last\":1}", "3 fail {}"];
    assert_eq!(foreseen(&host(), body, |_| {}, 10).await, from_the_start);
    let search = asked(0, "mail.search", json!({ "n": 1 }));
    let open = |run: &mut Recorded| run.calls.push(search.clone());
    assert_eq!(foreseen(&host(), body, open, 10).await, from_the_start[1..]);
    // What was really found leads elsewhere than what was made up.
    let told = |run: &mut Recorded| {
        run.calls = vec![search.clone(), asked(1, "mail.send", json!({ "id": 8 }))];
        let outcome = Outcome::Ok { value: json!([{ "id": 8 }, { "id": 9 }]) };
        run.deliveries.push(Delivery { call: 0, now_ms: 1_800_000_000_001, outcome });
    };
    let later = ["2 mail.send {\"id\":9}", "3 echo {\"last\":2}", "4 fail {}"];
    assert_eq!(foreseen(&host(), body, told, 10).await, later);
}

#[tokio::test]
async fn a_forecast_has_an_end_whatever_the_program_does() {
    let echo = |count: u32| (0..count).map(|n| format!("{n} echo {{\"n\":{n}}}")).collect::<Vec<_>>();
    let check = async |body: &str, most: usize, seen: u32| {
        assert_eq!(foreseen(&host(), body, |_| {}, most).await, echo(seen), "{body}");
    };
    check("for (let n = 0; ; n++) await tools.echo({ n })", 7, 7).await;
    check("for (let n = 0; ; n++) await tools.echo({ n })", 0, 0).await;
    check("await Promise.all(Array.from({ length: 100 }, (_, n) => tools.echo({ n })))", 5, 5).await;
    // More than a program may ask for at all.
    check("const f = async (n) => { await tools.echo({ n }); await f(n + 1) }; await f(0)", 2000, 1000).await;
    check("await tools.echo({ n: 0 }); await tools.echo({ n: 1 }); for (;;) {}", 9, 2).await;
    check("await tools.echo({ n: 0 }); for (;;) await null", 9, 1).await;
    check("for (;;) {}", 9, 0).await;
    check("await tools.echo({ n: 0 }); throw new Error('no')", 9, 1).await;
    check("const { a } = await tools.echo({ n: 0 }); await tools.echo({ n: a.b.c })", 9, 1).await;
    check("await tools.echo({ n: 0 }); await new Promise(() => {})", 9, 1).await;
    check("await tools.echo({ n: 0 }); const all = []; for (;;) all.push(new Array(1e6).fill(0))", 9, 1)
        .await;
    check("this is no program", 9, 0).await;
}

#[tokio::test]
async fn what_cannot_be_foreseen_is_left_out() {
    let body = "await tools.echo({ n: 0 }); await tools.echo({ n: 1 })";
    let other = |run: &mut Recorded| run.calls.push(asked(0, "mail.send", json!({})));
    assert_eq!(foreseen(&host(), body, other, 9).await, [""; 0]);
    let other = |run: &mut Recorded| run.beginning.engine = "another".to_owned();
    assert_eq!(foreseen(&host(), body, other, 9).await, [""; 0]);
    for command in ["/bin/false", "/nowhere"] {
        let gone = Host::with_command(sandbox(), [command]);
        assert_eq!(foreseen(&gone, body, |_| {}, 9).await, [""; 0], "{command}");
    }
}
