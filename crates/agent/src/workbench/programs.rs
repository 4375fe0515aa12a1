//! Programs at the workbench: what the model is offered to write them with, the check, where they run, and the trial run
//! that shows what one seems about to do.

use super::{Bench, Workbench, clients, senseless};
use crate::hands::{Judged, Scene};
use code::{Checked, Declarations, Diagnostic, Host, Limits, Recorded, ToolSpec};
use jiff::Timestamp;
use policy::{CallInfo, Facts, Fingerprinted, Labels, fingerprint, present};
use protocol::{
    AskedCall, Call, CallResult, CallStatus, Foreseen, Judgement, Program, RUN_CODE, SessionKey,
    ToolDefinition, Verdict, code_of,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::Write;
use tools::InputSchema;

/// The tools by which a model finds its way among others.
const SEARCH: &str = "tools.search";
const DESCRIBE: &str = "tools.describe";

/// How many faults of a program are told at once; most follow from the first ones.
const MAX_FAULTS: usize = 12;

/// How much of the signatures of tools is told along with faults.
const MAX_SIGNATURE_BYTES: usize = 4_000;

/// How far a trial run looks.
const MAX_FORESEEN: usize = 20;

/// How much of a foreseen call is shown.
const MAX_SUMMARY_CHARS: usize = 160;

/// Seeds stand in the log, and what reads it may know numbers of JavaScript only.
const MAX_SEED: u64 = (1 << 53) - 1;

/// Whether the model may write programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeMode {
    /// It may, and may call tools itself.
    #[default]
    Auto,
    /// It calls tools by programs only.
    On,
    /// It may not.
    Off,
}

impl CodeMode {
    /// What a model is offered of these tools.
    pub(super) fn offered(self, tools: Vec<ToolDefinition>) -> Vec<ToolDefinition> {
        match self {
            CodeMode::Off => tools,
            CodeMode::Auto => tools.into_iter().chain([run_code(None)]).collect(),
            CodeMode::On => {
                let specs = tools.into_iter().map(|tool| spec(tool, None)).collect();
                let index = Declarations::new(specs).index();
                vec![run_code(Some(&index)), search(), describe()]
            }
        }
    }

    /// Whether a call of this tool is answered by the workbench itself.
    pub(super) fn has(self, tool: &str) -> bool {
        match tool {
            RUN_CODE => self != CodeMode::Off,
            // Who is shown every tool need not look for them; what one returns is told with the faults of a program.
            SEARCH | DESCRIBE => self == CodeMode::On,
            _ => false,
        }
    }
}

/// Whether a tool of this name could not be told from one of these.
pub(super) fn has_spelling_of(name: &str) -> bool {
    [RUN_CODE, SEARCH, DESCRIBE].iter().any(|own| own.replace('.', "_") == name.replace('.', "_"))
}

fn run_code(index: Option<&str>) -> ToolDefinition {
    let mut description = include_str!("../prompts/run_code.md").trim().to_owned();
    if let Some(index) = index {
        description.push_str("\nThe tools:\n");
        description.push_str(index.trim_end());
    }
    definition(RUN_CODE, &description, "code")
}

fn search() -> ToolDefinition {
    definition(SEARCH, "Find tools for programs by words of their names and descriptions.", "query")
}

fn describe() -> ToolDefinition {
    definition(DESCRIBE, "The TypeScript signature of a tool, with what it returns.", "path")
}

/// A tool that takes one text.
fn definition(name: &str, description: &str, takes: &str) -> ToolDefinition {
    let input_schema = json!({
        "type": "object",
        "properties": { takes: { "type": "string" } },
        "required": [takes],
        "additionalProperties": false,
    });
    ToolDefinition { name: name.to_owned(), description: description.to_owned(), input_schema }
}

fn spec(tool: ToolDefinition, output_schema: Option<Value>) -> ToolSpec {
    let ToolDefinition { name, description, input_schema } = tool;
    ToolSpec { path: name, description, input_schema, output_schema }
}

impl Bench {
    /// Judges a call of one of the tools above. By itself a program only computes; each of its calls is judged.
    pub(super) fn judge_own(&self, call: &Call) -> Judged {
        let input = match own_input(call) {
            Ok(input) => input,
            Err(why) => return senseless(call, why),
        };
        let verdict = self.verdict_on_own(call, &input);
        Judged::Verdict(Judgement { call: call.id, verdict, repeatable: true })
    }

    fn verdict_on_own(&self, call: &Call, input: &Value) -> Verdict {
        let cwd = &self.settings().policy.places.workspace;
        let info = CallInfo { tool: &call.tool, input, labels: Labels::default(), cwd };
        self.policy().judge(&info, &Facts::default(), policy::Taint::default()).verdict
    }

    /// What the owner is shown where a rule wants to be asked about programs as such.
    pub(super) fn show_own(&self, scene: &Scene, call: &Call, expires_at: Timestamp) -> Option<AskedCall> {
        let input = own_input(call).ok()?;
        let Verdict::Ask { risk, reason } = self.verdict_on_own(call, &input) else { return None };
        let written = present(code_of(call).as_deref().unwrap_or(&call.arguments));
        let cwd = self.settings().policy.places.workspace;
        let fingerprint = fingerprint(&Fingerprinted {
            tool: &call.tool,
            arguments: &input,
            argv: &[],
            executables: &[],
            cwd: &cwd,
            environment: &[],
            sandbox: "",
            session: scene.at.session.as_str(),
            expires_at_ms: expires_at.as_millisecond(),
        });
        Some(AskedCall {
            call: call.id,
            tool: call.tool.clone(),
            summary: "Run a program".to_owned(),
            details: written.text,
            risk,
            reason,
            flags: written.flags,
            cwd: cwd.display().to_string(),
            confinement: "it only computes; each of its calls is judged by itself".to_owned(),
            rules: vec![call.tool.clone()],
            fingerprint: fingerprint.to_string(),
        })
    }

