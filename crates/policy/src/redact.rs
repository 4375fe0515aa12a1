//! Takes secrets out of text before it is kept or shown: tool output, logs, transcripts, exports. A filter, not
//! a wall: a secret must not be within reach in the first place. What secrets look like is in `secret_rules`.

use crate::secret_rules::{SECRET_RULES, SecretRule};
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use regex::Regex;
use serde_json::Value;
use std::{
    borrow::Cow,
    fmt,
    sync::{OnceLock, PoisonError, RwLock},
};

/// Finds and replaces secrets.
pub struct Redactor {
    /// Each with its expression, compiled when one of its keywords first turns up: most never do.
    rules: Vec<(&'static SecretRule, OnceLock<Option<Regex>>)>,
    keywords: AhoCorasick,
    /// Which rule each keyword belongs to.
    keyword_rules: Vec<usize>,
    literals: RwLock<Literals>,
}

/// The secrets that are known word for word.
#[derive(Default)]
struct Literals {
    known: Vec<String>,
    finder: Option<AhoCorasick>,
}

impl Literals {
    fn add(&mut self, secret: &str) -> Result<(), String> {
        if !is_distinct(secret) || self.known.iter().any(|known| known == secret) {
            return Ok(());
        }
        self.known.push(secret.to_owned());
        let built = AhoCorasickBuilder::new().match_kind(MatchKind::LeftmostLongest).build(&self.known);
        self.finder = Some(built.map_err(|error| error.to_string())?);
        Ok(())
    }
}

/// It knows secrets, and tells nothing.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

/// Known secrets shorter than this are not looked for: they would black out ordinary words.
const MIN_LITERAL_BYTES: usize = 6;

/// What stands where a known secret was.
const LITERAL_MARK: &str = "[redacted: known secret]";

/// How often the text is gone over: replacing one secret can bring another to light, but not without end.
const MAX_PASSES: usize = 8;

/// How every mark starts; text that already holds one is left alone.
const MARK_START: &str = "[redacted";

impl Redactor {
    /// Builds a redactor that knows the rules and these secrets. Fails only if a table entry is broken, which a
    /// test rules out.
    pub fn new<S: AsRef<str>>(known_secrets: &[S]) -> Result<Self, String> {
        let rules = SECRET_RULES.iter().map(|rule| (rule, OnceLock::new())).collect();
        let owned = SECRET_RULES
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| rule.keywords.iter().map(move |word| (at, *word)));
        let (keyword_rules, words): (Vec<usize>, Vec<&str>) = owned.unzip();
        let keywords = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .build(words)
            .map_err(|error| error.to_string())?;
        let mut literals = Literals::default();
        known_secrets.iter().try_for_each(|secret| literals.add(secret.as_ref()))?;
        Ok(Self { rules, keywords, keyword_rules, literals: RwLock::new(literals) })
    }

    /// From now on this secret is looked for too.
    pub fn learn(&self, secret: &str) -> Result<(), String> {
        self.literals.write().unwrap_or_else(PoisonError::into_inner).add(secret)
    }

    /// The text without its secrets; the text itself when there are none. Doing it again changes nothing.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..MAX_PASSES {
            match self.pass(&text) {
                Some(clean) => text = Cow::Owned(clean),
                None => break,
            }
        }
        text
    }

    /// One pass over the text; none when nothing changed.
    fn pass(&self, text: &str) -> Option<String> {
        let literals = self.literals.read().unwrap_or_else(PoisonError::into_inner);
        let finder = literals.finder.as_ref().filter(|finder| finder.is_match(text));
        let mut clean = finder.map(|finder| {
            let mut clean = String::with_capacity(text.len());
            finder.replace_all_with(text, &mut clean, |_, _, clean| {
                clean.push_str(LITERAL_MARK);
                true
            });
            clean
        });
        let mut wanted = vec![false; self.rules.len()];
        for found in self.keywords.find_overlapping_iter(text) {
            if let Some(flag) =
                self.keyword_rules.get(found.pattern().as_usize()).and_then(|rule| wanted.get_mut(*rule))
            {
                *flag = true;
            }
        }
        for ((rule, expression), _) in self.rules.iter().zip(wanted).filter(|(_, wanted)| *wanted) {
            // That every expression compiles is for a test to see.
            let Some(expression) = expression.get_or_init(|| Regex::new(rule.expression).ok()) else {
                continue;
            };
            clean = replace(clean.as_deref().unwrap_or(text), rule, expression).or(clean);
        }
        clean
    }

    /// Takes the secrets out of every text in a JSON value, which stays one.
    pub fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.redact_value(field)),
            _ => {}
        }
    }
}

fn replace(text: &str, rule: &SecretRule, expression: &Regex) -> Option<String> {
    let mut clean = String::new();
    let mut copied = 0;
    for found in expression.captures_iter(text) {
        let Some(secret) = found.name("secret").or_else(|| found.get(0)) else { continue };
        if secret.as_str().contains(MARK_START) {
            continue;
        }
        clean.push_str(text.get(copied..secret.start())?);
        clean.push_str(&format!("{MARK_START}: {}]", rule.name));
        copied = secret.end();
    }
    if copied == 0 {
        return None;
    }
    clean.push_str(text.get(copied..)?);
    Some(clean)
}

/// Whether a known secret can be told from ordinary text and from our own marks.
fn is_distinct(known: &str) -> bool {
    let in_a_mark = SECRET_RULES.iter().any(|rule| format!("{MARK_START}: {}]", rule.name).contains(known));
    known.len() >= MIN_LITERAL_BYTES && !LITERAL_MARK.contains(known) && !in_a_mark
}
