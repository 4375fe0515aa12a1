//! The workbench as its owner may look it over: which tools, what is usually said of them, what confines commands.

use super::{Bench, Workbench};
use policy::{Labels, Usually};
use protocol::ToolDefinition;
use sandbox::Primitive;
use serde_json::Value;

/// What lies on the workbench.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchDescription {
    /// Every tool, by name.
    pub tools: Vec<ToolDescription>,
    /// What the kernel offers for confining commands.
    pub primitives: Vec<Primitive>,
}

/// One tool, and what is usually said of its use.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDescription {
    /// As the model is told of it.
    pub definition: ToolDefinition,
    /// What it gives a program, where it says so.
    pub output_schema: Option<Value>,
    /// What its calls may bring in, see or touch.
    pub labels: Labels,
    /// What policy says of most of its calls.
    pub usually: Usually,
}

impl Workbench {
    /// What lies on it now, with the rules in force now. `None` if that cannot be found out.
    pub async fn describe(&self) -> Option<BenchDescription> {
        self.look(Bench::describe).await
    }
}

impl Bench {
    fn describe(&self) -> BenchDescription {
        let policy = self.policy();
        let describe = |definition: ToolDefinition| {
            // No input in particular: what holds for the tool as such.
            let tool = self.tools.get(&definition.name)?;
            let (labels, output_schema) = (tool.labels(&Value::Null), tool.output_schema());
            let usually = policy.usually(&definition.name, labels);
            Some(ToolDescription { definition, output_schema, labels, usually })
        };
        BenchDescription {
            tools: self.tools.definitions().into_iter().filter_map(describe).collect(),
            primitives: self.sandbox.report(),
        }
    }
}
