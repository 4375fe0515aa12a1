//! May this call run? Rules, presets, shell analysis, places, taint, the approval fingerprint, text for
//! approval screens, and redaction of secrets.
//!
//! Pure: it knows neither IO nor async nor the clock nor sessions. Because it cannot look at the disk it is
//! asked in two steps: [`Policy::needs`] names the paths and programs to look up, the driver looks, and
//! [`Policy::judge`] answers from what was found. What is not understood is asked, never allowed. The kernel
//! sandbox enforces; this room decides what the owner has to see first.
//!
//! Reading order: `settings` is what the owner configured, `call` is what is asked and what was found, `place`
//! knows files and folders, `rule` the owner's rules, `shell` takes a script apart, `sight` says what any call
//! would do, `judge` decides, `usual` says beforehand what to expect. `fingerprint`, `present`, `suggest` and `redact` serve the approval around it.

mod settings;
mod call;
mod place;
mod rule;
mod shell;
mod sight;
mod judge;
mod usual;
mod fingerprint;
mod present;
mod suggest;
mod redact;
mod secret_rules;

pub use call::{Access, CallInfo, ExecutableFact, Facts, Judged, Needs, PathFact, PathNeed, Resolved, Taint};
pub use fingerprint::{Fingerprint, Fingerprinted, fingerprint};
pub use judge::Policy;
pub use present::{Presented, present};
pub use protocol::Labels;
pub use redact::Redactor;
pub use rule::BadRule;
pub use settings::{
    DEFAULT_ALLOWED_COMMANDS, DEFAULT_EXTRA_VALIDATION, Places, PolicySettings, Preset, RuleSettings,
};
pub use usual::Usually;

#[cfg(test)]
mod tests;
