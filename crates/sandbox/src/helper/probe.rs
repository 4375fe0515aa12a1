//! Finds out what this kernel offers by doing it, since what is compiled in may still be forbidden.
//!
//! Uses the very code a command is confined with. What an absence means is `primitive`'s business.

use super::{At as _, Failure, mounts, namespaces};
use crate::{
    control::RunOrder,
    primitive::Primitives,
    profile::Profile,
    sys::{self, Fork},
};
use rustix::process::WaitOptions;
use std::io::{self, Read as _, Write as _};

/// Tries everything, the best combination first.
pub(super) fn probe() -> Primitives {
    let mut found = Primitives {
        landlock_abi: sys::landlock_abi(),
        seccomp: sys::has_seccomp(),
        root: rustix::process::getuid().is_root(),
        ..Primitives::default()
    };
    for (network_namespace, fresh_proc) in [(true, true), (true, false), (false, true), (false, false)] {
        let wanted = Primitives { namespaces: true, network_namespace, fresh_proc, ..found.clone() };
        match try_in_child(&wanted) {
            Ok(()) => return Primitives { trouble: found.trouble, ..wanted },
            // The first refusal says most: it is about the whole.
            Err(error) => found.trouble.get_or_insert(error.to_string()),
        };
    }
    found
}

/// Does it in a process of its own, which then goes away with all it made.
fn try_in_child(wanted: &Primitives) -> io::Result<()> {
    let (mut reader, mut writer) = io::pipe()?;
    let Fork::Parent(child) = sys::fork()? else {
        if let Err(failure) = attempt(wanted) {
            // Without a word the parent takes it for success, so an unsaid failure must not end well either.
            let said = write!(writer, "{}: {}", failure.step, failure.error);
            sys::exit_now(if said.is_ok() { 1 } else { 2 });
        }
        sys::exit_now(0)
    };
    drop(writer);
    let mut said = String::new();
    reader.read_to_string(&mut said)?;
    let status = rustix::process::waitpid(Some(child), WaitOptions::empty())?;
    match status.and_then(|(_, status)| status.exit_status()) {
        Some(0) => Ok(()),
        _ => Err(io::Error::other(said)),
    }
}

fn attempt(wanted: &Primitives) -> Result<(), Failure> {
    namespaces::enter(wanted)?;
    if wanted.network_namespace {
        namespaces::listen()?;
    }
    let (mut reader, mut writer) = io::pipe().at("open a pipe")?;
    match sys::fork().at("start the inner process")? {
        Fork::Child => {
            let order = RunOrder {
                profile: Profile::new("/tmp"),
                argv: Vec::new(),
                cwd: "/".into(),
                cwd_identity: None,
                primitives: wanted.clone(),
                stdin_passed: false,
                terminal: false,
                drop_stderr: false,
                own: false,
                approved: Vec::new(),
            };
            let said = match mounts::build(&order, Vec::new()) {
                Ok(_) => Ok(()),
                Err(failure) => {
                    write!(writer, "{}: {}", failure.step, failure.error).and(Err(io::Error::other("")))
                }
            };
            sys::exit_now(if said.is_ok() { 0 } else { 1 })
        }
        Fork::Parent(child) => {
            drop(writer);
            let mut said = String::new();
            reader.read_to_string(&mut said).at("hear the inner process")?;
            let status = rustix::process::waitpid(Some(child), WaitOptions::empty()).at("wait")?;
            match status.and_then(|(_, status)| status.exit_status()) {
                Some(0) => Ok(()),
                _ => Err(io::Error::other(said)).at("build the view of the file system"),
            }
        }
    }
}
