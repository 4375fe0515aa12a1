//! The pure pieces alone: cutting text, checking names, checking arguments, writing schemas.

use crate::{Labels, Presentation, RegisterError, Registry, Tool, ToolContext, ToolOutput, TypedTool, text};
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A tool with any name and schema.
struct Dummy(&'static str, Value);

impl Tool for Dummy {
    fn name(&self) -> &str {
        self.0
    }
    fn description(&self) -> &str {
        "does nothing"
    }
    fn input_schema(&self) -> Value {
        self.1.clone()
    }
    fn labels(&self, _input: &Value) -> Labels {
        Labels::default()
    }
    fn present(&self, input: &Value) -> Presentation {
        Presentation::new(self.0, input.to_string())
    }
    fn execute<'a>(&'a self, input: Value, _context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move { ToolOutput::text(input.to_string()) })
    }
}

fn dummy(name: &'static str) -> Dummy {
    Dummy(name, json!({ "type": "object" }))
}

#[test]
fn names_are_dotted_words_that_providers_can_spell() {
    let long = "x".repeat(64);
    let too_long = "x".repeat(65);
    for good in ["bash", "memory.search", "github.issues.close", "a-b_c.D1", long.as_str()] {
        let name: &'static str = good.to_owned().leak();
        assert_eq!(Registry::new().register(dummy(name)), Ok(()), "{good}");
    }
    for bad in ["", ".", "a.", ".a", "a..b", "a b", "a/b", "é", "a:b", too_long.as_str()] {
        let name: &'static str = bad.to_owned().leak();
        let expected = Err(RegisterError::BadName(bad.into()));
        assert_eq!(Registry::new().register(dummy(name)), expected, "{bad}");
    }
}

#[test]
fn names_that_providers_would_confuse_are_refused() {
    let check = |first: &'static str, second: &'static str, clash: bool| {
        let mut registry = Registry::new();
        registry.register(dummy(first)).unwrap();
        assert_eq!(registry.register(dummy(second)).is_err(), clash, "{first} {second}");
    };
    check("memory.search", "memory_search", true);
    check("a.b_c", "a_b.c", true);
    check("bash", "bash", true);
    check("bash", "bash2", false);
}

#[test]
fn only_object_schemas_are_taken() {
    for schema in [json!({}), json!({ "type": "string" }), json!(true)] {
        let refused = Registry::new().register(Dummy("odd", schema));
        assert_eq!(refused, Err(RegisterError::NotAnObject("odd".into())));
    }
}

