//! A program on the terminal: what the model wrote, its calls as they come and go, and its end. Pure; the screen is
//! elsewhere.

use super::{Shown, clean, typescript::coloured};
use protocol::{Call, CallId, CallResult, CallStatus, Fact, ProgramEnd, code_of};
use std::collections::HashMap;

/// How many lines of a program are shown unless all of it is asked for.
const MAX_LINES: usize = 24;

/// How much of a line of a program is shown then, in characters.
const MAX_COLUMNS: usize = 160;

/// How much of arguments and results is shown, in characters.
const MAX_CHARS: usize = 100;

/// How much of a call is shown while it runs; the line must fit, since it is drawn again and again.
const MAX_RUNNING_CHARS: usize = 60;

/// How many mistakes of a program are shown; the model reads them all.
const MAX_MISTAKES: usize = 3;

/// How a program is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Its beginning.
    Short,
    /// All of it.
    Whole,
}

/// The lines of a program with a bar at their left.
pub(crate) fn listing(code: &str, extent: Extent, styled: bool) -> String {
    let code = clean(code);
    let lines: Vec<String> = match extent {
        Extent::Whole => code.lines().map(str::to_owned).collect(),
        Extent::Short => code.lines().take(MAX_LINES).map(|line| cut(line, MAX_COLUMNS)).collect(),
    };
    let hidden = code.lines().count() - lines.len();
    let bar = if styled { "\x1b[2m│\x1b[0m" } else { "│" };
    let shown = if styled { coloured(&lines.join("\n")) } else { lines };
    let mut text: Vec<String> = shown.iter().map(|line| format!("{bar} {line}")).collect();
    if hidden > 0 {
        text.push(format!("{bar} … {hidden} more lines"));
    }
    text.join("\n")
}

/// The programs of one turn and their calls.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    programs: HashMap<CallId, Counted>,
    calls: HashMap<CallId, Asked>,
}

/// What is counted of a program.
#[derive(Debug, Default)]
struct Counted {
    /// Whether it passed its check.
    fits: bool,
    asked: usize,
    denied: usize,
    failed: usize,
}

/// A call that a program asked for.
#[derive(Debug)]
struct Asked {
    program: CallId,
    /// Its number and what it is, on one line.
    line: String,
}

impl Programs {
    /// What to show of a call the model makes.
    pub fn call(&mut self, call: &Call) -> Shown {
        match code_of(call) {
            Some(code) => {
                self.programs.insert(call.id, Counted::default());
                Shown::Program(code)
            }
            None => Shown::Call(call.clone()),
        }
    }

    /// What a fact has to say of a program.
    pub fn learn(&mut self, fact: &Fact) -> Option<Shown> {
        match fact {
            Fact::ProgramStarted { call, .. } => {
                self.programs.entry(*call).or_default().fits = true;
                Some(Shown::Progress("the program runs".into()))
            }
            Fact::ProgramAsked { program, calls, .. } => {
                let counted = self.programs.entry(*program).or_default();
                for call in calls {
                    counted.asked += 1;
                    let line = format!("{}. {} {}", counted.asked, call.tool, call.arguments);
                    self.calls.insert(call.id, Asked { program: *program, line: one_line(&line) });
                }
                None
            }
            Fact::CallStarted { call } => {
                self.calls.get(call).map(|asked| Shown::Progress(cut(&asked.line, MAX_RUNNING_CHARS)))
            }
            Fact::CallDone { result } => self.done(result),
            Fact::ProgramEnded { program, end, .. } => {
                let counted = self.programs.get(program)?;
                Some(Shown::Note(format!("  {} · {}", counted.told(), ended(end))))
            }
            _ => None,
        }
    }

    fn done(&mut self, result: &CallResult) -> Option<Shown> {
        let Some(Asked { program, line }) = self.calls.remove(&result.call) else {
            let counted = self.programs.remove(&result.call)?;
            return (!counted.fits).then(|| Shown::Note(not_run(result)));
        };
        let counted = self.programs.entry(program).or_default();
        let told = match result.status {
            CallStatus::Succeeded => format!("  ✓ {line}"),
            CallStatus::Denied => {
                counted.denied += 1;
                format!("  ✗ {line}: denied")
            }
            CallStatus::Failed | CallStatus::Interrupted | CallStatus::Aborted => {
                counted.failed += 1;
                let why = result.output.lines().next().unwrap_or_default();
                format!("  ✗ {line}: {}", one_line(why))
            }
        };
        Some(Shown::Note(told))
    }
}

