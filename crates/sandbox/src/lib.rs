//! Run one command inside limits the kernel enforces, and touch files without being led astray.
//!
//! Knows neither why a command runs nor who allowed it: policy decides, this crate confines. `Sandbox::spawn` is
//! the one place in the house that starts a process, and everything it starts goes through the helper.
//!
//! Reading order: `profile` says what a command may touch, `command` says what runs, `spawn` starts it, `running`
//! follows it, `capture` keeps what it wrote, `primitive` says what this kernel offers, `control` is the socket
//! between the gateway and the `helper`, which does the confining; `net` is the allow-list proxy; `resolve`,
//! `beneath` and `executable` look up, open and copy files by directory handle; `renounce` is what a process of the house
//! does to itself before it handles something hostile in its own memory.
//!
//! What the sandbox does not stop, and why that is bearable:
//! * running code from memory (`memfd`) and private SysV memory: neither gets anything out;
//! * reading what is neither hidden nor protected by its mode: the view is read-only, not empty;
//! * a process of the same owner outside that renames a script while a shell string is running it by its own path;
//!   naming the copy's place ([`ApprovedCopy::place`]), or the script as an argument of its own, closes that;
//! * a host on the allow list passing requests on to another: the proxy sees names, not what is inside TLS;
//! * the memory of all processes of a command together: limits on memory and time count per process.

// The kernel's own interfaces (fork, exec, mount attributes) have no safe form; every block is in `sys`.
#![allow(unsafe_code)]

mod profile;
mod command;
mod capture;
mod primitive;
mod spawn;
mod running;
mod stream;
mod control;
pub mod helper;
pub mod net;
mod resolve;
mod beneath;
mod executable;
mod protect;
mod renounce;
mod own_code;
mod sys;

pub use beneath::{BeneathError, Root};
pub use capture::{Capture, Captured};
pub use command::{CommandSpec, Finished, Output, OutputCaps, Stdin};
pub use executable::{ApprovedCopy, CopyError, Executable, FIXED_PATH, lookup};
pub use own_code::forget_code;
pub use primitive::{Degraded, Primitive, Primitives};
pub use profile::{Isolation, Limits, Network, Profile, secret_paths};
pub use protect::protect_gateway;
pub use renounce::renounce;
pub use resolve::{FileKind, Identity, ResolveError, Resolved, resolve};
pub use running::Running;
pub use spawn::{Helper, Sandbox, SpawnError};
pub use stream::Stream;

#[cfg(test)]
mod tests;
