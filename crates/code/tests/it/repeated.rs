//! Runs that are taken up again in a new process: after a crash, after days of waiting, after the program was changed.

use crate::support::{answer, begin, host, innermost, program, run};
use code::{Cause, Delivery, ErrorName, Limits, Outcome, Program, Recorded, RunError, Runner, Step};
use serde_json::json;

const MIXED: &str = "
    const out = [];
    const [a, b] = await Promise.all([tools.mail.search({ n: 1 }), tools.echo({ dice: Math.random() })]);
    out.push(a.input.n, b.input.dice, Date.now());
    for (let i = 0; i < 3; i++) out.push((await tools.mail.send({ i })).input.i);
    try { await tools.fail({}) } catch (error) { out.push(error.message) }
    out.push(await Promise.race([tools.echo({ r: 1 }), tools.echo({ r: 2 })]).then((v) => v.input.r));
    console.log('done', out.length);
    return out;";

#[tokio::test]
async fn a_run_goes_on_in_a_new_process_wherever_it_was_cut_off() {
    let whole = run(MIXED, &Limits::default()).await;
    assert!(matches!(whole.step, Step::Done { .. }), "{whole:?}");
    for deliveries in 0..=whole.recorded.deliveries.len() {
        let mut recorded = Recorded {
            beginning: whole.recorded.beginning.clone(),
            calls: Vec::new(),
            deliveries: whole.recorded.deliveries[..deliveries].to_vec(),
        };
        let known = recorded.deliveries.iter().map(|delivery| delivery.call + 1).max().unwrap_or(0).max(2);
        // The calls made together with the last answered one are known too: they were asked for at once.
        let known = if known == 7 { 8 } else { known as usize };
        recorded.calls = whole.recorded.calls[..known].to_vec();
        let (mut runner, mut step) =
            Runner::resume(&host(), &program(MIXED), &recorded, &Limits::default()).await.unwrap();
        while let Step::Quiet { calls, .. } = &step {
            recorded.calls.extend(calls.iter().cloned());
            let call = recorded.open().next().unwrap().clone();
            let now_ms = 1_800_000_000_001 + i64::from(call.id);
            recorded.deliveries.push(Delivery { call: call.id, now_ms, outcome: answer(&call) });
            runner.deliver(recorded.deliveries.last().unwrap()).await.unwrap();
            step = runner.next().await;
        }
        let Step::Done { value, .. } = &step else { panic!("{step:?}") };
        let Step::Done { value: expected, .. } = &whole.step else { panic!("{whole:?}") };
        assert_eq!((value, &recorded), (expected, &whole.recorded), "cut after {deliveries} answers");
    }
}

#[tokio::test]
async fn a_killed_process_is_a_dead_one_and_the_run_goes_on() {
    let program = program(
        "const a = await tools.echo({ n: 1 }); return (await tools.echo({ n: 2 })).input.n + a.input.n",
    );
    let mut recorded = Recorded::new(begin(&program));
    let mut runner = Runner::start(&host(), &program, &recorded.beginning, &Limits::default()).await.unwrap();
    let Step::Quiet { calls, .. } = runner.next().await else { panic!("not quiet") };
    recorded.calls.extend(calls);
    let pid = rustix::process::Pid::from_raw(innermost(&runner).cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let delivery = Delivery { call: 0, now_ms: 1, outcome: answer(&recorded.calls[0]) };
    runner.deliver(&delivery).await.unwrap();
    assert!(matches!(runner.deliver(&delivery).await, Err(RunError::Busy)));
    assert_eq!(runner.next().await, Step::Died { why: "signal 9 ended the process".to_owned() });
    assert!(matches!(runner.next().await, Step::Died { .. }));
    assert!(matches!(runner.deliver(&delivery).await, Err(RunError::NotOpen(0))));
    recorded.deliveries.push(delivery);
    let (mut runner, step) = Runner::resume(&host(), &program, &recorded, &Limits::default()).await.unwrap();
    let Step::Quiet { calls, .. } = step else { panic!("{step:?}") };
    assert_eq!(calls.len(), 1);
    runner.deliver(&Delivery { call: 1, now_ms: 2, outcome: answer(&calls[0]) }).await.unwrap();
    assert_eq!(runner.next().await, Step::Done { value: json!(3), cut_bytes: 0, console: String::new() });
}

#[tokio::test]
async fn a_dropped_run_leaves_no_process() {
    let program = program("await tools.echo({})");
    let mut runner = Runner::start(&host(), &program, &begin(&program), &Limits::default()).await.unwrap();
    assert!(matches!(runner.next().await, Step::Quiet { .. }));
    assert_eq!(runner.next().await, Step::Quiet { calls: Vec::new(), console: String::new() });
    let pid = rustix::process::Pid::from_raw(runner.process_id().unwrap().cast_signed()).unwrap();
    let watched = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).unwrap();
    drop(runner);
    // Readable when the process has ended; without that the test does not end.
    rustix::event::poll(&mut [rustix::event::PollFd::new(&watched, rustix::event::PollFlags::IN)], None)
        .unwrap();
}

