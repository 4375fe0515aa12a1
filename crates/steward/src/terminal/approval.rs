//! An approval on the terminal: what is shown, and what an answer means. Pure; asking and deciding are for
//! the commands.

use super::clean;
use protocol::{AskedCall, Decision, Forecast, Risk};
use std::{collections::HashSet, fmt::Write};

/// How many lines of a call are shown before the rest is left out until asked for.
const MAX_LINES: usize = 12;

/// What the owner may answer.
pub(crate) const KEYS: &str = "y yes · n no · n REASON · y 1 3 only those · a always · s show all";

/// What an answer means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Choice {
    /// This is decided.
    Decide(Vec<Decision>),
    /// Show everything, then ask again.
    ShowAll,
    /// Show the rules that could be made, then ask which.
    Rules,
    /// Not understood; this says what can be answered.
    Unclear(String),
}

/// The screen. Everything on it was made safe to show when it was asked.
pub(crate) fn screen(calls: &[AskedCall], forecast: Option<&Forecast>, all: bool) -> String {
    let mut text = match (forecast, calls.len()) {
        (None, _) => "Steward asks before it goes on:\n".to_owned(),
        (Some(_), 1) => "A program asks for a call before it goes on:\n".to_owned(),
        (Some(_), count) => format!("A program asks for {count} calls before it goes on:\n"),
    };
    let shown = if all { usize::MAX } else { MAX_LINES };
    let before = std::iter::once(None).chain(calls.iter().map(Some));
    for ((number, call), before) in (1..).zip(calls).zip(before) {
        // What was said of the call before is not said again.
        let alike = before.is_some_and(|before| is_asked_like(call, before));
        let risk = match call.risk {
            Risk::Safe => "safe",
            Risk::Risky => "risky",
            Risk::Forbidden => "forbidden",
        };
        let mut add = |line: &str| writeln!(text, "{line}").unwrap_or_default();
        let gap = if alike { "" } else { "\n" };
        add(&format!("{gap}  {number}. {}: {}", clean(&call.tool), clean(&call.summary)));
        let details = clean(&call.details);
        details.lines().take(shown).for_each(|line| add(&format!("     │ {line}")));
        let hidden = details.lines().count().saturating_sub(shown);
        if hidden > 0 {
            add(&format!("     │ … {hidden} more lines (s shows all)"));
        }
        if alike {
            continue;
        }
        add(&format!("     {risk}: {}", clean(&call.reason)));
        call.flags.iter().for_each(|flag| add(&format!("     ! {}", clean(flag))));
        add(&format!("     in {} · {}", clean(&call.cwd), clean(&call.confinement)));
    }
    if let Some(forecast) = forecast.filter(|forecast| !forecast.calls.is_empty()) {
        text.push_str(&after(forecast, shown));
    }
    text
}

/// Whether the same is to be said of both: why they are asked, where they would run and what confines them.
fn is_asked_like(call: &AskedCall, other: &AskedCall) -> bool {
    let said =
        |call: &AskedCall| (call.risk, call.reason.clone(), call.cwd.clone(), call.confinement.clone());
    call.flags.is_empty() && other.flags.is_empty() && said(call) == said(other)
}

/// What a program seems about to do after the calls on its screen.
fn after(forecast: &Forecast, shown: usize) -> String {
    let mut text = String::from("\nAfter that it seems to want (a forecast, nothing is approved by it):\n");
    let mut add = |line: &str| writeln!(text, "  · {line}").unwrap_or_default();
    for call in forecast.calls.iter().take(shown) {
        add(&format!("{}: {}", clean(&call.tool), clean(&call.summary)));
    }
    let hidden = forecast.calls.len().saturating_sub(shown);
    if hidden > 0 {
        add(&format!("… {hidden} more calls (s shows all)"));
    }
    text
}

/// The rules that could be made of these calls, numbered across all of them, each once.
pub(crate) fn rules(calls: &[AskedCall]) -> Vec<(&AskedCall, &str)> {
    let mut seen = HashSet::new();
    let all = calls.iter().flat_map(|call| call.rules.iter().map(move |rule| (call, rule.as_str())));
    all.filter(|(_, rule)| seen.insert(*rule)).collect()
}

/// What an answer means for these calls.
pub(crate) fn choice(calls: &[AskedCall], answer: &str) -> Choice {
    let answer = answer.trim();
    let (word, rest) = answer.split_once(char::is_whitespace).unwrap_or((answer, ""));
    match (word.to_lowercase().as_str(), rest.trim()) {
        ("y" | "yes", "") => Choice::Decide(decide(calls, |_| true, None)),
        ("y" | "yes", only) => match numbers(only, calls.len()) {
            Some(only) => Choice::Decide(decide(
                calls,
                |number| only.contains(&number),
                Some("not chosen by the owner"),
            )),
            None => Choice::Unclear(format!("after `y` come numbers from 1 to {}", calls.len())),
        },
        ("n" | "no", reason) => {
            Choice::Decide(decide(calls, |_| false, (!reason.is_empty()).then_some(reason)))
        }
        ("s" | "show", _) => Choice::ShowAll,
        ("a" | "always", _) if rules(calls).is_empty() => {
            Choice::Unclear("no rule can be made of this: not every part of it is understood".into())
        }
        ("a" | "always", _) => Choice::Rules,
        _ => Choice::Unclear(KEYS.into()),
    }
}

/// All calls approved, with the rule of this number made on the way.
pub(crate) fn with_rule(calls: &[AskedCall], number: usize) -> Option<Vec<Decision>> {
    let rules = rules(calls);
    let (asked, rule) = rules.get(number.checked_sub(1)?)?;
    let mut decisions = decide(calls, |_| true, None);
    for decision in decisions.iter_mut().filter(|decision| decision.call == asked.call) {
        decision.rule = Some((*rule).to_owned());
    }
    Some(decisions)
}