    fn fits(&self, declarations: &Declarations, code: &str) -> Result<Program, String> {
        match self.checker.check(declarations, code) {
            Checked::Good { javascript, lines, groups } => {
                let named = |path: &&str| groups.iter().any(|group| path.split('.').next() == Some(group));
                Ok(Program {
                    javascript,
                    lines,
                    paths: declarations.paths().filter(named).map(str::to_owned).collect(),
                    seed: uuid::Uuid::now_v7().as_u64_pair().1 & MAX_SEED,
                    now_ms: jiff::Timestamp::now().as_millisecond(),
                    engine: code::engine_version(),
                })
            }
            Checked::Bad { diagnostics } => Err(faults(&diagnostics, declarations, code)),
            Checked::GaveUp { why } => Err(format!("The program was not run: {why}.")),
        }
    }
}

impl Workbench {
    /// What programs of a conversation may call.
    async fn declarations(&self, session: &SessionKey) -> Declarations {
        let settings = self.bench.settings();
        let clients = self.bench.client_tools(session).await.unwrap_or_default();
        let tools = self.bench.tools.definitions().into_iter();
        let own = tools.filter(|tool| !settings.hides(session, &tool.name)).map(|tool| {
            let output_schema = self.bench.tools.get(&tool.name).and_then(|tool| tool.output_schema());
            spec(tool, output_schema)
        });
        let clients = clients.into_iter().map(|tool| spec(clients::definition(tool), None));
        Declarations::new(own.chain(clients).collect())
    }

    pub(super) async fn check_program(&self, scene: &Scene, call: &Call) -> Result<Program, String> {
        let code = code_of(call).ok_or("There is no program in `code`.")?;
        let declarations = self.declarations(&scene.at.session).await;
        let checked = self.look(move |bench| bench.fits(&declarations, &code)).await;
        let crashed = || Err("The program could not be checked, so it was not run.".to_owned());
        checked.unwrap_or_else(crashed)
    }

    /// Answers a question about the tools.
    pub(super) async fn tell_of_tools(&self, scene: &Scene, call: &Call) -> CallResult {
        let declarations = self.declarations(&scene.at.session).await;
        let asked = own_input(call).ok();
        let text = |field| asked.as_ref().and_then(|input| input[field].as_str()).unwrap_or_default();
        let (found, none) = match call.tool.as_str() {
            SEARCH => (found(&declarations, text("query")), "No tool fits; try other words."),
            _ => (declarations.describe(text("path")), "There is no tool of this path."),
        };
        match found {
            Some(found) => CallResult::new(call.id, CallStatus::Succeeded, found),
            None => CallResult::new(call.id, CallStatus::Failed, none),
        }
    }

    pub(super) fn program_host(&self) -> Host {
        let isolation = self.bench.isolation(&self.bench.settings());
        Host::new(self.bench.sandbox.clone()).with_isolation(isolation)
    }

    pub(super) async fn foresee_calls(&self, program: &code::Program, recorded: &Recorded) -> Vec<Foreseen> {
        let tools = &self.bench.tools;
        let made_up = |path: &str| code::stub(tools.get(path).and_then(|tool| tool.output_schema()).as_ref());
        let host = self.program_host();
        let calls = code::foresee(&host, program, recorded, &made_up, &Limits::default(), MAX_FORESEEN).await;
        let summary = |call: code::Call| {
            let titled =
                tools.get(&call.path).filter(|_| tools.validate(&call.path, &call.input.to_string()).is_ok());
            let said = match titled.map(|tool| tool.present(&call.input)) {
                Some(shown) if shown.title.contains(&shown.detail) => shown.title,
                Some(shown) => format!("{}: {}", shown.title, shown.detail),
                None => call.input.to_string(),
            };
            let line: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
            let line: String = line.chars().take(MAX_SUMMARY_CHARS).collect();
            Foreseen { tool: call.path, summary: present(&self.bench.redactor.redact(&line)).text }
        };
        calls.into_iter().map(summary).collect()
    }
}

fn own_input(call: &Call) -> Result<Value, String> {
    let takes = match call.tool.as_str() {
        RUN_CODE => "code",
        SEARCH => "query",
        _ => "path",
    };
    InputSchema::new(definition(&call.tool, "", takes).input_schema).read(&call.tool, &call.arguments)
}

fn found(declarations: &Declarations, query: &str) -> Option<String> {
    let hits = declarations.search(query);
    let lines: Vec<String> = hits.iter().map(|hit| format!("{}: {}", hit.path, hit.description)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What is wrong with a program, and how the tools it names are to be called.
fn faults(diagnostics: &[Diagnostic], declarations: &Declarations, code: &str) -> String {
    let mut text = "The program was not run, because it does not fit the tools (line:column):\n".to_owned();
    for fault in diagnostics.iter().take(MAX_FAULTS) {
        // Writing to a string cannot fail.
        writeln!(text, "{fault}").ok();
    }
    let named = |path: &&str| code.contains(&format!("tools.{path}"));
    let signatures: Vec<String> =
        declarations.paths().filter(named).filter_map(|path| declarations.describe(path)).collect();
    let signatures = signatures.join("\n");
    if !signatures.is_empty() && signatures.len() <= MAX_SIGNATURE_BYTES {
        write!(text, "The tools it names:\n{signatures}").ok();
    }
    text.trim_end().to_owned()
}
