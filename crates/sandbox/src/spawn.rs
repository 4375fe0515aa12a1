//! Starts a command: the one place in the house where a process comes from.
//!
//! Starts only the helper, by plain `posix_spawn`, so the cost does not grow with the gateway; the helper does the
//! confining and `running` follows what was started.

use crate::{
    command::{CommandSpec, Finished, Output, Stdin},
    control::{self, Order, Report, RunOrder},
    primitive::{Degraded, Primitive, Primitives},
    profile::{Isolation, Network, Profile},
    running::{Parts, Running},
    stream::Stream,
};
use rustix::{
    fd::{AsFd as _, BorrowedFd, OwnedFd},
    net::sockopt::Timeout,
    pty::OpenptFlags,
    termios::Winsize,
};
use std::{
    ffi::OsString,
    io,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Arc, OnceLock},
    time::Duration,
};

/// How long a probe may take before the helper counts as broken.
const PROBE_PATIENCE: Duration = Duration::from_secs(10);

/// Runs commands inside limits. Cheap to clone; knows what this machine offers.
#[derive(Debug, Clone)]
pub struct Sandbox {
    helper: Helper,
    /// What the machine offers, found out on first need.
    primitives: Arc<OnceLock<Primitives>>,
}

/// The program that calls [`crate::helper::main`].
#[derive(Debug, Clone)]
pub struct Helper {
    /// Its path.
    pub program: PathBuf,
    /// What makes it call the helper.
    pub args: Vec<OsString>,
}

