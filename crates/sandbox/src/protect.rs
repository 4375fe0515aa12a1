//! Keeps the gateway's own memory from other processes of its user.
//!
//! Everything else in this crate confines what the gateway starts; this is the other direction.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::io;

/// Makes this process's memory, environment and open files unreadable to other processes of the same user. For the
/// gateway to call first thing; what it starts is not affected.
pub fn protect_gateway() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}
