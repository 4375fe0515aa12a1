//! The decision: forbidden places and commands first, then the owner's rules, taint, what was not understood,
//! and last the preset. What a call would do is found out in `sight`.

use crate::{
    call::{Access, CallInfo, ExecutableFact, Facts, Judged, Needs, PathFact, PathNeed, Taint},
    place::Grounds,
    rule::{BadRule, Rule, Strictness, ToolShape, shape_of},
    settings::{PolicySettings, Preset},
    shell::{Command, Effect},
    sight::Sight,
};
use protocol::{Risk, Verdict};
use std::path::Path;

/// The owner's policy, ready to answer.
#[derive(Debug)]
pub struct Policy {
    pub(crate) grounds: Grounds,
    pub(crate) preset: Preset,
    pub(crate) allow: Vec<Rule>,
    pub(crate) ask: Vec<Rule>,
    pub(crate) deny: Vec<Rule>,
    pub(crate) grants: Vec<Rule>,
    allowed_commands: Vec<String>,
    pub(crate) extra_validation: Vec<String>,
    pub(crate) sandbox_available: bool,
}

impl Policy {
    /// Reads the settings. A rule that cannot be read is an error, never ignored.
    pub fn new(settings: PolicySettings) -> Result<Self, BadRule> {
        let grounds = Grounds::new(settings.places);
        let read = |rules: &[String]| {
            rules.iter().map(|rule| Rule::parse(rule, &grounds)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            preset: settings.preset,
            allow: read(&settings.rules.allow)?,
            ask: read(&settings.rules.ask)?,
            deny: read(&settings.rules.deny)?,
            grants: read(&settings.rules.grants)?,
            allowed_commands: settings.allowed_commands,
            extra_validation: settings.extra_validation,
            sandbox_available: settings.sandbox_available,
            grounds,
        })
    }

    /// What must be looked up before `judge` can answer.
    pub fn needs(&self, call: &CallInfo<'_>) -> Needs {
        Sight::of(call, &self.grounds).needs()
    }

    /// May this call run?
    pub fn judge(&self, call: &CallInfo<'_>, facts: &Facts, taint: Taint) -> Judged {
        let sight = Sight::of(call, &self.grounds);
        let (risk, verdict) = self.decide(call, &sight, facts, taint);
        let mut notes = sight.unclear.clone();
        notes.extend(self.path_problems(&sight, facts));
        notes.extend(sight.forbidden.iter().cloned());
        notes.dedup();
        let understood = sight.unclear.is_empty();
        Judged { verdict, risk, summary: sight.summary, notes, understood }
    }

    /// Why a rule of the owner's denies a call that is run elsewhere, if one that names its tool does. Places and
    /// presets speak of this machine only.
    pub fn denied_elsewhere(&self, call: &CallInfo<'_>) -> Option<String> {
        let (sight, facts) = (Sight::of(call, &self.grounds), Facts::default());
        let case = Case { policy: self, call, sight: &sight, facts: &facts };
        let mut naming = self.deny.iter().filter(|rule| rule.covers_tool(call.tool));
        naming.find(|rule| case.may_match(rule)).map(denied_by)
    }

