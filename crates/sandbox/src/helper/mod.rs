//! The process that confines a command: the binary's hidden `sandbox-exec` calls [`main`] before anything else.
//!
//! Three processes work together. The first, started by the gateway, enters the namespaces, starts the second and
//! watches both it and the gateway. The second is pid 1 inside: it builds the view of the file system, gives up
//! every privilege, starts the third and reaps. The third becomes the command. When the gateway goes away the first
//! kills the second, and the kernel kills everything else. Without namespaces the second is left out. What the binary does
//! itself needs no program: the third goes on as it is, in an empty file system.
//!
//! Decides nothing: the order says what to apply, and what cannot be applied ends the run.

mod watch;
mod namespaces;
mod plan;
mod mounts;
mod rules;
mod filter;
mod limits;
mod program;
mod probe;
#[cfg(test)]
mod tests;

use crate::{
    control::{self, Order, Report, RunOrder},
    profile::Network,
    sys::{self, Fork},
};
use rustix::{
    fd::{AsFd as _, OwnedFd},
    fs::{Mode, OFlags},
};
use std::{io, path::Path};

/// The exit code when nothing was run; the reason went over the control socket.
const NOT_RUN: i32 = 125;

/// What a binary does itself, confined, instead of starting a program. It gives an exit code.
pub type Own = fn(&[String]) -> i32;

/// For a binary that does nothing itself.
pub fn nothing(_words: &[String]) -> i32 {
    NOT_RUN
}

/// Takes one order from standard input, carries it out and ends the process.
pub fn main(own: Own) -> ! {
    sys::exit_now(take_order(own).unwrap_or(NOT_RUN))
}

/// A step that failed, and so nothing was run.
#[derive(Debug)]
struct Failure {
    step: String,
    error: io::Error,
}

/// Names the step an error belongs to.
trait At<T> {
    fn at(self, step: &str) -> Result<T, Failure>;
    fn at_path(self, step: &str, path: &Path) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, step: &str) -> Result<T, Failure> {
        self.map_err(|error| Failure { step: step.to_owned(), error: error.into() })
    }

    fn at_path(self, step: &str, path: &Path) -> Result<T, Failure> {
        self.map_err(|error| Failure { step: format!("{step} {}", path.display()), error: error.into() })
    }
}

fn take_order(own: Own) -> io::Result<i32> {
    sys::close_inherited()?;
    let control = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let (order, fds) = control::receive_order(&control)?;
    match order {
        Order::Probe => {
            control::send_report(&control, &Report::Found(probe::probe()), &[])?;
            Ok(0)
        }
        Order::Run(order) => Ok(or_report(&control, run(&order, fds, &control, own))),
    }
}

/// Says over the control socket what failed.
fn or_report(control: &OwnedFd, outcome: Result<i32, Failure>) -> i32 {
    outcome.unwrap_or_else(|failure| {
        let mut step = failure.step;
        // A report has to fit into one packet; paths can be long.
        step.truncate(step.floor_char_boundary(2000));
        let report = Report::Failed { step, error: failure.error.to_string() };
        // When even this cannot be sent the gateway is gone and nobody is left to tell.
        control::send_report(control, &report, &[]).map_or(NOT_RUN, |()| NOT_RUN)
    })
}

fn run(order: &RunOrder, mut fds: Vec<OwnedFd>, control: &OwnedFd, own: Own) -> Result<i32, Failure> {
    let copies = fds.split_off(usize::from(order.stdin_passed).min(fds.len()));
    place_stdio(order, fds.first()).at("set up standard input and output")?;
    drop(fds);
    let hosts = matches!(order.profile.network, Network::Hosts(_));
    if order.primitives.namespaces {
        namespaces::enter(&order.primitives)?;
        if hosts && order.primitives.network_namespace {
            let listener = namespaces::listen()?;
            control::send_report(control, &Report::Listening, &[listener.as_fd()])
                .at("pass the proxy's socket")?;
        }
    } else {
        // Whatever loses its parent comes to this process, so that it can be killed.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).at("adopt orphans")?;
    }
    match sys::fork().at("start the inner process")? {
        Fork::Parent(inner) => Ok(watch::watch(inner, control, order.primitives.namespaces)),
        Fork::Child if order.primitives.namespaces => {
            sys::exit_now(or_report(control, inside(order, copies, control, own)))
        }
        Fork::Child => {
            let view = mounts::View::untouched(order, &copies);
            let outcome = confine(order, &view)
                .and_then(|()| control::send_report(control, &Report::Ready, &[]).at("report"))
                .map(|()| program::become_command(order, &view.aliases, &copies, own));
            sys::exit_now(or_report(control, outcome))
        }
    }
}

/// Pid 1 of the new namespaces.
fn inside(order: &RunOrder, copies: Vec<OwnedFd>, control: &OwnedFd, own: Own) -> Result<i32, Failure> {
    watch::die_with_parent(control)?;
    let view = if order.own { mounts::nothing()? } else { mounts::build(order, copies)? };
    confine(order, &view)?;
    control::send_report(control, &Report::Ready, &[]).at("report")?;
    match sys::fork().at("start the command")? {
        Fork::Child => sys::exit_now(program::become_command(order, &view.aliases, &[], own)),
        Fork::Parent(command) => Ok(watch::reap(command, control)),
    }
}

/// Gives up everything, in the one order in which each step is still allowed.
fn confine(order: &RunOrder, view: &mounts::View) -> Result<(), Failure> {
    let primitives = &order.primitives;
    limits::apply(&order.profile.limits)?;
    program::enter_directory(order)?;
    if !primitives.namespaces && primitives.landlock_abi == 0 && !primitives.seccomp {
        return Ok(());
    }
    namespaces::drop_capabilities()?;
    rustix::thread::set_no_new_privs(true).at("forbid new privileges")?;
    if primitives.landlock_abi > 0 {
        rules::restrict(order, view)?;
    }
    // Pid 1 stays behind with the command's own user id: without this the command could write its memory.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .at("hide pid 1")?;
    if primitives.seccomp {
        filter::install(&order.profile.network)?;
    }
    Ok(())
}

/// Frees standard input from the control socket and gives the command its own.
fn place_stdio(order: &RunOrder, passed: Option<&OwnedFd>) -> io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(passed.unwrap_or(&null))?;
    if order.drop_stderr {
        rustix::stdio::dup2_stderr(&null)?;
    }
    if let (true, Some(terminal)) = (order.terminal, passed) {
        rustix::stdio::dup2_stdout(terminal)?;
        rustix::stdio::dup2_stderr(terminal)?;
    }
    Ok(())
}
