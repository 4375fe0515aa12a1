//! Sets the resource limits of the command and all it starts.
//!
//! Only ever lowers one; what the limits are is the profile's business.

use super::{At as _, Failure};
use crate::profile::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Applies the limits to this process, to be inherited.
pub(super) fn apply(limits: &Limits) -> Result<(), Failure> {
    for (resource, wanted, name) in [
        (Resource::Core, 0, "core files"),
        (Resource::Cpu, limits.cpu_seconds, "processor time"),
        (Resource::Data, limits.memory_bytes, "memory"),
        (Resource::Nproc, limits.processes, "processes"),
        (Resource::Nofile, limits.open_files, "open files"),
        (Resource::Fsize, limits.file_bytes, "file size"),
    ] {
        let most = getrlimit(resource).maximum.map_or(wanted, |most| most.min(wanted));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
            .at(&format!("limit {name}"))?;
    }
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    Ok(())
}
