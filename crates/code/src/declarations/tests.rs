//! Schemas to types as a table, names and words of strangers, and what the model is told of the tools.

use super::{Declarations, Hit, ToolSpec, schema, text};
use serde_json::{Value, json};

fn check(schema: Value, expected: &str) {
    assert_eq!(schema::declare(&schema, "X"), expected, "{schema}");
}

#[test]
fn plain_types() {
    check(json!({ "type": "string" }), "type X = string;\n");
    check(json!({ "type": "integer" }), "type X = number;\n");
    check(json!({ "type": "number" }), "type X = number;\n");
    check(json!({ "type": "boolean" }), "type X = boolean;\n");
    check(json!({ "type": "null" }), "type X = null;\n");
    check(json!({ "type": "array" }), "type X = unknown[];\n");
    check(json!({ "type": ["string", "null"] }), "type X = string | null;\n");
    check(json!({ "type": "string", "nullable": true }), "type X = string | null;\n");
    check(json!({ "type": "martian" }), "type X = unknown;\n");
    check(json!({}), "type X = unknown;\n");
    check(json!(true), "type X = unknown;\n");
    check(json!(false), "type X = never;\n");
    check(json!(7), "type X = unknown;\n");
}

#[test]
fn values() {
    check(json!({ "const": "on" }), "type X = \"on\";\n");
    check(json!({ "const": null }), "type X = null;\n");
    check(json!({ "enum": ["a", 1, -2.5, true, null] }), "type X = \"a\" | 1 | -2.5 | true | null;\n");
    check(json!({ "type": "string", "enum": ["a", "a"] }), "type X = \"a\";\n");
    check(
        json!({ "enum": [["a", 1], { "b": "c", "d-e": 2 }] }),
        "type X = [\"a\", 1] | { b: \"c\"; \"d-e\": 2 };\n",
    );
    check(json!({ "const": "say \"hi\"\\\n\u{202e}" }), "type X = \"say \\\"hi\\\"\\\\\\n\\u{202e}\";\n");
    let many: Vec<u32> = (0..1000).collect();
    check(json!({ "type": "integer", "enum": many }), "type X = number;\n");
    check(json!({ "enum": ["x".repeat(1000), "y"] }), "type X = string | \"y\";\n");
}

#[test]
fn objects() {
    check(
        json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" }, "b-c": { "type": "integer" }, "new": {} } }),
        "interface X {\n  a: string;\n  \"b-c\"?: number;\n  \"new\"?: unknown;\n}\n",
    );
    check(json!({ "properties": { "class": { "const": 1 } } }), "interface X {\n  class?: 1;\n}\n");
    check(json!({ "type": "object" }), "interface X {\n  [key: string]: unknown;\n}\n");
    check(json!({ "type": "object", "properties": {} }), "interface X {\n  [key: string]: never;\n}\n");
    check(
        json!({ "type": "object", "additionalProperties": false }),
        "interface X {\n  [key: string]: never;\n}\n",
    );
    check(
        json!({ "type": "object", "additionalProperties": { "type": "number" } }),
        "interface X {\n  [key: string]: number;\n}\n",
    );
    check(
        json!({ "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "number" } }),
        "interface X {\n  a?: string;\n  [key: string]: unknown;\n}\n",
    );
    check(
        json!({ "type": "object", "patternProperties": { "^x": { "type": "string" }, "^y": { "type": "null" } } }),
        "interface X {\n  [key: string]: string | null;\n}\n",
    );
    check(
        json!({ "type": "object", "properties": { "in": { "type": "object", "properties": { "deep": { "type": "string" } } } } }),
        "interface X {\n  in?: {\n    deep?: string;\n  };\n}\n",
    );
}

#[test]
fn arrays() {
    check(json!({ "type": "array", "items": { "type": "string" } }), "type X = string[];\n");
    check(json!({ "items": { "enum": ["a", "b"] } }), "type X = (\"a\" | \"b\")[];\n");
    check(
        json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": ["number", "null"] }], "items": false }),
        "type X = [string, (number | null)];\n",
    );
    check(
        json!({ "prefixItems": [{ "type": "string" }, { "type": "number" }], "minItems": 1, "items": { "type": "null" } }),
        "type X = [string, number?, ...null[]];\n",
    );
    check(
        json!({ "type": "array", "items": [{ "type": "string" }], "additionalItems": false }),
        "type X = [string];\n",
    );
    check(
        json!({ "type": "array", "prefixItems": [{ "type": "string" }] }),
        "type X = [string, ...unknown[]];\n",
    );
}

#[test]
fn combinations() {
    check(json!({ "oneOf": [{ "type": "string" }, { "type": "number" }] }), "type X = string | number;\n");
    check(json!({ "anyOf": [{ "type": "string" }, {}] }), "type X = unknown;\n");
    check(json!({ "anyOf": [{ "type": "string" }, false] }), "type X = string;\n");
    check(
        json!({ "allOf": [{ "properties": { "a": { "type": "string" } } }, { "properties": { "b": { "type": "string" } } }] }),
        "type X = {\n  a?: string;\n} & {\n  b?: string;\n};\n",
    );
    check(
        json!({ "allOf": [{ "type": "string" }, { "oneOf": [{ "const": "a" }, { "const": "b" }] }] }),
        "type X = string & (\"a\" | \"b\");\n",
    );
    // Whoever gives alternatives of what is required has said the properties before.
    check(
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        "interface X {\n  a?: string;\n  b?: string;\n}\n",
    );
    check(
        json!({ "type": "object", "oneOf": [{ "properties": { "a": { "const": 1 } } }, { "properties": { "b": { "const": 2 } } }] }),
        "type X = {\n  a?: 1;\n} | {\n  b?: 2;\n};\n",
    );
    check(json!({ "not": { "type": "string" } }), "type X = unknown;\n");
}

#[test]
fn references() {
    check(
        json!({ "type": "object", "properties": { "root": { "$ref": "#/$defs/node" } }, "$defs": {
            "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" }, "up": { "$ref": "#" } } } } }),
        "interface X {\n  root?: X_Node;\n}\ninterface X_Node {\n  next?: X_Node;\n  up?: X;\n}\n",
    );
    check(
        json!({ "anyOf": [{ "$ref": "#/definitions/a-b" }, { "$ref": "#/definitions/aB" }], "definitions": { "a-b": { "type": "string" }, "aB": { "type": "null" } } }),
        "type X = X_AB | X_AB2;\ntype X_AB = string;\ntype X_AB2 = null;\n",
    );
    check(json!({ "$ref": "https://example.org/schema.json#/a" }), "type X = unknown;\n");
    check(json!({ "$ref": "other.json" }), "type X = unknown;\n");
    check(json!({ "$ref": "#/$defs/missing" }), "type X = unknown;\n");
    check(json!({ "$ref": "#anchor" }), "type X = unknown;\n");
    check(json!({ "$ref": 3 }), "type X = unknown;\n");
}

