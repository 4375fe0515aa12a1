//! The agent's real hands: policy judges, the owner is shown, tools run in the sandbox. What was shown is
//! what runs: everything a call depends on is looked up again at the moment of running and must be the same.

mod outside;
mod prepare;

pub(crate) use outside::tell_of_lost;

use crate::hands::{Hands, Judged, Scene};
use futures::future::BoxFuture;
use jiff::Timestamp;
use outside::House;
use policy::{Judged as Opinion, Policy, PolicySettings, Redactor, present};
use prepare::Prepared;
use protocol::{
    Approved, AskedCall, Call, CallResult, CallStatus, Judgement, SessionKey, ToolDefinition, Verdict,
};
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
        let first = PolicySettings { sandbox_available: false, ..settings.policy.clone() };
        let first = Arc::new(Policy::new(first)?);
        let (settings, policy) = (RwLock::new(settings), RwLock::new(None));
        Ok(Self { bench: Arc::new(Bench { store, tools, settings, first, policy, sandbox, redactor }) })
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
        let built = Policy::new(PolicySettings { sandbox_available, ..settings.policy });
        let policy = built.map(Arc::new).unwrap_or_else(|error| {
            // Rules are read when they come in; one that cannot be read now counts for nothing.
            tracing::error!(%error, "a rule cannot be read; the rules of the start stay in force");
            self.first.clone()
        });
        *slot = Some(policy.clone());
        policy
    }

    fn opinion(&self, prepared: &Prepared, scene: &Scene) -> Opinion {
        self.policy().judge(&prepared.info(), &prepared.facts, scene.taint)
    }

    fn judge(&self, scene: &Scene, call: &Call) -> Judged {
        let prepared = match self.prepare(call) {
            Ok(prepared) => prepared,
            Err(why) => return Judged::Senseless(CallResult::new(call.id, CallStatus::Failed, why)),
        };
        let verdict = self.opinion(&prepared, scene).verdict;
        Judged::Verdict(Judgement { call: call.id, verdict, repeatable: prepared.info().labels.idempotent })
    }

    fn show(&self, scene: &Scene, call: &Call, expires_at: Timestamp) -> Option<AskedCall> {
        let prepared = self.prepare(call).ok()?;
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

    /// The call ready to run, or the result that says why it does not.
    fn ready(&self, scene: &Scene, call: &Call, approved: Option<&Approved>) -> Result<Prepared, CallResult> {
        let prepared = self.prepare(call).map_err(|why| CallResult::new(call.id, CallStatus::Failed, why))?;
        match self.refusal(scene, &prepared, approved) {
            Some(reason) => Err(CallResult::new(call.id, CallStatus::Denied, format!("Denied: {reason}"))),
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
        result.untrusted |= labels.brings_untrusted || reaches_out;
        result.private |= labels.reads_private;
        result
    }
}

impl Hands for Workbench {
    fn offered(&self, _session: &SessionKey) -> Vec<ToolDefinition> {
        self.bench.tools.definitions()
    }

    fn judge<'a>(&'a self, scene: &'a Scene, calls: &'a [Call]) -> BoxFuture<'a, Vec<Judged>> {
        let (scene, calls) = (scene.clone(), calls.to_vec());
        let judging = self.look(move |bench| calls.iter().map(|call| bench.judge(&scene, call)).collect());
        Box::pin(async move { judging.await.unwrap_or_default() })
    }

    fn show<'a>(
        &'a self,
        scene: &'a Scene,
        calls: &'a [Call],
        expires_at: Timestamp,
    ) -> BoxFuture<'a, Vec<AskedCall>> {
        let (scene, calls) = (scene.clone(), calls.to_vec());
        let showing = self.look(move |bench| {
            calls.iter().filter_map(|call| bench.show(&scene, call, expires_at)).collect()
        });
        Box::pin(async move { showing.await.unwrap_or_default() })
    }

    fn run<'a>(
        &'a self,
        scene: &'a Scene,
        call: &'a Call,
        approved: Option<&'a Approved>,
    ) -> BoxFuture<'a, CallResult> {
        let (at, asked, approved) = (scene.clone(), call.clone(), approved.cloned());
        let readying = self.look(move |bench| bench.ready(&at, &asked, approved.as_ref()));
        Box::pin(async move {
            match readying.await {
                Some(Ok(prepared)) => self.bench.run(scene, call, prepared).await,
                Some(Err(result)) => result,
                None => {
                    CallResult::new(call.id, CallStatus::Failed, "Failed: the call could not be made ready.")
                }
            }
        })
    }

    fn learn(&self, rule: &str) {
        {
            let mut settings = self.bench.settings.write().unwrap_or_else(PoisonError::into_inner);
            let allow = &mut settings.policy.rules.allow;
            if allow.iter().any(|known| known == rule) {
                return;
            }
            allow.push(rule.to_owned());
        }
        *self.bench.policy.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
