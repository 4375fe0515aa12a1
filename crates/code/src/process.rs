//! The process a program runs in, and what the sandbox leaves it. What is said to it is `runner`'s
//! business, what it does is `host`'s.

use crate::{
    host::{NAME, UNCONFINED},
    limits::Limits,
};
use sandbox::{
    CommandSpec, Isolation, Output, OutputCaps, Profile, Running, Sandbox, SpawnError, Stdin, Stream,
};

/// What the process needs besides the program's own memory: its code, the frames, the compiler.
const PROCESS_BYTES: u64 = 160 << 20;
/// Seconds of processor time the process has beyond the program's, in which it stops the program itself.
const CPU_GRACE_SECONDS: u64 = 2;

/// Where programs run. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Host {
    sandbox: Sandbox,
    /// A program to start instead; none for the sandbox's own binary.
    program: Option<Vec<String>>,
    isolation: Isolation,
}

impl Host {
    /// Programs run in processes of the sandbox's own binary, which must have handed it [`crate::host_main`], and only
    /// fully confined.
    pub fn new(sandbox: Sandbox) -> Self {
        Self { sandbox, program: None, isolation: Isolation::Full }
    }

    /// The same with another program in the place of the process, to try out what is believed of it.
    pub fn with_command(sandbox: Sandbox, argv: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { program: Some(argv.into_iter().map(Into::into).collect()), ..Self::new(sandbox) }
    }

    /// The same with less isolation than full, which is the owner's to say. The engine's own limits stay.
    #[must_use]
    pub fn with_isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    fn profile(&self, limits: &Limits) -> Profile {
        // A folder must be named; a device that cannot be opened as one leaves nothing to write to.
        let mut profile = Profile::new("/dev/null");
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
        let mut spec = CommandSpec::new(self.program.clone().unwrap_or_else(|| vec![NAME.to_owned()]), "/");
        spec.own = self.program.is_none();
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
