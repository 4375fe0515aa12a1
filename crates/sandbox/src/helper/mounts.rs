//! Builds the command's view of the file system: everything read-only, secrets covered, a `/tmp`, `/dev` and `/proc`
//! of its own, and the granted directories as they are.
//!
//! What goes where is `plan`'s business. Every path is resolved once and then opened without following symlinks, so
//! a directory swapped meanwhile makes the run fail instead of mounting over the wrong thing.

use super::{
    At as _, Failure,
    plan::{self, Kind, Paths, Place},
};
use crate::{control::RunOrder, executable, sys};
use rustix::{
    fd::{AsFd as _, OwnedFd},
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags},
    io::Errno,
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
    },
};
use std::{
    fs::File,
    io::{self, Write as _},
    os::{fd::AsRawFd as _, unix::fs::FileExt as _},
    path::{Path, PathBuf},
};

/// Secrets of the machine itself. Their modes keep an ordinary user out, but root's user id owns them.
const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/run/user",
    "/run/secrets",
    "/run/credentials",
    "/sys",
];
/// The little of `/sys` that programs read to find out how many processors and how much memory they have.
const SYSTEM_SHOWN: &[&str] =
    &["/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage"];
/// The devices every program may expect.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | NO_PRIVILEGE;
const NO_PRIVILEGE: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The directories that may be changed, by their real paths.
    pub(super) writable: Vec<PathBuf>,
    /// What may not be read, by real paths; empty when mounts already see to it.
    pub(super) hidden: Vec<PathBuf>,
    /// The approved files, each with the place of its copy.
    pub(super) aliases: Vec<(PathBuf, PathBuf)>,
}

impl View {
    /// The machine's own view, for when there is no mount namespace and other means have to keep secrets.
    pub(super) fn untouched(order: &RunOrder, copies: &[OwnedFd]) -> Self {
        let paths = real_paths(order);
        let alias = |fd: &OwnedFd| PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()));
        let aliases = order.approved.iter().zip(copies).map(|((path, _), fd)| (path.clone(), alias(fd)));
        Self { writable: paths.write, hidden: paths.hide, aliases: aliases.collect() }
    }
}

/// Mounts everything. The process must be pid 1 of its own namespaces.
pub(super) fn build(order: &RunOrder, copies: Vec<OwnedFd>) -> Result<View, Failure> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .at("cut the mounts off from the machine's")?;
    for path in order.profile.writable_roots() {
        open(path, ResolveFlags::empty()).at_path("open the writable directory", path)?;
    }
    let paths = real_paths(order);
    let places = plan::plan(&paths);
    let sources = places.iter().map(source).collect::<Result<Vec<_>, _>>()?;
    let proc = order.primitives.fresh_proc.then(|| fresh_proc(order)).transpose()?;
    let devices =
        DEVICES.iter().filter_map(|name| clone(&Path::new("/dev").join(name)).ok().map(|fd| (name, fd)));
    let devices: Vec<_> = devices.collect();
    let root = open(Path::new("/"), ResolveFlags::empty()).at("open the root")?;
    sys::mount_setattr(&root, READ_ONLY, true).at("make the root read-only")?;
    if let Some(proc) = proc {
        attach(&proc, Path::new("/proc")).at("mount /proc")?;
    }
    let mut unsealed = vec![fill_dev(order, &copies, &devices)?];
    for (place, source) in places.iter().zip(sources) {
        let has_others = plan::holds_others(&places, &place.path);
        unsealed.extend(put(order, place, source, has_others).at_path("mount", &place.path)?);
    }
    for mount in unsealed {
        sys::mount_setattr(&mount, READ_ONLY, false).at("seal a mount")?;
    }
    let aliases = order.approved.iter().enumerate();
    let aliases = aliases.map(|(number, (path, _))| (path.clone(), executable::place_of_copy(number, path)));
    Ok(View { writable: paths.write, hidden: Vec::new(), aliases: aliases.collect() })
}

/// An empty place in memory, and nothing else, is all there is from here on.
pub(super) fn nothing() -> Result<View, Failure> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .at("cut the mounts off from the machine's")?;
    let root = memory(4096, "0555").at("make an empty root")?;
    sys::mount_setattr(&root, READ_ONLY | libc::MOUNT_ATTR_NOEXEC, false).at("seal the empty root")?;
    rustix::process::fchdir(&root).at("enter the empty root")?;
    // There is no way back: nothing from outside stays open, and the right to do this again is given up.
    rustix::process::chroot(".").at("stay in the empty root")?;
    Ok(View::default())
}

