//! The second wall: Landlock rules that say again, on other grounds than mounts, what may be read and written.
//!
//! Where there is no mount namespace this is the first wall, and secrets are kept by naming everything else.

use super::{At as _, Failure, mounts::View};
use crate::{control::RunOrder, net::PROXY_PORT, profile::Network};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
    make_bitflags,
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The newest ABI this crate knows; what the kernel lacks is left out.
const NEWEST: ABI = ABI::V9;

/// Restricts this process and all it starts.
pub(super) fn restrict(order: &RunOrder, view: &View) -> Result<(), Failure> {
    let status =
        build(order, view).and_then(|rules| rules.restrict_self().map_err(other)).at("apply Landlock")?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::from(io::ErrorKind::Unsupported)).at("apply Landlock");
    }
    Ok(())
}

fn build(order: &RunOrder, view: &View) -> io::Result<RulesetCreated> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let rules = rules.handle_access(AccessFs::from_all(NEWEST)).map_err(other)?;
    let rules = rules.handle_access(AccessNet::from_all(NEWEST)).map_err(other)?;
    let rules = rules.scope(Scope::from_all(NEWEST)).map_err(other)?;
    let mut rules = rules.create().map_err(other)?;
    if order.own {
        return Ok(rules);
    }
    let read = AccessFs::from_read(NEWEST);
    if view.hidden.is_empty() {
        rules = allow(rules, Path::new("/"), read)?;
    } else {
        for path in all_but(&view.hidden) {
            rules = allow(rules, &path, read)?;
        }
    }
    let device = make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | Truncate | IoctlDev});
    rules = allow(rules, Path::new("/dev"), device)?;
    let change =
        AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::ResolveUnix);
    let own = view.hidden.is_empty().then_some([Path::new("/tmp"), Path::new("/dev/shm")]);
    for path in view.writable.iter().map(PathBuf::as_path).chain(own.into_iter().flatten()) {
        rules = allow(rules, path, change)?;
    }
    if matches!(order.profile.network, Network::Hosts(_)) {
        rules = rules.add_rule(NetPort::new(PROXY_PORT, AccessNet::ConnectTcp)).map_err(other)?;
    }
    Ok(rules)
}

fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    // A path that went away since it was listed needs no rule.
    let Ok(fd) = PathFd::new(path) else { return Ok(rules) };
    let directory = std::fs::symlink_metadata(path)?.is_dir();
    let access = if directory { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(fd, access)).map_err(other)
}

/// Every path that contains nothing hidden: the siblings along the way to each hidden path. Landlock can only allow.
fn all_but(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut open = Vec::new();
    let mut pending = vec![PathBuf::from("/")];
    while let Some(path) = pending.pop() {
        if hidden.contains(&path) {
            continue;
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            open.push(path);
            continue;
        }
        // A directory that cannot be listed by its owner holds nothing the command could read either.
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        // A rule on a symlink would be a rule on what it leads to.
        let entries =
            entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
        pending.extend(entries.map(|entry| entry.path()));
    }
    open
}

fn other(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(error)
}
