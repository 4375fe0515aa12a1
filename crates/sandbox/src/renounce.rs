//! What a process of the house does to itself when it is about to handle something hostile in its own memory: it gives
//! up every system call but the few that computing needs. For good; there is no way back.
//!
//! The helper confines commands it knows nothing about and so has to leave them much. This leaves nothing: no file can be
//! opened, no process started, no socket made, no memory made executable.

use libc::{PROT_EXEC, c_long};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::{collections::BTreeMap, io};

/// What may be done with any arguments: memory, clocks, threads that already are, and ending.
const ALLOWED: &[c_long] = &[
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    libc::SYS_restart_syscall,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_getpid,
    libc::SYS_gettid,
    // A process that gives up sends itself a signal. Others it cannot see.
    libc::SYS_tgkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
];
/// Mapping memory is allowed unless it could be executed; the third argument says so.
const MAPPING: &[c_long] = &[libc::SYS_mmap, libc::SYS_mprotect];

/// Leaves this process nothing but its memory, standard input, standard output and standard error.
///
/// Its limit on processor time, if it has one, becomes one that names itself: a second before the end comes the signal
/// for it, which unlike the end has no other cause.
pub fn renounce() -> io::Result<()> {
    let limit = getrlimit(Resource::Cpu);
    if let Some(most) = limit.maximum {
        setrlimit(Resource::Cpu, Rlimit { current: Some(most.saturating_sub(1).max(1)), ..limit })?;
    }
    let program = filter().map_err(io::Error::other)?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let is = |argument, compare, value| {
        SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, value)?])
    };
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> =
        ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    for call in MAPPING {
        let executable = SeccompCmpOp::MaskedEq(PROT_EXEC.cast_unsigned().into());
        rules.insert(*call, vec![is(2, executable, 0)?]);
    }
    rules.insert(libc::SYS_read, vec![is(0, SeccompCmpOp::Eq, 0)?]);
    for call in [libc::SYS_write, libc::SYS_writev] {
        rules.insert(call, vec![is(0, SeccompCmpOp::Eq, 1)?, is(0, SeccompCmpOp::Eq, 2)?]);
    }
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, net::TcpListener, process::Command, thread};

    #[test]
    fn nothing_is_left_but_memory() {
        // The filter holds for the thread that asked for it, so the other tests go on.
        let tried = thread::spawn(|| {
            let before = File::open("/dev/null").is_ok();
            renounce().unwrap();
            let large = vec![1_u8; 10 << 20].len();
            let refused = [
                File::open("/dev/null").err(),
                TcpListener::bind("127.0.0.1:0").err(),
                Command::new("true").spawn().err(),
                std::env::set_current_dir("/").err(),
                std::fs::read_dir("/").err(),
            ];
            (before, large, refused.map(|error| error.map(|error| error.kind())))
        });
        let denied = Some(io::ErrorKind::PermissionDenied);
        assert_eq!(tried.join().unwrap(), (true, 10 << 20, [denied; 5]));
    }
}
