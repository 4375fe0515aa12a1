//! Follows a command that was started: what it writes, when its time is over, how it ended.
//!
//! Nothing here runs by itself: whoever holds a [`Running`] drives it by asking for the next piece of output, and
//! the command waits when nobody does. Dropping it kills the command with everything it started: the helper sees
//! the control socket close.

use crate::{
    capture::Capture,
    command::{Finished, OutputCaps},
    control::{self, Report},
    net::{HostRule, Proxy, Refusals},
    spawn::SpawnError,
    stream::Stream,
};
use rustix::fd::OwnedFd;
use std::{io, time::Duration};
use tokio::{
    process::Child,
    time::{Instant, sleep_until, timeout},
};

/// How long the helper may take to confine a command.
const SETUP_PATIENCE: Duration = Duration::from_secs(30);
/// How long after the end output may still come. Only a process that escaped its end can hold the pipe longer.
const DRAIN_PATIENCE: Duration = Duration::from_secs(2);
/// How long a killed command's helper may take to go; then the helper itself is killed, and the rest with it.
const KILL_PATIENCE: Duration = Duration::from_secs(5);
/// The largest piece of output handed on at once; a pipe holds as much.
const PIECE_BYTES: usize = 64 * 1024;

/// A command that is running.
#[derive(Debug)]
pub struct Running {
    control: Stream,
    child: Child,
    output: Option<Stream>,
    input: Option<Stream>,
    capture: Capture,
    deadline: Option<Instant>,
    /// When to stop waiting for a helper or an output that does not end.
    give_up: Option<Instant>,
    gone: bool,
    timed_out: bool,
    killed: bool,
    /// Ends with the command.
    _proxy: Option<Proxy>,
    refusals: Refusals,
}

/// What `spawn` hands over.
pub(crate) struct Parts {
    pub(crate) control: Stream,
    pub(crate) child: Child,
    pub(crate) output: Stream,
    pub(crate) input: Option<Stream>,
}

impl Running {
    /// Waits until the helper has everything in place.
    pub(crate) async fn start(
        parts: Parts,
        rules: Vec<HostRule>,
        time: Option<Duration>,
        caps: OutputCaps,
    ) -> Result<Self, SpawnError> {
        let refusals = Refusals::default();
        let ready = until_ready(&parts.control, rules, &refusals);
        let proxy = timeout(SETUP_PATIENCE, ready).await.map_err(|_| SpawnError::HelperGone)??;
        Ok(Self {
            control: parts.control,
            child: parts.child,
            output: Some(parts.output),
            input: parts.input,
            capture: Capture::new(caps),
            deadline: time.map(|time| Instant::now() + time),
            give_up: None,
            gone: false,
            timed_out: false,
            killed: false,
            _proxy: proxy,
            refusals,
        })
    }

    /// The helper's process id; it lives as long as the command.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// What the command reads, to be written from wherever suits; dropping it is the end of input.
    pub fn take_input(&mut self) -> Option<Stream> {
        self.input.take()
    }

    /// The next piece of output, or nothing when the command and all it started have ended. May be dropped and
    /// called again without losing anything. Its time limit is kept while someone waits here.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        let mut piece = vec![0; PIECE_BYTES];
        while !self.gone || self.output.is_some() {
            tokio::select! {
                read = read_some(&mut self.output, &mut piece), if self.output.is_some() => match read {
                    Ok(count) if count > 0 => {
                        piece.truncate(count);
                        self.capture.push(&piece);
                        return Some(piece);
                    }
                    Ok(_) | Err(_) => self.output = None,
                },
                _ = self.child.wait(), if !self.gone => {
                    self.gone = true;
                    self.deadline = None;
                    self.give_up = Some(Instant::now() + DRAIN_PATIENCE);
                }
                () = at(self.deadline) => {
                    self.timed_out = true;
                    self.stop();
                }
                () = at(self.give_up) => self.abandon(),
            }
        }
        None
    }

    /// Kills the command and everything it started. It has ended when [`Running::next`] says so.
    pub fn kill(&mut self) {
        if !self.gone && !self.timed_out {
            self.killed = true;
        }
        self.stop();
    }

    /// Waits for the end and says how it came.
    pub async fn finish(mut self) -> Finished {
        self.input = None;
        while self.next().await.is_some() {}
        let (exit, signal) = self.how_it_ended();
        Finished {
            exit,
            signal,
            output: self.capture.finish(),
            timed_out: self.timed_out,
            killed: self.killed,
            refused: self.refusals.list(),
        }
    }

    fn stop(&mut self) {
        self.deadline = None;
        self.give_up.get_or_insert(Instant::now() + KILL_PATIENCE);
        // The helper may be gone already; then so is everything else.
        rustix::net::shutdown(self.control.get_ref(), rustix::net::Shutdown::Both).unwrap_or_default();
    }

    /// Stops waiting for what should have ended by itself.
    fn abandon(&mut self) {
        self.give_up = Some(Instant::now() + KILL_PATIENCE);
        if self.gone {
            self.output = None;
        } else if let Err(error) = self.child.start_kill() {
            tracing::warn!(%error, "a sandbox helper could not be killed");
            self.gone = true;
        }
    }

    /// The helper's last words. Without any, it was killed, and the command with it.
    fn how_it_ended(&self) -> (Option<i32>, Option<i32>) {
        while let Ok(Some((report, _))) = control::receive_report(self.control.get_ref()) {
            if let Report::Exited { exit, signal } = report {
                return (exit, signal);
            }
        }
        (None, Some(rustix::process::Signal::KILL.as_raw()))
    }
}

/// Takes reports until the command starts, and starts the proxy on the way.
async fn until_ready(
    control: &Stream,
    rules: Vec<HostRule>,
    refusals: &Refusals,
) -> Result<Option<Proxy>, SpawnError> {
    let mut proxy = None;
    loop {
        let report = control.when_readable(|fd: &OwnedFd| control::receive_report(fd)).await;
        match report? {
            Some((Report::Listening, fds)) => {
                let listener = fds.into_iter().next().ok_or(SpawnError::HelperGone)?;
                proxy = Some(Proxy::start(listener.into(), rules.clone(), refusals.clone())?);
            }
            Some((Report::Ready, _)) => return Ok(proxy),
            Some((Report::Failed { step, error }, _)) => return Err(SpawnError::Setup { step, error }),
            Some((Report::Found(_) | Report::Exited { .. }, _)) | None => return Err(SpawnError::HelperGone),
        }
    }
}

async fn read_some(output: &mut Option<Stream>, piece: &mut [u8]) -> io::Result<usize> {
    match output {
        Some(output) => output.read(piece).await,
        None => Ok(0),
    }
}

/// Waits for a moment, or for ever if there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
