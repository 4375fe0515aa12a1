//! Waiting: for the command to end, for the gateway to go away, and for orphans to reap.
//!
//! Leaves it to the kernel to kill what is inside the pid namespace; kills by hand only without one.

use super::{At as _, Failure, NOT_RUN};
use crate::control::{Report, send_report};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsFd as _, OwnedFd},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus},
};

/// The outer process: stays until the inner one ends, and kills it when the gateway hangs up.
pub(super) fn watch(inner: Pid, control: &OwnedFd, namespaced: bool) -> i32 {
    let gone = rustix::process::pidfd_open(inner, PidfdFlags::empty());
    if let Ok(gone) = &gone {
        let mut ends =
            [PollFd::new(gone, PollFlags::IN), PollFd::from_borrowed_fd(control.as_fd(), PollFlags::HUP)];
        while poll(&mut ends, None) == Err(Errno::INTR) {}
        if ends[0].revents().is_empty() {
            kill(inner);
        }
    }
    let status = wait_for(inner);
    if namespaced {
        // Pid 1 has reported for itself, unless something killed it from outside.
        return match status.and_then(|status| status.exit_status()) {
            Some(code) => code,
            None => report(control, status),
        };
    }
    kill_descendants();
    report(control, status)
}

/// Pid 1 inside: reaps whatever dies until the command does.
pub(super) fn reap(command: Pid, control: &OwnedFd) -> i32 {
    report(control, wait_for(command))
}

/// Ties this process's life to its parent's. The parent may already be gone; then so is the gateway's end.
pub(super) fn die_with_parent(control: &OwnedFd) -> Result<(), Failure> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .at("tie the command to the gateway")?;
    let mut ends = [PollFd::from_borrowed_fd(control.as_fd(), PollFlags::HUP)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut ends, Some(&now)).at("look for the gateway")? {
        0 => Ok(()),
        _ => Err(Errno::PIPE).at("look for the gateway"),
    }
}

fn report(control: &OwnedFd, status: Option<WaitStatus>) -> i32 {
    let exit = status.and_then(|status| status.exit_status());
    let signal = status.and_then(|status| status.terminating_signal());
    // A gateway that is gone needs no report.
    let sent = send_report(control, &Report::Exited { exit, signal }, &[]);
    sent.map_or(NOT_RUN, |()| exit.unwrap_or(NOT_RUN))
}

/// Waits for `wanted`, reaping every other child on the way.
fn wait_for(wanted: Pid) -> Option<WaitStatus> {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == wanted => return Some(status),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Kills and reaps until nothing is left; an orphan becomes this process's child when its parent dies.
fn kill_descendants() {
    let children = format!("/proc/self/task/{}/children", rustix::process::getpid().as_raw_nonzero());
    loop {
        let listed = std::fs::read_to_string(&children).unwrap_or_default();
        let pids: Vec<Pid> =
            listed.split_whitespace().filter_map(|pid| pid.parse().ok().and_then(Pid::from_raw)).collect();
        if pids.is_empty() {
            return;
        }
        pids.into_iter().for_each(kill);
        // One death may bring several new children, so look again after each.
        if !matches!(rustix::process::wait(WaitOptions::empty()), Ok(_) | Err(Errno::INTR)) {
            return;
        }
    }
}

fn kill(pid: Pid) {
    // It may have ended already, which is what was wanted.
    rustix::process::kill_process(pid, Signal::KILL).unwrap_or_default();
}