/// Why a command did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The isolation demanded is not to be had here.
    #[error(transparent)]
    Degraded(#[from] Degraded),
    /// The command cannot be one: no program, or a NUL in a word.
    #[error("not a command: {0}")]
    BadCommand(&'static str),
    /// The helper could not confine it, so it was not run.
    #[error("the sandbox could not {step}: {error}")]
    Setup {
        /// What it was doing.
        step: String,
        /// What the kernel said.
        error: String,
    },
    /// The helper went away without a word.
    #[error("the sandbox helper ended early")]
    HelperGone,
    /// The helper could not be started or spoken to.
    #[error("the sandbox helper could not be started")]
    Io(#[from] io::Error),
}

impl Default for Helper {
    /// This very program, even after its file was replaced by a newer version.
    fn default() -> Self {
        Self { program: "/proc/self/exe".into(), args: vec!["sandbox-exec".into()] }
    }
}

impl Sandbox {
    /// A sandbox of this program's own helper. What the machine offers is found out on first need.
    pub fn detect() -> Self {
        Self::detect_with(Helper::default())
    }

    /// The same with another helper.
    pub fn detect_with(helper: Helper) -> Self {
        Self { helper, primitives: Arc::default() }
    }

    /// The same sandbox as if this machine offered only this: for tests and for trying out a poorer machine.
    pub fn limited_to(&self, primitives: Primitives) -> Self {
        Self { helper: self.helper.clone(), primitives: Arc::new(OnceLock::from(primitives)) }
    }

    /// What this machine offers, found out by trying it. The first call takes some milliseconds and blocks.
    pub fn primitives(&self) -> &Primitives {
        self.primitives.get_or_init(|| {
            probe(&self.helper).unwrap_or_else(|error| Primitives {
                trouble: Some(format!("the sandbox helper could not be started: {error}")),
                ..Primitives::default()
            })
        })
    }

    /// Every primitive with what its absence means, for `doctor` and the start-up warnings.
    pub fn report(&self) -> Vec<Primitive> {
        self.primitives().report()
    }

    /// What keeps isolation from being whole, so that the caller can ask more.
    pub fn degraded(&self) -> Option<Degraded> {
        self.primitives().degraded()
    }

    /// Starts a command. It is running, confined, when this returns.
    pub async fn spawn(&self, profile: &Profile, spec: CommandSpec) -> Result<Running, SpawnError> {
        let primitives = self.granted(profile)?;
        check(profile, &spec)?;
        let (ours, theirs) = control::pair()?;
        let wires = Wires::new(&spec)?;
        let order = Order::Run(Box::new(RunOrder {
            profile: profile.clone(),
            argv: spec.argv.clone(),
            cwd: spec.cwd.clone(),
            cwd_identity: spec.cwd_identity,
            primitives,
            stdin_passed: wires.passed.is_some(),
            terminal: matches!(spec.output, Output::Terminal { .. }),
            drop_stderr: spec.output == Output::StdoutOnly,
            own: spec.own,
            approved: spec.approved.iter().map(|copy| (copy.path.clone(), copy.mode)).collect(),
        }));
        let fds: Vec<BorrowedFd<'_>> = wires.passed.iter().map(|fd| fd.as_fd()).collect();
        let fds = [fds, spec.approved.iter().map(|copy| copy.as_fd()).collect()].concat();
        control::send_order(&ours, &order, &fds)?;
        let mut command = self.helper.command(theirs);
        command.stdout(wires.stdout).stderr(wires.stderr);
        let child = tokio::process::Command::from(command).spawn()?;
        drop(wires.passed);
        let parts = Parts { control: Stream::new(ours)?, child, output: wires.output, input: wires.input };
        let rules = match &profile.network {
            Network::None => Vec::new(),
            Network::Hosts(rules) => rules.clone(),
        };
        Running::start(parts, rules, spec.timeout, spec.caps).await
    }

    /// Runs a command to its end. `on_output` sees every piece as it is written.
    pub async fn run(
        &self,
        profile: &Profile,
        spec: CommandSpec,
        mut on_output: impl FnMut(&[u8]) + Send,
    ) -> Result<Finished, SpawnError> {
        let mut running = self.spawn(profile, spec).await?;
        while let Some(piece) = running.next().await {
            on_output(&piece);
        }
        Ok(running.finish().await)
    }

    /// What to apply, or what is lacking. Nothing is ever left out that the caller has not accepted.
    fn granted(&self, profile: &Profile) -> Result<Primitives, Degraded> {
        let degraded = self.degraded().unwrap_or(Degraded { missing: Vec::new() });
        let needs_proxy = matches!(profile.network, Network::Hosts(_));
        match profile.isolation {
            Isolation::Off => Ok(Primitives::default()),
            Isolation::Full if !degraded.missing.is_empty() => Err(degraded),
            _ if !self.primitives().any() => Err(degraded),
            // Something has to close the network.
            _ if !self.primitives().network_namespace && !self.primitives().seccomp => Err(degraded),
            // The proxy is the only way out there is, and it needs a network of its own to stand in.
            _ if needs_proxy && !(self.primitives().namespaces && self.primitives().network_namespace) => {
                Err(degraded)
            }
            _ => Ok(self.primitives().clone()),
        }
    }
}

impl Helper {
    /// The helper's command line; every process of the house is started with this.
    fn command(&self, control: OwnedFd) -> Command {
        let mut command = Command::new(&self.program);
        // Its own process group: a Ctrl-C in the owner's terminal is the gateway's to answer.
        command.args(&self.args).env_clear().stdin(Stdio::from(control)).process_group(0);
        command
    }
}

/// What the command reads from and writes to, and the gateway's ends of it.
struct Wires {
    stdout: Stdio,
    stderr: Stdio,
    /// The command's input, or the terminal that is both.
    passed: Option<OwnedFd>,
    output: Stream,
    input: Option<Stream>,
}

impl Wires {
    fn new(spec: &CommandSpec) -> io::Result<Self> {
        if let Output::Terminal { rows, columns } = spec.output {
            return Self::terminal(rows, columns);
        }
        let (output, writer) = io::pipe()?;
        let stderr = if spec.output == Output::Merged { writer.try_clone()?.into() } else { Stdio::null() };
        let (passed, input) = match spec.stdin {
            Stdin::Null => (None, None),
            Stdin::Piped => {
                let (reader, writer) = io::pipe()?;
                (Some(reader.into()), Some(Stream::new(writer.into())?))
            }
        };
        let output = Stream::new(output.into())?;
        Ok(Self { stdout: writer.into(), stderr, passed, output, input })
    }

    fn terminal(rows: u16, columns: u16) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = rustix::pty::openpt(flags)?;
        rustix::pty::grantpt(&ours)?;
        rustix::pty::unlockpt(&ours)?;
        let theirs = rustix::pty::ioctl_tiocgptpeer(&ours, flags)?;
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&theirs, size)?;
        let input = Stream::new(ours.try_clone()?)?;
        Ok(Self {
            stdout: Stdio::null(),
            stderr: Stdio::null(),
            passed: Some(theirs),
            output: Stream::new(ours)?,
            input: Some(input),
        })
    }
}

fn check(profile: &Profile, spec: &CommandSpec) -> Result<(), SpawnError> {
    let words = spec.argv.iter().chain(profile.env.iter().flat_map(|(name, value)| [name, value]));
    if spec.argv.first().is_none_or(String::is_empty) {
        return Err(SpawnError::BadCommand("it names no program"));
    }
    if words.into_iter().any(|word| word.contains('\0')) {
        return Err(SpawnError::BadCommand("a word contains a NUL"));
    }
    if profile.env.iter().any(|(name, _)| name.is_empty() || name.contains('=')) {
        return Err(SpawnError::BadCommand("a variable's name is empty or contains `=`"));
    }
    Ok(())
}

fn probe(helper: &Helper) -> io::Result<Primitives> {
    let (ours, theirs) = control::pair()?;
    rustix::net::sockopt::set_socket_timeout(&ours, Timeout::Recv, Some(PROBE_PATIENCE))?;
    control::send_order(&ours, &Order::Probe, &[])?;
    let mut child = helper.command(theirs).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let found = control::receive_report(&ours);
    // It has answered and is ending, or it never will.
    child.kill()?;
    child.wait()?;
    match found? {
        Some((Report::Found(primitives), _)) => Ok(primitives),
        _ => Err(io::Error::other("it gave no answer")),
    }
}