#[test]
fn what_a_type_cannot_say_is_said_beside_it() {
    check(
        json!({ "properties": {
            "a": { "type": "integer", "description": "How many.\n  Not */ none.", "default": 10, "minimum": 1, "maximum": 100 },
            "b": { "type": "string", "format": "date-time", "pattern": "^a*/b$" } } }),
        "interface X {\n  /** How many. Not * / none. (default: 10) (least: 1) (most: 100) */\n  a?: number;\n  \
         /** (format: date-time) (pattern: ^a* /b$) */\n  b?: string;\n}\n",
    );
}

#[test]
fn a_tool_is_bounded() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..100 {
        deep = json!({ "type": "object", "properties": { "in": deep } });
    }
    let deep = schema::declare(&deep, "X");
    assert_eq!((deep.matches("in?: {").count(), deep.matches("unknown").count()), (24, 1));

    let properties: serde_json::Map<String, Value> = (0..5_000)
        .map(|index| {
            (format!("property{index}"), json!({ "type": "string", "description": "x".repeat(1000) }))
        })
        .collect();
    let wide = schema::declare(&json!({ "type": "object", "properties": properties }), "X");
    assert!(wide.len() < 50_000, "{}", wide.len());
    assert!(wide.ends_with("  [key: string]: unknown;\n}\n"));

    let long = json!({ "type": "object", "properties": { "n".repeat(10_000): { "type": "string" } } });
    check(long, "interface X {\n  [key: string]: unknown;\n}\n");
}

#[test]
fn words_of_strangers() {
    let check = |text: &str, expected: &str| assert_eq!(text::description(text, 20), expected);
    check("  one\n\ttwo  ", "one two");
    check("end */ of /* it", "end * / of /* it");
    check("a\u{202e}b\u{200b}c\u{7}d\u{e0041}e\u{2066}", "abcde");
    check("*\u{200b}/", "* /");
    check("123456789 123456789 123", "123456789 123456789…");
    check("äöüäöüäöüäöüäöüäöüäöüäöü", "äöüäöüäöüäöüäöüäöüäö…");
    check("", "");
}

#[test]
fn names() {
    let check = |path: &str, expected: &str| assert_eq!(text::type_name(path), expected);
    check("github.issues.close", "GithubIssuesClose");
    check("mcp-server.do_thing", "McpServerDoThing");
    check("a.getURL", "AGetURL");
    check("2fa.list", "T2faList");
    check("übung.größe", "BungGrE");
    check("…", "Unnamed");
}

fn tool(path: &str, description: &str) -> ToolSpec {
    let input_schema =
        json!({ "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"] });
    ToolSpec { path: path.to_owned(), description: description.to_owned(), input_schema, output_schema: None }
}

