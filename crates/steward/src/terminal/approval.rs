//! An approval on the terminal: what is shown, and what an answer means. Pure; asking and deciding are for
//! the commands.

use super::clean;
use protocol::{AskedCall, Decision, Risk};
use std::fmt::Write;

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
pub(crate) fn screen(calls: &[AskedCall], all: bool) -> String {
    let mut text = String::from("Steward asks before it goes on:\n");
    for (number, call) in (1..).zip(calls) {
        let risk = match call.risk {
            Risk::Safe => "safe",
            Risk::Risky => "risky",
            Risk::Forbidden => "forbidden",
        };
        let mut add = |line: &str| writeln!(text, "{line}").unwrap_or_default();
        add(&format!("\n  {number}. {}: {}", clean(&call.tool), clean(&call.summary)));
        let details = clean(&call.details);
        let shown = if all { usize::MAX } else { MAX_LINES };
        details.lines().take(shown).for_each(|line| add(&format!("     │ {line}")));
        let hidden = details.lines().count().saturating_sub(shown);
        if hidden > 0 {
            add(&format!("     │ … {hidden} more lines (s shows all)"));
        }
        add(&format!("     {risk}: {}", clean(&call.reason)));
        call.flags.iter().for_each(|flag| add(&format!("     ! {}", clean(flag))));
        add(&format!("     in {} · {}", clean(&call.cwd), clean(&call.confinement)));
    }
    text
}

/// The rules that could be made of these calls, numbered across all of them.
pub(crate) fn rules(calls: &[AskedCall]) -> Vec<(&AskedCall, &str)> {
    calls.iter().flat_map(|call| call.rules.iter().map(move |rule| (call, rule.as_str()))).collect()
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
    use protocol::CallId;

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
    }

    #[test]
    fn a_long_call_is_cut_until_all_is_asked_for() {
        let short = screen(&[asked(1)], false);
        assert!(
            short.contains("line 11") && !short.contains("line 12") && short.contains("… 8 more lines"),
            "{short}"
        );
        assert!(screen(&[asked(1)], true).contains("line 19"));
    }
}
