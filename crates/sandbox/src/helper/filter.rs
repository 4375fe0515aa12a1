//! The third wall: which system calls the command may make at all.
//!
//! Files are left to mounts and Landlock; this is about sockets, other processes, other namespaces, and the parts of
//! the kernel an ordinary command never needs. Pointers cannot be looked into, so calls that hide their meaning
//! behind one (`clone3`, `openat2`) are answered as if the kernel did not have them; callers then use the old form.

use super::{At as _, Failure};
use crate::profile::Network;
use libc::{
    AF_INET, AF_INET6, AF_UNIX, EPERM, IPPROTO_TCP, O_CREAT, S_ISUID, SOCK_DGRAM, SOCK_RAW, SOCK_STREAM,
    TIOCLINUX, TIOCSTI, c_long,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::{collections::BTreeMap, io};

/// Calls numbered from here on are younger than this list and so unknown to it (`open_tree_attr` is the first).
const FIRST_UNKNOWN: u32 = 467;
/// Every flag that makes a new namespace; `clone` and `unshare` share them.
const NEW_NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWTIME,
];
/// Which bits of a socket's type are the type.
const TYPE_MASK: u64 = 0xf;

/// Never allowed.
const FORBIDDEN: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Ways around this filter, and keys that belong to the owner's whole session.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Servers; a command has nobody to serve.
    libc::SYS_bind,
    libc::SYS_listen,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];
/// Answered as if they did not exist.
const ABSENT: &[c_long] = &[libc::SYS_clone3, libc::SYS_openat2];

/// Installs the filters on this process and all it starts.
pub(super) fn install(network: &Network) -> Result<(), Failure> {
    for program in programs(network).at("build the system call filter")? {
        seccompiler::apply_filter(&program).map_err(io::Error::other).at("install the system call filter")?;
    }
    Ok(())
}

/// The filters; the kernel applies them all and the strictest answer wins.
pub(super) fn programs(network: &Network) -> io::Result<[BpfProgram; 3]> {
    let absent = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    let forbidden = forbidden(network).map_err(io::Error::other)?;
    Ok([
        unknown_calls(),
        compile(absent, libc::ENOSYS).map_err(io::Error::other)?,
        compile(forbidden, EPERM).map_err(io::Error::other)?,
    ])
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::BackendError>;

fn compile(rules: Rules, error: i32) -> Built<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let action = SeccompAction::Errno(error.cast_unsigned());
    SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()
}

fn forbidden(network: &Network) -> Built<Rules> {
    let mut rules: Rules = FORBIDDEN.iter().map(|call| (*call, Vec::new())).collect();
    for flag in NEW_NAMESPACES {
        for call in [libc::SYS_clone, libc::SYS_unshare] {
            rules.entry(call).or_default().push(rule(vec![has(0, flag)?])?);
        }
    }
    // Only connected pairs: a datagram socket from a pair can be pointed at any path.
    rules.insert(
        libc::SYS_socketpair,
        vec![
            rule(vec![is_not(0, AF_UNIX)?])?,
            rule(vec![type_is(SOCK_DGRAM)?])?,
            // The kernel takes a raw unix socket for a datagram one.
            rule(vec![type_is(SOCK_RAW)?])?,
        ],
    );
    // Sending to an address would connect without `connect`.
    rules.insert(
        libc::SYS_sendto,
        vec![rule(vec![condition(4, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?])?],
    );
    match network {
        Network::None => {
            rules.insert(libc::SYS_socket, Vec::new());
            rules.insert(libc::SYS_connect, Vec::new());
        }
        Network::Hosts(_) => {
            let mut socket = vec![
                rule(vec![is_not(0, AF_INET)?, is_not(0, AF_INET6)?])?,
                rule(vec![is_not(2, 0)?, is_not(2, IPPROTO_TCP)?])?,
            ];
            // There is no masked inequality, so every type but the one allowed is named.
            for kind in (0..=TYPE_MASK as i32).filter(|kind| *kind != SOCK_STREAM) {
                socket.push(rule(vec![type_is(kind)?])?);
            }
            rules.insert(libc::SYS_socket, socket);
        }
    }
    // Typing into a terminal on its owner's behalf.
    rules.insert(
        libc::SYS_ioctl,
        vec![rule(vec![is(1, TIOCSTI as i32)?])?, rule(vec![is(1, TIOCLINUX as i32)?])?],
    );
    set_user_id(&mut rules)?;
    Ok(rules)
}

/// A file that runs as its owner would outlive the sandbox and give any other user of the machine the owner's rights.
fn set_user_id(rules: &mut Rules) -> Built<()> {
    let suid = S_ISUID.cast_signed();
    for (call, mode) in [
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (libc::SYS_fchmodat2, 2),
        (libc::SYS_mknodat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
    ] {
        rules.insert(call, vec![rule(vec![has(mode, suid)?])?]);
    }
    // The mode means something only when a file is made; otherwise it may be anything.
    rules.insert(libc::SYS_openat, vec![rule(vec![has(2, O_CREAT)?, has(3, suid)?])?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![rule(vec![has(1, O_CREAT)?, has(2, suid)?])?]);
    Ok(())
}

/// Refuses calls this file cannot know about, and with them the x32 numbering, which starts far above.
fn unknown_calls() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_WORD, 0, 0, 0),
        step(JUMP_IF_AT_LEAST, 0, 1, FIRST_UNKNOWN),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned()),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

fn rule(conditions: Vec<SeccompCondition>) -> Built<SeccompRule> {
    SeccompRule::new(conditions)
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    is: SeccompCmpOp,
    value: u64,
) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, length, is, value)
}

fn is(argument: u8, value: i32) -> Built<SeccompCondition> {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value.cast_unsigned().into())
}

fn is_not(argument: u8, value: i32) -> Built<SeccompCondition> {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value.cast_unsigned().into())
}

fn has(argument: u8, flag: i32) -> Built<SeccompCondition> {
    let flag = flag.cast_unsigned().into();
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(flag), flag)
}

fn type_is(kind: i32) -> Built<SeccompCondition> {
    condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(TYPE_MASK), kind.cast_unsigned().into())
}
