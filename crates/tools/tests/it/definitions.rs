//! What the model is told of the tools: small, in a fixed order, spelled as providers accept.

use crate::{orders, support::parts};
use tools::{Builtin, SearchEndpoint, SearchKind, builtin};

/// What all definitions may take together: they are sent with every request.
const MAX_DEFINITIONS_BYTES: usize = 8_000;

#[tokio::test]
async fn definitions_are_small_and_always_read_the_same() {
    let search = Some(SearchEndpoint {
        kind: SearchKind::Searxng,
        url: "http://localhost/".parse().unwrap(),
        key: None,
    });
    let dir = tempfile::tempdir().unwrap();
    let orders = orders::orders(dir.path()).await.0;
    let make = || {
        let (search, orders) = (search.clone(), Some(orders.clone()));
        builtin(Builtin { search, orders, ..parts() }).unwrap().definitions()
    };
    let definitions = make();
    let json = serde_json::to_string(&definitions).unwrap();
    for definition in &definitions {
        println!("{:>5} {}", serde_json::to_string(definition).unwrap().len(), definition.name);
    }
    println!("{:>5} bytes in all", json.len());
    assert!(json.len() < MAX_DEFINITIONS_BYTES, "{} bytes", json.len());
    assert_eq!(json, serde_json::to_string(&make()).unwrap());
    let names: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    let expected = [
        "bash",
        "cron",
        "edit",
        "exec",
        "glob",
        "grep",
        "process",
        "read",
        "tasks.cancel",
        "tasks.complete",
        "tasks.create",
        "tasks.createEventTrigger",
        "tasks.createRecurring",
        "tasks.history",
        "tasks.list",
        "webfetch",
        "websearch",
        "write",
    ];
    assert_eq!(names, expected);
    for noise in ["$schema", "$ref", "$defs", "\"title\"", "\"format\"", "null"] {
        assert!(!json.contains(noise), "{noise} in {json}");
    }
}
