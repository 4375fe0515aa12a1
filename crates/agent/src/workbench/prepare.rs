//! A call made ready: its arguments checked, everything it depends on looked up, all of it bound together.

use super::{Bench, WorkbenchSettings, outside::House};
use crate::hands::Scene;
use jiff::Timestamp;
use policy::{CallInfo, ExecutableFact, Facts, Fingerprinted, Needs, PathFact, Resolved, fingerprint};
use protocol::{Call, CallId};
use sandbox::{ApprovedCopy, FIXED_PATH, FileKind, Identity, Isolation, Limits, Network, Profile};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tools::{CommandTerms, Tool, ToolContext};

/// Files up to this size are looked into to see whether they are scripts.
const MAX_SCRIPT_BYTES: u64 = 4 << 20;

/// Endings of files that an interpreter runs.
const SCRIPT_ENDINGS: [&str; 10] = ["sh", "bash", "py", "js", "mjs", "cjs", "ts", "pl", "rb", "lua"];

/// The tools that run commands.
pub(super) const COMMAND_TOOLS: [&str; 3] = ["bash", "exec", "process"];

/// A call with all it depends on.
pub(super) struct Prepared {
    pub tool: Arc<dyn Tool>,
    pub input: Value,
    pub facts: Facts,
    pub workspace: PathBuf,
    name: String,
    settings: WorkbenchSettings,
    isolation: Isolation,
    cwd_identity: Option<Identity>,
    /// Scripts and programs that are not the system's, as they are now.
    copies: Vec<ApprovedCopy>,
}

impl Bench {
    /// Looks everything up. The error tells the model what to put right.
    pub(super) fn prepare(&self, scene: &Scene, call: &Call) -> Result<Prepared, String> {
        let settings = self.settings();
        if settings.hides(&scene.at.session, &call.tool) {
            return Err(format!("There is no tool named `{}` in this conversation.", call.tool));
        }
        let input = self.tools.validate(&call.tool, &call.arguments)?;
        let tool = self
            .tools
            .get(&call.tool)
            .cloned()
            .ok_or_else(|| format!("There is no tool named `{}`.", call.tool))?;
        let workspace = settings.policy.places.workspace.clone();
        let mut prepared = Prepared {
            cwd_identity: sandbox::resolve(&workspace, Path::new("/")).ok().and_then(|found| found.identity),
            tool,
            input,
            facts: Facts::default(),
            workspace,
            name: call.tool.clone(),
            isolation: self.isolation(&settings),
            settings,
            copies: Vec::new(),
        };
        let needs = self.policy().needs(&prepared.info());
        prepared.look_up(&needs);
        Ok(prepared)
    }
}