/// Follows symlinks now, once, and leaves out what does not exist.
fn real_paths(order: &RunOrder) -> Paths {
    let profile = &order.profile;
    let real = |path: &Path| {
        let fd = open(path, ResolveFlags::empty()).ok()?;
        std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).ok()
    };
    let system = |paths: &[&str]| paths.iter().filter_map(|path| real(Path::new(path))).collect::<Vec<_>>();
    let mut hide = system(SYSTEM_SECRETS);
    hide.extend(profile.hidden.iter().filter_map(|path| real(path)));
    let mut show = system(SYSTEM_SHOWN);
    show.extend(profile.readable_extra.iter().filter_map(|path| real(path)));
    Paths {
        private: system(&["/tmp"]),
        show,
        write: profile.writable_roots().filter_map(|path| real(path)).collect(),
        copies: order
            .approved
            .iter()
            .enumerate()
            .filter_map(|(number, (path, _))| real(&order.cwd.join(path)).map(|path| (number, path)))
            .collect(),
        hide,
    }
}

/// A copy of the mount a granted place has now, before anything is covered.
fn source(place: &Place) -> Result<Option<OwnedFd>, Failure> {
    let attributes = match place.kind {
        Kind::Write => NO_PRIVILEGE,
        Kind::Show => READ_ONLY,
        Kind::Private | Kind::Hide | Kind::Copy(_) => return Ok(None),
    };
    let tree = clone(&place.path).at_path("open", &place.path)?;
    sys::mount_setattr(&tree, attributes, true).at_path("limit", &place.path)?;
    Ok(Some(tree))
}

/// Mounts one place. Returns a mount that is still to be made read-only.
fn put(
    order: &RunOrder,
    place: &Place,
    source: Option<OwnedFd>,
    has_others: bool,
) -> io::Result<Option<OwnedFd>> {
    let path = &place.path;
    match place.kind {
        Kind::Write | Kind::Show => {
            let source = source.ok_or(Errno::INVAL)?;
            let directory = FileType::from_raw_mode(rustix::fs::fstat(&source)?.st_mode).is_dir();
            make_target(path, directory)?;
            attach(&source, path)?;
        }
        Kind::Private => attach(&memory(order.profile.limits.tmp_bytes, "1777")?, path)?,
        Kind::Copy(number) => {
            let (original, _) = order.approved.get(number).ok_or(Errno::INVAL)?;
            attach(&clone(&executable::place_of_copy(number, original))?, path)?;
        }
        Kind::Hide if has_others => {
            // Passable but not listable, so that the way to what is granted inside stays open.
            let cover = memory(1 << 20, "0111")?;
            attach(&cover, path)?;
            return Ok(Some(cover));
        }
        Kind::Hide => {
            let target = open(path, ResolveFlags::NO_SYMLINKS)?;
            let directory = FileType::from_raw_mode(rustix::fs::fstat(&target)?.st_mode).is_dir();
            attach(
                &clone(Path::new(if directory { "/dev/.cover/directory" } else { "/dev/.cover/file" }))?,
                path,
            )?;
        }
    }
    Ok(None)
}

/// Mounts a `/dev` with the usual devices, terminals of its own, shared memory of its own, the approved copies, and
/// what hidden paths are covered with. Returns it still to be sealed.
fn fill_dev(order: &RunOrder, copies: &[OwnedFd], devices: &[(&&str, OwnedFd)]) -> Result<OwnedFd, Failure> {
    let size: u64 = copies
        .iter()
        .filter_map(|fd| rustix::fs::fstat(fd).ok())
        .map(|stat| stat.st_size as u64 + 4096)
        .sum();
    let dev = memory(size + (1 << 20), "0755").at("make /dev")?;
    attach(&dev, Path::new("/dev")).at("mount /dev")?;
    for (name, device) in devices {
        let path = Path::new("/dev").join(name);
        make_target(&path, false).and_then(|()| attach(device, &path)).at_path("mount", &path)?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "fd/0"),
        ("stdout", "fd/1"),
        ("stderr", "fd/2"),
        ("ptmx", "pts/ptmx"),
    ] {
        std::os::unix::fs::symlink(target, Path::new("/dev").join(name)).at("fill /dev")?;
    }
    for name in ["/dev/shm", "/dev/pts", "/dev/.cover/directory", executable::COPIES] {
        std::fs::create_dir_all(name).at("fill /dev")?;
    }
    attach(&memory(order.profile.limits.tmp_bytes, "1777").at("make /dev/shm")?, Path::new("/dev/shm"))
        .at("mount /dev/shm")?;
    let terminals = file_system("devpts", &[("ptmxmode", "0666"), ("mode", "0620")]).at("make /dev/pts")?;
    attach(&terminals, Path::new("/dev/pts")).at("mount /dev/pts")?;
    File::create("/dev/.cover/file").at("fill /dev")?;
    for (path, mode) in [("/dev/.cover/file", 0), ("/dev/.cover/directory", 0o111)] {
        rustix::fs::chmod(path, Mode::from_raw_mode(mode)).at("fill /dev")?;
    }
    for (number, (copy, (path, mode))) in copies.iter().zip(&order.approved).enumerate() {
        let place = executable::place_of_copy(number, path);
        write_copy(copy, &place, *mode).at_path("place the approved copy of", path)?;
    }
    Ok(dev)
}

