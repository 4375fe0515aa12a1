//! Node, and the TypeScript compiler in it: the same program with the same declarations and library.

use code::Declarations;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use testkit::middle_ms;

/// Checks again and again in one process, as an editor does.
const WARM: &str = include_str!("warm.cjs");
const LIBRARY: &str = include_str!("../../../../code/src/checker/lib.d.ts");
/// A start of `tsc` takes a second or two.
const COLD_RUNS: usize = 5;

/// Node on this machine, if it is there.
pub struct Node {
    found: Result<(), String>,
    typescript: Result<PathBuf, String>,
}

impl Node {
    /// Looks for it, and for the compiler's package.
    pub fn find(typescript: Option<PathBuf>) -> Self {
        let version = Command::new("node").arg("--version").stdout(Stdio::null()).status();
        let found = version.map(drop).map_err(|_| "`node` is missing".to_owned());
        let typescript = typescript.filter(|it| it.join("lib/_tsc.js").exists());
        let typescript =
            typescript.and_then(|it| it.canonicalize().ok()).ok_or("`tsc` is missing".to_owned());
        Self { found: found.clone(), typescript: found.and(typescript) }
    }

    /// A process that does nothing.
    pub fn start(&self, runs: usize) -> Result<f64, String> {
        self.found.clone()?;
        let times = (0..runs).map(|_| ran(Command::new("node").args(["-e", "0"])).map(|(time, _)| time));
        Ok(middle_ms(&times.collect::<Result<Vec<_>, _>>()?))
    }

    /// The check by a new process, and by a compiler that is warm, both in milliseconds.
    pub fn checks(
        &self,
        declarations: &Declarations,
        program: &str,
        runs: usize,
    ) -> (Result<f64, String>, Result<f64, String>) {
        let package = match &self.typescript {
            Ok(package) => package,
            Err(why) => return (Err(why.clone()), Err(why.clone())),
        };
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put("lib.d.ts", LIBRARY);
        put("tools.d.ts", &declarations.text());
        put("program.ts", &format!("async function program() {{\n{program}\n}}"));
        put("warm.cjs", WARM);
        (cold(package, folder.path()), warm(package, folder.path(), runs))
    }
}

fn cold(package: &Path, folder: &Path) -> Result<f64, String> {
    let once = || {
        let mut command = Command::new("node");
        command.arg(package.join("lib/_tsc.js")).current_dir(folder);
        command.args(["--noEmit", "--strict", "--noLib", "--skipLibCheck", "--target", "es2022"]);
        ran(command.args(["lib.d.ts", "tools.d.ts", "program.ts"])).map(|(time, _)| time)
    };
    Ok(middle_ms(&(0..COLD_RUNS).map(|_| once()).collect::<Result<Vec<_>, _>>()?))
}

fn warm(package: &Path, folder: &Path, runs: usize) -> Result<f64, String> {
    let mut command = Command::new("node");
    let (_, said) = ran(command.arg("warm.cjs").arg(package).arg(runs.to_string()).current_dir(folder))?;
    said.trim().parse().map_err(|_| said)
}

/// How long a command took, and what it said.
fn ran(command: &mut Command) -> Result<(Duration, String), String> {
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let time = begin.elapsed();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok((time, said)) } else { Err(format!("it failed: {said}")) }
}
