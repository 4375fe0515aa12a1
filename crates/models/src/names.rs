//! Tool names, there and back: dots are not allowed on the providers' wires. What the tools do is none of
//! this crate's business.

use protocol::ToolDefinition;
use std::collections::HashMap;

/// The longest tool name both dialects take.
const MAX_NAME_BYTES: usize = 64;

/// The names of one request's tools, in both spellings.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolNames {
    to_wire: HashMap<String, String>,
    from_wire: HashMap<String, String>,
}

impl ToolNames {
    /// Gives every tool a spelling of its own, also where two would look alike without their dots.
    pub(crate) fn new(tools: &[ToolDefinition]) -> Self {
        let mut names = Self::default();
        for tool in tools {
            if names.to_wire.contains_key(&tool.name) {
                continue;
            }
            let plain = spell(&tool.name);
            let mut wire = plain.clone();
            let mut count = 2_u32;
            while names.from_wire.contains_key(&wire) {
                let suffix = format!("_{count}");
                let kept = plain.len().min(MAX_NAME_BYTES - suffix.len());
                wire = format!("{}{suffix}", &plain[..kept]);
                count += 1;
            }
            names.from_wire.insert(wire.clone(), tool.name.clone());
            names.to_wire.insert(tool.name.clone(), wire);
        }
        names
    }

    /// The provider's spelling; a tool that is no longer offered is spelled by the same rule.
    pub(crate) fn spelled(&self, name: &str) -> String {
        self.to_wire.get(name).cloned().unwrap_or_else(|| spell(name))
    }

    /// The dotted name; one that was not offered passes through unchanged.
    pub(crate) fn dotted(&self, name: &str) -> String {
        self.from_wire.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }
}

/// Only `[a-zA-Z0-9_-]`, one to 64 of them.
fn spell(name: &str) -> String {
    let mut wire: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .take(MAX_NAME_BYTES)
        .collect();
    if wire.is_empty() {
        wire.push('_');
    }
    wire
}
