//! One line for each thing that can be asked over HTTP. The router and the OpenAPI document are both made of
//! these lines, so neither can know more than the other.

use crate::{fault::Envelope, gateway::Gateway};
use axum::{
    handler::Handler,
    routing::{MethodFilter, MethodRouter, any, on},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// One method of one path.
pub(crate) struct Route {
    pub method: &'static str,
    pub path: &'static str,
    /// Whether it needs no token.
    pub open: bool,
    pub handler: MethodRouter<Gateway>,
    summary: &'static str,
    takes: Option<SchemaOf>,
    asks: Option<SchemaOf>,
    gives: Gives,
}

/// What a good answer holds.
enum Gives {
    Json(SchemaOf),
    Either(SchemaOf),
    Events,
    Page,
}

impl Route {
    pub fn get<H: Handler<T, Gateway>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new("get", MethodFilter::GET, path, handler)
    }

    pub fn post<H: Handler<T, Gateway>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new("post", MethodFilter::POST, path, handler)
    }

    /// Whatever the method; it is described as `POST`.
    pub fn any<H: Handler<T, Gateway>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self { handler: any(handler.clone()), ..Self::post(path, handler) }
    }

    fn new<H: Handler<T, Gateway>, T: 'static>(
        method: &'static str,
        filter: MethodFilter,
        path: &'static str,
        handler: H,
    ) -> Self {
        let handler = on(filter, handler);
        Self { method, path, open: false, handler, summary: "", takes: None, asks: None, gives: Gives::Page }
    }

    /// It needs no token.
    pub fn open(self) -> Self {
        Self { open: true, ..self }
    }

    /// What it does, in a line.
    pub fn does(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// The body it takes.
    pub fn takes<T: JsonSchema>(self) -> Self {
        Self { takes: Some(|generator| generator.subschema_for::<T>()), ..self }
    }

    /// The query it takes.
    pub fn asks<T: JsonSchema>(self) -> Self {
        Self { asks: Some(|generator| generator.root_schema_for::<T>()), ..self }
    }

    /// What it answers.
    pub fn gives<T: JsonSchema>(self) -> Self {
        Self { gives: Gives::Json(|generator| generator.subschema_for::<T>()), ..self }
    }

    /// It answers with a stream of events.
    pub fn streams(self) -> Self {
        Self { gives: Gives::Events, ..self }
    }

    /// It answers at once or with a stream of events, as the client wishes.
    pub fn gives_or_streams<T: JsonSchema>(self) -> Self {
        Self { gives: Gives::Either(|generator| generator.subschema_for::<T>()), ..self }
    }

    fn operation(&self, generator: &mut SchemaGenerator) -> Value {
        let named = self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        // The star that lets a name reach over several parts is the router's own.
        let named = named.map(|name| name.trim_start_matches('*'));
        let mut parameters: Vec<Value> = named
            .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
            .collect();
        if let Some(asks) = self.asks {
            parameters.extend(query_parameters(asks(generator).as_value()));
        }
        let json_content = |schema: Schema| json!({ "application/json": { "schema": schema } });
        let events = || json!({ "schema": { "type": "string" } });
        let content = match &self.gives {
            Gives::Json(schema) => json_content(schema(generator)),
            Gives::Events => json!({ "text/event-stream": events() }),
            Gives::Either(schema) => {
                let mut content = json_content(schema(generator));
                content["text/event-stream"] = events();
                content
            }
            Gives::Page => json!({ "text/html": {} }),
        };
        let fault = json_content(generator.subschema_for::<Envelope>());
        let mut operation = json!({
            "summary": self.summary,
            "responses": {
                "200": { "description": "It was done.", "content": content },
                "default": { "description": "It was not; the envelope says why.", "content": fault },
            },
        });
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(takes) = self.takes {
            operation["requestBody"] = json!({ "required": true, "content": json_content(takes(generator)) });
        }
        if self.open {
            operation["security"] = json!([]);
        }
        operation
    }
}

fn query_parameters(schema: &Value) -> Vec<Value> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let parameter = |(name, schema): (String, Value)| {
        let required = required.contains(&Value::from(name.as_str()));
        json!({ "name": name, "in": "query", "required": required, "schema": schema })
    };
    properties.into_iter().map(parameter).collect()
}

/// The OpenAPI document of these routes.
pub(crate) fn document(routes: &[Route]) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in routes {
        let operation = route.operation(&mut generator);
        paths.entry(route.path.replace("{*", "{")).or_insert_with(|| json!({}))[route.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Steward",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The HTTP doors of a Steward. The WebSocket door is described in docs/protocol.md.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}
