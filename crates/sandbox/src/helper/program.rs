//! Becomes the command: its directory, its environment from empty, its session, its program.
//!
//! Comes last: everything here already runs confined.

use super::{At as _, Failure, NOT_RUN, Own};
use crate::{
    control::RunOrder, net::PROXY_PORT, primitive::Primitives, profile::Network, resolve::Identity, sys,
};
use rustix::{fd::OwnedFd, io::Errno};
use std::{
    ffi::CString,
    io,
    io::Write as _,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

/// Goes to the working directory, which must be the one that was meant.
pub(super) fn enter_directory(order: &RunOrder) -> Result<(), Failure> {
    let directory = std::fs::File::open(&order.cwd).at_path("open the working directory", &order.cwd)?;
    if let Some(wanted) = order.cwd_identity {
        let found = Identity::of(&directory).at_path("look at the working directory", &order.cwd)?;
        if found != wanted {
            return Err(Errno::STALE).at_path("find the same working directory again at", &order.cwd);
        }
    }
    rustix::process::fchdir(&directory).at_path("enter the working directory", &order.cwd)
}

/// Replaces this process with the command, or does what the binary does itself. Returns an exit code in that case, and if
/// the command could not be started, as a shell does.
///
/// `aliases` are pairs of an approved file's path and the place of its copy; `kept` stay open for the command.
pub(super) fn become_command(
    order: &RunOrder,
    aliases: &[(PathBuf, PathBuf)],
    kept: &[OwnedFd],
    own: Own,
) -> i32 {
    if order.own {
        order.profile.env.iter().for_each(|(name, value)| sys::set_variable(name, value));
        return sys::keep_only_stdio().map_or(NOT_RUN, |()| own(&order.argv));
    }
    let failed = match prepare(order, aliases, kept) {
        Ok((programs, argv, env)) => {
            let mut last = Errno::NOENT.into();
            for program in &programs {
                let error = sys::exec(program, &argv, &env);
                // As a shell does: a program that exists but cannot run is worth more words than one that does not.
                if error.kind() != io::ErrorKind::NotFound {
                    last = error;
                }
            }
            last
        }
        Err(error) => error,
    };
    let name = order.argv.first().map_or("", String::as_str);
    // Nothing is left to tell when standard error is gone.
    writeln!(io::stderr(), "cannot run `{name}`: {failed}").unwrap_or_default();
    if failed.kind() == io::ErrorKind::NotFound { 127 } else { 126 }
}

type Prepared = (Vec<CString>, Vec<CString>, Vec<CString>);

fn prepare(order: &RunOrder, aliases: &[(PathBuf, PathBuf)], kept: &[OwnedFd]) -> io::Result<Prepared> {
    rustix::process::setsid()?;
    if order.terminal {
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    }
    let alias_of =
        |word: &str| aliases.iter().find(|(path, _)| path.as_os_str() == word).map(|(_, copy)| copy);
    let text = |path: &Path| Ok::<_, io::Error>(CString::new(path.as_os_str().as_bytes())?);
    let mut argv = Vec::new();
    for (index, word) in order.argv.iter().enumerate() {
        argv.push(match alias_of(word) {
            Some(copy) if index > 0 => text(copy)?,
            _ => CString::new(word.as_str())?,
        });
    }
    let name = order.argv.first().ok_or(Errno::INVAL)?;
    let programs = if let Some(copy) = alias_of(name) {
        vec![text(copy)?]
    } else if name.contains('/') {
        vec![CString::new(name.as_str())?]
    } else {
        let places = order.profile.search_path().split(':').filter(|place| place.starts_with('/'));
        places.map(|place| text(&Path::new(place).join(name))).collect::<io::Result<_>>()?
    };
    let env = environment(order).into_iter().map(CString::new).collect::<Result<_, _>>()?;
    sys::close_others_on_exec()?;
    for fd in kept {
        rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::empty())?;
    }
    sys::reset_signals();
    Ok((programs, argv, env))
}

/// The environment, from empty. The profile's own entries win.
fn environment(order: &RunOrder) -> Vec<String> {
    // Without a `/tmp` of its own the command has to keep its scratch files in the workspace.
    let own_tmp = order.primitives.namespaces || order.primitives == Primitives::default();
    let tmp = if own_tmp { "/tmp".into() } else { order.profile.workspace.display().to_string() };
    let mut env: Vec<(String, String)> = vec![
        ("PATH".into(), crate::FIXED_PATH.into()),
        ("TMPDIR".into(), tmp),
        ("LANG".into(), "C.UTF-8".into()),
    ];
    if matches!(order.profile.network, Network::Hosts(_)) {
        let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
            env.push((name.into(), proxy.clone()));
        }
        // Node reads the proxy variables only when told to.
        env.push(("NODE_USE_ENV_PROXY".into(), "1".into()));
    }
    for (name, value) in &order.profile.env {
        env.retain(|(other, _)| other != name);
        env.push((name.clone(), value.clone()));
    }
    env.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}
