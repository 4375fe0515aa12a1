//! What people work with still works inside.

use crate::support::{found, run_with, scratch};
use sandbox::{FIXED_PATH, Profile};
use std::path::Path;

/// Runs each line; all must end well and the last must say what is wanted.
async fn works(profile: &Profile, line: &str, wanted: &str) {
    let done = run_with(profile, line).await;
    let text = done.output.text();
    assert!(done.exit == Some(0) && text.contains(wanted), "{line}\n{done:?}\n{text}");
}

fn profile(workspace: &Path) -> Profile {
    let home = workspace.display().to_string();
    Profile { env: vec![("HOME".into(), home)], ..Profile::new(workspace) }
}

#[tokio::test]
async fn git() {
    let dir = scratch();
    if found("git", FIXED_PATH) {
        let line = "git init -q . && git config user.name a && git config user.email a@b && echo x > f && git add f \
                    && git commit -qm first && git log --oneline && git status --short";
        works(&profile(dir.path()), line, "first").await;
    }
}

#[tokio::test]
async fn node() {
    let dir = scratch();
    if found("node", FIXED_PATH) {
        let line = r#"node -e 'const c = require("child_process"); require("fs").writeFileSync("f", "x"); console.log(c.execSync("echo from child").toString(), new Promise(r => setTimeout(r, 1)))'"#;
        works(&profile(dir.path()), line, "from child").await;
    }
}

#[tokio::test]
async fn python() {
    let dir = scratch();
    if found("python3", FIXED_PATH) {
        std::fs::write(
            dir.path().join("work.py"),
            "import multiprocessing, os, pty, sqlite3, subprocess, tempfile, threading\n\
             def square(x):\n    return x * x\n\
             if __name__ == '__main__':\n\
             \x20   with multiprocessing.Pool(2) as pool:\n        print(pool.map(square, range(4)))\n\
             \x20   print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout)\n\
             \x20   sqlite3.connect('base.db').execute('create table t (x)')\n\
             \x20   tempfile.NamedTemporaryFile().write(b'x')\n\
             \x20   queue = multiprocessing.Queue(); queue.put(1); print(queue.get())\n\
             \x20   print(pty.spawn(['true']))\n",
        )
        .expect("a file");
        works(&profile(dir.path()), "python3 work.py", "[0, 1, 4, 9]").await;
    }
}

#[tokio::test]
async fn cargo_offline() {
    let dir = scratch();
    // Rust mostly lives in its owner's home, which is readable unless hidden.
    let own = std::env::var("PATH").unwrap_or_default();
    let cargo = sandbox::lookup("cargo", &own, Path::new("/"));
    let Some(bin) = cargo.as_ref().and_then(|cargo| cargo.path.parent()) else {
        println!("not run: no `cargo` within reach of this user");
        return;
    };
    let mut profile = profile(dir.path());
    profile.env.push(("PATH".into(), format!("{}:{FIXED_PATH}", bin.display())));
    for name in ["RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        let default = std::env::var("HOME").map(|home| format!("{home}/.rustup"));
        let value = std::env::var(name).or(if name == "RUSTUP_HOME" {
            default
        } else {
            Err(std::env::VarError::NotPresent)
        });
        profile.env.extend(value.ok().map(|value| (name.to_owned(), value)));
    }
    let line = "cargo new -q --vcs none tiny && cd tiny && cargo build -q --offline && ./target/debug/tiny";
    works(&profile, line, "Hello, world!").await;
}

#[tokio::test]
async fn shells_and_pipes() {
    let dir = scratch();
    let profile = profile(dir.path());
    for (line, wanted) in [
        ("cat <<< here | tr a-z A-Z", "HERE"),
        ("diff <(echo a) <(echo b); echo differs $?", "differs 1"),
        ("mktemp && mktemp -p /dev/shm && ls -la /dev/ /proc/self/ > /dev/null && echo fine", "fine"),
        ("ps ax | wc -l; echo $$", ""),
        ("id -u; nproc; date; df . > /dev/null && echo fine", "fine"),
        ("head -c 10 /dev/urandom | wc -c", "10"),
        (
            "mkdir a b && echo x > a/f && mv a/f b/g && ln b/g b/h && ln -s g b/s && chmod 755 b/g && rm -r a b && echo moved",
            "moved",
        ),
        ("trap 'echo caught' TERM; kill -TERM $$; echo after", "caught\nafter"),
        ("yes | head -1; echo ${PIPESTATUS[0]}", "y\n141"),
        ("test -w . && ! test -w /etc && echo honest", "honest"),
    ] {
        works(&profile, line, wanted).await;
    }
}
