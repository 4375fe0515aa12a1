//! Hands for tests: tools that wait, finish, panic, or ask, and count what they did.

use agent::{Hands, Judged, Scene};
use futures::future::BoxFuture;
use protocol::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

#[derive(Default)]
pub struct TestHands {
    /// How many calls run right now, and how many ever came to their end.
    pub running: AtomicUsize,
    pub finished: AtomicUsize,
    /// Lets one waiting call end.
    pub go_on: Notify,
}

/// Counts a call as running for as long as its future lives.
struct Running<'a>(&'a AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Hands for TestHands {
    fn offered<'a>(
        &'a self,
        _session: &'a SessionKey,
        _writes_programs: bool,
    ) -> BoxFuture<'a, Vec<ToolDefinition>> {
        Box::pin(async { Vec::new() })
    }

    fn judge<'a>(&'a self, _scene: &'a Scene, calls: &'a [Call]) -> BoxFuture<'a, Vec<Judged>> {
        let verdict = |call: &Call| match call.tool.as_str() {
            "forgotten" => None,
            "forbidden" => Some(Verdict::Deny { reason: "never".into() }),
            _ => Some(Verdict::Allow),
        };
        let judge = move |call: &Call| {
            let verdict = verdict(call)?;
            Some(Judged::Verdict(Judgement { call: call.id, verdict, repeatable: false }))
        };
        Box::pin(async move {
            assert!(!calls.iter().any(|call| call.tool == "crash-judge"), "the judge crashes");
            calls.iter().filter_map(judge).collect()
        })
    }

    fn show<'a>(
        &'a self,
        _scene: &'a Scene,
        _calls: &'a [Call],
        _expires_at: jiff::Timestamp,
    ) -> BoxFuture<'a, Vec<AskedCall>> {
        Box::pin(async { Vec::new() })
    }

    fn run<'a>(
        &'a self,
        _scene: &'a Scene,
        call: &'a Call,
        _approved: Option<&'a Approved>,
    ) -> BoxFuture<'a, CallResult> {
        Box::pin(async move {
            self.running.fetch_add(1, Ordering::SeqCst);
            let _running = Running(&self.running);
            match call.tool.as_str() {
                "wait" => self.go_on.notified().await,
                "crash" => panic!("the tool crashes"),
                _ => {}
            }
            self.finished.fetch_add(1, Ordering::SeqCst);
            CallResult::new(call.id, CallStatus::Succeeded, format!("{} is done", call.tool))
        })
    }

    fn check<'a>(&'a self, _scene: &'a Scene, _call: &'a Call) -> BoxFuture<'a, Result<Program, String>> {
        Box::pin(async { Err("no programs here".to_owned()) })
    }

    fn host(&self) -> code::Host {
        code::Host::new(sandbox::Sandbox::detect())
    }

    fn foresee<'a>(
        &'a self,
        _program: &'a code::Program,
        _recorded: &'a code::Recorded,
    ) -> BoxFuture<'a, Vec<Foreseen>> {
        Box::pin(async { Vec::new() })
    }

    fn expect(&self, _tool: &str) {}

    fn learn(&self, _rule: &str) {}

    fn forget(&self, _rule: &str) {}
}
