//! The socket between the gateway and the helper: one order in, a few reports back, open files alongside.
//!
//! Both ends use this file. What an order means is `helper`'s business, what a report means is `running`'s.
//!
//! The socket is the helper's standard input, so nothing but the three standard descriptors is ever inherited and
//! no other process the gateway starts meanwhile can catch one. The order itself travels as a sealed memory file:
//! a command line can be longer than a socket's buffer.

use crate::{primitive::Primitives, profile::Profile, resolve::Identity};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{MemfdFlags, SealFlags},
    io::{Errno, IoSlice, IoSliceMut},
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    mem::MaybeUninit,
    path::PathBuf,
};

/// Descriptors one message can carry; the kernel's own limit is 253.
const MAX_FDS: usize = 64;
/// The longest report. A failure's words are cut to fit.
const MAX_REPORT_BYTES: usize = 4096;

/// What the helper is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Find out what this kernel offers.
    Probe,
    /// Run a command.
    Run(Box<RunOrder>),
}

/// A command with everything the helper needs to know.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunOrder {
    pub(crate) profile: Profile,
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) cwd_identity: Option<Identity>,
    /// What to apply, as found by a probe. Failing to apply one of these is failing to run.
    pub(crate) primitives: Primitives,
    /// The first descriptor passed is standard input.
    pub(crate) stdin_passed: bool,
    /// That descriptor is a terminal and also takes the output.
    pub(crate) terminal: bool,
    /// Standard error goes nowhere.
    pub(crate) drop_stderr: bool,
    /// What runs is the helper's own, and finds no file at all.
    pub(crate) own: bool,
    /// Where the approved copies come from and whether each may be executed, in the order of their descriptors.
    pub(crate) approved: Vec<(PathBuf, u32)>,
}

/// What the helper says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The answer to a probe.
    Found(Primitives),
    /// The proxy's listening socket is the descriptor passed along.
    Listening,
    /// Everything is in place; the command starts now.
    Ready,
    /// A step failed and nothing was run.
    Failed { step: String, error: String },
    /// The command ended, and all it started with it.
    Exited { exit: Option<i32>, signal: Option<i32> },
}

/// The two ends, gateway's first.
pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Sends the order with its descriptors.
pub(crate) fn send_order(socket: impl AsFd, order: &Order, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut file = memory_file("order")?;
    file.write_all(&serde_json::to_vec(order)?)?;
    file.rewind()?;
    seal(&file)?;
    let mut all = vec![file.as_fd()];
    all.extend_from_slice(fds);
    send(socket, b"order", &all)
}

/// Waits for the order.
pub(crate) fn receive_order(socket: impl AsFd) -> io::Result<(Order, Vec<OwnedFd>)> {
    let (_, mut fds) = receive(socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if fds.is_empty() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = Vec::new();
    File::from(fds.remove(0)).read_to_end(&mut text)?;
    Ok((decode(&text)?, fds))
}

/// Sends a report, with a descriptor if it has one.
pub(crate) fn send_report(socket: impl AsFd, report: &Report, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    send(socket, &serde_json::to_vec(report)?, fds)
}

/// The next report, or nothing when the helper is gone. On a socket that does not block this may be `WouldBlock`.
pub(crate) fn receive_report(socket: impl AsFd) -> io::Result<Option<(Report, Vec<OwnedFd>)>> {
    receive(socket)?.map(|(text, fds)| Ok((decode(&text)?, fds))).transpose()
}

/// An empty file in memory that no path leads to.
pub(crate) fn memory_file(name: &str) -> io::Result<File> {
    Ok(rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?.into())
}

/// Makes a memory file unchangeable.
pub(crate) fn seal(file: &File) -> io::Result<()> {
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    Ok(rustix::fs::fcntl_add_seals(file, seals)?)
}

fn decode<T: DeserializeOwned>(text: &[u8]) -> io::Result<T> {
    serde_json::from_slice(text).map_err(io::Error::from)
}

fn send(socket: impl AsFd, text: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many files for one command"));
    }
    let text = [IoSlice::new(&text[..text.len().min(MAX_REPORT_BYTES)])];
    loop {
        match rustix::net::sendmsg(&socket, &text, &mut ancillary, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            other => return Ok(other.map(drop)?),
        }
    }
}

fn receive(socket: impl AsFd) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
    let mut text = vec![0; MAX_REPORT_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = loop {
        let mut parts = [IoSliceMut::new(&mut text)];
        match rustix::net::recvmsg(&socket, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            // A helper that was killed with an order unread resets the socket; it is gone all the same.
            Err(Errno::CONNRESET) => return Ok(None),
            other => break other?,
        }
    };
    if got.bytes == 0 {
        return Ok(None);
    }
    text.truncate(got.bytes);
    let mut fds = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    Ok(Some((text, fds)))
}
