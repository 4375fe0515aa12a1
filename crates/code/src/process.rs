//! The process a program runs in: which command it is, and what the sandbox leaves it. What is said to it is `runner`'s
//! business, what it does is `host`'s.

use crate::{
    host::{HOST_COMMAND, UNCONFINED},
    limits::Limits,
};
use sandbox::{
    CommandSpec, Isolation, Output, OutputCaps, Profile, Running, Sandbox, SpawnError, Stdin, Stream,
};
use std::path::PathBuf;

/// What the process needs besides the program's own memory: its code, the frames, the compiler.
const PROCESS_BYTES: u64 = 160 << 20;
/// Seconds of processor time the process has beyond the program's, in which it stops the program itself.
const CPU_GRACE_SECONDS: u64 = 2;
/// What a loader needs to start the process. Everything else at the top of the file system is hidden from it.
const SHOWN: &[&str] = &[
    "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "nix", "gnu", "dev", "proc", "sys", "tmp",
];

/// Where programs run. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Host {
    sandbox: Sandbox,
    argv: Vec<String>,
    isolation: Isolation,
}

impl Host {
    /// Programs run in processes of this very binary, and only fully confined.
    pub fn new(sandbox: Sandbox) -> Self {
        Self::with_command(sandbox, ["/proc/self/exe", HOST_COMMAND])
    }

    /// The same with another command that calls [`crate::host_main`].
    pub fn with_command(sandbox: Sandbox, argv: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let argv = argv.into_iter().map(Into::into).collect();
        Self { sandbox, argv, isolation: Isolation::Full }
    }

    /// The same with less isolation than full, which is the owner's to say. The engine's own limits stay.
    #[must_use]
    pub fn with_isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    fn profile(&self, limits: &Limits) -> Profile {
        // Without mounts of its own the process could not be started from a place that is hidden.
        let top = self.sandbox.primitives().namespaces.then(|| std::fs::read_dir("/"));
        let top = top.into_iter().flatten().flatten().flatten();
        let hidden = top.filter(|entry| !SHOWN.iter().any(|name| entry.file_name() == *name));
        // A folder must be named; a device that cannot be opened as one leaves nothing to write to.
        let mut profile = Profile::new("/dev/null");
        profile.hidden = hidden.map(|entry| entry.path()).collect::<Vec<PathBuf>>();
        profile.env = vec![("TZ".to_owned(), "UTC0".to_owned())];
        profile.isolation = self.isolation;
        profile.limits = sandbox::Limits {
            cpu_seconds: limits.cpu_ms.div_ceil(1000) + CPU_GRACE_SECONDS,
            memory_bytes: limits.memory_bytes as u64 + PROCESS_BYTES,
            // The command, and the process that watches it.
            processes: 8,
            open_files: 64,
            file_bytes: 0,
            tmp_bytes: 1 << 20,
        };
        profile
    }

    /// Starts a process, with the pipe it reads from.
    pub(crate) async fn spawn(&self, limits: &Limits) -> Result<(Running, Stream), SpawnError> {
        let mut spec = CommandSpec::new(self.argv.clone(), "/");
        if self.isolation != Isolation::Full {
            spec.argv.push(UNCONFINED.to_owned());
        }
        (spec.stdin, spec.output, spec.timeout) = (Stdin::Piped, Output::StdoutOnly, None);
        spec.caps = OutputCaps { head_bytes: 0, tail_bytes: 0 };
        let mut running = self.sandbox.spawn(&self.profile(limits), spec).await?;
        let input = running.take_input().ok_or(SpawnError::HelperGone)?;
        Ok((running, input))
    }
}
