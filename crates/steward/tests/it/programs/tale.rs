//! What the log tells of a turn with one program, and what must be true of it however often the process died.

use crate::world::World;
use protocol::{Call, CallId, CallResult, CallStatus, Event, Fact, ProgramEnd};
use std::collections::{HashMap, HashSet};
use store::{ChainState, View};

/// A program's way of doing something that can be counted: it appends a line to `effects.txt`, with what it threw and the
/// time it knows, and says what came of it.
pub const ACT: &str = r#"
const act = async (name: string): Promise<string> => {
    try {
        await tools.bash({ command: `echo ${name} ${Math.random()} ${Date.now()} >> effects.txt` });
        return `${name} done`;
    } catch (error) {
        const { name: kind, message } = error as Error;
        console.log("caught", name, kind);
        return `${name} ${kind}: ${message.slice(0, 15)}`;
    }
};
"#;

/// Throws while some of its calls run and others wait for them.
pub const THROWS: &str = r#"
const missing = tools.read({ path: "missing.txt" });
const slow = Array.from({ length: 40 }, (_, number) => {
    return tools.bash({ command: `sleep 1; echo slow${number} >> effects.txt` });
});
await missing;
return await Promise.all(slow);
"#;

/// One program of a world, read off its log.
pub struct Tale {
    pub calls: Vec<Call>,
    pub results: HashMap<CallId, CallResult>,
    pub ends: Vec<ProgramEnd>,
    /// What the model is told.
    pub receipts: String,
    pub over: bool,
}

impl Tale {
    /// Each call has at most one result; the chain is whole.
    pub async fn of(world: &World, after: &str) -> Self {
        let view = View::open(&world.path("data/steward.db"));
        let events = view.events_after(0, usize::MAX >> 1).await.unwrap();
        let chain = view.verify_chain().await.unwrap();
        assert!(matches!(chain, ChainState::Whole { .. }), "after {after}: {chain:?}");
        Self::read(&events, after)
    }

    pub fn read(events: &[Event], after: &str) -> Self {
        let mut tale = Self {
            calls: Vec::new(),
            results: HashMap::new(),
            ends: Vec::new(),
            receipts: String::new(),
            over: false,
        };
        for event in events {
            match &event.fact {
                Fact::ProgramAsked { calls, .. } => tale.calls.extend(calls.iter().cloned()),
                Fact::ProgramEnded { end, .. } => tale.ends.push(end.clone()),
                Fact::CallDone { result } => {
                    let before = tale.results.insert(result.call, result.clone());
                    assert_eq!(before, None, "one result for each call after {after}");
                    if !tale.calls.iter().any(|call| call.id == result.call) {
                        tale.receipts.clone_from(&result.output);
                    }
                }
                Fact::TurnFinished { .. } => tale.over = true,
                _ => {}
            }
        }
        tale
    }

    fn status(&self, call: &Call) -> Option<CallStatus> {
        self.results.get(&call.id).map(|result| result.status)
    }

    fn may_have_acted(&self, call: &Call) -> bool {
        self.results.get(&call.id).is_some_and(|result| result.output.contains("may have had an effect"))
    }

    /// Calls of which nobody can know whether they happened, by their names.
    fn unknown(&self) -> Vec<String> {
        let unknown = self.calls.iter().filter(|call| self.status(call) == Some(CallStatus::Interrupted));
        unknown.filter_map(line).filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect()
    }

    /// It returned what an undisturbed run returns, but for what nobody can know; every effect is there once, with the
    /// random numbers and times that were recorded, and the model is told all of it.
    pub fn check(&self, world: &World, undisturbed: &[&str], after: &str) -> usize {
        let [ProgramEnd::Returned { value, .. }] = self.ends.as_slice() else {
            panic!("it ends once, and well, after {after}: {:?}", self.ends)
        };
        let unknown = self.unknown();
        let told: Vec<String> = serde_json::from_str(value).unwrap();
        let expected: Vec<String> = undisturbed
            .iter()
            .map(|told| match told.strip_suffix(" done").filter(|name| unknown.iter().any(|it| it == name)) {
                Some(name) => format!("{name} ToolError: outcome unknown"),
                None => (*told).to_owned(),
            })
            .collect();
        assert_eq!(told, expected, "after {after}");
        self.check_effects(world, after);
        self.check_console(after);
        assert!(self.receipts.starts_with("Returned: "), "after {after}: {}", self.receipts);
        for (number, call) in (1..).zip(&self.calls) {
            let word = match self.status(call) {
                Some(CallStatus::Succeeded) => "succeeded",
                Some(CallStatus::Interrupted) => "outcome unknown",
                Some(CallStatus::Denied) => "denied",
                other => panic!("call {number} is {other:?} after {after}"),
            };
            let receipt = format!("\n{number}. {} ", call.tool);
            let (_, line) = self.receipts.split_once(&receipt).expect("a receipt for each call");
            let line = line.lines().next().unwrap();
            assert!(line.contains(&format!(": {word}")), "after {after}: {}", self.receipts);
        }
        unknown.len()
    }

    /// What it wrote stands there once, however often it was run again.
    fn check_console(&self, after: &str) {
        let console = self.receipts.split_once("\nConsole:\n").map_or("", |(_, console)| console);
        let lines: Vec<&str> = console.lines().take_while(|line| !line.starts_with("Calls: ")).collect();
        let once: HashSet<&str> = lines.iter().copied().collect();
        assert_eq!(once.len(), lines.len(), "after {after}: {lines:?}");
        let caught = lines.iter().filter(|line| line.starts_with("caught ")).count();
        let failed =
            self.calls.iter().filter(|call| self.status(call) != Some(CallStatus::Succeeded)).count();
        assert_eq!(caught, failed, "after {after}: {lines:?}");
    }

    /// The transcript has one result for each call, and nothing torn.
    pub fn check_transcript(&self, world: &World, after: &str) {
        let told = world.transcript("terminal--default");
        let count = |role: &str| told.iter().filter(|line| line.0 == role).count();
        // The program's calls and the one that handed it in.
        let calls = self.calls.len() + 1;
        assert_eq!((count("tool_use"), count("tool_result")), (calls, calls), "after {after}: {told:#?}");
        let asked = told.iter().filter(|line| line.1 == "please").count();
        assert_eq!(asked, 1, "after {after}: {told:#?}");
    }

    /// What was done is what the log says was done.
    pub fn check_effects(&self, world: &World, after: &str) {
        let made = std::fs::read_to_string(world.path("workspace/effects.txt")).unwrap_or_default();
        let mut made: Vec<&str> = made.lines().collect();
        for call in &self.calls {
            let Some(line) = line(call) else { continue };
            let times = made.iter().filter(|made| **made == line).count();
            let status = self.status(call);
            let fits = match status {
                Some(CallStatus::Succeeded) => times == 1,
                Some(CallStatus::Interrupted) => times <= 1,
                // Stopped while it ran, or not run at all.
                Some(CallStatus::Aborted) => times <= usize::from(self.may_have_acted(call)),
                _ => times == 0,
            };
            assert!(fits, "`{line}` was done {times} times, and is {status:?}, after {after}");
            made.retain(|made| *made != line);
        }
        assert!(made.is_empty(), "nobody asked for {made:?} after {after}");
    }
}

/// The line a call of `act` appends.
fn line(call: &Call) -> Option<String> {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    let command = arguments["command"].as_str()?;
    Some(command.split_once("echo ")?.1.split_once(" >>")?.0.to_owned())
}
