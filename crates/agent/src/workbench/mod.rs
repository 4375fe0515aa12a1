//! The agent's real hands: policy judges, the owner is shown, tools run in the sandbox. What was shown is
//! what runs: everything a call depends on is looked up again at the moment of running and must be the same.

mod clients;
mod description;
mod outside;
mod prepare;
mod programs;
mod redaction;

pub use description::{BenchDescription, ToolDescription};
pub(crate) use outside::tell_of_lost;
pub use programs::CodeMode;

use crate::hands::{Hands, Judged, Scene};
use code::{Checker, Host, Recorded};
use futures::future::BoxFuture;
use jiff::Timestamp;
use outside::House;
use policy::{Judged as Opinion, Policy, PolicySettings, Redactor, present};
use prepare::Prepared;
use protocol::{
    Approved, AskedCall, Call, CallResult, CallStatus, ClientTool, Foreseen, Judgement, Program, RUN_CODE,
    SessionKey, ToolDefinition, Verdict,
};
use redaction::redact_data;
use sandbox::{Isolation, Network, Sandbox};
use std::{
    borrow::Cow,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};
use store::{Store, failpoint};
use tools::{Registry, ToolLimits};

/// What the workbench is told.
#[derive(Debug, Clone)]
pub struct WorkbenchSettings {
    /// The owner's rules and folders. `sandbox_available` is found out here.
    pub policy: PolicySettings,
    /// The rules the owner made while deciding; they allow.
    pub made_rules: Vec<String>,
    /// What no tool may look into.
    pub hidden: Vec<PathBuf>,
    /// Where commands may connect.
    pub network: Network,
    /// What commands find in their environment.
    pub env: Vec<(String, String)>,
    /// Whether commands are confined by the kernel. Without it every command asks.
    pub sandboxed: bool,
    /// How much a call may use.
    pub limits: ToolLimits,
    /// Whether conversations of desktop clients are offered the tools that run commands here.
    pub desktop_shell: bool,
    /// Tools every desktop client is taken to have.
    pub client_tools: Vec<ClientTool>,
    /// Whether the model may write programs.
    pub code_mode: CodeMode,
}

impl WorkbenchSettings {
    /// The policy with the rules made since.
    fn policy(&self, sandbox_available: bool) -> Result<Policy, policy::BadRule> {
        let mut settings = PolicySettings { sandbox_available, ..self.policy.clone() };
        settings.rules.allow.extend(self.made_rules.iter().cloned());
        Policy::new(settings)
    }
}

/// Tools under policy. Cheap to clone.
#[derive(Clone)]
pub struct Workbench {
    bench: Arc<Bench>,
}

/// What calls are judged, shown and run with.
struct Bench {
    store: Store,
    tools: Registry,
    settings: RwLock<WorkbenchSettings>,
    /// The policy of the start, which knows no sandbox and so asks more.
    first: Arc<Policy>,
    /// Built on first need, since looking what the kernel offers takes a few milliseconds.
    policy: RwLock<Option<Arc<Policy>>>,
    sandbox: Sandbox,
    redactor: Arc<Redactor>,
    /// Loads the compiler on first need.
    checker: Checker,
}

impl Workbench {
    /// Joins what it needs. A bad rule is found here.
    pub fn new(
        store: Store,
        tools: Registry,
        sandbox: Sandbox,
        settings: WorkbenchSettings,
        redactor: Arc<Redactor>,
    ) -> Result<Self, policy::BadRule> {
        let first = Arc::new(settings.policy(false)?);
        let (settings, policy) = (RwLock::new(settings), RwLock::new(None));
        let checker = Checker::new();
        let bench = Bench { store, tools, settings, first, policy, sandbox, redactor, checker };
        Ok(Self { bench: Arc::new(bench) })
    }

    /// Looks at files and programs on a thread that may block. `None` if that thread panicked.
    async fn look<T: Send + 'static>(&self, work: impl FnOnce(&Bench) -> T + Send + 'static) -> Option<T> {
        let bench = self.bench.clone();
        let looked = tokio::task::spawn_blocking(move || work(&bench)).await;
        looked.inspect_err(|error| tracing::error!(%error, "looking up what a call needs failed")).ok()
    }
}