#[tokio::test]
async fn what_cannot_be_repeated_is_refused() {
    let old = program("return (await tools.echo({ n: 1 })).input");
    let new = program("return (await tools.echo({ n: 2 })).input");
    let recorded = run("return (await tools.echo({ n: 1 })).input", &Limits::default()).await.recorded;
    let resume = async |program: &Program, recorded: &Recorded| {
        Runner::resume(&host(), program, recorded, &Limits::default()).await.map(|(_, step)| step)
    };
    assert!(matches!(resume(&new, &recorded).await, Err(RunError::OtherProgram)));
    let mut other = recorded.clone();
    other.beginning.engine = "another".to_owned();
    assert!(matches!(resume(&old, &other).await, Err(RunError::OtherEngine(_))));
    let mut forged = recorded.clone();
    forged.beginning = begin(&new);
    let Err(RunError::Divergence(divergence)) = resume(&new, &forged).await else { panic!("no divergence") };
    assert_eq!(
        divergence.to_string(),
        "the program did not repeat itself at call 0: it was to ask for `echo` with {\"n\":1}, but asks for `echo` with {\"n\":2}"
    );
    let done = resume(&old, &recorded).await.unwrap();
    assert_eq!(done, Step::Done { value: json!({ "n": 1 }), cut_bytes: 0, console: String::new() });
}

#[tokio::test]
async fn answers_that_do_not_fit_are_told_as_errors() {
    let program = program(
        "try { return (await tools.echo({})).length } catch (error) { return error.name + ': ' + error.message }",
    );
    let limits = Limits { outcome_bytes: 1000, ..Limits::default() };
    let deep = (0..150).fold(json!(1), |inner, _| json!([inner]));
    let error = |name, message: &str| Outcome::Error { name, message: message.to_owned() };
    for (outcome, value) in [
        (Outcome::Ok { value: json!("x".repeat(998)) }, json!(998)),
        (
            Outcome::Ok { value: json!("x".repeat(999)) },
            json!("ToolError: the tool ran, but its answer has 1001 bytes, and 1000 are allowed"),
        ),
        (
            Outcome::Ok { value: deep },
            json!("ToolError: the tool ran, but its answer is nested more than 100 levels deep"),
        ),
        (
            Outcome::Ok { value: json!({ "length": "\u{0}\u{2028}😀", "__proto__": null }) },
            json!("\u{0}\u{2028}😀"),
        ),
        (error(ErrorName::ToolDenied, "the owner said no"), json!("ToolDenied: the owner said no")),
        (error(ErrorName::ToolUnknown, "gone"), json!("ToolUnknown: gone")),
    ] {
        let mut runner = Runner::start(&host(), &program, &begin(&program), &limits).await.unwrap();
        assert!(matches!(runner.next().await, Step::Quiet { .. }));
        assert!(matches!(
            runner.deliver(&Delivery { call: 1, now_ms: 0, outcome: outcome.clone() }).await,
            Err(RunError::NotOpen(1))
        ));
        runner.deliver(&Delivery { call: 0, now_ms: 0, outcome }).await.unwrap();
        assert_eq!(runner.next().await, Step::Done { value, cut_bytes: 0, console: String::new() });
    }
}

#[tokio::test]
async fn lines_are_told_as_the_author_wrote_them() {
    let program = Program { lines: vec![3, 8], ..program("let a;\nnull.x") };
    let mut runner = Runner::start(&host(), &program, &begin(&program), &Limits::default()).await.unwrap();
    let Step::Failed { failure, .. } = runner.next().await else { panic!("did not fail") };
    assert_eq!((failure.cause, failure.line), (Cause::Thrown, Some(8)));
}
