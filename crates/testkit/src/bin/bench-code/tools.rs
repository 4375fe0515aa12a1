//! Tools that nobody has, of the size and shape that real integrations have, and a program for them.

use code::ToolSpec;
use serde_json::json;

/// As many tools as a large integration has.
pub const GROUP_SIZE: usize = 10;

/// A program as models write them: it lists, filters, calls for each at once, and catches.
pub fn program(group: usize) -> String {
    format!(
        r#"const found = await tools.service{group}.issues.list({{ owner: "house", repo: "steward", state: "open", labels: ["bug"] }});
const old = found.items.filter((issue) => issue.createdAt < "2026-01-01" && issue.comments === 0);
const closed = await Promise.all(old.map((issue) =>
  tools.service{group}.issues.close({{ owner: "house", repo: "steward", issueNumber: issue.number, reason: "stale" }}).catch((error) => {{
    console.warn(`${{issue.number}}: ${{error.message}}`);
    return undefined;
  }})));
return {{ asked: old.length, closed: closed.filter((it) => it !== undefined).length }};"#
    )
}

/// Tools of the size that real integrations have: ten to a group, about 1.4 kB of schema each.
pub fn specs(count: usize) -> Vec<ToolSpec> {
    let kinds =
        ["list", "close", "create", "update", "comment", "assign", "label", "search", "history", "lock"];
    (0..count).map(|number| spec(number / GROUP_SIZE, kinds[number % GROUP_SIZE])).collect()
}

fn spec(group: usize, kind: &str) -> ToolSpec {
    let issue = json!({ "type": "object", "required": ["number", "title", "state", "createdAt", "comments"], "properties": {
        "number": { "type": "integer", "description": "The number of the issue within its repository." },
        "title": { "type": "string" },
        "state": { "enum": ["open", "closed"] },
        "createdAt": { "type": "string", "format": "date-time" },
        "comments": { "type": "integer" },
        "labels": { "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string" }, "color": { "type": "string" } }, "required": ["name"] } },
        "assignee": { "anyOf": [{ "type": "object", "properties": { "login": { "type": "string" } }, "required": ["login"] }, { "type": "null" }] }
    }});
    let mut properties = json!({
        "owner": { "type": "string", "description": "The account that owns the repository. The name is not case sensitive." },
        "repo": { "type": "string", "description": "The name of the repository without the `.git` extension." }
    });
    let mut required = vec!["owner", "repo"];
    if kind == "list" {
        properties["state"] = json!({ "enum": ["open", "closed", "all"], "default": "open", "description": "Which issues to give by their state." });
        properties["labels"] = json!({ "type": "array", "items": { "type": "string" }, "description": "Only issues with all of these labels." });
        properties["perPage"] = json!({ "type": "integer", "minimum": 1, "maximum": 100, "description": "How many results a page has." });
    } else {
        properties["issueNumber"] =
            json!({ "type": "integer", "description": "The number that identifies the issue." });
        properties["reason"] =
            json!({ "enum": ["done", "stale", "duplicate"], "description": "Why it is changed." });
        properties["note"] = json!({ "type": ["string", "null"], "description": "Words that are added to the issue's history." });
        required.push("issueNumber");
    }
    let output = match kind {
        "list" => {
            json!({ "type": "object", "required": ["items"], "properties": { "items": { "type": "array", "items": issue }, "next": { "type": ["string", "null"] } } })
        }
        _ => issue,
    };
    ToolSpec {
        path: format!("service{group}.issues.{kind}"),
        description: format!(
            "The action {kind} on issues of a repository. Needs write access unless it only reads; closed issues stay visible."
        ),
        input_schema: json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }),
        output_schema: Some(output),
    }
}
