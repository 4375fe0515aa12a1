//! Looking up, opening and writing files by directory handle, with someone pulling at them meanwhile.

use crate::support::{StopOnDrop, scratch};
use sandbox::{BeneathError, FileKind, ResolveError, Root, resolve};
use std::{
    fs,
    io::Read as _,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

#[test]
fn paths_are_resolved_to_what_they_are() {
    let dir = scratch();
    let base = fs::canonicalize(dir.path()).expect("a path");
    fs::create_dir_all(base.join("a/b")).expect("a directory");
    fs::write(base.join("a/b/file"), "x").expect("a file");
    symlink("a/b", base.join("link")).expect("a link");
    symlink("/etc/passwd", base.join("a/out")).expect("a link");
    symlink("loop", base.join("loop")).expect("a link");
    symlink("nowhere/new", base.join("dangling")).expect("a link");
    let below = |path: &str| base.join(path);
    for (path, real, exists, crossed, kind) in [
        ("a/b/file", below("a/b/file"), true, false, Some(FileKind::File)),
        ("./a/../a/b/", below("a/b"), true, false, Some(FileKind::Directory)),
        ("link/file", below("a/b/file"), true, true, Some(FileKind::File)),
        ("link/../b/file", below("a/b/file"), true, true, Some(FileKind::File)),
        ("a/out", PathBuf::from("/etc/passwd"), true, true, Some(FileKind::File)),
        ("dangling", below("nowhere/new"), false, true, None),
        ("new/one/../two", below("new/two"), false, false, None),
        ("../../../../../..", PathBuf::from("/"), true, false, Some(FileKind::Directory)),
        ("/dev/null", PathBuf::from("/dev/null"), true, false, Some(FileKind::Special)),
    ] {
        let found = resolve(Path::new(path), &base).expect("resolved");
        assert_eq!(
            (&found.real, found.exists, found.crossed_symlink, found.kind),
            (&real, exists, crossed, kind),
            "{path}"
        );
    }
    assert!(matches!(resolve(Path::new("loop"), &base), Err(ResolveError::TooManySymlinks(_))));
    assert!(matches!(resolve(Path::new("/proc/self/root/etc"), &base), Err(ResolveError::MagicLink(_))));
    assert!(matches!(resolve(Path::new("x"), Path::new("y")), Err(ResolveError::NotAbsolute(_))));
}

#[test]
fn nothing_leads_out_of_a_root() {
    let dir = scratch();
    let inside = dir.path().join("root");
    fs::create_dir_all(inside.join("sub")).expect("a directory");
    fs::write(dir.path().join("secret"), "secret").expect("a file");
    fs::write(inside.join("file"), "fine").expect("a file");
    symlink("../secret", inside.join("up")).expect("a link");
    symlink("/etc/passwd", inside.join("absolute")).expect("a link");
    symlink("../file", inside.join("sub/fine")).expect("a link");
    symlink("..", inside.join("parent")).expect("a link");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        inside.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .expect("a pipe");
    let root = Root::open(&inside).expect("a root");
    for path in ["up", "absolute", "../secret", "sub/../../secret", "parent/secret", "/etc/passwd"] {
        assert!(matches!(root.open_file(Path::new(path)), Err(BeneathError::Outside(_))), "{path}");
    }
    for path in ["file", "sub/fine", "sub/../file", inside.join("file").to_str().expect("text")] {
        let mut text = String::new();
        root.open_file(Path::new(path)).expect("a file").read_to_string(&mut text).expect("read");
        assert_eq!(text, "fine", "{path}");
    }
    for path in ["pipe", "sub", "."] {
        assert!(matches!(root.open_file(Path::new(path)), Err(BeneathError::NotAFile(_))), "{path}");
    }
    for path in ["../new", "parent/new", "/etc/new"] {
        assert!(root.write_atomic(Path::new(path), b"x").is_err(), "{path}");
    }
    assert!(matches!(root.write_atomic(Path::new("up"), b"x"), Err(BeneathError::Symlink(_))));
    assert!(matches!(root.create_directories(Path::new("parent/evil")), Err(BeneathError::Symlink(_))));
    assert!(root.create_directories(Path::new("../evil")).is_err());
    assert_eq!(fs::read_dir(dir.path()).expect("a directory").count(), 2);
}

#[test]
fn writing_keeps_modes_and_leaves_nothing_behind() {
    let dir = scratch();
    let root = Root::open(dir.path()).expect("a root");
    root.create_directories(Path::new("a/b")).expect("directories");
    root.write_atomic(Path::new("a/b/new"), b"one").expect("written");
    fs::set_permissions(dir.path().join("a/b/new"), fs::Permissions::from_mode(0o750)).expect("a mode");
    root.write_atomic(Path::new("a/b/new"), b"two").expect("written");
    assert_eq!(fs::read_to_string(dir.path().join("a/b/new")).expect("read"), "two");
    assert_eq!(fs::metadata(dir.path().join("a/b/new")).expect("there").permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read_dir(dir.path().join("a/b")).expect("a directory").count(), 1);
    let long = "n".repeat(255);
    root.write_atomic(Path::new(&long), b"x").expect("written");
}

#[test]
fn a_racing_symlink_never_wins() {
    let dir = scratch();
    let inside = dir.path().join("root");
    fs::create_dir_all(inside.join("real")).expect("a directory");
    fs::create_dir(dir.path().join("outside")).expect("a directory");
    fs::write(dir.path().join("outside/file"), "secret").expect("a file");
    fs::write(inside.join("real/file"), "fine").expect("a file");
    let root = Root::open(&inside).expect("a root");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs::rename(inside.join("real"), inside.join("away")).expect("renamed");
                symlink("../outside", inside.join("real")).expect("a link");
                fs::remove_file(inside.join("real")).expect("removed");
                fs::rename(inside.join("away"), inside.join("real")).expect("renamed");
            }
        });
        let _stop = StopOnDrop(&stop);
        let until = Instant::now() + Duration::from_millis(500);
        while Instant::now() < until {
            if let Ok(mut file) = root.open_file(Path::new("real/file")) {
                let mut text = String::new();
                file.read_to_string(&mut text).expect("read");
                assert_eq!(text, "fine");
            }
            // Most fail while the link is there; none may land outside.
            root.write_atomic(Path::new("real/made"), b"x").unwrap_or_default();
        }
    });
    assert_eq!(fs::read_dir(dir.path().join("outside")).expect("a directory").count(), 1);
}
