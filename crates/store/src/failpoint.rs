//! Named points at which a test may kill the process. Without the `failpoints` feature they are nothing.

/// What the environment variable names to die at a point, such as `after:model.done`, or `call.acted#3` for the third time
/// it is come by.
pub const VARIABLE: &str = "STEWARD_FAILPOINT";

/// Every point a turn without calls comes by; the crash test visits each. `before:` and `after:` stand around a
/// commit.
pub const PLAIN: &[&str] = &[
    "before:accept",
    "after:accept",
    "before:claim",
    "after:claim",
    "before:model.asked",
    "after:model.asked",
    "model.first-delta",
    "model.last-delta",
    "before:model.done",
    "after:model.done",
    "before:finish",
    "after:finish",
    "projection.half-line",
    "projection.line",
    "before:cursors",
    "after:cursors",
];

/// Every further point a turn with a call that is asked comes by.
pub const CALLS: &[&str] = &[
    "before:calls.judged",
    "after:calls.judged",
    "before:approval.requested",
    "after:approval.requested",
    "before:decide",
    "after:decide",
    "before:call.started",
    "after:call.started",
    "call.acted",
    "before:call.done",
    "after:call.done",
];

/// Every point a program comes by, from passing its check to its end, most of them again and again.
pub const PROGRAMS: &[&str] = &[
    "before:program.started",
    "after:program.started",
    "before:program.asked",
    "after:program.asked",
    "before:calls.judged",
    "after:calls.judged",
    "before:call.started",
    "after:call.started",
    "call.acted",
    "before:call.done",
    "after:call.done",
    "program.told",
    "before:program.ended",
    "after:program.ended",
];

/// Every further point a turn with a call that a client runs comes by.
pub const CLIENTS: &[&str] =
    &["before:client.asked", "after:client.asked", "before:client.result", "after:client.result"];

/// Every further point a standing order comes by, from being given to its word being delivered.
pub const ORDERS: &[&str] = &[
    "before:add job",
    "after:add job",
    "before:fire",
    "after:fire",
    "before:deliver",
    "after:deliver",
    "before:take hook",
    "after:take hook",
    "before:cancel task",
    "after:cancel task",
];

/// Dies here, as by `kill -9`, if the environment asks for it.
#[cfg(feature = "failpoints")]
pub fn hit(name: &str) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static WANTED: std::sync::OnceLock<Option<(String, u32)>> = std::sync::OnceLock::new();
    static TIMES: AtomicU32 = AtomicU32::new(0);
    let wanted = || std::env::var(VARIABLE).ok().map(|wanted| place_and_time(&wanted));
    let Some((place, time)) = WANTED.get_or_init(wanted) else { return };
    if place == name && TIMES.fetch_add(1, Ordering::SeqCst) + 1 == *time {
        let killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        tracing::error!(name, ?killed, "the process should be dead");
    }
}

/// `name#3` is the third time, `name` the first.
#[cfg(feature = "failpoints")]
fn place_and_time(wanted: &str) -> (String, u32) {
    let counted = wanted.split_once('#').and_then(|(name, time)| Some((name, time.parse().ok()?)));
    let (name, time) = counted.unwrap_or((wanted, 1));
    (name.to_owned(), time)
}

/// Dies before or after the commit of `label`, if the environment asks for it.
#[cfg(feature = "failpoints")]
pub(crate) fn around(side: &str, label: &str) {
    hit(&format!("{side}:{label}"));
}

/// Nothing: this build has no failpoints.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn hit(_name: &str) {}

#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub(crate) fn around(_side: &str, _label: &str) {}
