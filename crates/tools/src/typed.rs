//! Makes a [`Tool`] of one input struct and one async function.
//!
//! The schema comes from the struct: field names in camelCase, descriptions from doc comments; that of the output
//! likewise, where a tool gives programs more than text. What the tool does is the author's.

use crate::{
    context::ToolContext,
    told::told,
    tool::{Presentation, Tool, ToolOutput},
};
use futures::future::BoxFuture;
use protocol::Labels;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A tool with a typed input. Derive `Deserialize` and `JsonSchema` on the input, with
/// `#[serde(rename_all = "camelCase", deny_unknown_fields)]`.
pub trait TypedTool: Send + Sync + 'static {
    /// The dotted name.
    const NAME: &'static str;
    /// What it does, for the model to read; sent with every request, so short.
    const DESCRIPTION: &'static str;
    /// What a call may bring in, see or touch.
    const LABELS: Labels;
    /// What it takes.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// What it gives programs besides text, as `Some(output_of::<Output>)`. Every success then comes
    /// [`with`](ToolOutput::with) such a value.
    const OUTPUT: Option<fn() -> Value> = None;

    /// What this very call may bring in, see or touch, where that depends on its input.
    fn labels_of(&self, _input: &Self::Input) -> Labels {
        Self::LABELS
    }

    /// What a call would do, for the owner to read.
    fn show(&self, input: &Self::Input) -> Presentation;

    /// Does it.
    fn run(&self, input: Self::Input, context: &ToolContext) -> impl Future<Output = ToolOutput> + Send;
}

impl<T: TypedTool> Tool for T {
    fn name(&self) -> &str {
        T::NAME
    }

    fn description(&self) -> &str {
        T::DESCRIPTION
    }

    fn input_schema(&self) -> Value {
        schema_of::<T::Input>(SchemaSettings::draft2020_12())
    }

    fn output_schema(&self) -> Option<Value> {
        T::OUTPUT.map(|schema| schema())
    }

    fn labels(&self, input: &Value) -> Labels {
        serde_json::from_value(input.clone()).map_or(T::LABELS, |input| self.labels_of(&input))
    }

    fn present(&self, input: &Value) -> Presentation {
        match serde_json::from_value(input.clone()) {
            Ok(input) => self.show(&input),
            // The owner still sees the bytes; running it will fail with the reason.
            Err(_) => Presentation::new(T::NAME, input.to_string()),
        }
    }

    fn execute<'a>(&'a self, input: Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            match serde_json::from_value(input) {
                Ok(input) => self.run(input, context).await,
                Err(error) => {
                    ToolOutput::failed(format!("The arguments of `{}` do not fit: {error}.", T::NAME))
                }
            }
        })
    }
}

/// The schema of a tool's output. Derive `Serialize` and `JsonSchema` on `T`, with `#[serde(rename_all = "camelCase")]`;
/// what may be missing is skipped when it is, never null. Doc comments are read by authors of programs, so short.
pub fn output_of<T: Serialize + JsonSchema>() -> Value {
    told(&schema_of::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

/// The schema without what a model has no use for: it is sent with every request.
fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        // The struct's own doc comment is for readers of the code; the tool has a description.
        root.remove("description");
    }
    schema
}

/// Drops titles, formats and `null` alternatives: an optional field is left out, never null.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.remove("title");
            map.remove("format");
            if map.get("default").is_some_and(Value::is_null) {
                map.remove("default");
            }
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(values)) = map.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
                choices.retain(|choice| choice != &serde_json::json!({ "type": "null" }));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    map.remove("anyOf");
                    // What stands at the field says more than what stands at its type.
                    for (key, value) in only {
                        map.entry(key).or_insert(value);
                    }
                }
            }
            // A field may itself be called `title`, so property names are not schemas.
            for (key, inner) in map.iter_mut() {
                match inner {
                    Value::Object(fields) if key == "properties" => fields.values_mut().for_each(simplify),
                    Value::Object(_) | Value::Array(_) if key != "enum" && key != "required" => {
                        simplify(inner)
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}
