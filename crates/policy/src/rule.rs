//! The owner's rules: `tool` or `tool(pattern)`, read once and matched often. Which rule list wins is for
//! `judge`.

use crate::{place::Grounds, shell};
use globset::{GlobBuilder, GlobMatcher};
use std::{fmt, path::Path, path::PathBuf};
use url::Url;

/// One rule, read.
#[derive(Debug)]
pub(crate) struct Rule {
    /// As the owner wrote it.
    pub(crate) text: String,
    tool: String,
    pattern: Pattern,
}

/// What a rule says about a tool's arguments.
#[derive(Debug)]
enum Pattern {
    Anything,
    /// A command that starts with these words.
    CommandPrefix(Vec<String>),
    /// Exactly this script; `words` when it is one plain command.
    CommandExact {
        script: String,
        words: Option<Vec<String>>,
    },
    Path(PathPattern),
    Host(HostPattern),
}

#[derive(Debug)]
struct PathPattern {
    glob: GlobMatcher,
    /// The folder that surely contains every match.
    base: PathBuf,
    /// `…/**` covers the folder itself as well.
    covers_base: bool,
}

#[derive(Debug)]
struct HostPattern {
    host: String,
    subdomains: bool,
    port: Option<u16>,
}

/// How careful a match has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// For allow rules and grants: the rule must surely mean this.
    Surely,
    /// For ask and deny rules: it is enough that the rule may mean this.
    Maybe,
}

