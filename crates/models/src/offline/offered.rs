//! The tools of a request, by name. What they do is known only where they are called.

use super::wish::{Step, Wanted};
use protocol::ToolDefinition;
use serde_json::Value;

/// The tools that may be called.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'a>(pub &'a [ToolDefinition]);

impl<'a> Offered<'a> {
    pub fn has(self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether the tool's input has this field.
    pub fn takes(self, name: &str, field: &str) -> bool {
        self.find(name).is_some_and(|tool| !tool.input_schema["properties"][field].is_null())
    }

    /// A call of the tool, or why there can be none.
    pub fn call(self, name: &str, input: Value) -> Step {
        self.call_one_of(&[name], input)
    }

    /// A call of the first of these tools that there is.
    pub fn call_one_of(self, names: &[&str], input: Value) -> Step {
        match names.iter().find_map(|name| self.find(name)) {
            Some(tool) => Step::Call(vec![Wanted { tool: tool.name.clone(), input }]),
            None => Step::Say(format!(
                "That needs the tool `{}`, which is not offered in this conversation.\n",
                names.first().unwrap_or(&"?")
            )),
        }
    }

    fn find(self, name: &str) -> Option<&'a ToolDefinition> {
        self.0.iter().find(|tool| same_tool(&tool.name, name))
    }
}

/// Whether both name one tool; some spell the dot differently.
pub(crate) fn same_tool(one: &str, other: &str) -> bool {
    one.replace('.', "_") == other.replace('.', "_")
}
