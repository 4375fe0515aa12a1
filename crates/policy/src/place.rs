//! Files and folders: where a written path leads by its letters, which folders are open, and which places no
//! call may touch. Following symbolic links is for the driver.

use crate::{call::Access, settings::Places};
use std::path::{Component, Path, PathBuf};

/// The folders of one owner.
#[derive(Debug)]
pub(crate) struct Grounds {
    places: Places,
}

/// Below any home: keys, tokens and mail that no call may touch. A trailing `*` matches the rest of the name.
const SECRETS_IN_HOME: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".config/gh",
    ".config/gcloud",
    ".config/op",
    ".netrc",
    ".cargo/credentials*",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".docker/config.json",
    ".kube",
    ".azure",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".bash_history",
    ".zsh_history",
    "Library/Keychains",
];

/// Files whose names are secret wherever they lie. `*` stands for one whole part.
const SECRETS_ANYWHERE: &[&str] = &[
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/ssh",
    "/etc/sudoers*",
    "/proc/*/environ",
    "/proc/*/mem",
    "/proc/*/root",
];

/// Devices and kernel files that no call may write.
const NEVER_WRITTEN: &[&str] = &[
    "/dev/sd*",
    "/dev/nvme*",
    "/dev/vd*",
    "/dev/xvd*",
    "/dev/hd*",
    "/dev/mmcblk*",
    "/dev/dm-*",
    "/dev/mapper",
    "/dev/loop*",
    "/dev/mem",
    "/dev/kmem",
    "/dev/port",
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/sys",
    "/boot",
];

/// Devices that hold nothing: reading and writing them is nobody's concern.
const HARMLESS_DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// Inside a writable folder, what runs or steers something later; the presets never let it change unasked.
const STEERING: &[&str] = &[
    ".git",
    ".gitattributes",
    ".gitmodules",
    ".envrc",
    ".vscode",
    ".idea",
    ".mcp.json",
    ".npmrc",
    ".bashrc",
    ".profile",
    ".cargo",
    "AGENTS.md",
    "SOUL.md",
    "IDENTITY.md",
    "TOOLS.md",
    "HEARTBEAT.md",
    "skills",
];

impl Grounds {
    pub(crate) fn new(places: Places) -> Self {
        Self { places }
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// The absolute path a written one means, by its letters only.
    pub(crate) fn join(&self, base: &Path, text: &str, tilde: bool) -> PathBuf {
        match text.strip_prefix('~') {
            Some(rest) if tilde => self.places.home.join(rest.trim_start_matches('/')),
            _ => base.join(text),
        }
    }

    pub(crate) fn may_read(&self, path: &Path) -> bool {
        self.may_write(path) || self.places.read_dirs.iter().any(|dir| inside(path, dir))
    }

    pub(crate) fn may_write(&self, path: &Path) -> bool {
        inside(path, &self.places.workspace) || self.places.write_dirs.iter().any(|dir| inside(path, dir))
    }

    /// Why no call may do this here, if so. Asked with the written path and with the real one.
    pub(crate) fn forbids(&self, path: &Path, access: Access) -> Option<String> {
        let path = normalize(path);
        if inside(&path, &self.places.steward_home) && !inside(&path, &self.places.workspace) {
            return Some(format!("`{}` belongs to Steward itself", path.display()));
        }
        if self.is_secret(&path) {
            return Some(format!("`{}` holds keys or passwords", path.display()));
        }
        if access >= Access::Write && NEVER_WRITTEN.iter().any(|place| lies_in(&path, place)) {
            return Some(format!("writing `{}` can break this machine", path.display()));
        }
        if access == Access::Sweep && self.is_root_of_much(&path) {
            return Some(format!("it would sweep away `{}` with all below it", path.display()));
        }
        None
    }

    /// Whether a place no call may touch lies somewhere below this folder.
    pub(crate) fn holds_forbidden(&self, dir: &Path) -> bool {
        let home_inside =
            inside(&self.places.home, dir) || SYSTEM_HOMES.iter().any(|home| inside(Path::new(home), dir));
        let steward_inside =
            inside(&self.places.steward_home, dir) && self.places.steward_home != self.places.workspace;
        let secret_inside = SECRETS_IN_HOME.iter().any(|secret| {
            let secret = secret.trim_end_matches('*');
            inside(&self.places.home.join(secret), dir)
        });
        home_inside
            || steward_inside
            || secret_inside
            || inside(Path::new("/etc/ssh"), dir)
            || dir == Path::new("/proc")
    }

    /// Whether a folder is where the files that steer what happens later are expected.
    pub(crate) fn holds_steering(&self, dir: &Path) -> bool {
        inside(&self.places.workspace, dir) || self.places.write_dirs.iter().any(|open| inside(open, dir))
    }

    /// Which part of a writable path steers what happens later, if one does.
    pub(crate) fn steering(&self, path: &Path) -> Option<&'static str> {
        let writable = std::iter::once(&self.places.workspace).chain(&self.places.write_dirs);
        let rest = writable
            .filter_map(|dir| path.strip_prefix(dir).ok())
            .min_by_key(|rest| rest.as_os_str().len())?;
        let mut parts = rest.components();
        parts.find_map(|part| {
            let part = part.as_os_str().to_str()?;
            STEERING.iter().copied().find(|name| name.eq_ignore_ascii_case(part))
        })
    }

    fn is_secret(&self, path: &Path) -> bool {
        if SECRETS_ANYWHERE.iter().any(|secret| lies_in(path, secret)) {
            return true;
        }
        let below_home = path.strip_prefix(&self.places.home).ok().map(Path::to_path_buf);
        below_home.or_else(|| below_some_home(path)).is_some_and(|rest| {
            let rest = Path::new("/").join(rest);
            SECRETS_IN_HOME.iter().any(|secret| lies_in(&rest, &format!("/{secret}")))
        })
    }

    /// `/`, a folder directly below it, or anything that contains the owner's home or Steward's.
    fn is_root_of_much(&self, path: &Path) -> bool {
        path.components().count() <= 2
            || inside(&self.places.home, path)
            || inside(&self.places.steward_home, path)
    }
}

/// Where other people's homes lie.
const SYSTEM_HOMES: &[&str] = &["/root", "/home", "/Users"];

fn below_some_home(path: &Path) -> Option<PathBuf> {
    if let Ok(rest) = path.strip_prefix("/root") {
        return Some(rest.to_path_buf());
    }
    let rest = path.strip_prefix("/home").or_else(|_| path.strip_prefix("/Users")).ok()?;
    Some(rest.components().skip(1).collect())
}

/// Whether the path is a device that holds nothing.
pub(crate) fn is_harmless_device(text: &str) -> bool {
    HARMLESS_DEVICES.contains(&text)
}

/// The path without `.` and `..`, by its letters only: what a reader would take it for.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Whether `path` is `dir` or below it. An unset folder contains nothing.
pub(crate) fn inside(path: &Path, dir: &Path) -> bool {
    !dir.as_os_str().is_empty() && path.starts_with(dir)
}

/// Whether `path` is the pattern or below it, part by part and blind to case, as some file systems are.
fn lies_in(path: &Path, pattern: &str) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy().to_ascii_lowercase());
    parts.next();
    pattern.split('/').filter(|part| !part.is_empty()).all(|wanted| {
        let wanted = wanted.to_ascii_lowercase();
        parts.next().is_some_and(|part| match wanted.strip_suffix('*') {
            Some(start) => part.starts_with(start),
            None => part == wanted,
        })
    })
}