impl Prepared {
    pub fn info(&self) -> CallInfo<'_> {
        CallInfo {
            tool: &self.name,
            input: &self.input,
            labels: self.tool.labels(&self.input),
            cwd: &self.workspace,
        }
    }

    fn look_up(&mut self, needs: &Needs) {
        for need in &needs.paths {
            let fact = self.path_fact(&need.path);
            self.facts.paths.insert(need.path.clone(), fact);
            if is_script(&need.path) {
                self.keep(&need.path);
            }
        }
        for name in &needs.executables {
            let fact = match sandbox::lookup(name, FIXED_PATH, &self.workspace) {
                None => ExecutableFact::NotFound,
                Some(found) => {
                    if !found.system {
                        self.keep(Path::new(name));
                    }
                    ExecutableFact::Found { path: found.path, system: found.system }
                }
            };
            self.facts.executables.insert(name.clone(), fact);
        }
    }

    fn path_fact(&self, path: &Path) -> PathFact {
        let is_symlink = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        match sandbox::resolve(path, &self.workspace) {
            Ok(found) => PathFact::Resolved(Resolved {
                path: found.real,
                exists: found.exists,
                is_symlink,
                is_dir: found.kind == Some(FileKind::Directory),
            }),
            Err(error) => PathFact::Unresolvable(error.to_string()),
        }
    }

    /// Keeps the bytes of a script or program, so that exactly those run.
    fn keep(&mut self, path: &Path) {
        if self.copies.iter().any(|copy| copy.path == path) {
            return;
        }
        match ApprovedCopy::take(path, &self.workspace) {
            Ok(copy) => self.copies.push(copy),
            Err(error) => tracing::debug!(%error, "not kept"),
        }
    }

    fn profile(&self) -> Profile {
        let places = &self.settings.policy.places;
        Profile {
            workspace: self.workspace.clone(),
            writable: places.write_dirs.clone(),
            readable_extra: places.read_dirs.clone(),
            hidden: self.settings.hidden.clone(),
            network: self.settings.network.clone(),
            limits: Limits::default(),
            env: self.settings.env.clone(),
            isolation: self.isolation,
        }
    }

    /// One number over everything the owner is shown and everything that decides what runs.
    pub fn fingerprint(&self, scene: &Scene, expires_at: Timestamp) -> String {
        let executables: Vec<(&Path, [u8; 32])> =
            self.copies.iter().map(|copy| (copy.path.as_path(), copy.sha256)).collect();
        // Which file each name means; whether it exists yet may change, where it leads may not.
        let programs = self.facts.executables.iter().map(|(name, fact)| format!("{name}={fact:?}"));
        let places = self.facts.paths.iter().map(|(path, fact)| match fact {
            PathFact::Resolved(found) => format!("{}={}", path.display(), found.path.display()),
            PathFact::Unresolvable(why) => format!("{}: {why}", path.display()),
        });
        let meanings: Vec<String> = programs.chain(places).collect();
        let sandbox = format!("{}{:?}", self.profile().canonical(), self.cwd_identity);
        fingerprint(&Fingerprinted {
            tool: &self.name,
            arguments: &self.input,
            argv: &meanings,
            executables: &executables,
            cwd: &self.workspace,
            environment: &[],
            sandbox: &sandbox,
            session: scene.at.session.as_str(),
            expires_at_ms: expires_at.as_millisecond(),
        })
        .to_string()
    }

    /// Whether this is a command that may connect somewhere, so that its output may hold words of strangers.
    pub fn reaches_out(&self) -> bool {
        let unconfined = self.isolation == Isolation::Off || self.settings.network != Network::None;
        COMMAND_TOOLS.contains(&self.name.as_str()) && unconfined
    }

    /// What confines a command, in one line.
    pub fn confinement(&self) -> String {
        let network = match &self.settings.network {
            Network::None => "no network".to_owned(),
            Network::Hosts(hosts) => {
                let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
                format!("network only to {}", hosts.join(", "))
            }
        };
        match self.isolation {
            Isolation::Full => format!("kernel sandbox: writes only in the workspace, {network}"),
            Isolation::Available => {
                format!("kernel sandbox, weaker than it should be (see `steward doctor`), {network}")
            }
            Isolation::Off => "NOT confined: the sandbox is switched off".into(),
        }
    }

    /// The tool, its input, and what it may know of the house.
    pub fn into_context(
        self,
        scene: &Scene,
        call: CallId,
        house: Arc<House>,
    ) -> (Arc<dyn Tool>, Value, ToolContext) {
        let places = self.settings.policy.places;
        let context = ToolContext {
            session: scene.at.session.clone(),
            turn: scene.at.turn,
            call,
            tainted: scene.taint.untrusted,
            workspace: self.workspace,
            read_dirs: places.read_dirs,
            write_dirs: places.write_dirs,
            hidden: self.settings.hidden,
            limits: self.settings.limits,
            command: CommandTerms {
                network: self.settings.network,
                resources: Limits::default(),
                env: self.settings.env,
                isolation: self.isolation,
                cwd_identity: self.cwd_identity,
                approved: self.copies,
            },
            outside: house,
        };
        (self.tool, self.input, context)
    }
}

/// Whether something may run this file: it is executable, begins with `#!`, or ends like a script.
fn is_script(path: &Path) -> bool {
    use std::{io::Read, os::unix::fs::PermissionsExt};
    let Ok(metadata) = std::fs::metadata(path) else { return false };
    if !metadata.is_file() || metadata.len() > MAX_SCRIPT_BYTES {
        return false;
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let begins = || {
        let mut start = [0; 2];
        std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
    };
    metadata.permissions().mode() & 0o111 != 0 || SCRIPT_ENDINGS.contains(&ending) || begins()
}
