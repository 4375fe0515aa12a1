//! What this kernel offers for confining a command, and what its absence means for the owner.
//!
//! `helper::probe` finds out, `Sandbox` keeps the answer. Nothing here decides whether to go on without one.

use serde::{Deserialize, Serialize};

/// What was found to work, by trying it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Primitives {
    /// User, mount, pid, ipc and uts namespaces, with the mounts made in them.
    pub namespaces: bool,
    /// A `/proc` that shows only the command's own processes.
    pub fresh_proc: bool,
    /// A network namespace of its own.
    pub network_namespace: bool,
    /// Landlock's ABI; 0 without Landlock.
    pub landlock_abi: u32,
    /// System call filters.
    pub seccomp: bool,
    /// The gateway runs as root.
    pub root: bool,
    /// Why a namespace could not be made or filled, in the kernel's words.
    pub trouble: Option<String>,
}

/// One primitive, for `doctor` and the start-up warnings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Primitive {
    /// What it is called.
    pub name: &'static str,
    /// Whether it can be had here.
    pub available: bool,
    /// What its absence means, in plain words.
    pub consequence: String,
}

/// Isolation the caller insisted on and this machine cannot give. The caller may ask the owner and try again with
/// [`crate::Isolation::Available`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("the sandbox is incomplete on this machine: {}", .missing.iter().map(|missing| missing.name).collect::<Vec<_>>().join(", "))]
pub struct Degraded {
    /// What is missing.
    pub missing: Vec<Primitive>,
}

impl Primitives {
    /// Every primitive with its consequence, the most important first.
    pub fn report(&self) -> Vec<Primitive> {
        let trouble = self.trouble.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
        let row = |name, available, consequence: &str| Primitive {
            name,
            available,
            consequence: consequence.to_owned(),
        };
        vec![
            row(
                "namespaces",
                self.namespaces,
                &format!(
                    "commands see the machine's own files and processes; secrets are kept from them by Landlock \
                     alone, which lets them see names, sizes and modes, and a process may outlive its command{trouble}"
                ),
            ),
            row(
                "fresh /proc",
                self.fresh_proc,
                "commands see the names and arguments of every process on the machine",
            ),
            row(
                "network namespace",
                self.network_namespace,
                "allowing single hosts is not possible: commands run without any network",
            ),
            row(
                "Landlock",
                self.landlock_abi >= 1,
                "only the mount namespace keeps commands from writing elsewhere",
            ),
            row(
                "Landlock scopes",
                self.landlock_abi >= 6,
                "signals and abstract sockets are confined by namespaces and the system call filter alone",
            ),
            row(
                "seccomp",
                self.seccomp,
                "commands can reach local sockets such as docker's, and the kernel's riskier calls",
            ),
            row(
                "ordinary user",
                !self.root,
                "Steward runs as root: commands keep root's files within reach; run it as an ordinary user",
            ),
        ]
    }

    /// What keeps isolation from being whole, or nothing. Running as root is a warning, not a lack.
    pub fn degraded(&self) -> Option<Degraded> {
        let whole = ["Landlock scopes", "ordinary user"];
        let missing: Vec<_> =
            self.report().into_iter().filter(|row| !row.available && !whole.contains(&row.name)).collect();
        (!missing.is_empty()).then_some(Degraded { missing })
    }

    /// Whether anything at all can be confined.
    pub fn any(&self) -> bool {
        self.namespaces || (self.landlock_abi > 0 && self.seccomp)
    }
}