impl Bench {
    fn settings(&self) -> WorkbenchSettings {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How much isolation commands get here.
    fn isolation(&self, settings: &WorkbenchSettings) -> Isolation {
        match (settings.sandboxed, self.sandbox.degraded()) {
            (false, _) => Isolation::Off,
            (true, None) => Isolation::Full,
            (true, Some(_)) => Isolation::Available,
        }
    }

    fn policy(&self) -> Arc<Policy> {
        let known = self.policy.read().unwrap_or_else(PoisonError::into_inner).clone();
        known.unwrap_or_else(|| self.build_policy())
    }

    fn build_policy(&self) -> Arc<Policy> {
        // Held while building, so that a rule learned meanwhile makes this one void and not the other way round.
        let mut slot = self.policy.write().unwrap_or_else(PoisonError::into_inner);
        let settings = self.settings();
        let sandbox_available = self.isolation(&settings) == Isolation::Full;
        let policy = settings.policy(sandbox_available).map(Arc::new).unwrap_or_else(|error| {
            // Rules are read when they come in; one that cannot be read now counts for nothing.
            tracing::error!(%error, "a rule cannot be read; the rules of the start stay in force");
            self.first.clone()
        });
        *slot = Some(policy.clone());
        policy
    }

    /// Changes the rules the owner made; if `change` says it did, the policy is built anew on next need.
    fn change_rules(&self, change: impl FnOnce(&mut Vec<String>) -> bool) {
        let mut settings = self.settings.write().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut settings.made_rules);
        // Given up first: whoever builds the policy holds that lock while reading the settings.
        drop(settings);
        if changed {
            *self.policy.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn opinion(&self, prepared: &Prepared, scene: &Scene) -> Opinion {
        self.policy().judge(&prepared.info(), &prepared.facts, scene.taint)
    }

    fn judge(&self, scene: &Scene, call: &Call) -> Judged {
        let prepared = match self.prepare(scene, call) {
            Ok(prepared) => prepared,
            Err(why) => return senseless(call, why),
        };
        let verdict = self.opinion(&prepared, scene).verdict;
        Judged::Verdict(Judgement { call: call.id, verdict, repeatable: prepared.info().labels.idempotent })
    }

    fn show(&self, scene: &Scene, call: &Call, expires_at: Timestamp) -> Option<AskedCall> {
        let prepared = self.prepare(scene, call).ok()?;
        let opinion = self.opinion(&prepared, scene);
        let Verdict::Ask { risk, reason } = opinion.verdict.clone() else { return None };
        let presentation = prepared.tool.present(&prepared.input);
        let (summary, details) = (present(&presentation.title), present(&presentation.detail));
        let mut flags: Vec<String> = Vec::new();
        for flag in summary.flags.into_iter().chain(details.flags).chain(opinion.notes) {
            // Nothing is said twice on one screen.
            if !flags.contains(&flag) && !reason.contains(&flag) {
                flags.push(flag);
            }
        }
        Some(AskedCall {
            call: call.id,
            tool: call.tool.clone(),
            summary: summary.text,
            details: details.text,
            risk,
            reason,
            flags,
            cwd: prepared.workspace.display().to_string(),
            confinement: prepared.confinement(),
            rules: self.policy().suggest_rules(&prepared.info()),
            fingerprint: prepared.fingerprint(scene, expires_at),
        })
    }

    /// Why the call may not run now, if it may not.
    fn refusal(
        &self,
        scene: &Scene,
        prepared: &Prepared,
        approved: Option<&Approved>,
    ) -> Option<&'static str> {
        let verdict = self.opinion(prepared, scene).verdict;
        let Some(approved) = approved else {
            return (verdict != Verdict::Allow)
                .then_some("this is no longer allowed unasked; propose it again");
        };
        if matches!(verdict, Verdict::Deny { .. }) {
            return Some("it is denied now, though it was approved before");
        }
        // A crash may lie between the decision and here, and any length of time.
        if approved.expires_at <= Timestamp::now() {
            return Some("the approval has expired");
        }
        let same = prepared.fingerprint(scene, approved.expires_at) == approved.fingerprint;
        (!same).then_some("what would run now is not what was approved (the command, a program or script it names, or its folder changed); propose it again")
    }

    /// The call ready to run, or why it does not.
    fn ready(
        &self,
        scene: &Scene,
        call: &Call,
        approved: Option<&Approved>,
    ) -> Result<Prepared, (CallStatus, String)> {
        let prepared = self.prepare(scene, call).map_err(|why| (CallStatus::Failed, why))?;
        match self.refusal(scene, &prepared, approved) {
            Some(reason) => Err((CallStatus::Denied, format!("Denied: {reason}"))),
            None => Ok(prepared),
        }
    }

    async fn run(&self, scene: &Scene, call: &Call, prepared: Prepared) -> CallResult {
        let (at, tool) = (scene.at.clone(), call.tool.clone());
        let house = Arc::new(House::new(self.store.clone(), at, tool, self.redactor.clone()));
        let labels = prepared.info().labels;
        let reaches_out = prepared.reaches_out();
        let (tool, input, context) = prepared.into_context(scene, call.id, house);
        let mut result = tool.execute(input, &context).await.into_result(call.id);
        failpoint::hit("call.acted");
        // Redaction happens here, before the result becomes an event.
        if let Cow::Owned(redacted) = self.redactor.redact(&result.output) {
            result.output = redacted;
        }
        result.value = result.value.filter(|_| scene.program);
        if let Some(value) = &mut result.value {
            redact_data(&self.redactor, value);
        }
        result.untrusted |= labels.brings_untrusted || reaches_out;
        result.private |= labels.reads_private;
        result
    }
}

impl Hands for Workbench {
    fn offered<'a>(
        &'a self,
        session: &'a SessionKey,
        writes_programs: bool,
    ) -> BoxFuture<'a, Vec<ToolDefinition>> {
        Box::pin(async move {
            let settings = self.bench.settings();
            let mut offered = self.bench.tools.definitions();
            offered.retain(|tool| !settings.hides(session, &tool.name));
            // The model can do without them for once; the error is in the log.
            let clients = self.bench.client_tools(session).await.unwrap_or_default();
            offered.extend(clients.into_iter().map(clients::definition));
            let mode = if writes_programs { settings.code_mode } else { CodeMode::Off };
            mode.offered(offered)
        })
    }

    fn judge<'a>(&'a self, scene: &'a Scene, calls: &'a [Call]) -> BoxFuture<'a, Vec<Judged>> {
        let (at, calls) = (scene.clone(), calls.to_vec());
        Box::pin(async move {
            // What cannot be looked up is not judged, and what is not judged does not run.
            let Some(clients) = self.bench.client_tools(&scene.at.session).await else { return Vec::new() };
            let judging = self.look(move |bench| {
                let mode = bench.settings().code_mode;
                let judge = |call: &Call| match clients.iter().find(|tool| tool.name == call.tool) {
                    Some(tool) => bench.judge_for_client(tool, call),
                    None if mode.has(&call.tool) => bench.judge_own(call),
                    None => bench.judge(&at, call),
                };
                calls.iter().map(judge).collect()
            });
            judging.await.unwrap_or_default()
        })
    }

    fn show<'a>(
        &'a self,
        scene: &'a Scene,
        calls: &'a [Call],
        expires_at: Timestamp,
    ) -> BoxFuture<'a, Vec<AskedCall>> {
        let (scene, calls) = (scene.clone(), calls.to_vec());
        let showing = self.look(move |bench| {
            let mode = bench.settings().code_mode;
            let show = |call: &Call| match mode.has(&call.tool) {
                true => bench.show_own(&scene, call, expires_at),
                false => bench.show(&scene, call, expires_at),
            };
            calls.iter().filter_map(show).collect()
        });
        Box::pin(async move { showing.await.unwrap_or_default() })
    }

    fn run<'a>(
        &'a self,
        scene: &'a Scene,
        call: &'a Call,
        approved: Option<&'a Approved>,
    ) -> BoxFuture<'a, CallResult> {
        if self.bench.settings().code_mode.has(&call.tool) {
            return Box::pin(self.tell_of_tools(scene, call));
        }
        let (at, asked, approved) = (scene.clone(), call.clone(), approved.cloned());
        let readying = self.look(move |bench| bench.ready(&at, &asked, approved.as_ref()));
        Box::pin(async move {
            match readying.await {
                Some(Ok(prepared)) => self.bench.run(scene, call, prepared).await,
                Some(Err((status, why))) => CallResult::new(call.id, status, why),
                None => {
                    CallResult::new(call.id, CallStatus::Failed, "Failed: the call could not be made ready.")
                }
            }
        })
    }

    fn check<'a>(&'a self, scene: &'a Scene, call: &'a Call) -> BoxFuture<'a, Result<Program, String>> {
        Box::pin(self.check_program(scene, call))
    }

    fn host(&self) -> Host {
        self.program_host()
    }

    fn foresee<'a>(
        &'a self,
        program: &'a code::Program,
        recorded: &'a Recorded,
    ) -> BoxFuture<'a, Vec<Foreseen>> {
        Box::pin(self.foresee_calls(program, recorded))
    }

    fn expect(&self, tool: &str) {
        // The model takes longer to write a program than the compiler to load.
        if tool == RUN_CODE && self.bench.settings().code_mode != CodeMode::Off {
            self.bench.checker.warm();
        }
    }

    fn learn(&self, rule: &str) {
        self.bench.change_rules(|rules| {
            let is_new = !rules.iter().any(|known| known == rule);
            if is_new {
                rules.push(rule.to_owned());
            }
            is_new
        });
    }

    fn forget(&self, rule: &str) {
        self.bench.change_rules(|rules| {
            let before = rules.len();
            rules.retain(|known| known != rule);
            rules.len() != before
        });
    }
}

fn senseless(call: &Call, why: String) -> Judged {
    Judged::Senseless(CallResult::new(call.id, CallStatus::Failed, why))
}