impl Counted {
    fn told(&self) -> String {
        let mut told = if self.asked == 1 { "1 call".to_owned() } else { format!("{} calls", self.asked) };
        for (count, word) in [(self.failed, "failed"), (self.denied, "denied")] {
            if count > 0 {
                told.push_str(&format!(", {count} {word}"));
            }
        }
        told
    }
}

fn ended(end: &ProgramEnd) -> String {
    match end {
        ProgramEnd::Returned { value, cut_bytes: 0 } => format!("gives {}", one_line(value)),
        ProgramEnd::Returned { value, cut_bytes } => {
            format!("gives {} ({cut_bytes} more bytes)", one_line(value))
        }
        ProgramEnd::Failed { name, message, line } => {
            let place = line.map(|line| format!(" in line {line}")).unwrap_or_default();
            format!("fails{place}, {}: {}", one_line(name), one_line(message))
        }
    }
}

/// Why a program did not run. The model reads it too, and will mostly correct itself.
fn not_run(result: &CallResult) -> String {
    let mistakes: Vec<&str> = result.output.lines().filter(|line| names_a_place(line)).collect();
    if mistakes.is_empty() {
        let why = result.output.lines().next().unwrap_or_default();
        return format!("  the program was not run: {}", one_line(why));
    }
    let shown = mistakes.iter().take(MAX_MISTAKES).map(|line| one_line(line.trim()));
    let mut lines: Vec<String> = shown.map(|line| format!("  the program does not fit: {line}")).collect();
    if mistakes.len() > MAX_MISTAKES {
        lines.push(format!("  … {} more", mistakes.len() - MAX_MISTAKES));
    }
    lines.join("\n")
}

/// Whether a line begins with a line and a column, such as `3:14`.
fn names_a_place(line: &str) -> bool {
    let place = line.split_whitespace().next().and_then(|word| word.split_once(':'));
    place.is_some_and(|(line, column)| {
        line.parse::<u32>().is_ok() && column.trim_end_matches(':').parse::<u32>().is_ok()
    })
}

