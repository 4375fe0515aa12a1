//! The rules an owner is offered for "always allow". Writing the chosen one is for the driver, after showing it.

use crate::{
    call::CallInfo,
    judge::Policy,
    rule::{Rule, ToolShape, shape_of},
    shell::{Command, Effect},
    sight::Sight,
};
use serde_json::Value;

impl Policy {
    /// Rules that would allow this call: first the exact one, then wider ones. Empty when the call is not
    /// understood, since a rule for it could mean something else tomorrow.
    pub fn suggest_rules(&self, call: &CallInfo<'_>) -> Vec<String> {
        let sight = Sight::of(call, &self.grounds);
        if !sight.unclear.is_empty() || !sight.forbidden.is_empty() {
            return Vec::new();
        }
        let mut rules = match (shape_of(call.tool), &sight.script) {
            (ToolShape::Shell, Some((script, analysis))) => {
                let mut rules = vec![format!("{}({})", call.tool, script.trim())];
                let plain = analysis.commands.iter().filter(|command| !command.wraps);
                rules.extend(
                    plain
                        .filter_map(|command| self.prefix_of(command))
                        .map(|prefix| format!("{}({prefix}:*)", call.tool)),
                );
                rules
            }
            (ToolShape::Reads | ToolShape::Writes, _) => path_rules(call),
            _ => match sight.url.as_ref().and_then(|url| url.host_str().map(|host| (url.port(), host))) {
                Some((Some(port), host)) => vec![format!("{}(host:{host}:{port})", call.tool)],
                Some((None, host)) => vec![format!("{}(host:{host})", call.tool)],
                None => vec![call.tool.to_owned()],
            },
        };
        let mut seen = Vec::new();
        rules.retain(|rule| {
            let fresh =
                !seen.contains(rule) && !rule.contains('\n') && Rule::parse(rule, &self.grounds).is_ok();
            seen.push(rule.clone());
            fresh
        });
        rules
    }

    /// The first words of a command that say what it does, when allowing all that start so is no great risk.
    fn prefix_of(&self, command: &Command) -> Option<String> {
        let name = command.words.first()?.known()?;
        let guarded = self.extra_validation.iter().any(|extra| extra == name);
        if guarded || name.contains('/') {
            return None;
        }
        let is_verb = |text: &&str| {
            text.len() > 1
                && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                && !text.starts_with('-')
        };
        let verb = command.words.get(1).and_then(|word| word.known()).filter(is_verb);
        match verb {
            Some(verb) if !command.known || name == "git" => Some(format!("{name} {verb}")),
            _ if command.known && command.effect < Effect::Outside => Some(name.to_owned()),
            _ => None,
        }
    }
}

fn path_rules(call: &CallInfo<'_>) -> Vec<String> {
    let Some(path) = call.input.get("path").and_then(Value::as_str) else { return Vec::new() };
    let written = if path.starts_with(['/', '~']) || path.starts_with("./") {
        path.to_owned()
    } else {
        format!("./{path}")
    };
    if written.contains(['*', '?', '[', '{', '\\']) || written.split('/').any(|part| part == "..") {
        return Vec::new();
    }
    let folder = written
        .rsplit_once('/')
        .map(|(folder, _)| folder)
        .filter(|folder| !folder.is_empty() && *folder != "~");
    let exact = format!("{}({written})", call.tool);
    std::iter::once(exact).chain(folder.map(|folder| format!("{}({folder}/**)", call.tool))).collect()
}
