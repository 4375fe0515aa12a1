//! A made-up value that looks like what a schema describes: enough for a program to go on with, and nothing that is true.
//! Pure; a schema may come from strangers, so what it can make grow is bounded.

use serde_json::{Map, Value, json};

/// What stands for any text.
const TEXT: &str = "…";
/// Deeper than this only what is required is made up, so that what contains itself comes to an end.
const FULL_DEPTH: usize = 6;
/// Deeper than this nothing is.
const MAX_DEPTH: usize = 24;
/// A made-up value has at most about so many bytes; past it only what is required is made up, and past twice that nothing.
const FULL_BYTES: usize = 32_000;
/// An array that must be longer than this is made too short.
const MAX_ITEMS: usize = 20;

/// A value shaped like `schema`; without one, what programs see of a tool that gives plain text.
pub fn stub(schema: Option<&Value>) -> Value {
    let Some(schema) = schema else { return json!({ "output": TEXT, "exitCode": 0 }) };
    Stub { root: schema, spent: 0 }.value(schema, 0)
}

struct Stub<'a> {
    root: &'a Value,
    spent: usize,
}

impl<'a> Stub<'a> {
    fn value(&mut self, schema: &'a Value, depth: usize) -> Value {
        self.spent += 8;
        let Some(schema) = schema.as_object() else {
            return if schema == &Value::Bool(false) { Value::Null } else { text(TEXT) };
        };
        if depth > MAX_DEPTH || self.spent > 2 * FULL_BYTES {
            return Value::Null;
        }
        if let Some(value) = schema.get("const").or_else(|| list(schema, "enum").first()) {
            return self.copy(value);
        }
        let mut parts = Vec::new();
        if let Some(referred) = schema.get("$ref") {
            let referred = referred.as_str().and_then(|it| it.strip_prefix('#'));
            parts.extend(referred.and_then(|pointer| self.root.pointer(pointer)));
        }
        parts.extend(list(schema, "allOf"));
        for alternatives in ["anyOf", "oneOf"] {
            let alternatives = list(schema, alternatives);
            // What is there tells more about what a program does than what is missing.
            parts.extend(alternatives.iter().find(|it| !is_null(it)).or(alternatives.first()));
        }
        let own = self.own(schema, depth, parts.is_empty());
        let values: Vec<Value> =
            own.into_iter().chain(parts.into_iter().map(|part| self.value(part, depth + 1))).collect();
        values.into_iter().reduce(both).unwrap_or_else(|| text(TEXT))
    }

    /// What the schema itself says, apart from what it combines.
    fn own(&mut self, schema: &'a Map<String, Value>, depth: usize, alone: bool) -> Option<Value> {
        let says = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
        let kind = match schema.get("type") {
            Some(Value::String(kind)) => Some(kind.as_str()),
            Some(Value::Array(kinds)) => {
                let kinds = || kinds.iter().filter_map(Value::as_str);
                kinds().find(|kind| *kind != "null").or(kinds().next())
            }
            _ => None,
        };
        let kind = match kind {
            Some(kind) => kind,
            None if says(&["properties", "required", "additionalProperties"]) => "object",
            None if says(&["items", "prefixItems"]) => "array",
            None => return None,
        };
        Some(match kind {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            // Beside what it combines, a plain type says nothing new.
            _ if !alone => return None,
            "string" => self.string(schema),
            "number" | "integer" => number(schema, kind == "integer"),
            "boolean" => Value::Bool(true),
            _ => Value::Null,
        })
    }

    fn object(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Value {
        let full = depth <= FULL_DEPTH && self.spent <= FULL_BYTES;
        let required: Vec<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let rest = schema.get("additionalProperties").filter(|it| it.is_object());
        let mut object = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            let wanted = full && property != &Value::Bool(false);
            if wanted || required.contains(&name.as_str()) {
                self.spent += name.len();
                object.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        for name in required {
            if !object.contains_key(name) && self.spent <= 2 * FULL_BYTES {
                self.spent += name.len();
                let value = rest.map_or_else(|| text(TEXT), |rest| self.value(rest, depth + 1));
                object.insert(name.to_owned(), value);
            }
        }
        if let (true, true, Some(rest)) = (full, object.is_empty(), rest) {
            object.insert(TEXT.to_owned(), self.value(rest, depth + 1));
        }
        Value::Object(object)
    }

    fn array(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Value {
        let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Value::Array(first))) => (first.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        let full = depth <= FULL_DEPTH && self.spent <= FULL_BYTES;
        let least = count(schema, "minItems").unwrap_or(0);
        let wanted = if full { least.max(first.len()).max(usize::from(first.is_empty())) } else { least };
        let wanted = wanted.min(count(schema, "maxItems").unwrap_or(usize::MAX)).min(MAX_ITEMS);
        let mut items = Vec::new();
        for each in first.iter().map(Some).chain(std::iter::repeat(rest)).take(wanted) {
            if each == Some(&Value::Bool(false)) {
                break;
            }
            items.push(each.map_or_else(|| text(TEXT), |each| self.value(each, depth + 1)));
        }
        Value::Array(items)
    }

    fn string(&mut self, schema: &Map<String, Value>) -> Value {
        // A program that reads a time or an address does not get far with an ellipsis.
        let plain = match schema.get("format").and_then(Value::as_str) {
            Some("date-time") => "2026-01-01T00:00:00Z",
            Some("date") => "2026-01-01",
            Some("time") => "00:00:00Z",
            Some("uri" | "uri-reference" | "iri" | "url") => "https://example.org/",
            Some("email" | "idn-email") => "somebody@example.org",
            Some("uuid") => "00000000-0000-4000-8000-000000000000",
            _ => TEXT,
        };
        let missing = count(schema, "minLength").unwrap_or(0).saturating_sub(plain.chars().count());
        let most = count(schema, "maxLength").unwrap_or(usize::MAX);
        let made: String =
            plain.chars().chain(TEXT.chars().cycle().take(missing.min(FULL_BYTES / 8))).take(most).collect();
        self.spent += made.len();
        Value::String(made)
    }

    fn copy(&mut self, value: &Value) -> Value {
        self.spent += value.to_string().len();
        if self.spent > 2 * FULL_BYTES { Value::Null } else { value.clone() }
    }
}

/// One, or what is nearest to it among the numbers allowed.
fn number(schema: &Map<String, Value>, whole: bool) -> Value {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let step = if whole { 1.0 } else { 0.5 };
    let least = limit("minimum").into_iter().chain(limit("exclusiveMinimum").map(|it| it + step));
    let most = limit("maximum").into_iter().chain(limit("exclusiveMaximum").map(|it| it - step));
    let (least, most) = (least.fold(f64::MIN, f64::max), most.fold(f64::MAX, f64::min));
    let made = 1.0_f64.min(most).max(least);
    match if whole { made.ceil() } else { made } {
        1.0 => json!(1),
        made => json!(made),
    }
}

/// What is like both: objects are put together, of anything else the first says enough.
fn both(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Object(mut one), Value::Object(other)) => {
            for (name, value) in other {
                let joined = match one.remove(&name) {
                    Some(before) => both(before, value),
                    None => value,
                };
                one.insert(name, joined);
            }
            Value::Object(one)
        }
        (one, _) => one,
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null") || schema.get("const").is_some_and(Value::is_null)
}

fn count(schema: &Map<String, Value>, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok())
}

fn list<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

#[cfg(test)]
mod tests;