/// Text of others on one line, not too long.
fn one_line(text: &str) -> String {
    cut(&clean(text).replace(['\n', '\t'], " "), MAX_CHARS)
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Program, RUN_CODE};

    fn call(number: u128, tool: &str, arguments: &str) -> Call {
        let id = CallId::from(uuid::Uuid::from_u128(number));
        Call { id, wire_id: String::new(), tool: tool.into(), arguments: arguments.into() }
    }

    fn handed_in(programs: &mut Programs) -> Call {
        let call = call(1, RUN_CODE, r#"{"code":"return 1"}"#);
        assert_eq!(programs.call(&call), Shown::Program("return 1".into()));
        call
    }

    fn started(call: &Call) -> Fact {
        let program = Program {
            javascript: String::new(),
            lines: Vec::new(),
            paths: Vec::new(),
            seed: 0,
            now_ms: 0,
            engine: String::new(),
        };
        Fact::ProgramStarted { call: call.id, program }
    }

    fn asked(program: &Call, calls: &[&Call]) -> Fact {
        let calls = calls.iter().map(|call| (*call).clone()).collect();
        Fact::ProgramAsked { program: program.id, calls, told: 0, console: String::new() }
    }

    fn done(call: &Call, status: CallStatus, output: &str) -> Fact {
        Fact::CallDone { result: CallResult::new(call.id, status, output) }
    }

    fn note(text: &str) -> Option<Shown> {
        Some(Shown::Note(text.into()))
    }

    #[test]
    fn every_call_of_a_program_ends_on_a_line_of_its_own() {
        let mut programs = Programs::default();
        let program = handed_in(&mut programs);
        let long = format!("{{\"text\":\"{}\"}}", "x".repeat(200));
        let (one, two) = (call(2, "issues.close", r#"{"number":1}"#), call(3, "mail.send", &long));
        let (three, four) = (call(4, "bash", "\u{1b}[2J\n"), call(5, "read", "{}"));
        assert_eq!(programs.learn(&started(&program)), Some(Shown::Progress("the program runs".into())));
        assert_eq!(programs.learn(&asked(&program, &[&one, &two])), None);
        assert_eq!(programs.learn(&asked(&program, &[&three])), None);
        let running = programs.learn(&Fact::CallStarted { call: one.id });
        assert_eq!(running, Some(Shown::Progress(r#"1. issues.close {"number":1}"#.into())));
        let line = format!("  ✗ 2. mail.send {{\"text\":\"{}…: denied", "x".repeat(78));
        assert_eq!(programs.learn(&done(&two, CallStatus::Denied, "Denied.")), note(&line));
        let closed = done(&one, CallStatus::Succeeded, "closed");
        assert_eq!(programs.learn(&closed), note(r#"  ✓ 1. issues.close {"number":1}"#));
        let failed = done(&three, CallStatus::Failed, "no such command\nat all");
        assert_eq!(programs.learn(&failed), note("  ✗ 3. bash \\u{1b}[2J : no such command"));
        assert_eq!(programs.learn(&done(&four, CallStatus::Succeeded, "")), None, "the model's own call");
        let end = ProgramEnd::Returned { value: r#"{"closed":1}"#.into(), cut_bytes: 0 };
        let end = Fact::ProgramEnded { program: program.id, end, console: String::new() };
        assert_eq!(programs.learn(&end), note(r#"  3 calls, 1 failed, 1 denied · gives {"closed":1}"#));
        assert_eq!(programs.learn(&done(&program, CallStatus::Succeeded, "receipts")), None, "all was shown");
    }

    #[test]
    fn an_end_is_told_in_words() {
        let check = |end: ProgramEnd, expected: &str| assert_eq!(ended(&end), expected);
        let failed =
            |line| ProgramEnd::Failed { name: "TypeError".into(), message: "x is\nnull".into(), line };
        check(failed(Some(3)), "fails in line 3, TypeError: x is null");
        check(failed(None), "fails, TypeError: x is null");
        check(ProgramEnd::Returned { value: "[1,".into(), cut_bytes: 9 }, "gives [1, (9 more bytes)");
    }

    #[test]
    fn what_does_not_fit_is_said_and_why() {
        let check = |output: &str, expected: &str| {
            let mut programs = Programs::default();
            let program = handed_in(&mut programs);
            assert_eq!(programs.learn(&done(&program, CallStatus::Failed, output)), note(expected));
        };
        check(
            "The program does not fit the tools:\n3:5 TS2304 Cannot find name 'x'.\nCorrect it.",
            "  the program does not fit: 3:5 TS2304 Cannot find name 'x'.",
        );
        check("it is too long\n…", "  the program was not run: it is too long");
        let many: String = (1..=5).map(|line| format!("{line}:1 TS1 no\n")).collect();
        let fits = "  the program does not fit:";
        check(&many, &format!("{fits} 1:1 TS1 no\n{fits} 2:1 TS1 no\n{fits} 3:1 TS1 no\n  … 2 more"));
    }

    #[test]
    fn a_long_program_is_cut_until_all_of_it_is_asked_for() {
        let code: String = (1..=30).map(|line| format!("line({line});\n")).collect();
        let short = listing(&code, Extent::Short, false);
        assert!(
            short.starts_with("│ line(1);\n") && short.ends_with("│ line(24);\n│ … 6 more lines"),
            "{short}"
        );
        assert!(listing(&code, Extent::Whole, false).ends_with("│ line(30);"));
        let wide = "x".repeat(500);
        assert_eq!(listing(&wide, Extent::Short, false), format!("│ {}…", "x".repeat(160)));
        assert_eq!(listing(&wide, Extent::Whole, false), format!("│ {wide}"));
    }

    #[test]
    fn a_program_cannot_reach_the_terminal() {
        assert_eq!(listing("a\u{1b}[2J", Extent::Short, false), "│ a\\u{1b}[2J");
        let styled = listing("return \"\u{1b}[2J\"", Extent::Whole, true);
        assert_eq!(styled, "\x1b[2m│\x1b[0m \x1b[35mreturn\x1b[0m \x1b[32m\"\\u{1b}[2J\"\x1b[0m");
    }
}