#[test]
fn a_group_is_one_file() {
    let all = ["bash", "mail.send", "mail.inbox.list", "mail.inbox", "mcp-x.do-it", "mcp_x.doIt", "mail.new"];
    let mut specs: Vec<ToolSpec> = all.iter().map(|path| tool(path, "")).collect();
    specs.push(ToolSpec {
        input_schema: json!({ "type": "object" }),
        ..tool("mail.inbox.list", "a second one")
    });
    specs.push(tool("mail..x", "no path"));
    specs.push(tool(&format!("mail.{}", "x".repeat(200)), "too long"));
    let declarations = Declarations::new(specs);
    let file = |group: &str| declarations.file_of(group).unwrap().1.to_string();
    let input = |name: &str| format!("interface {name}Input {{\n  q: string;\n}}\n");
    assert_eq!(
        file("bash"),
        input("Bash") + "interface BashTools {\n  (input: BashInput): Promise<ToolText>;\n}\n"
    );
    assert_eq!(
        file("mail"),
        input("MailInbox")
            + &input("MailInboxList")
            + &input("MailNew")
            + &input("MailSend")
            + "interface MailTools {\n  readonly inbox: {\n    (input: MailInboxInput): Promise<ToolText>;\n    \
               list(input: MailInboxListInput): Promise<ToolText>;\n  };\n  \"new\"(input: MailNewInput): Promise<ToolText>;\n  \
               send(input: MailSendInput): Promise<ToolText>;\n}\n"
    );
    assert_eq!(
        file("mcp_x"),
        input("McpXDoIt2") + "interface McpX2Tools {\n  doIt(input: McpXDoIt2Input): Promise<ToolText>;\n}\n"
    );
    let (_, table) = declarations.table_for(&["mail".to_owned()]);
    assert_eq!(
        &*table,
        "interface Tools {\n  readonly bash: BashTools;\n  readonly mail: MailTools;\n  readonly \"mcp-x\": McpXTools;\n  \
         readonly mcp_x: McpX2Tools;\n}\ndeclare const tools: Tools;\ninterface BashTools {}\ninterface McpXTools {}\n\
         interface McpX2Tools {}\n"
    );
    assert_eq!(declarations.paths().count(), 7);
}

#[test]
fn files_are_named_by_what_is_in_them() {
    let one = Declarations::new(vec![tool("a.b", "one"), tool("c.d", "")]);
    let two = Declarations::new(vec![tool("a.b", "two")]);
    let three = Declarations::new(vec![ToolSpec { input_schema: json!({}), ..tool("a.b", "one") }]);
    assert_eq!(one.file_of("a"), two.file_of("a"), "a tool's description is not in its type");
    assert_ne!(one.file_of("a").unwrap().0, three.file_of("a").unwrap().0);
    assert_eq!(one.file_of("none"), None);
}

#[test]
fn what_a_tool_gives_and_what_it_can_do_without() {
    let output_schema =
        Some(json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } }));
    let input_schema = json!({ "type": "object", "properties": { "q": { "type": "string" } } });
    let spec = ToolSpec { output_schema, input_schema, ..tool("odd-one.find all", "Finds */ all.") };
    let declarations = Declarations::new(vec![spec]);
    assert_eq!(
        declarations.describe("odd-one.find all").unwrap(),
        "interface OddOneFindAllInput {\n  q?: string;\n}\ninterface OddOneFindAllOutput {\n  n: number;\n}\n\
         /** Finds * / all. */\ntools[\"odd-one\"][\"find all\"](input?: OddOneFindAllInput): Promise<OddOneFindAllOutput>\n"
    );
    assert_eq!(declarations.describe("odd-one"), None);
}

#[test]
fn the_index_is_short_whatever_there_is() {
    let few = Declarations::new(vec![tool("bash", ""), tool("mail.send", ""), tool("mail.inbox.list", "")]);
    assert_eq!(few.index(), "bash\nmail: inbox.list, send\n");

    let one_group = (0..1000).map(|index| tool(&format!("big.tool{index:03}"), "")).collect();
    let line = Declarations::new(one_group).index();
    assert!(line.starts_with("big: tool000, tool001, "), "{line}");
    assert!(line.ends_with(" … 974 more\n"), "{line}");

    let many_groups = (0..2000).map(|index| tool(&format!("group{index:04}.act"), "")).collect();
    let index = Declarations::new(many_groups).index();
    assert!(index.ends_with("… 1600 more groups: search for what is needed\n"), "{}", index.len());
    assert!(index.len() < 6_100);
    assert_eq!(Declarations::new(Vec::new()).index(), "");
}

#[test]
fn a_search_puts_the_best_first() {
    let declarations = Declarations::new(vec![
        tool("github.issues.close", "Closes one issue."),
        tool("github.issues.list", "Lists issues, also those that are closed."),
        tool("mail.send", "Sends a letter about an issue."),
        tool("calendar.createEvent", "Makes an appointment."),
        tool("shop.close", "Shuts the door."),
    ]);
    let check = |query: &str, expected: &[&str]| {
        let hits: Vec<String> = declarations.search(query).into_iter().map(|hit| hit.path).collect();
        assert_eq!(hits, expected, "{query}");
    };
    check("close issue", &["github.issues.close", "github.issues.list", "shop.close", "mail.send"]);
    check("event", &["calendar.createEvent"]);
    check("Appointment!", &["calendar.createEvent"]);
    check("mail.send", &["mail.send"]);
    check("letter", &["mail.send"]);
    check("nothing here", &[]);
    check("", &[]);
    let hit = Hit { path: "shop.close".to_owned(), description: "Shuts the door.".to_owned() };
    assert_eq!(declarations.search("shop door"), [hit]);
}
