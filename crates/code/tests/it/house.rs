//! The tools that the programs of these tests are written for.

use code::{Declarations, ToolSpec};
use serde_json::{Value, json};

pub fn declarations() -> Declarations {
    let issue = json!({ "type": "object", "required": ["number", "title", "state"], "properties": {
        "number": { "type": "integer" },
        "title": { "type": "string" },
        "state": { "enum": ["open", "closed"] },
        "assignee": { "type": ["string", "null"] },
        "labels": { "type": "array", "items": { "type": "string" } } } });
    Declarations::new(vec![
        tool(
            "github.issues.list",
            json!({ "type": "object", "required": ["owner", "repo"], "additionalProperties": false, "properties": {
                "owner": { "type": "string" },
                "repo": { "type": "string" },
                "state": { "enum": ["open", "closed", "all"] } } }),
            Some(
                json!({ "type": "object", "required": ["items"], "properties": { "items": { "type": "array", "items": issue } } }),
            ),
        ),
        tool(
            "github.issues.close",
            json!({ "type": "object", "required": ["owner", "repo", "number"], "properties": {
                "owner": { "type": "string" }, "repo": { "type": "string" }, "number": { "type": "integer" } } }),
            Some(
                json!({ "type": "object", "required": ["state"], "properties": { "state": { "const": "closed" } } }),
            ),
        ),
        tool(
            "bash",
            json!({ "type": "object", "required": ["command"], "properties": { "command": { "type": "string" } } }),
            None,
        ),
        tool(
            "memory.search",
            json!({ "type": "object", "properties": { "query": { "type": "string" } } }),
            None,
        ),
        tool("odd-one.do it", json!({ "type": "object", "properties": {} }), None),
        tool(
            "tree.read",
            json!({ "type": "object" }),
            Some(
                json!({ "$ref": "#/$defs/node", "$defs": { "node": { "type": "object", "required": ["name", "children"], "properties": {
                "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } } } } }),
            ),
        ),
    ])
}

fn tool(path: &str, input_schema: Value, output_schema: Option<Value>) -> ToolSpec {
    ToolSpec { path: path.to_owned(), description: format!("The tool {path}."), input_schema, output_schema }
}
