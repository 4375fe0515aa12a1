//! Node, and the TypeScript compiler in it: the same program with the same declarations and library.

use code::Declarations;
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Checks again and again in one process, as an editor does.
const WARM: &str = include_str!("warm.cjs");
const LIBRARY: &str = include_str!("../../../../code/src/checker/lib.d.ts");
/// A start of `tsc` takes a second or two.
const COLD_RUNS: usize = 5;

/// What something took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub wall: Duration,
    pub cpu: Duration,
}

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
    pub fn start(&self, runs: usize) -> Result<Duration, String> {
        self.found.clone()?;
        Ok(middle(runs, || ran(Command::new("node").args(["-e", "0"])).map(|(cost, _)| cost))?.wall)
    }

    /// The check by a new process, and by a compiler that is warm.
    pub fn checks(
        &self,
        declarations: &Declarations,
        program: &str,
        runs: usize,
    ) -> (Result<Cost, String>, Result<Cost, String>) {
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

fn cold(package: &Path, folder: &Path) -> Result<Cost, String> {
    middle(COLD_RUNS, || {
        let mut command = Command::new("node");
        command.arg(package.join("lib/_tsc.js")).current_dir(folder);
        command.args(["--noEmit", "--strict", "--noLib", "--skipLibCheck", "--target", "es2022"]);
        ran(command.args(["lib.d.ts", "tools.d.ts", "program.ts"])).map(|(cost, _)| cost)
    })
}

fn warm(package: &Path, folder: &Path, runs: usize) -> Result<Cost, String> {
    let mut command = Command::new("node");
    let (_, said) = ran(command.arg("warm.cjs").arg(package).arg(runs.to_string()).current_dir(folder))?;
    let times: Value = serde_json::from_str(&said).map_err(|_| said)?;
    let time = |name: &str| Duration::from_secs_f64(times[name].as_f64().unwrap_or_default() / 1e3);
    Ok(Cost { wall: time("wall"), cpu: time("cpu") })
}

/// The middle of several runs, by wall time and by processor time.
fn middle(runs: usize, mut run: impl FnMut() -> Result<Cost, String>) -> Result<Cost, String> {
    let costs = (0..runs).map(|_| run()).collect::<Result<Vec<Cost>, String>>()?;
    let middle = |of: fn(&Cost) -> Duration| {
        let mut times: Vec<Duration> = costs.iter().map(of).collect();
        times.sort();
        times.get(times.len() / 2).copied().ok_or_else(|| "nothing was run".to_owned())
    };
    Ok(Cost { wall: middle(|cost| cost.wall)?, cpu: middle(|cost| cost.cpu)? })
}

/// What a command took, and what it said.
fn ran(command: &mut Command) -> Result<(Cost, String), String> {
    let (begin, used) = (Instant::now(), used_by_children());
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let cost = Cost { wall: begin.elapsed(), cpu: used_by_children().saturating_sub(used) };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok((cost, said)) } else { Err(format!("it failed: {said}")) }
}

fn used_by_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let time = |time: nix::sys::time::TimeVal| {
        Duration::from_secs(time.tv_sec().unsigned_abs())
            + Duration::from_micros(time.tv_usec().unsigned_abs())
    };
    time(usage.user_time()) + time(usage.system_time())
}