#[test]
fn arguments_are_checked_with_words_the_model_can_use() {
    let mut registry = Registry::new();
    registry.register(Typed).unwrap();
    let check = |arguments: &str, expected: Result<Value, &str>| {
        let got = registry.validate("some.typed", arguments);
        match (got, expected) {
            (Ok(got), Ok(expected)) => assert_eq!(got, expected, "{arguments}"),
            (Err(got), Err(part)) => assert!(got.contains(part), "{arguments}: {got}"),
            (got, expected) => panic!("{arguments}: {got:?} instead of {expected:?}"),
        }
    };
    check(r#"{"filePath": "a"}"#, Ok(json!({ "filePath": "a" })));
    check(
        r#"{"filePath": "a", "mode": "slow", "title": "t"}"#,
        Ok(json!({ "filePath": "a", "mode": "slow", "title": "t" })),
    );
    check(r#"{"filePath": "a", "limit": null}"#, Ok(json!({ "filePath": "a" })));
    check("", Err("\"filePath\" is a required property"));
    check("{", Err("not valid JSON"));
    check("[]", Err("is not of type \"object\""));
    check(r#"{"filePath": 1}"#, Err("`/filePath`: 1 is not of type \"string\""));
    check(r#"{"filePath": "a", "limit": 0}"#, Err("`/limit`: 0 is less than the minimum"));
    check(r#"{"filePath": "a", "mode": "odd"}"#, Err("`/mode`: \"odd\" is not one of"));
    check(r#"{"filePath": "a", "file_path": "b"}"#, Err("'file_path' was unexpected"));
    let huge = json!({ "filePath": { "x": "y".repeat(100_000) } }).to_string();
    assert!(registry.validate("some.typed", &huge).unwrap_err().len() < 1_000);
    assert_eq!(registry.validate("odd", "{}"), Err("There is no tool named `odd`.".into()));
}

#[test]
fn a_broken_schema_or_a_foreign_reference_is_an_answer_too() {
    let check = |schema: Value| {
        let mut registry = Registry::new();
        registry.register(Dummy("broken", schema)).unwrap();
        let answer = registry.validate("broken", "{}").unwrap_err();
        assert!(answer.starts_with("`broken` cannot be called"), "{answer}");
    };
    check(json!({ "type": "object", "required": 7 }));
    check(json!({ "type": "object", "properties": { "a": { "$ref": "http://127.0.0.1:1/x.json" } } }));
    check(json!({ "type": "object", "properties": { "a": { "$ref": "file:///etc/hostname" } } }));
}

/// A tool as an author writes it.
struct Typed;

/// Words for readers of the code.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TypedInput {
    /// Which file.
    file_path: String,
    /// How many.
    #[schemars(range(min = 1))]
    limit: Option<u32>,
    mode: Option<Mode>,
    /// A field with a name schemas use themselves.
    title: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Fast,
    Slow,
}

impl TypedTool for Typed {
    const NAME: &'static str = "some.typed";
    const DESCRIPTION: &'static str = "Does nothing.";
    const LABELS: Labels = Labels { idempotent: true, ..Labels::NONE };
    type Input = TypedInput;

    fn show(&self, input: &TypedInput) -> Presentation {
        let mode = match input.mode {
            Some(Mode::Fast) => "fast",
            Some(Mode::Slow) => "slow",
            None => "as usual",
        };
        Presentation::new(&input.file_path, format!("{mode} {:?} {:?}", input.limit, input.title))
    }

    async fn run(&self, input: TypedInput, _context: &ToolContext) -> ToolOutput {
        ToolOutput::text(input.file_path)
    }
}

#[test]
fn a_schema_says_what_a_model_needs_and_nothing_else() {
    let expected = json!({
        "type": "object",
        "properties": {
            "filePath": { "description": "Which file.", "type": "string" },
            "limit": { "description": "How many.", "type": "integer", "minimum": 1 },
            "mode": { "type": "string", "enum": ["fast", "slow"] },
            "title": { "description": "A field with a name schemas use themselves.", "type": "string" },
        },
        "additionalProperties": false,
        "required": ["filePath"],
    });
    assert_eq!(Tool::input_schema(&Typed), expected);
}

#[test]
fn a_model_is_told_only_what_it_needs_to_write_arguments() {
    let schema = json!({
        "type": "object",
        "properties": {
            "minimum": { "type": "integer", "minimum": 1, "maximum": 5, "description": "A field named so." },
            "mode": { "type": "string", "enum": ["minimum", "type"] },
            "free": { "type": "object", "additionalProperties": { "type": "string" } },
            "list": { "type": "array", "items": { "type": "integer", "minimum": 0 } },
        },
        "additionalProperties": false,
        "required": ["minimum"],
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "minimum": { "type": "integer", "description": "A field named so." },
            "mode": { "enum": ["minimum", "type"] },
            "free": { "type": "object", "additionalProperties": { "type": "string" } },
            "list": { "type": "array", "items": { "type": "integer" } },
        },
        "required": ["minimum"],
    });
    assert_eq!(crate::told::told(&schema), expected);
}

#[test]
fn a_presentation_is_made_even_of_input_that_does_not_fit() {
    let shown = Tool::present(&Typed, &json!({ "filePath": "a", "mode": "slow" }));
    assert_eq!(shown, Presentation::new("a", "slow None None"));
    let shown = Tool::present(&Typed, &json!({ "odd": 1 }));
    assert_eq!(shown, Presentation::new("some.typed", r#"{"odd":1}"#));
}

#[test]
fn text_is_cut_between_characters() {
    assert_eq!(text::head("äöü", 2), ("äö", 1));
    assert_eq!(text::head("äöü", 3), ("äöü", 0));
    assert_eq!(text::line("one\ntwo", 10), "one …");
    assert_eq!(text::line("one\n", 10), "one");
    assert_eq!(text::line("abcdef", 3), "abc …");
    let check = |bytes: &[u8], kept: usize| assert_eq!(text::whole_characters(bytes), kept, "{bytes:x?}");
    check(b"", 0);
    check(b"abc", 3);
    check("aä".as_bytes(), 3);
    check(&"aä".as_bytes()[..2], 1);
    check(&"a€".as_bytes()[..3], 1);
    check(&"😀".as_bytes()[..3], 0);
    check("😀".as_bytes(), 4);
    check(b"a\xff\xff", 3);
    check(b"\x80\x80\x80\x80", 4);
    assert_eq!(text::size(999), "999 bytes");
    assert_eq!(text::size(1_500_000), "1.5 MB");
}
