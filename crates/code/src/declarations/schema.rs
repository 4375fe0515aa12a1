//! JSON Schema to TypeScript. What cannot be said becomes `unknown`: the declaration is advice for the author, and the
//! call's input is checked against the schema itself by whoever runs it. Pure; what is hostile is only ever large, and
//! that is bounded.

use super::text::{MAX_DESCRIPTION_CHARS, description, property, quoted, type_name};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// No one calls a tool with more levels by hand, and the type must be readable.
const MAX_DEPTH: usize = 24;

/// Ten times what a large real tool has; beyond it a type is `unknown`, so that one tool cannot use up a prompt.
const MAX_TOOL_BYTES: usize = 32_000;

/// More values than this are data, and their plain type says enough.
const MAX_VALUES: usize = 100;

/// Names and values that are written out are words; what is longer is data.
const MAX_NAME_BYTES: usize = 200;

/// A default or a pattern that is longer does not help an author.
const MAX_LIMIT_CHARS: usize = 60;

/// The declarations of the type `name` and of those it refers to.
pub(super) fn declare(schema: &Value, name: &str) -> String {
    let mut writer = Writer::new(schema, name);
    let mut text = String::new();
    while let Some((pointer, name)) = writer.waiting.pop_front() {
        let written = match schema.pointer(&pointer) {
            Some(schema) => writer.shape(schema, 0),
            None => Shape::unknown(),
        };
        text.push_str(&match written.kind {
            Kind::Object => format!("interface {name} {}\n", written.text),
            _ => format!("type {name} = {};\n", written.text),
        });
    }
    text
}

/// Whether a call may leave the input out: an object of which nothing is required.
pub(super) fn is_optional(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema == &Value::Bool(true) };
    let combined =
        ["$ref", "oneOf", "anyOf", "allOf", "enum", "const"].iter().any(|key| schema.contains_key(*key));
    let required = schema.get("required").and_then(Value::as_array).is_some_and(|it| !it.is_empty());
    let object = schema.get("type").is_none_or(|it| it == "object");
    object && !combined && !required
}

struct Writer<'a> {
    root: &'a Value,
    name: &'a str,
    /// Types by the pointer that refers to them.
    named: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    waiting: VecDeque<(String, String)>,
    spent: usize,
}

/// A written type. What is loose must be put into parentheses before something is added to it.
#[derive(Clone, PartialEq, Eq)]
struct Shape {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    Word,
    Loose,
}

impl Shape {
    fn word(text: impl Into<String>) -> Shape {
        Shape { text: text.into(), kind: Kind::Word }
    }

    fn unknown() -> Shape {
        Shape::word("unknown")
    }

    fn is(&self, text: &str) -> bool {
        self.text == text
    }

    fn tight(&self) -> String {
        match self.kind {
            Kind::Loose => format!("({})", self.text),
            Kind::Object | Kind::Word => self.text.clone(),
        }
    }
}

