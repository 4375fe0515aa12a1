//! What a call would do, whatever tool it names: the paths, the programs, the address, how far it reaches, and
//! what was not understood. Whether it may is for `judge`.

use crate::{
    call::{Access, CallInfo, Needs, PathNeed},
    place::Grounds,
    rule::{ToolShape, shape_of},
    shell::{self, Analysis, Effect},
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use url::Url;

/// What a call would do.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    pub(crate) effect: Effect,
    /// The script and its analysis, for a shell tool.
    pub(crate) script: Option<(String, Analysis)>,
    /// The paths, absolute but not resolved.
    pub(crate) uses: Vec<PathNeed>,
    pub(crate) url: Option<Url>,
    pub(crate) unclear: Vec<String>,
    pub(crate) forbidden: Vec<String>,
    pub(crate) summary: String,
}

/// The arguments a shell tool may have; any other makes the call not understood.
const SHELL_ARGUMENTS: &[&str] =
    &["command", "timeoutMs", "timeout_ms", "yieldMs", "yield_ms", "background", "description"];

/// The most paths one call may name: each costs a look at the disk.
const MAX_PATHS: usize = 256;

/// How many values of an unknown tool's arguments are looked through for paths, and how many characters of a
/// call a summary shows.
const MAX_VALUES: usize = 256;
const MAX_SUMMARY_CHARS: usize = 200;

impl Sight {
    /// Looks at a call.
    pub(crate) fn of(call: &CallInfo<'_>, grounds: &Grounds) -> Self {
        let mut sight = Sight::default();
        let shape = shape_of(call.tool);
        match shape {
            ToolShape::Shell => sight.shell(call, grounds),
            ToolShape::Reads => sight.file(call, grounds, Access::Read),
            ToolShape::Writes => sight.file(call, grounds, Access::Write),
            ToolShape::Web | ToolShape::Other => sight.other(call, grounds),
        }
        if call.labels.keeps {
            sight.effect = sight.effect.max(Effect::Keeps);
        }
        // Of commands and files more is known than what the tool says of all its calls.
        if matches!(shape, ToolShape::Web | ToolShape::Other) && call.labels.acts_outside {
            sight.effect = sight.effect.max(Effect::Outside);
        }
        if sight.uses.len() > MAX_PATHS {
            sight.uses.truncate(MAX_PATHS);
            sight.unclear.push(format!("it names more than {MAX_PATHS} paths"));
        }
        let mut chars = sight.summary.chars();
        let shown: String = chars.by_ref().take(MAX_SUMMARY_CHARS).collect();
        sight.summary = if chars.next().is_some() { format!("{shown} …") } else { shown };
        sight
    }

    /// What the driver must look up.
    pub(crate) fn needs(&self) -> Needs {
        let mut paths = self.uses.clone();
        paths.sort();
        paths.dedup();
        let mut executables = self.programs();
        executables.sort();
        executables.dedup();
        Needs { paths, executables }
    }

    /// The programs a script starts, by the names it uses.
    pub(crate) fn programs(&self) -> Vec<String> {
        let commands = self.script.iter().flat_map(|(_, analysis)| &analysis.commands);
        commands
            .filter(|command| !command.builtin)
            .filter_map(|command| command.words.first().and_then(|name| name.known()).map(str::to_owned))
            .filter(|name| !name.is_empty())
            .collect()
    }

    fn shell(&mut self, call: &CallInfo<'_>, grounds: &Grounds) {
        let unknown = call.input.as_object().into_iter().flat_map(|input| input.keys());
        for key in unknown.filter(|key| !SHELL_ARGUMENTS.contains(&key.as_str())) {
            self.unclear.push(format!("the argument `{key}` is not understood"));
        }
        let Some(script) = call.input.get("command").and_then(Value::as_str) else {
            self.effect = Effect::Outside;
            return self.unclear.push("there is no command in it".into());
        };
        let analysis = shell::analyse(script);
        let elsewhere = analysis.cd.as_ref().map(|target| grounds.join(call.cwd, &target.text, target.tilde));
        let bases: Vec<&Path> = std::iter::once(call.cwd).chain(elsewhere.as_deref()).collect();
        self.uses.push(PathNeed { path: call.cwd.to_path_buf(), access: Access::Mention });
        for path in &analysis.uses {
            for base in &bases {
                self.add(grounds.join(base, &path.text, path.tilde), path.access);
            }
        }
        self.effect = analysis.effect();
        self.unclear.extend(analysis.unclear.iter().cloned());
        self.forbidden.extend(analysis.forbidden.iter().cloned());
        self.summary = format!("run `{}`", script.trim());
        self.script = Some((script.to_owned(), analysis));
    }

    fn file(&mut self, call: &CallInfo<'_>, grounds: &Grounds, access: Access) {
        let searches = matches!(call.tool, "glob" | "grep");
        let written = match call.input.get("path") {
            Some(Value::String(path)) => path.as_str(),
            None | Some(Value::Null) if searches => ".",
            _ => {
                self.effect = Effect::Outside;
                return self.unclear.push("it names no path".into());
            }
        };
        let base = grounds.join(call.cwd, written, is_home_path(written));
        if let Some(pattern) =
            call.input.get("pattern").and_then(Value::as_str).filter(|_| call.tool == "glob")
        {
            // A pattern may climb or start elsewhere; the part before its first sign is where it begins.
            let start: PathBuf =
                pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
            let start = if pattern.starts_with('/') { Path::new("/").join(start) } else { start };
            self.add(base.join(start), access);
            if pattern.split('/').any(|part| part == "..") || is_home_path(pattern) {
                self.unclear.push("the pattern leads away from its folder".into());
            }
        }
        self.add(base, access);
        self.effect = if access >= Access::Write { Effect::Writes } else { Effect::Reads };
        let verb = if access >= Access::Write { "change" } else { "read" };
        self.summary = format!("{verb} `{written}`");
    }

    fn other(&mut self, call: &CallInfo<'_>, grounds: &Grounds) {
        self.summary = format!("call `{}`", call.tool);
        let mut values = vec![call.input];
        let mut looked_at = 0;
        while let Some(value) = values.pop() {
            looked_at += 1;
            if looked_at > MAX_VALUES {
                break;
            }
            match value {
                Value::String(text) if text.starts_with('/') || is_home_path(text) => {
                    self.add(grounds.join(call.cwd, text, is_home_path(text)), Access::Mention);
                }
                Value::Array(items) => values.extend(items),
                Value::Object(fields) => values.extend(fields.values()),
                _ => {}
            }
        }
        let Some(address) = call.input.get("url").and_then(Value::as_str) else {
            if shape_of(call.tool) == ToolShape::Web {
                self.unclear.push("it names no web address".into());
            }
            return;
        };
        // Asking for an address tells its host something, so it is never a mere read.
        self.effect = Effect::Outside;
        self.summary = format!("call `{}` for `{address}`", call.tool);
        match Url::parse(address) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => self.url = Some(url),
            _ => self.unclear.push(format!("`{address}` is not a web address")),
        }
    }

    fn add(&mut self, path: PathBuf, access: Access) {
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return self.unclear.push("a path contains a zero byte".into());
        }
        self.uses.push(PathNeed { path, access });
    }
}

fn is_home_path(text: &str) -> bool {
    text == "~" || text.starts_with("~/")
}
