//! Enters the namespaces, opens the proxy's socket inside, and gives up every capability afterwards.
//!
//! What is mounted in the new mount namespace is `mounts`' business.

use super::{At as _, Failure};
use crate::{net::PROXY_PORT, primitive::Primitives, sys};
use rustix::{
    io::Errno,
    thread::{CapabilitySet, CapabilitySets, UnshareFlags},
};
use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
};

/// Leaves the machine's namespaces. The next process started is pid 1 of the new ones.
///
/// The user id stays what it was, root's too: the owner's files must stay the owner's. What makes root harmless is
/// that no capability and no other id is left.
pub(super) fn enter(primitives: &Primitives) -> Result<(), Failure> {
    let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
    if user.is_root() {
        // Supplementary groups cannot be dropped any more once the group map forbids it.
        rustix::thread::set_thread_groups(&[]).at("drop supplementary groups")?;
    }
    let mut flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS;
    if primitives.network_namespace {
        flags |= UnshareFlags::NEWNET;
    }
    sys::unshare(flags).at("enter new namespaces")?;
    fs::write("/proc/self/setgroups", "deny").at("forbid changing groups")?;
    let (user, group) = (user.as_raw(), group.as_raw());
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).at("map the user")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).at("map the group")
}

/// A socket that listens on the loopback interface of the new network namespace. It is the only way out.
pub(super) fn listen() -> Result<TcpListener, Failure> {
    let socket = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).at("open a socket")?;
    sys::raise_loopback(&socket).at("raise the loopback interface")?;
    TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT)).at("listen for the proxy")
}

/// Leaves no capability, and none that a later exec could bring back.
pub(super) fn drop_capabilities() -> Result<(), Failure> {
    for bit in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Past the last capability this kernel knows.
            Err(Errno::INVAL) => break,
            // An ordinary user outside a namespace has nothing to drop; `no_new_privs` keeps it so.
            Err(Errno::PERM) => break,
            Err(error) => return Err(error).at("empty the bounding set"),
        }
    }
    rustix::thread::clear_ambient_capability_set().at("drop ambient capabilities")?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets).at("drop capabilities")
}