impl<'a> Writer<'a> {
    fn new(root: &'a Value, name: &'a str) -> Writer<'a> {
        let first = (String::new(), name.to_owned());
        Writer {
            root,
            name,
            named: BTreeMap::from([first.clone()]),
            taken: BTreeSet::new(),
            waiting: VecDeque::from([first]),
            spent: 0,
        }
    }

    fn shape(&mut self, schema: &Value, depth: usize) -> Shape {
        let schema = match schema {
            Value::Bool(false) => return Shape::word("never"),
            Value::Object(schema) if depth <= MAX_DEPTH && self.spent <= MAX_TOOL_BYTES => schema,
            _ => return Shape::unknown(),
        };
        let mut parts = Vec::new();
        if let Some(target) = schema.get("$ref") {
            parts.push(self.referred(target));
        }
        for each in list(schema, "allOf") {
            parts.push(self.shape(each, depth));
        }
        for key in ["oneOf", "anyOf"] {
            if schema.contains_key(key) {
                parts.push(union(list(schema, key).iter().map(|each| self.shape(each, depth)).collect()));
            }
        }
        parts.retain(|part| !part.is("unknown"));
        if let Some(own) = self.own(schema, depth, parts.is_empty()) {
            parts.insert(0, own);
        }
        let shape = intersection(parts);
        self.spent += 8;
        match schema.get("nullable") {
            Some(Value::Bool(true)) => union(vec![shape, Shape::word("null")]),
            _ => shape,
        }
    }

    /// What the schema itself says, apart from what it combines. A bare `type` says nothing that the rest does not.
    fn own(&mut self, schema: &Map<String, Value>, depth: usize, alone: bool) -> Option<Shape> {
        if let Some(value) = schema.get("const") {
            return Some(self.literal(value, depth));
        }
        let values = list(schema, "enum");
        if !values.is_empty() && values.len() <= MAX_VALUES {
            return Some(union(values.iter().map(|value| self.literal(value, depth)).collect()));
        }
        let says = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
        let is_object = says(&["properties", "additionalProperties", "patternProperties"]);
        let is_array = says(&["items", "prefixItems"]);
        match schema.get("type") {
            Some(Value::String(kind)) if alone || is_object || is_array => {
                Some(self.typed(kind, schema, depth))
            }
            Some(Value::Array(kinds)) if alone => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                Some(union(kinds.map(|kind| self.typed(kind, schema, depth)).collect()))
            }
            None if is_object => Some(self.object(schema, depth)),
            None if is_array => Some(self.array(schema, depth)),
            _ => None,
        }
    }

    fn typed(&mut self, kind: &str, schema: &Map<String, Value>, depth: usize) -> Shape {
        match kind {
            "string" | "boolean" | "null" | "number" => Shape::word(kind),
            "integer" => Shape::word("number"),
            "array" => self.array(schema, depth),
            "object" => self.object(schema, depth),
            _ => Shape::unknown(),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Shape {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required: BTreeSet<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
        let indent = "  ".repeat(depth + 1);
        let mut text = String::from("{\n");
        let mut cut = false;
        for (name, property_schema) in properties {
            if self.spent > MAX_TOOL_BYTES || name.len() > MAX_NAME_BYTES {
                cut = true;
                continue;
            }
            let doc = documentation(property_schema);
            if !doc.is_empty() {
                text.push_str(&format!("{indent}/** {doc} */\n"));
            }
            let mark = if required.contains(name.as_str()) { "" } else { "?" };
            let name = property(name);
            self.spent += doc.len() + name.len();
            let shape = self.shape(property_schema, depth + 1);
            text.push_str(&format!("{indent}{name}{mark}: {};\n", shape.text));
        }
        if let Some(rest) = self.further(schema, properties.is_empty(), cut, depth) {
            text.push_str(&format!("{indent}[key: string]: {};\n", rest.text));
        }
        text.push_str(&format!("{}}}", "  ".repeat(depth)));
        Shape { text, kind: Kind::Object }
    }

    /// The type of properties that have no name. Beside named ones it must hold those too, so nothing is said of it.
    fn further(
        &mut self,
        schema: &Map<String, Value>,
        alone: bool,
        cut: bool,
        depth: usize,
    ) -> Option<Shape> {
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties");
        if !alone {
            let open = patterns.is_some_and(|it| !it.is_empty())
                || additional.is_some_and(|it| it != &Value::Bool(false));
            return (open || cut).then(Shape::unknown);
        }
        let mut shapes: Vec<Shape> =
            patterns.into_iter().flat_map(Map::values).map(|each| self.shape(each, depth + 1)).collect();
        match additional {
            Some(Value::Bool(false)) => {}
            Some(each) => shapes.push(self.shape(each, depth + 1)),
            None if shapes.is_empty() && !schema.contains_key("properties") => shapes.push(Shape::unknown()),
            None => {}
        }
        Some(union(shapes))
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Shape {
        let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Value::Array(first))) => (first.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        let rest = rest.map_or_else(Shape::unknown, |each| self.shape(each, depth));
        if first.is_empty() {
            return array_of(&rest);
        }
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let mut elements: Vec<String> = Vec::with_capacity(first.len() + 1);
        for (index, each) in (0..).zip(first.iter().take(MAX_VALUES)) {
            let mark = if index < least { "" } else { "?" };
            elements.push(format!("{}{mark}", self.shape(each, depth).tight()));
        }
        if !rest.is("never") {
            elements.push(format!("...{}", array_of(&rest).text));
        }
        Shape::word(format!("[{}]", elements.join(", ")))
    }

    fn literal(&mut self, value: &Value, depth: usize) -> Shape {
        let text = match value {
            Value::String(text) if text.len() > MAX_NAME_BYTES => return Shape::word("string"),
            Value::String(text) => quoted(text),
            Value::Array(_) | Value::Object(_) if depth > MAX_DEPTH || self.spent > MAX_TOOL_BYTES => {
                return Shape::unknown();
            }
            Value::Array(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| self.literal(item, depth + 1).text).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(items) => {
                let items = items.iter();
                let items: Vec<String> = items
                    .map(|(name, item)| format!("{}: {}", property(name), self.literal(item, depth + 1).text))
                    .collect();
                format!("{{ {} }}", items.join("; "))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        };
        self.spent += text.len();
        Shape::word(text)
    }

    /// A type of its own for what is referred to, which is how a type may contain itself. Other documents are not read.
    fn referred(&mut self, target: &Value) -> Shape {
        let Some(pointer) = target.as_str().and_then(|it| it.strip_prefix('#')) else {
            return Shape::unknown();
        };
        if let Some(name) = self.named.get(pointer) {
            return Shape::word(name.clone());
        }
        if self.root.pointer(pointer).is_none() {
            return Shape::unknown();
        }
        let last = pointer.rsplit('/').next().unwrap_or_default();
        // No other name has an underline, so this one cannot be another tool's.
        let plain = format!("{}_{}", self.name, type_name(last));
        let name = free_name(&plain, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        self.named.insert(pointer.to_owned(), name.clone());
        self.waiting.push_back((pointer.to_owned(), name.clone()));
        Shape::word(name)
    }
}

/// `plain`, or with the first number behind it that makes it free.
pub(super) fn free_name(plain: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u32..).map(|number| format!("{plain}{number}"));
    std::iter::once(plain.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

fn array_of(item: &Shape) -> Shape {
    Shape::word(format!("{}[]", item.tight()))
}

fn union(mut shapes: Vec<Shape>) -> Shape {
    shapes.retain(|shape| !shape.is("never"));
    if shapes.iter().any(|shape| shape.is("unknown")) {
        return Shape::unknown();
    }
    joined(shapes, " | ").unwrap_or_else(|| Shape::word("never"))
}

fn intersection(mut shapes: Vec<Shape>) -> Shape {
    shapes.retain(|shape| !shape.is("unknown"));
    joined(shapes, " & ").unwrap_or_else(Shape::unknown)
}

fn joined(shapes: Vec<Shape>, sign: &str) -> Option<Shape> {
    let mut different: Vec<Shape> = Vec::new();
    for shape in shapes {
        if !different.contains(&shape) {
            different.push(shape);
        }
    }
    match different.len() {
        0 | 1 => different.pop(),
        _ => {
            let texts: Vec<String> = different.iter().map(Shape::tight).collect();
            Some(Shape { text: texts.join(sign), kind: Kind::Loose })
        }
    }
}

fn list<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The description and those limits that a type cannot say.
fn documentation(schema: &Value) -> String {
    let said = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut parts = vec![description(said, MAX_DESCRIPTION_CHARS)];
    for (key, word) in [
        ("default", "default"),
        ("minimum", "least"),
        ("maximum", "most"),
        ("format", "format"),
        ("pattern", "pattern"),
    ] {
        if let Some(value) = schema.get(key) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            parts.push(format!("({word}: {})", description(&value, MAX_LIMIT_CHARS)));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}
