//! Which tools there are: their definitions as the model sees them, and whether a call's arguments fit.
//!
//! Knows nothing of what tools do. The schema library stays behind this file, because its interface moves often.

use crate::{told::told, tool::Tool};
use jsonschema::{PatternOptions, Validator};
use protocol::ToolDefinition;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

/// Providers accept names of at most this many characters.
const MAX_NAME_CHARS: usize = 64;
/// Complaints about arguments told at once; the model mends the first ones first anyway.
const MAX_COMPLAINTS: usize = 5;
/// How long a complaint may be: it quotes the offending value, which may be a whole file.
const MAX_COMPLAINT_CHARS: usize = 300;

/// The tools of the house, by name.
#[derive(Default)]
pub struct Registry {
    tools: BTreeMap<String, Entry>,
    /// The provider's spelling of each name, and whose it is.
    spellings: BTreeMap<String, String>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    input: InputSchema,
    /// The schema as the model is told it.
    told: Value,
}

/// The schema of a tool's input, and whether arguments fit it. It is compiled on first use.
pub struct InputSchema {
    schema: Value,
    validator: OnceLock<Result<Validator, String>>,
}

/// Why a tool was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// The name is not words joined by dots that every provider can spell.
    #[error(
        "`{0}` is not a tool name: words of letters, digits, `-` and `_` joined by dots, at most 64 characters"
    )]
    BadName(String),
    /// Another tool has the name, or one that providers spell the same.
    #[error("`{name}` is spelled like `{other}` for providers: `{spelling}`")]
    Taken {
        /// The new tool.
        name: String,
        /// The tool that was there first.
        other: String,
        /// What both would be called.
        spelling: String,
    },
    /// The input is not described as an object.
    #[error("the input schema of `{0}` does not describe an object")]
    NotAnObject(String),
}

impl Registry {
    /// No tools yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a tool.
    pub fn register(&mut self, tool: impl Tool) -> Result<(), RegisterError> {
        self.register_shared(Arc::new(tool))
    }

    /// Takes a tool that others hold too.
    pub fn register_shared(&mut self, tool: Arc<dyn Tool>) -> Result<(), RegisterError> {
        let name = tool.name().to_owned();
        if !is_tool_name(&name) {
            return Err(RegisterError::BadName(name));
        }
        let spelling = spelling_of(&name);
        if let Some(other) = self.spellings.get(&spelling) {
            return Err(RegisterError::Taken { name, other: other.clone(), spelling });
        }
        let schema = tool.input_schema();
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(RegisterError::NotAnObject(name));
        }
        self.spellings.insert(spelling, name.clone());
        let told = told(&schema);
        self.tools.insert(name, Entry { tool, input: InputSchema::new(schema), told });
        Ok(())
    }

    /// Every tool as the model is told of it, by name: the same tools always read the same, so that a provider's
    /// prompt cache holds.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        let definition = |(name, entry): (&String, &Entry)| ToolDefinition {
            name: name.clone(),
            description: entry.tool.description().to_owned(),
            input_schema: entry.told.clone(),
        };
        self.tools.iter().map(definition).collect()
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).map(|entry| &entry.tool)
    }

    /// Whether a provider could not tell a tool of this name from one that is here.
    pub fn has_spelling_of(&self, name: &str) -> bool {
        self.spellings.contains_key(&spelling_of(name))
    }

    /// Reads a call's arguments and checks them. The error tells the model what to put right.
    pub fn validate(&self, name: &str, arguments: &str) -> Result<Value, String> {
        match self.tools.get(name) {
            Some(entry) => entry.input.read(name, arguments),
            None => Err(format!("There is no tool named `{name}`.")),
        }
    }
}

impl InputSchema {
    /// Takes a schema as it is; a broken one is told of when arguments are read.
    pub fn new(schema: Value) -> Self {
        Self { schema, validator: OnceLock::new() }
    }

    /// Reads the arguments of a call of the tool `name` and checks them. The error tells the model what to put right.
    pub fn read(&self, name: &str, arguments: &str) -> Result<Value, String> {
        // Some models write nothing when there is nothing to say.
        let text = if arguments.trim().is_empty() { "{}" } else { arguments };
        let input: Value = serde_json::from_str(text)
            .map_err(|error| format!("The arguments of `{name}` are not valid JSON: {error}."))?;
        let compiled = self.validator.get_or_init(|| compile(&self.schema));
        let validator = compiled.as_ref().map_err(|error| format!("`{name}` cannot be called: {error}."))?;
        let complaints: Vec<String> =
            validator.iter_errors(&input).take(MAX_COMPLAINTS).map(|error| complaint(&error)).collect();
        if complaints.is_empty() {
            return Ok(input);
        }
        // Some models spell "left out" as null.
        let without_nulls = without_nulls(input);
        if validator.is_valid(&without_nulls) {
            return Ok(without_nulls);
        }
        Err(format!("The arguments of `{name}` do not fit its schema:\n{}", complaints.join("\n")))
    }
}

/// Providers take no dots.
fn spelling_of(name: &str) -> String {
    name.replace('.', "_")
}

fn compile(schema: &Value) -> Result<Validator, String> {
    // Patterns may come from a server; the plain regex engine takes linear time whatever they are.
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    options.build(schema).map_err(|error| format!("its schema is broken: {}", short(&error.to_string())))
}

fn without_nulls(mut input: Value) -> Value {
    if let Value::Object(fields) = &mut input {
        fields.retain(|_, value| !value.is_null());
    }
    input
}

fn complaint(error: &jsonschema::ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let place = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
    format!("- {place}{}", short(&error.to_string()))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_COMPLAINT_CHARS) {
        // The end says what was expected, so the middle goes.
        Some(_) => {
            let head: String = text.chars().take(MAX_COMPLAINT_CHARS / 2).collect();
            let tail: Vec<char> = text.chars().rev().take(MAX_COMPLAINT_CHARS / 2).collect();
            format!("{head} … {}", tail.iter().rev().collect::<String>())
        }
        None => text.to_owned(),
    }
}

fn is_tool_name(name: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    name.len() <= MAX_NAME_CHARS && name.split('.').all(word)
}