    fn decide(&self, call: &CallInfo<'_>, sight: &Sight, facts: &Facts, taint: Taint) -> (Risk, Verdict) {
        let case = Case { policy: self, call, sight, facts };
        if let Some(reason) = case.forbidden() {
            return (Risk::Forbidden, Verdict::Deny { reason });
        }
        let acts = sight.effect > Effect::Reads;
        let risk = if acts || !sight.unclear.is_empty() { Risk::Risky } else { Risk::Safe };
        let ask = |reason: String| (risk, Verdict::Ask { risk, reason });
        if let Some(rule) = self.deny.iter().find(|rule| case.may_match(rule)) {
            return (risk, Verdict::Deny { reason: denied_by(rule) });
        }
        if acts && self.preset == Preset::Readonly {
            return (
                risk,
                Verdict::Deny { reason: "the preset `readonly` denies everything that acts".into() },
            );
        }
        if let Some(rule) = self.ask.iter().find(|rule| case.may_match(rule)) {
            return ask(format!("the rule `{}` asks", rule.text));
        }
        if let Some(reason) = sight.unclear.first() {
            return ask(format!("not understood: {reason}"));
        }
        let granted = case.is_allowed_by(&[&self.grants]);
        if taint.untrusted && acts && !granted {
            let private = if taint.private { ", beside private data," } else { "" };
            return ask(format!("text from outside{private} is in this conversation, and the call acts"));
        }
        if let Some(reason) = case.problem() {
            return ask(reason);
        }
        if granted || case.is_allowed_by(&[&self.allow, &self.grants]) {
            return (risk, Verdict::Allow);
        }
        match case.preset_asks() {
            Some(reason) => ask(reason),
            None => (risk, Verdict::Allow),
        }
    }

    fn path_problems(&self, sight: &Sight, facts: &Facts) -> Vec<String> {
        sight.uses.iter().filter_map(|need| self.path_problem(need, facts, &[])).collect()
    }

    /// Why a path may not be used unasked, if so. `covering` are rules that open further paths.
    fn path_problem(&self, need: &PathNeed, facts: &Facts, covering: &[&Rule]) -> Option<String> {
        if need.access == Access::Mention {
            return None;
        }
        let shown = need.path.display();
        let found = match facts.paths.get(&need.path) {
            Some(PathFact::Resolved(found)) => found,
            Some(PathFact::Unresolvable(why)) => {
                return Some(format!("where `{shown}` leads cannot be told: {why}"));
            }
            None => return Some(format!("where `{shown}` leads was not looked up")),
        };
        let real = &found.path;
        let open = match need.access {
            Access::Mention | Access::Read => self.grounds.may_read(real),
            Access::Write | Access::Sweep => self.grounds.may_write(real),
        };
        if !open && !covering.iter().any(|rule| rule.matches_path(real)) {
            let verb = if need.access >= Access::Write { "changes" } else { "reads" };
            let leads = if *real == need.path {
                String::new()
            } else {
                format!(" (it leads to `{}`)", real.display())
            };
            return Some(format!("it {verb} `{shown}`{leads}, outside the open folders"));
        }
        let is_tree = found.is_dir || need.access == Access::Sweep;
        if is_tree && self.grounds.holds_forbidden(real) {
            return Some(format!("a place that is out of reach lies below `{shown}`"));
        }
        let hidden = self.deny.iter().chain(&self.ask);
        hidden
            .filter(|rule| is_tree && rule.reaches_below(real))
            .map(|rule| format!("the rule `{}` speaks of something below `{shown}`", rule.text))
            .next()
    }
}

fn denied_by(rule: &Rule) -> String {
    format!("the rule `{}` denies it", rule.text)
}

/// One call under judgement.
struct Case<'a> {
    policy: &'a Policy,
    call: &'a CallInfo<'a>,
    sight: &'a Sight,
    facts: &'a Facts,
}