fn write_copy(copy: &OwnedFd, place: &Path, mode: u32) -> io::Result<()> {
    std::fs::create_dir_all(place.parent().ok_or(Errno::INVAL)?)?;
    let mut file = File::create(place)?;
    let copy = File::from(copy.try_clone()?);
    let mut part = vec![0; 64 * 1024];
    let mut at = 0;
    // By position: the memory file's offset is shared with every other run of the same copy.
    loop {
        let count = copy.read_at(&mut part, at)?;
        if count == 0 {
            break;
        }
        file.write_all(&part[..count])?;
        at += count as u64;
    }
    // Read and execute, never write: the mount is sealed as well, but its owner is the command's user.
    rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o555))?;
    Ok(())
}

/// A `/proc` of this pid namespace. Read-only: root's user id could write the machine's settings through it.
fn fresh_proc(order: &RunOrder) -> Result<OwnedFd, Failure> {
    let proc = file_system("proc", &[]).at("make /proc")?;
    // Root is exempt from the limit on processes, but not from running out of process ids. Older kernels have no
    // such setting per namespace; an ordinary user's limit holds there all the same. Ids below 300 are used once.
    let most = (300 + order.profile.limits.processes).to_string();
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(setting) = rustix::fs::openat(&proc, "sys/kernel/pid_max", flags, Mode::empty()) {
        rustix::io::write(setting, most.as_bytes()).unwrap_or_default();
    }
    sys::mount_setattr(&proc, READ_ONLY | libc::MOUNT_ATTR_NOEXEC, false).at("limit /proc")?;
    Ok(proc)
}

/// An empty file system in memory.
fn memory(bytes: u64, mode: &str) -> io::Result<OwnedFd> {
    file_system("tmpfs", &[("size", &bytes.to_string()), ("mode", mode)])
}

fn file_system(kind: &str, options: &[(&str, &str)]) -> io::Result<OwnedFd> {
    let context = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in options {
        rustix::mount::fsconfig_set_string(context.as_fd(), *key, *value)?;
    }
    rustix::mount::fsconfig_create(context.as_fd())?;
    // Devices are wanted in devpts only, and it keeps others from being made.
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID;
    let attributes =
        if kind == "devpts" { attributes } else { attributes | MountAttrFlags::MOUNT_ATTR_NODEV };
    Ok(rustix::mount::fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

fn clone(path: &Path) -> io::Result<OwnedFd> {
    let fd = open(path, ResolveFlags::NO_SYMLINKS)?;
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(rustix::mount::open_tree(fd.as_fd(), c"", flags)?)
}

fn attach(mount: &OwnedFd, path: &Path) -> io::Result<()> {
    let target = open(path, ResolveFlags::NO_SYMLINKS)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(rustix::mount::move_mount(mount.as_fd(), c"", target.as_fd(), c"", flags)?)
}

fn open(path: &Path, resolve: ResolveFlags) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)?)
}

/// Makes the place a mount goes to, where it lies in a file system of the command's own. Elsewhere it exists.
fn make_target(path: &Path, directory: bool) -> io::Result<()> {
    match open(path, ResolveFlags::NO_SYMLINKS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other.map(drop),
    }
    if directory {
        return std::fs::create_dir_all(path);
    }
    std::fs::create_dir_all(path.parent().ok_or(Errno::INVAL)?)?;
    File::create_new(path).map(drop)
}