/// A rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRule {
    /// The rule as written.
    pub rule: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to write instead.
    pub fix: String,
}

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}`: {}; {}", self.rule, self.problem, self.fix)
    }
}

impl std::error::Error for BadRule {}

/// What the arguments of a tool are, as far as rules care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolShape {
    /// A script for the shell.
    Shell,
    /// A file or folder that is read.
    Reads,
    /// A file that is changed.
    Writes,
    /// A web address.
    Web,
    /// Anything else.
    Other,
}

/// The built-in tools whose arguments rules can speak about, and the tool whose rules cover them too.
const BUILT_IN: &[(&str, ToolShape, Option<&str>)] = &[
    ("bash", ToolShape::Shell, None),
    ("exec", ToolShape::Shell, Some("bash")),
    ("read", ToolShape::Reads, None),
    ("glob", ToolShape::Reads, Some("read")),
    ("grep", ToolShape::Reads, Some("read")),
    ("write", ToolShape::Writes, None),
    ("edit", ToolShape::Writes, Some("write")),
    ("webfetch", ToolShape::Web, None),
];

/// The shape of a tool's arguments.
pub(crate) fn shape_of(tool: &str) -> ToolShape {
    BUILT_IN.iter().find(|(name, ..)| *name == tool).map_or(ToolShape::Other, |(_, shape, _)| *shape)
}

impl Rule {
    /// Reads a rule.
    pub(crate) fn parse(text: &str, grounds: &Grounds) -> Result<Self, BadRule> {
        let bad = |problem: &str, fix: String| BadRule { rule: text.into(), problem: problem.into(), fix };
        let trimmed = text.trim();
        let (tool, inner) = match trimmed.split_once('(') {
            None => (trimmed, None),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(inner) => (tool, Some(inner.trim())),
                None => return Err(bad("the bracket is not closed", format!("write `{trimmed})`"))),
            },
        };
        let name_is_good = tool.chars().all(|c| c.is_ascii_alphanumeric() || "._-*".contains(c));
        if tool.is_empty() || !name_is_good {
            return Err(bad(
                "the tool's name is not one",
                "write `tool` or `tool(pattern)`, such as `bash(ls:*)`".into(),
            ));
        }
        let lower = tool.to_ascii_lowercase();
        if lower != tool && shape_of(&lower) != ToolShape::Other {
            return Err(bad("tools are written in small letters", format!("write `{lower}`")));
        }
        let pattern = match inner {
            None => Pattern::Anything,
            Some("") => {
                return Err(bad("the pattern is empty", format!("write `{tool}` for every call of it")));
            }
            Some(_) if tool.contains('*') => {
                return Err(bad("a pattern needs one tool, not a group", "name the tool in full".into()));
            }
            Some(inner) => pattern_for(tool, inner, grounds).map_err(|(problem, fix)| bad(&problem, fix))?,
        };
        Ok(Self { text: trimmed.into(), tool: tool.into(), pattern })
    }

    /// Whether the rule speaks about this tool.
    pub(crate) fn covers_tool(&self, tool: &str) -> bool {
        if wildcard(&self.tool, tool) {
            return true;
        }
        let parent = BUILT_IN.iter().find(|(name, ..)| *name == tool).and_then(|(_, _, parent)| *parent);
        parent.is_some_and(|parent| self.tool == parent)
    }

    /// Whether the rule is about the tool as a whole.
    pub(crate) fn is_whole_tool(&self) -> bool {
        matches!(self.pattern, Pattern::Anything)
    }

    /// Whether the rule means this whole script.
    pub(crate) fn matches_script(&self, script: &str) -> bool {
        matches!(&self.pattern, Pattern::CommandExact { script: own, .. } if own == script.trim())
    }

    /// Whether the rule means this command, given as its words; `None` is a word only known when it runs.
    pub(crate) fn matches_words(&self, words: &[Option<&str>], strictness: Strictness) -> bool {
        let (wanted, open) = match &self.pattern {
            Pattern::CommandPrefix(wanted) => (wanted, true),
            Pattern::CommandExact { words: Some(wanted), .. } => (wanted, false),
            _ => return false,
        };
        if words.len() < wanted.len() || (!open && words.len() != wanted.len()) {
            return false;
        }
        wanted.iter().zip(words).enumerate().all(|(place, (wanted, word))| match word {
            // A forbidden program stays forbidden under its full path.
            Some(word) if place == 0 && strictness == Strictness::Maybe => {
                word == wanted || word.rsplit('/').next() == Some(wanted)
            }
            Some(word) => word == wanted,
            None => false,
        })
    }

    /// Whether the rule means this path.
    pub(crate) fn matches_path(&self, path: &Path) -> bool {
        match &self.pattern {
            Pattern::Anything => true,
            Pattern::Path(own) => own.glob.is_match(path) || (own.covers_base && path == own.base),
            _ => false,
        }
    }

    /// Whether something the rule means may lie below this folder.
    pub(crate) fn reaches_below(&self, dir: &Path) -> bool {
        matches!(&self.pattern, Pattern::Path(own) if own.base.starts_with(dir) || own.glob.is_match(dir))
    }

    /// Whether the rule means this address.
    pub(crate) fn matches_url(&self, url: &Url, strictness: Strictness) -> bool {
        let own = match &self.pattern {
            Pattern::Anything => return true,
            Pattern::Host(own) => own,
            _ => return false,
        };
        let Some(host) = url.host_str() else { return false };
        let lenient = strictness == Strictness::Maybe;
        let host = if lenient { host.trim_end_matches('.') } else { host };
        let host_fits = match own.subdomains {
            true => {
                host.strip_suffix(own.host.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            false => host == own.host,
        };
        let plain =
            matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
        let port_fits = match own.port {
            Some(port) => url.port_or_known_default() == Some(port),
            None => lenient || url.port().is_none(),
        };
        host_fits && port_fits && (lenient || plain)
    }
}

type Problem = (String, String);

fn pattern_for(tool: &str, inner: &str, grounds: &Grounds) -> Result<Pattern, Problem> {
    if let Some(host) = inner.strip_prefix("host:") {
        return match shape_of(tool) {
            ToolShape::Web | ToolShape::Other => host_pattern(tool, host).map(Pattern::Host),
            _ => Err((format!("`{tool}` takes no host"), "use `host:` with `webfetch`".into())),
        };
    }
    match shape_of(tool) {
        ToolShape::Shell => command_pattern(tool, inner),
        ToolShape::Reads | ToolShape::Writes => path_pattern(tool, inner, grounds).map(Pattern::Path),
        ToolShape::Web => Err(("the pattern is not a host".into(), format!("write `{tool}(host:{inner})`"))),
        ToolShape::Other => {
            Err((format!("`{tool}` takes no pattern but `host:`"), format!("write `{tool}`")))
        }
    }
}

fn command_pattern(tool: &str, inner: &str) -> Result<Pattern, Problem> {
    if inner == "*" {
        return Ok(Pattern::Anything);
    }
    let (command, open) = match inner.strip_suffix(":*") {
        Some(command) => (command.trim(), true),
        None => (inner, false),
    };
    if command.contains('*') {
        let prefix = command.split('*').next().unwrap_or_default().trim();
        return Err((
            "`*` stands only at the end, as `:*`".into(),
            format!("write `{tool}({prefix}:*)` for every command that starts so"),
        ));
    }
    let words = shell::plain_words(command);
    match (open, words) {
        (true, Some(words)) => Ok(Pattern::CommandPrefix(words)),
        (true, None) => Err((
            "what stands before `:*` is not one plain command".into(),
            format!("write the first words only, such as `{tool}(git status:*)`"),
        )),
        (false, words) => Ok(Pattern::CommandExact { script: command.into(), words }),
    }
}

fn path_pattern(tool: &str, inner: &str, grounds: &Grounds) -> Result<PathPattern, Problem> {
    let places = grounds.places();
    let (root, rest) = if inner == "." || inner == "./" {
        (places.workspace.as_path(), "")
    } else if let Some(rest) = inner.strip_prefix("./") {
        (places.workspace.as_path(), rest)
    } else if let Some(rest) = inner.strip_prefix("~/") {
        (places.home.as_path(), rest)
    } else if let Some(rest) = inner.strip_prefix('/') {
        (Path::new("/"), rest)
    } else {
        return Err((
            "a path starts with `./` (the workspace), `~/` or `/`".into(),
            format!("write `{tool}(./{inner})`"),
        ));
    };
    if rest.split('/').any(|part| part == "..") {
        return Err(("a path cannot climb with `..`".into(), "write the folder's full path".into()));
    }
    let is_plain = |part: &&str| !part.contains(['*', '?', '[', ']', '{', '}', '\\']);
    let base: PathBuf = root.join(rest.split('/').take_while(is_plain).collect::<PathBuf>());
    let root_text = root.to_string_lossy();
    let full = format!("{}/{rest}", globset::escape(root_text.trim_end_matches('/')));
    let glob =
        GlobBuilder::new(full.trim_end_matches('/')).literal_separator(true).backslash_escape(true).build();
    match glob {
        Ok(glob) => Ok(PathPattern {
            glob: glob.compile_matcher(),
            base,
            covers_base: rest == "**" || rest.ends_with("/**"),
        }),
        Err(error) => {
            Err((format!("the path is not a pattern ({})", error.kind()), "close every `[` and `{`".into()))
        }
    }
}

fn host_pattern(tool: &str, host: &str) -> Result<HostPattern, Problem> {
    let (subdomains, rest) = match host.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, host),
    };
    let example = || format!("write `{tool}(host:example.com)` or `{tool}(host:*.example.com)`");
    let parsed = Url::parse(&format!("https://{rest}/"))
        .map_err(|_| ("the host is not one".to_string(), example()))?;
    let plain = parsed.path() == "/"
        && parsed.query().is_none()
        && parsed.fragment().is_none()
        && parsed.username().is_empty();
    let clean = !rest.is_empty()
        && !rest.contains(['*', '/', '?', '#', '@', '\\', '%'])
        && !rest.contains(char::is_whitespace);
    match parsed.host_str() {
        Some(name) if plain && clean => {
            let name = name.trim_end_matches('.').to_string();
            let port = rest.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
            Ok(HostPattern { host: name, subdomains, port })
        }
        _ => Err(("the host is not one".into(), example())),
    }
}

/// Matches a tool's name against one that may hold `*`.
fn wildcard(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
