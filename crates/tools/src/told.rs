//! What of a tool's schema a model is told: it is sent with every request, so what is only checked is left out. Arguments
//! that do not fit are still refused, with words that say what would.

use serde_json::{Map, Value};

/// The schema without bounds, without that nothing else is taken, and without the type of what is chosen from a list.
pub(crate) fn told(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => Value::Object(object(fields)),
        Value::Array(items) => items.iter().map(told).collect(),
        other => other.clone(),
    }
}

fn object(fields: &Map<String, Value>) -> Map<String, Value> {
    let chosen = fields.get("enum").is_some_and(Value::is_array);
    let wanted = |name: &str, value: &Value| match name {
        "minimum" | "maximum" => !value.is_number(),
        "additionalProperties" => *value != Value::Bool(false),
        "type" => !(chosen && *value == "string"),
        _ => true,
    };
    let kept = fields.iter().filter(|(name, value)| wanted(name, value));
    kept.map(|(name, value)| {
        let value = match (name.as_str(), value) {
            // A field may itself be called `minimum`, so property names are not schemas.
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, schema)| (name.clone(), told(schema))).collect()
            }
            ("enum" | "required" | "default" | "const" | "examples", value) => value.clone(),
            (_, value) => told(value),
        };
        (name.clone(), value)
    })
    .collect()
}
