//! The kernel interfaces that have no safe form in a library: every `unsafe` block of this crate.
//!
//! Each function is one system call with its arguments checked by the type system; what to call when is `helper`'s
//! business. All but `register` are meant for the helper, which has one thread.

use rustix::{
    fd::{AsFd, AsRawFd as _, OwnedFd},
    io::Errno,
    process::Pid,
    thread::UnshareFlags,
};
use std::{ffi::CString, io};
use tokio::io::unix::AsyncFd;

/// Which of the two processes is running after a fork.
pub(crate) enum Fork {
    /// The new one.
    Child,
    /// The old one, with the new one's id.
    Parent(Pid),
}

/// Splits the process in two. The helper has one thread, so the child may do whatever the parent may.
pub(crate) fn fork() -> io::Result<Fork> {
    // SAFETY: callers are the helper's single thread, so no lock can be held by a thread the child lacks.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        pid => Pid::from_raw(pid).map(Fork::Parent).ok_or_else(|| Errno::INVAL.into()),
    }
}

/// Leaves the given namespaces for new ones.
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    // SAFETY: only namespaces are unshared, never the descriptor table, which is the case that needs care.
    Ok(unsafe { rustix::thread::unshare_unsafe(namespaces.difference(UnshareFlags::FILES)) }?)
}

/// Sets attributes on the mount at `mount`, and on all below it when `recursive`.
pub(crate) fn mount_setattr(mount: impl AsFd, attributes: u64, recursive: bool) -> io::Result<()> {
    let attr = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let mut flags = libc::AT_EMPTY_PATH;
    if recursive {
        flags |= libc::AT_RECURSIVE;
    }
    // SAFETY: the path is a valid empty string and the structure outlives the call; its size is passed.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attr,
            size_of::<libc::mount_attr>(),
        )
    };
    check(done)
}

/// Marks every descriptor above standard error to be closed on exec.
pub(crate) fn close_others_on_exec() -> io::Result<()> {
    // SAFETY: marking descriptors close-on-exec invalidates none of them.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    check(done)
}

/// Closes what the gateway passed on without meaning to. Only for the very start, when nothing else is open.
pub(crate) fn close_inherited() -> io::Result<()> {
    // SAFETY: the helper has opened nothing yet, so no descriptor above the standard three has an owner here.
    check(unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) })
}

/// Sets a variable of this process's own environment.
pub(crate) fn set_variable(name: &str, value: &str) {
    // SAFETY: callers are the helper's single thread, so nobody reads the environment meanwhile.
    unsafe { std::env::set_var(name, value) }
}

/// Closes everything but the standard three, in a process that ends without using anything it had open.
pub(crate) fn keep_only_stdio() -> io::Result<()> {
    reset_signals();
    rustix::process::setsid()?;
    // SAFETY: whatever owns a descriptor here is never used or dropped again: the caller ends the process with `exit_now`.
    check(unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) })
}

/// Gives every signal its default action and unblocks them all: both survive exec otherwise.
pub(crate) fn reset_signals() {
    // SAFETY: setting a default action needs no handler to stay valid; failures (signals 9 and 19) are harmless.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Becomes `program`. Returns only if that failed.
pub(crate) fn exec(program: &CString, argv: &[CString], env: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| {
        strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>()
    };
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: both arrays end with a null pointer and point to strings that outlive the call.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Brings the loopback interface of this network namespace up.
pub(crate) fn raise_loopback(socket: impl AsFd) -> io::Result<()> {
    // SAFETY: `ifreq` is plain data for which all zeroes is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = from.cast_signed() as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: this request reads one `ifreq`, which outlives the call.
    let done = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    check(done.into())
}

/// Landlock's ABI, or 0 when the kernel has none.
pub(crate) fn landlock_abi() -> u32 {
    const VERSION: libc::c_ulong = 1;
    // SAFETY: asking for the version takes no attributes: a null pointer of size 0.
    let abi = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0, VERSION)
    };
    u32::try_from(abi).unwrap_or(0)
}

/// Whether system call filters may return an error number.
pub(crate) fn has_seccomp() -> bool {
    const GET_ACTION_AVAIL: libc::c_ulong = 2;
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: this operation reads one action, which outlives the call.
    let done = unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0, &raw const action) };
    done == 0
}

/// Ends the process at once, running nothing of the parent's that a fork has copied.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: ending the process is always sound.
    unsafe { libc::_exit(code) }
}

/// Lets the runtime watch a descriptor.
pub(crate) fn register(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open, stays the same descriptor, and is closed only after it is deregistered.
    Ok(unsafe { AsyncFd::register(fd) }?)
}

fn check(done: libc::c_long) -> io::Result<()> {
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Drops the pages of a mapping of code.
pub(crate) fn forget(start: usize, length: usize) -> io::Result<()> {
    // SAFETY: the range is a private mapping of a file that is executable and was never writable, so dropping its
    // pages changes no byte: they are read from the file again when touched.
    match unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_DONTNEED) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
