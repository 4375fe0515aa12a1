//! What is said of most calls of a tool, for an owner who looks through the tools. It decides nothing: every call is
//! judged by itself in `judge`.

use crate::{
    judge::Policy,
    rule::{Rule, ToolShape, shape_of},
    settings::Preset,
};
use protocol::Labels;

/// What most calls of a tool get while nothing untrusted is in the conversation, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Usually {
    /// They run unasked.
    Allow(String),
    /// The owner is asked.
    Ask(String),
    /// They do not run.
    Deny(String),
}

impl Policy {
    /// What most calls of this tool get.
    pub fn usually(&self, tool: &str, labels: Labels) -> Usually {
        let whole = |rules: &[Rule]| {
            rules
                .iter()
                .find(|rule| rule.covers_tool(tool) && rule.is_whole_tool())
                .map(|rule| rule.text.clone())
        };
        let shape = shape_of(tool);
        let acts = match shape {
            ToolShape::Reads | ToolShape::Shell => false,
            ToolShape::Writes | ToolShape::Web => true,
            ToolShape::Other => labels.acts_outside || labels.keeps,
        };
        if let Some(rule) = whole(&self.deny) {
            return Usually::Deny(format!("the rule `{rule}` denies it"));
        }
        if acts && self.preset == Preset::Readonly {
            return Usually::Deny("the preset `readonly` denies everything that acts".into());
        }
        if let Some(rule) = whole(&self.ask) {
            return Usually::Ask(format!("the rule `{rule}` asks"));
        }
        if let Some(rule) = whole(&self.grants).or_else(|| whole(&self.allow)) {
            return Usually::Allow(format!("the rule `{rule}` allows it"));
        }
        self.usual_of_preset(shape, acts, labels).but(self.has_rules_for(tool))
    }

    fn usual_of_preset(&self, shape: ToolShape, acts: bool, labels: Labels) -> Usually {
        let sandboxed = self.preset == Preset::Sandboxed && self.sandbox_available;
        match shape {
            ToolShape::Shell if sandboxed => Usually::Allow(
                "commands that are understood, listed and keep to the open folders run in the sandbox; others ask"
                    .into(),
            ),
            ToolShape::Shell if self.preset == Preset::Readonly => {
                Usually::Ask("commands that only read ask; the preset `readonly` denies all others".into())
            }
            ToolShape::Shell => Usually::Ask("every command asks unless a rule allows it".into()),
            ToolShape::Reads => Usually::Allow("it only reads, in the open folders; elsewhere it asks".into()),
            ToolShape::Writes if sandboxed => {
                Usually::Allow("it changes files in the open folders; elsewhere it asks".into())
            }
            ToolShape::Writes => Usually::Ask("it changes files, and no rule allows it".into()),
            ToolShape::Other if labels.keeps && !labels.acts_outside => Usually::Allow(
                "it changes only what the assistant itself keeps; after words of strangers it asks".into(),
            ),
            ToolShape::Web | ToolShape::Other if acts => {
                Usually::Ask("it acts outside, and no rule allows it".into())
            }
            ToolShape::Web | ToolShape::Other => Usually::Allow("it changes nothing and sends nothing out".into()),
        }
    }

    /// Whether a rule speaks of some calls of this tool.
    fn has_rules_for(&self, tool: &str) -> bool {
        [&self.deny, &self.ask, &self.allow, &self.grants]
            .into_iter()
            .flatten()
            .any(|rule| rule.covers_tool(tool))
    }
}

impl Usually {
    fn but(mut self, has_rules: bool) -> Self {
        let (Self::Allow(why) | Self::Ask(why) | Self::Deny(why)) = &mut self;
        if has_rules {
            why.push_str("; your rules say otherwise of some calls");
        }
        self
    }
}