/// Yes or no to each call by its number.
pub(crate) fn decide(
    calls: &[AskedCall],
    approve: impl Fn(usize) -> bool,
    reason: Option<&str>,
) -> Vec<Decision> {
    let decision = |(number, asked): (usize, &AskedCall)| {
        let approved = approve(number);
        let reason = reason.filter(|_| !approved).map(str::to_owned);
        Decision { call: asked.call, approved, reason, rule: None }
    };
    (1..).zip(calls).map(decision).collect()
}

fn numbers(text: &str, count: usize) -> Option<Vec<usize>> {
    let numbers: Option<Vec<usize>> =
        text.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty() && numbers.iter().all(|number| (1..=count).contains(number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{CallId, Foreseen};

    fn asked(number: u128) -> AskedCall {
        AskedCall {
            call: CallId::from(uuid::Uuid::from_u128(number)),
            tool: "bash".into(),
            summary: format!("run {number}"),
            details: (0..20).map(|line| format!("line {line}\n")).collect(),
            risk: Risk::Risky,
            reason: "it runs a command".into(),
            flags: vec!["it has several lines".into()],
            cwd: "/w".into(),
            confinement: "kernel sandbox".into(),
            rules: vec![format!("bash(run {number})")],
            fingerprint: "f".into(),
        }
    }

    #[test]
    fn answers_mean_what_they_say() {
        let calls = [asked(1), asked(2)];
        let check = |answer: &str, expected: &[(bool, Option<&str>)]| match choice(&calls, answer) {
            Choice::Decide(decisions) => {
                let found: Vec<(bool, Option<&str>)> = decisions
                    .iter()
                    .map(|decision| (decision.approved, decision.reason.as_deref()))
                    .collect();
                assert_eq!(found, expected, "{answer:?}");
            }
            other => panic!("{answer:?}: {other:?}"),
        };
        check("y", &[(true, None), (true, None)]);
        check(" YES ", &[(true, None), (true, None)]);
        check("n", &[(false, None), (false, None)]);
        check("n not today", &[(false, Some("not today")), (false, Some("not today"))]);
        check("y 2", &[(false, Some("not chosen by the owner")), (true, None)]);
        for unclear in ["", "maybe", "y 3", "y 0", "y one", "yy"] {
            assert!(matches!(choice(&calls, unclear), Choice::Unclear(_)), "{unclear:?} decides nothing");
        }
        assert_eq!(choice(&calls, "s"), Choice::ShowAll);
        assert_eq!(choice(&calls, "a"), Choice::Rules);
        let decisions = with_rule(&calls, 2).unwrap();
        assert_eq!(
            decisions.iter().map(|it| it.rule.as_deref()).collect::<Vec<_>>(),
            [None, Some("bash(run 2)")]
        );
        assert!(with_rule(&calls, 0).is_none() && with_rule(&calls, 3).is_none());
        let alike = [asked(1), AskedCall { rules: calls[0].rules.clone(), ..asked(2) }];
        assert_eq!(rules(&alike).len(), 1, "a rule is offered once");
    }

    #[test]
    fn a_long_call_is_cut_until_all_is_asked_for() {
        let short = screen(&[asked(1)], None, false);
        assert!(
            short.contains("line 11") && !short.contains("line 12") && short.contains("… 8 more lines"),
            "{short}"
        );
        assert!(screen(&[asked(1)], None, true).contains("line 19"));
    }

    #[test]
    fn what_holds_for_several_calls_is_said_once() {
        let plain =
            |number| AskedCall { flags: Vec::new(), details: format!("do {number}"), ..asked(number) };
        let times = |calls: &[AskedCall]| screen(calls, None, false).matches("it runs a command").count();
        assert_eq!(times(&[plain(1), plain(2), plain(3)]), 1);
        let elsewhere = AskedCall { cwd: "/elsewhere".into(), ..plain(2) };
        assert_eq!(times(&[plain(1), elsewhere, plain(3)]), 3);
        assert_eq!(times(&[plain(1), asked(2), plain(3)]), 3, "a flag is never passed over");
    }

    #[test]
    fn a_programs_screen_says_so_and_what_may_come_after() {
        let foreseen =
            |number| Foreseen { tool: "mail.send".into(), summary: format!("send {number}\u{1b}") };
        let forecast = |calls| {
            let program = CallId::from(uuid::Uuid::nil());
            Forecast { program, calls: (1..=calls).map(foreseen).collect() }
        };
        let two = screen(&[asked(1), asked(2)], Some(&forecast(1)), false);
        assert!(
            two.starts_with("A program asks for 2 calls before it goes on:\n\n  1. bash: run 1"),
            "{two}"
        );
        assert!(two.contains("\n  2. bash: run 2"), "{two}");
        let after = "\nAfter that it seems to want (a forecast, nothing is approved by it):\n\
                     \x20 · mail.send: send 1\\u{1b}\n";
        assert!(two.ends_with(after), "{two}");
        let one = screen(&[asked(1)], Some(&forecast(0)), false);
        assert!(one.starts_with("A program asks for a call") && !one.contains("After that"), "{one}");
        let many = screen(&[asked(1)], Some(&forecast(15)), false);
        assert!(many.contains("send 12") && many.ends_with("  · … 3 more calls (s shows all)\n"), "{many}");
        assert!(screen(&[asked(1)], Some(&forecast(15)), true).contains("send 15"));
    }
}
