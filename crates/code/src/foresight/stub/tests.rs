//! Made-up values, checked by a validator written elsewhere against the schemas they were made from.

use super::{FULL_BYTES, stub};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn fits(schema: &Value) -> Value {
    let made = stub(Some(schema));
    let errors: Vec<String> = match jsonschema::options().build(schema) {
        Ok(validator) => validator.iter_errors(&made).map(|error| error.to_string()).collect(),
        Err(error) => panic!("{schema}: {error}"),
    };
    assert!(errors.is_empty(), "{schema} made {made}: {errors:?}");
    made
}

#[test]
fn a_made_up_value_looks_like_its_schema() {
    assert_eq!(stub(None), json!({ "output": "…", "exitCode": 0 }));
    for (schema, expected) in [
        (json!({ "type": "string" }), json!("…")),
        (json!({ "type": "string", "minLength": 3 }), json!("………")),
        (json!({ "type": "string", "format": "date-time" }), json!("2026-01-01T00:00:00Z")),
        (json!({ "type": "integer" }), json!(1)),
        (json!({ "type": "integer", "minimum": 5 }), json!(5.0)),
        (json!({ "type": "number", "exclusiveMaximum": 1 }), json!(0.5)),
        (json!({ "type": ["null", "boolean"] }), json!(true)),
        (json!({ "type": "null" }), json!(null)),
        (json!({ "enum": ["open", "closed"] }), json!("open")),
        (json!({ "const": { "a": [1] } }), json!({ "a": [1] })),
        (json!({ "type": "array", "items": { "type": "integer" } }), json!([1])),
        (json!({ "type": "array", "items": { "type": "integer" }, "minItems": 3 }), json!([1, 1, 1])),
        (json!({ "type": "array", "maxItems": 0 }), json!([])),
        (json!({ "prefixItems": [{ "type": "string" }, { "type": "integer" }] }), json!(["…", 1])),
        (json!({ "type": "object", "additionalProperties": { "type": "integer" } }), json!({ "…": 1 })),
        (json!({ "anyOf": [{ "type": "null" }, { "type": "integer" }] }), json!(1)),
        (json!({ "type": "object", "required": ["a"] }), json!({ "a": "…" })),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/one" }, { "properties": { "b": { "type": "integer" } } }],
                    "$defs": { "one": { "type": "object", "properties": { "a": { "type": "string" } } } } }),
            json!({ "a": "…", "b": 1 }),
        ),
        (json!({}), json!("…")),
        (json!(true), json!("…")),
    ] {
        assert_eq!(fits(&schema), expected, "{schema}");
    }
}

/// Shapes of the kind the house's own tools have.
#[test]
fn a_made_up_value_passes_the_check_of_its_own_schema() {
    let entry = json!({ "type": "object", "required": ["name", "kind"], "additionalProperties": false, "properties": {
        "name": { "type": "string" },
        "kind": { "enum": ["file", "directory", "link", "other"] },
        "bytes": { "type": "integer", "minimum": 0 } } });
    for schema in [
        json!({ "type": "object", "required": ["entries", "more"], "additionalProperties": false, "properties": {
            "entries": { "type": "array", "items": entry }, "more": { "type": "boolean" } } }),
        json!({ "type": "object", "required": ["text", "firstLine", "lines"], "properties": {
            "text": { "type": "string" },
            "firstLine": { "type": "integer", "minimum": 1 },
            "lines": { "type": "integer", "minimum": 0 } } }),
        json!({ "type": "object", "required": ["output", "exitCode"], "properties": {
            "output": { "type": "string" }, "exitCode": { "type": ["integer", "null"] } } }),
        json!({ "oneOf": [{ "type": "object", "required": ["hit"], "properties": { "hit": { "type": "string" } } },
                          { "type": "object", "required": ["none"], "properties": { "none": { "const": true } } }] }),
        json!({ "$ref": "#/$defs/node", "$defs": { "node": { "type": "object", "required": ["name", "children"],
            "properties": { "name": { "type": "string" }, "parent": { "$ref": "#/$defs/node" },
                "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } } } } }),
    ] {
        fits(&schema);
    }
}

#[test]
fn hostile_schemas_make_small_values() {
    let wide: Map<String, Value> = (0..30).map(|n| (format!("p{n}"), json!({ "$ref": "#" }))).collect();
    let names: Vec<&String> = wide.keys().collect();
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "type": "array", "items": { "$ref": "#" }, "minItems": u64::MAX }),
        json!({ "type": "object", "properties": wide.clone() }),
        json!({ "type": "object", "properties": wide, "required": names }),
        json!({ "type": "string", "minLength": u64::MAX }),
        json!({ "type": "array", "minItems": 20, "items": { "const": "x".repeat(10_000) } }),
        json!({ "type": "object", "required": (0..100_000).map(|n| n.to_string()).collect::<Vec<_>>() }),
        json!({ "$ref": "#/nowhere" }),
        json!({ "$ref": "https://example.org/other.json" }),
        json!({ "type": 7, "enum": {}, "anyOf": "x", "properties": [] }),
        json!({ "type": "number", "minimum": 1e308, "maximum": -1e308 }),
        json!([1]),
    ] {
        let made = stub(Some(&schema)).to_string();
        assert!(made.len() <= 8 * FULL_BYTES, "{} bytes of {schema:.200}", made.len());
    }
}

/// Schemas that can be met, as tools have them.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({})),
        (0_u32..5, 5_u32..9)
            .prop_map(|(least, most)| json!({ "type": "string", "minLength": least, "maxLength": most })),
        (-9_i32..9, 0_i32..9).prop_map(
            |(least, more)| json!({ "type": "integer", "minimum": least, "maximum": least + more })
        ),
        prop::collection::vec(any::<i32>(), 1..4).prop_map(|values| json!({ "enum": values })),
        any::<bool>().prop_map(|value| json!({ "const": value })),
    ];
    leaf.prop_recursive(6, 64, 5, |inner| {
        let properties = prop::collection::btree_map("[a-e]", (inner.clone(), any::<bool>()), 0..5);
        let object = (properties, any::<bool>()).prop_map(|(properties, open)| {
            let required: Vec<&String> =
                properties.iter().filter(|(_, (_, required))| *required).map(|(name, _)| name).collect();
            let named: Map<String, Value> =
                properties.iter().map(|(name, (schema, _))| (name.clone(), schema.clone())).collect();
            json!({ "type": "object", "properties": named, "required": required, "additionalProperties": open })
        });
        prop_oneof![
            object,
            (inner.clone(), 0_u32..4).prop_map(|(items, least)| json!({ "type": "array", "items": items, "minItems": least })),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|some| json!({ "anyOf": some })),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|some| json!({ "prefixItems": some })),
                        inner.prop_map(|it| json!({ "allOf": [it] })),
        ]
    })
}

proptest! {
    #[test]
    fn a_made_up_value_is_what_its_schema_allows(schema in schemas()) {
        fits(&schema);
    }
}