impl Case<'_> {
    /// Why the call may never run, if so: judged on paths as written and as they really lead.
    fn forbidden(&self) -> Option<String> {
        let grounds = &self.policy.grounds;
        let by_place = self.sight.uses.iter().find_map(|need| {
            let real = match self.facts.paths.get(&need.path) {
                Some(PathFact::Resolved(found)) => grounds.forbids(&found.path, need.access),
                _ => None,
            };
            grounds.forbids(&need.path, need.access).or(real)
        });
        self.sight.forbidden.first().cloned().or(by_place)
    }

    /// Whether a deny or ask rule may mean this call.
    fn may_match(&self, rule: &Rule) -> bool {
        let covers = rule.covers_tool(self.call.tool);
        if covers && rule.is_whole_tool() {
            return true;
        }
        if let Some((script, analysis)) = &self.sight.script {
            let by_command = || {
                analysis
                    .commands
                    .iter()
                    .any(|command| rule.matches_words(&known_words(command), Strictness::Maybe))
            };
            if covers && (rule.matches_script(script) || by_command()) {
                return true;
            }
        }
        if covers && self.sight.url.as_ref().is_some_and(|url| rule.matches_url(url, Strictness::Maybe)) {
            return true;
        }
        self.sight
            .uses
            .iter()
            .any(|need| speaks_of_path(rule, self.call.tool, need) && self.path_fits(rule, need))
    }

    fn path_fits(&self, rule: &Rule, need: &PathNeed) -> bool {
        let real = match self.facts.paths.get(&need.path) {
            Some(PathFact::Resolved(found)) => rule.matches_path(&found.path),
            _ => false,
        };
        real || rule.matches_path(&crate::place::normalize(&need.path))
    }

    /// Whether rules of these lists surely mean all of this call.
    fn is_allowed_by(&self, lists: &[&Vec<Rule>]) -> bool {
        let rules: Vec<&Rule> = lists
            .iter()
            .flat_map(|list| list.iter())
            .filter(|rule| rule.covers_tool(self.call.tool))
            .collect();
        if rules.iter().any(|rule| rule.is_whole_tool()) {
            return true;
        }
        match (shape_of(self.call.tool), &self.sight.script) {
            (ToolShape::Shell, Some((script, analysis))) => {
                let by_commands = analysis.commands.iter().filter(|command| !command.wraps).all(|command| {
                    let words = known_words(command);
                    rules.iter().any(|rule| rule.matches_words(&words, Strictness::Surely))
                });
                let names_command = analysis.commands.iter().any(|command| !command.wraps);
                rules.iter().any(|rule| rule.matches_script(script)) || (by_commands && names_command)
            }
            (ToolShape::Reads | ToolShape::Writes, _) => {
                let real = |need: &PathNeed| match self.facts.paths.get(&need.path) {
                    Some(PathFact::Resolved(found)) => Some(found.path.clone()),
                    _ => None,
                };
                let covered =
                    |need| real(need).is_some_and(|path| rules.iter().any(|rule| rule.matches_path(&path)));
                !self.sight.uses.is_empty() && self.sight.uses.iter().all(covered)
            }
            _ => {
                let url = self.sight.url.as_ref();
                url.is_some_and(|url| rules.iter().any(|rule| rule.matches_url(url, Strictness::Surely)))
            }
        }
    }

    /// What keeps even an allowed call from running unasked: where its paths lead and which programs it starts.
    fn problem(&self) -> Option<String> {
        let policy = self.policy;
        let opening = || policy.allow.iter().chain(&policy.grants);
        let by_path = self.sight.uses.iter().find_map(|need| {
            let covering: Vec<&Rule> =
                opening().filter(|rule| speaks_of_path(rule, self.call.tool, need)).collect();
            policy.path_problem(need, self.facts, &covering)
        });
        by_path
            .or_else(|| self.place_problem())
            .or_else(|| self.sight.programs().iter().find_map(|name| self.program_problem(name)))
    }

    /// A script runs somewhere, even when it names no path.
    fn place_problem(&self) -> Option<String> {
        let open = match self.facts.paths.get(self.call.cwd) {
            Some(PathFact::Resolved(found)) => self.policy.grounds.may_read(&found.path),
            _ => false,
        };
        (self.sight.script.is_some() && !open).then(|| "it runs outside the open folders".into())
    }

    fn program_problem(&self, name: &str) -> Option<String> {
        let policy = self.policy;
        match self.facts.executables.get(name) {
            None => Some(format!("which program `{name}` is was not looked up")),
            Some(ExecutableFact::NotFound) => Some(format!("there is no program `{name}`")),
            Some(ExecutableFact::Found { system: true, .. }) => None,
            Some(ExecutableFact::Found { path, .. }) if !policy.grounds.may_write(path) => None,
            Some(ExecutableFact::Found { path, .. }) if !name.contains('/') => {
                Some(format!("`{name}` is `{}`, which the assistant can change", path.display()))
            }
            Some(_) if policy.sandbox_available => None,
            Some(_) => Some(format!("the assistant can change `{name}`, and there is no sandbox")),
        }
    }

    /// Why the preset asks, if it does.
    fn preset_asks(&self) -> Option<String> {
        let policy = self.policy;
        let sandboxed = policy.preset == Preset::Sandboxed && policy.sandbox_available;
        let is_shell = shape_of(self.call.tool) == ToolShape::Shell;
        match self.sight.effect {
            Effect::Reads | Effect::Keeps if !is_shell => None,
            Effect::Outside => Some("it acts outside, and no rule allows it".into()),
            Effect::Writes if sandboxed && !is_shell => self.steering(),
            _ if is_shell && sandboxed => self.steering().or_else(|| self.command_asks()),
            _ if is_shell => Some("no rule allows this command".into()),
            _ => Some("it changes a file, and no rule allows it".into()),
        }
    }

    /// Files that run or steer something later are never changed unasked by a preset, nor is a whole folder
    /// filled that may hold them.
    fn steering(&self) -> Option<String> {
        let grounds = &self.policy.grounds;
        let changed = self.sight.uses.iter().filter(|need| need.access >= Access::Write);
        changed.filter_map(|need| self.facts.paths.get(&need.path)).find_map(|fact| match fact {
            PathFact::Resolved(found) if found.is_dir && grounds.holds_steering(&found.path) => Some(
                format!("it fills `{}`, where files lie that decide what runs later", found.path.display()),
            ),
            PathFact::Resolved(found) => {
                grounds.steering(&found.path).map(|name| format!("`{name}` decides what runs later"))
            }
            PathFact::Unresolvable(_) => None,
        })
    }

    fn command_asks(&self) -> Option<String> {
        let (_, analysis) = self.sight.script.as_ref()?;
        let asks = |command: &Command| {
            let name = command.words.first().and_then(|name| name.known()).unwrap_or_default();
            let base = Path::new(name).file_name().and_then(|base| base.to_str()).unwrap_or(name);
            let allowed = self.policy.allowed_commands.iter().any(|allowed| allowed == base);
            let system = command.builtin
                || matches!(
                    self.facts.executables.get(name),
                    Some(ExecutableFact::Found { system: true, .. })
                );
            if !command.known {
                Some(format!("not all words of `{name}` are understood"))
            } else if !command.wraps && !allowed {
                Some(format!("`{name}` is not an allowed command"))
            } else if !system {
                Some(format!("`{name}` is not a program of the system"))
            } else {
                None
            }
        };
        let sweeps = self.sight.uses.iter().any(|need| need.access == Access::Sweep);
        let extra = analysis.commands.iter().find_map(|command| {
            let name = command.words.first().and_then(|name| name.known())?;
            let listed = self.policy.extra_validation.iter().any(|extra| extra == name);
            (listed && (sweeps || command.effect == Effect::Outside))
                .then(|| format!("`{name}` works on a whole folder"))
        });
        analysis.commands.iter().find_map(asks).or(extra)
    }
}

/// Whether a rule speaks of this path: rules on `read` and `write` hold for the shell's paths too.
fn speaks_of_path(rule: &Rule, tool: &str, need: &PathNeed) -> bool {
    match shape_of(tool) {
        ToolShape::Shell => {
            let as_tool = if need.access >= Access::Write { &["write", "edit"][..] } else { &["read"][..] };
            as_tool.iter().any(|tool| rule.covers_tool(tool))
                && !(rule.is_whole_tool() && rule.covers_tool(tool))
        }
        _ => rule.covers_tool(tool),
    }
}

fn known_words(command: &Command) -> Vec<Option<&str>> {
    command.words.iter().map(|word| word.known()).collect()
}
